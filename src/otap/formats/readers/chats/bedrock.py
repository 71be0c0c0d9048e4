"""Messages of Amazon Bedrock's Converse, which Strands Agents keeps as well."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from otap.formats.json.documents import Document
from otap.formats.json.places import Place, described
from otap.formats.readers.chats.turns import Turns
from otap.formats.steps.calls import Call, made_call
from otap.formats.steps.content import joined, said, text_of
from otap.formats.steps.conversation import Kept
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.tokens import tokens_beside
from otap.trajectory import Trajectory

NAME = "bedrock"
DESCRIPTION = "messages of Amazon Bedrock's Converse and of Strands Agents: lists, requests, JSONL"
STEP = "each tool use of an assistant message, those that the server ran included"
KNOWN_BY = "messages whose 'content' has parts without a type, as 'toolUse' or 'toolResult'"

_ROLES = ("user", "assistant")
_OF = ("toolConfig", "inferenceConfig", "stopReason")  # of requests and answers
_LEFT_OUT = (*_OF, "messages", "system", "usage", "metrics", "output")
_USE, _RESULT, _TEXT = "toolUse", "toolResult", "text"
_SILENT = {
    "image": "picture",
    "document": "file",
    "video": "sound or film",
    "audio": "sound or film",
    "cachePoint": "mark",
    "reasoningContent": "thought",
    "searchResult": "source",
}
_CITATIONS, _GUARDED = "citationsContent", "guardContent"
_OWN = {_USE, _RESULT, _CITATIONS, _GUARDED, *_SILENT}
_STATUS: dict[Any, Literal["ok", "error"]] = {"success": "ok", "error": "error"}


def recognises(value: Any) -> bool:
    """Says whether this is a message, a request, an answer, or a list that begins with one.

    Messages of nothing but text are no other than a conversation of OpenAI's kind.
    """
    if _is_kept(value):
        return False  # sessions have a file for each message: one alone is no run
    if _is_message(value) or _is_conversation(value):
        return _is_own(value)
    first = value[0] if isinstance(value, list) and value else None
    return _is_conversation(first) and _is_own(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each conversation."""
    for kept, about in _conversations(document):
        recorder = Recorder(reasoning)
        if about.get("system"):
            recorder.ignored("system prompt")
        for index, (value, place) in enumerate(kept.messages):
            _record(recorder, index, *_message(place.object(value), place))
        yield kept.run(recorder.conversation())


def _is_message(value: Any) -> bool:
    message = _inside(value)
    if message.get("role") not in _ROLES or not isinstance(message.get("content"), list):
        return False
    if "meta" in message or "messages" in message:
        return False
    return all(isinstance(part, dict) and "type" not in part for part in message["content"])


def _is_kept(value: Any) -> bool:
    """Says whether this is a message that a session of Strands keeps, with its number."""
    return isinstance(value, dict) and "message_id" in value and "message" in value


def _inside(value: Any) -> dict[str, Any]:
    found = value[_kept_as(value)] if _is_kept(value) else value
    return found if isinstance(found, dict) else {}


def _kept_as(value: Mapping[str, Any]) -> str:
    """Returns where a session keeps a message: another is put beside it to take its place."""
    return "message" if value.get("redact_message") is None else "redact_message"


def _is_conversation(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and _is_message(value[0])
    return isinstance(value, dict) and any(map(_is_message, _messages(value)[:1]))


def _messages(value: Any) -> list[Any]:
    """Returns the messages of a request, and that of an answer."""
    if not isinstance(value, dict):
        return list(value)
    listed = value.get("messages")
    output = value.get("output")
    answer = output.get("message") if isinstance(output, dict) else None
    return [*(listed if isinstance(listed, list) else ()), *([answer] if answer else ())]


def _is_own(value: Any) -> bool:
    """Says whether messages, or what stands beside them, are written as only Converse does."""
    if _is_message(value):
        return _has_own_parts([value])
    if isinstance(value, dict) and ("messages" not in value or not value.keys().isdisjoint(_OF)):
        return True  # an answer alone, or what is asked with settings
    messages = _messages(value)
    return any(map(_is_kept, messages)) or _has_own_parts(messages)


def _has_own_parts(messages: list[Any]) -> bool:
    contents = [_inside(message).get("content") for message in messages]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return any(isinstance(p, dict) and "type" not in p and not _OWN.isdisjoint(p) for p in parts)


def _conversations(document: Document) -> Iterator[tuple[Kept, dict[str, Any]]]:
    """Yields the messages of each conversation, and what stands beside them."""
    value = document.value
    if _is_message(value) or (isinstance(value, list) and _is_message(value[0])):
        yield Kept(list(document.items()), {}, document.place), {}
        return
    for item, place in document.items():
        about = item if isinstance(item, dict) else {}
        yield _kept(item, place), about


def _kept(value: Any, place: Place) -> Kept:
    if isinstance(value, list):
        return Kept(_placed(value, place), {}, place)
    about = place.object(value)
    found = _placed(about.get("messages"), place["messages"])
    if about.get("output") is not None:
        where = place["output"]
        found.append((where.object(about["output"]).get("message"), where["message"]))
    around = {k: v for k, v in about.items() if k not in _LEFT_OUT}
    if not found:
        raise place["messages"].error("expected at least one message, found none")
    return Kept(found, around, place, (_tools(about),), tokens=tokens_beside(about))


def _placed(value: Any, place: Place) -> list[tuple[Any, Place]]:
    listed = [] if value is None else place.array(value)
    return [(message, place[index]) for index, message in enumerate(listed)]


def _tools(about: Mapping[str, Any]) -> Any:
    config = about.get("toolConfig")
    return config.get("tools") if isinstance(config, dict) else None


def _message(value: dict[str, Any], place: Place) -> tuple[dict[str, Any], Place]:
    if not _is_kept(value):
        return value, place
    key = _kept_as(value)
    return place[key].object(value[key]), place[key]


def _record(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    role = message.get("role")
    parts = list(_parts(message.get("content"), place["content"]))
    if role == "assistant":
        _answer(recorder, index, parts)
    elif role == "user":
        _user(recorder, index, parts)
    elif isinstance(role, str) and role:
        recorder.interrupted()
        recorder.unknown(f"message of role '{role}'")
    else:
        raise place["role"].error(f"expected one of {', '.join(_ROLES)}, found {described(role)}")


def _parts(content: Any, place: Place) -> Iterator[tuple[dict[str, Any], Place]]:
    if isinstance(content, str):
        yield {_TEXT: content}, place
    else:
        yield from place.objects(content)


def _answer(recorder: Recorder, index: int, parts: list[tuple[dict[str, Any], Place]]) -> None:
    turns = Turns(recorder, {"message": index}, together=True)
    for part, place in parts:
        if part.get(_USE) is not None:
            turns.call(_call(part[_USE], place[_USE]))
        elif part.get(_RESULT) is not None:
            identifier, content, status = _result(part[_RESULT], place[_RESULT])
            turns.result(identifier, None, content, status)
        elif text := _text(recorder, part, place):
            turns.say(text)
    turns.end()


def _user(recorder: Recorder, index: int, parts: list[tuple[dict[str, Any], Place]]) -> None:
    recorder.interrupted()
    texts = []
    for part, place in parts:
        if part.get(_USE) is not None:
            raise place[_USE].error("only messages of the assistant may call tools")
        if part.get(_RESULT) is not None:
            identifier, content, status = _result(part[_RESULT], place[_RESULT])
            kept = {"message": index, "toolUseId": identifier}
            recorder.result(identifier, None, content, status, kept=kept)
        elif text := _text(recorder, part, place):
            texts.append(text)
    if texts:
        recorder.user(["\n".join(texts)])


def _call(value: Any, place: Place) -> Call:
    use = place.object(value)
    identifier = place["toolUseId"].label(use.get("toolUseId"))
    return made_call(use.get("name"), use.get("input"), identifier, place["name"])


def _result(value: Any, place: Place) -> tuple[str | None, Any, Literal["ok", "error"] | None]:
    result = place.object(value)
    identifier = place["toolUseId"].label(result.get("toolUseId"))
    told = result.get("status")
    status = _STATUS.get(told) if isinstance(told, str) else None
    return identifier, _returned(result.get("content")), status


def _returned(content: Any) -> Any:
    """Returns a result as it was recorded; texts as their text, one value as that value."""
    if isinstance(content, list) and len(content) == 1:
        only = content[0]
        if isinstance(only, dict) and list(only) == ["json"]:
            return only["json"]
    return "" if content == [] else joined(content)


def _text(recorder: Recorder, part: dict[str, Any], place: Place) -> str | None:
    """Returns what a part says; what else it is, is noted."""
    if part.get(_TEXT) is not None:
        text = text_of(part, place, _TEXT)
        return text if text is not None and text.strip() else None
    if part.get(_CITATIONS) is not None:
        cited = place[_CITATIONS].object(part[_CITATIONS])
        texts = said(cited.get("content"), place[_CITATIONS]["content"], _cited)
        return "\n".join(texts) or None
    if part.get(_GUARDED) is not None:
        return _guarded(recorder, place[_GUARDED].object(part[_GUARDED]), place[_GUARDED])
    _note(recorder, part)
    return None


def _note(recorder: Recorder, part: dict[str, Any]) -> None:
    for key in (key for key, value in part.items() if value is not None):
        if key in _SILENT:
            recorder.ignored(_SILENT[key])
        else:
            recorder.unknown(f"part with '{key}'")


def _cited(part: Any, place: Place) -> str | None:
    return text_of(place.object(part), place, _TEXT)


def _guarded(recorder: Recorder, part: dict[str, Any], place: Place) -> str | None:
    """Returns the text of a part that a guard looks at; it may also be a picture."""
    if part.get(_TEXT) is None:
        recorder.ignored("picture")
        return None
    return text_of(place[_TEXT].object(part[_TEXT]), place[_TEXT], _TEXT)
