"""Messages of Amazon Bedrock's Converse, which Strands Agents keeps as well."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath
from otap.formats.steps import tables
from otap.formats.steps.content import join_texts, list_at, message_texts, text_of, value_at
from otap.formats.steps.conversation import RawConversation
from otap.formats.steps.tokens import find_usage

NAME = "bedrock"
DESCRIPTION = "messages of Amazon Bedrock's Converse and of Strands Agents: lists, requests, JSONL"
STEP = "each tool use of an assistant message, those that the server ran included"
KNOWN_BY = "messages whose 'content' has parts without a type, as 'toolUse' or 'toolResult'"

_SPEAKERS = tables.speakers()
_OF = ("toolConfig", "inferenceConfig", "stopReason")  # of requests and answers
_LEFT_OUT = (*_OF, "messages", "system", "usage", "metrics", "output")


def _is_converse_message(value: Any) -> bool:
    message = _without_session(value, JsonPath(""))[0]
    if not tables.has_role(message, _SPEAKERS) or "meta" in message:
        return False
    parts = message.get("content")
    return isinstance(parts, list) and all(
        isinstance(part, dict) and "type" not in part for part in parts
    )


def _is_kept(value: Any) -> bool:
    """Says whether this is a message that a session of Strands keeps, with its number."""
    return isinstance(value, dict) and "message_id" in value and "message" in value


def _messages_in(value: Any) -> list[Any]:
    """Returns the messages of a request, and that of an answer."""
    if not isinstance(value, dict):
        return value if isinstance(value, list) else []
    answer = value_at(value, ("output", "message"))
    return [*list_at(value, "messages"), *([answer] if answer else ())]


def _is_only_of_converse(value: Any) -> bool:
    """Says whether messages, or what stands beside them, are written as only Converse does.

    Messages of nothing but text are no other than a conversation of OpenAI's kind.
    """
    if _is_kept(value):
        return False  # sessions have a file for each message: one alone is no run
    if _is_converse_message(value):
        return _has_own_parts([value])
    if isinstance(value, dict) and ("messages" not in value or not value.keys().isdisjoint(_OF)):
        return True  # an answer alone, or what is asked with settings
    messages = _messages_in(value)
    return any(map(_is_kept, messages)) or _has_own_parts(messages)


def _has_own_parts(messages: list[Any]) -> bool:
    own = _PARTS.keys() - {"text"}
    opened = (_without_session(message, JsonPath(""))[0] for message in messages)
    parts = [part for message in opened for part in list_at(message, "content")]
    return any(isinstance(p, dict) and "type" not in p and not own.isdisjoint(p) for p in parts)


def _requests_and_lists(document: Document) -> Iterator[RawConversation]:
    value = document.value
    if _is_converse_message(value) or (isinstance(value, list) and _is_converse_message(value[0])):
        yield RawConversation(
            [_without_session(*placed) for placed in document.items()], {}, document.root
        )
        return
    for item, place in document.items():
        if isinstance(item, list):
            yield RawConversation(
                [_without_session(*placed) for placed in place.objects(item)], {}, place
            )
        else:
            yield _read_request(place.object(item), place)


def _read_request(about: dict[str, Any], place: JsonPath) -> RawConversation:
    listed = place["messages"].objects(about.get("messages"))
    found = [_without_session(*placed) for placed in listed]
    if about.get("output") is not None:
        where = place["output"]
        found.append((where.object(about["output"]).get("message"), where["message"]))
    if not found:
        raise place["messages"].error("expected at least one message, found none")
    if about.get("system"):
        found.append(({"role": "system"}, place["system"]))  # that there is one, is counted
    around = {k: v for k, v in about.items() if k not in _LEFT_OUT}
    tools = value_at(about, ("toolConfig", "tools"))
    return RawConversation(found, around, place, (tools,), tokens=find_usage(about))


def _without_session(value: Any, place: JsonPath) -> tuple[Any, JsonPath]:
    """Returns a message without what a session of Strands keeps around it.

    Where another was put beside it to take its place, that is the message.
    """
    if not _is_kept(value):
        return value, place
    key = "message" if value.get("redact_message") is None else "redact_message"
    return value[key], place[key]


def _content_of_result(content: Any) -> Any:
    """Returns a result as it was recorded; texts as their text, one value as that value."""
    match content:
        case [{"json": only, **rest}] if not rest:
            return only
    return "" if content == [] else join_texts(content)


def _add_cited(message: tables.Message, cited: Any, place: JsonPath) -> None:
    content = place.object(cited).get("content")
    message.items += message_texts(
        content, place["content"], lambda p, at: text_of(at.object(p), at, "text")
    )


def _add_guarded(message: tables.Message, guarded: Any, place: JsonPath) -> None:
    """Adds a part that a guard looks at; it may also be a picture."""
    if place.object(guarded).get("text") is None:
        message.ignored.append("picture")
    else:
        text = place["text"].object(guarded["text"]).get("text")
        tables.add_text(message, text or "", place["text"]["text"])


_PARTS: dict[str, tables.Entry] = {
    "text": tables.add_text,
    "toolUse": tables.CallKeys("name", ("input",), ("toolUseId",)),
    "toolResult": tables.ResultKeys(
        ids=("toolUseId",),
        status=tables.StatusKey("status", {"success": "ok", "error": "error"}),
        clean=_content_of_result,
    ),
    "citationsContent": _add_cited,
    "guardContent": _add_guarded,
    "image": "picture",
    "document": "file",
    "video": "sound or film",
    "audio": "sound or film",
    "cachePoint": "mark",
    "reasoningContent": "thought",
    "searchResult": "source",
}
_DIALECT = tables.MessageSchema(
    _is_converse_message,
    {**_SPEAKERS, "system": "system prompt"},
    _PARTS,
    tables.parts_by_key,
    find_conversations=_requests_and_lists,
    is_specific=_is_only_of_converse,
    messages_in=_messages_in,
)
recognises, read = _DIALECT.recognises, _DIALECT.read
