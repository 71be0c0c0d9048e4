"""Messages of Haystack, as ``ChatMessage.to_dict`` writes them, and what its agents return."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from otap.formats.json.documents import Document, first_of
from otap.formats.json.places import Place, described
from otap.formats.steps.calls import Call, made_call
from otap.formats.steps.content import joined, text_of
from otap.formats.steps.conversation import conversations
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory

NAME = "haystack"
DESCRIPTION = "messages of Haystack: a list, {'messages': [...]}, a list of these, or JSONL"
STEP = "each tool call of an assistant message"
KNOWN_BY = "messages with 'meta' whose 'content' has parts, as 'tool_call' or 'text'"

_ROLES = ("user", "system", "assistant", "tool")
_CALL, _RESULT = "tool_call", "tool_call_result"
_ENDED: dict[bool, Literal["ok", "error"]] = {True: "error", False: "ok"}
_SILENT = {"image": "picture", "file": "file", "reasoning": "thought"}
# How a part is known that was dumped without the key of its kind.
_BARE = {
    "tool_name": _CALL,
    "origin": _RESULT,
    "reasoning_text": "reasoning",
    "base64_image": "image",
    "base64_data": "file",
}
_LEFT_OUT = ("last_message", "token_usage", "step_count", "tool_call_counts")


def recognises(value: Any) -> bool:
    """Says whether this is a message, a conversation, or a list that begins with one."""
    first = first_of(value)
    return is_message(first) or _is_conversation(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each conversation."""
    for kept in conversations(document, is_message, left_out=_LEFT_OUT):
        recorder = Recorder(reasoning)
        for index, (value, place) in enumerate(kept.messages):
            _record(recorder, index, place.object(value), place)
        yield kept.run(recorder.conversation())


def is_message(value: Any) -> bool:
    """Says whether this is a message of Haystack; before version 2.9 its fields began with '_'."""
    if not isinstance(value, dict) or "messages" in value or "id" in value:
        return False
    role, content, meta = (_field(value, name) for name in ("role", "content", "meta"))
    if role not in _ROLES or not isinstance(content, list) or not isinstance(meta, dict):
        return False
    return all(isinstance(part, dict) and "type" not in part for part in content)


def _key(message: Mapping[str, Any], name: str) -> str:
    return name if name in message else f"_{name}"


def _field(message: Mapping[str, Any], name: str) -> Any:
    return message.get(_key(message, name))


def _is_conversation(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else value
    return isinstance(messages, list) and bool(messages) and is_message(messages[0])


def _record(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    role = _field(message, "role")
    if not isinstance(role, str) or not role:
        raise place["role"].error(f"expected one of {', '.join(_ROLES)}, found {described(role)}")
    parts = list(_parts(message, place))
    said = "\n".join(text for part in parts if (text := _text(recorder, *part)))
    texts = [said] if said.strip() else []
    calls = [_call(part, at) for kind, part, at in parts if kind == _CALL]
    if role == "assistant":
        recorder.assistant(texts, calls, _name(_field(message, "name")))
    elif calls:
        raise place["content"].error("only messages of the assistant may call tools")
    else:
        _other(recorder, role, texts)
    _results(recorder, index, parts)


def _other(recorder: Recorder, role: str, texts: list[str]) -> None:
    recorder.interrupted()
    if role == "user":
        recorder.user(texts)
    elif role == "system":
        recorder.ignored("system prompt")
    elif role != "tool":
        recorder.unknown(f"message of role '{role}'")


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _parts(message: dict[str, Any], place: Place) -> Iterator[tuple[str, dict[str, Any], Place]]:
    """Yields the parts of a message, each with its kind; a text is the part itself."""
    key = _key(message, "content")
    content, where = message.get(key), place[key]
    if isinstance(content, str):
        yield "text", {"text": content}, where
        return
    for part, at in where.objects(content):
        yield _part(part, at)


def _part(part: dict[str, Any], place: Place) -> tuple[str, dict[str, Any], Place]:
    bare = next((kind for name, kind in _BARE.items() if name in part), None)
    if "text" in part or bare is not None:
        return bare or "text", part, place
    kind = next((key for key, value in part.items() if value is not None), "nothing")
    if kind in (_CALL, _RESULT):
        return kind, place[kind].object(part[kind]), place[kind]
    return kind, part, place


def _text(recorder: Recorder, kind: str, part: dict[str, Any], place: Place) -> str | None:
    if kind == "text":
        return text_of(part, place, "text")
    if kind in _SILENT:
        recorder.ignored(_SILENT[kind])
    elif kind not in (_CALL, _RESULT):
        recorder.unknown(f"part with '{kind}'")
    return None


def _call(part: dict[str, Any], place: Place) -> Call:
    identifier = place["id"].label(part.get("id"))
    name, arguments = part.get("tool_name"), part.get("arguments")
    return made_call(name, arguments, identifier, place["tool_name"])


def _results(
    recorder: Recorder, index: int, parts: list[tuple[str, dict[str, Any], Place]]
) -> None:
    for kind, part, place in parts:
        if kind == _RESULT:
            _result(recorder, index, part, place)


def _result(recorder: Recorder, index: int, part: dict[str, Any], place: Place) -> None:
    """Records a result, which tells the call that it is of once more."""
    origin = place["origin"].object(part.get("origin"))
    identifier = place["origin"]["id"].label(origin.get("id"))
    kept = {"message": index, "id": identifier, "tool_name": origin.get("tool_name")}
    failed = part.get("error")
    status = _ENDED[failed] if isinstance(failed, bool) else None
    result = joined(part.get("result"))
    recorder.result(identifier, origin.get("tool_name"), result, status, kept=kept)
