"""Messages of Amazon Bedrock's Converse API, which Strands Agents stores as well."""

from collections.abc import Iterator
from typing import Any

from otap.formats import chats
from otap.formats.content import join_texts, list_at, message_texts, text_of, value_at
from otap.formats.conversations import RawConversation
from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath
from otap.formats.tokens import find_usage

NAME = "bedrock"
DESCRIPTION = "messages of Amazon Bedrock's Converse and of Strands Agents: lists, requests, JSONL"
STEP = "each tool use of an assistant message, server-side calls included"
KNOWN_BY = "messages whose 'content' has parts without a type, such as 'toolUse' or 'toolResult'"

_ROLES = chats.speakers()
_KEYS = {"toolConfig", "inferenceConfig", "stopReason"}  # of requests and responses
_LEFT_OUT = (*_KEYS, "messages", "system", "usage", "metrics", "output")


def _is_converse_message(value: Any) -> bool:
    message = _unwrap(value, JsonPath(""))[0]
    if not chats.has_role(message, _ROLES) or "meta" in message:
        return False
    parts = message.get("content")
    return isinstance(parts, list) and all(
        isinstance(part, dict) and "type" not in part for part in parts
    )


def _is_session_message(value: Any) -> bool:
    """Returns whether a session of Strands stores this message, with its number around it."""
    return isinstance(value, dict) and "message_id" in value and "message" in value


def _messages_in(value: Any) -> list[Any]:
    """Returns the messages of a request, and the message of a response."""
    if not isinstance(value, dict):
        return value if isinstance(value, list) else []
    answer = value_at(value, ("output", "message"))
    return [*list_at(value, "messages"), *([answer] if answer else ())]


def _is_of_converse(value: Any) -> bool:
    """Returns whether messages, or the fields around them, are written as only Converse does.

    Messages with nothing but text look like messages of OpenAI.
    """
    if _is_session_message(value):
        return False  # a session has a file for each message, and a single message is not a run
    if _is_converse_message(value):
        return _has_parts([value])
    if isinstance(value, dict) and ("messages" not in value or not _KEYS.isdisjoint(value)):
        return True  # a response, or a request with settings
    messages = _messages_in(value)
    return any(_is_session_message(message) for message in messages) or _has_parts(messages)


def _has_parts(messages: list[Any]) -> bool:
    keys = _PARTS.keys() - {"text"}
    return any(
        isinstance(part, dict) and "type" not in part and not keys.isdisjoint(part)
        for message in messages
        for part in list_at(_unwrap(message, JsonPath(""))[0], "content")
    )


def _requests_and_lists(document: Document) -> Iterator[RawConversation]:
    value = document.value
    if _is_converse_message(value) or (isinstance(value, list) and _is_converse_message(value[0])):
        yield RawConversation([_unwrap(*placed) for placed in document.items()], {}, document.root)
        return
    for request, path in document.items():
        if isinstance(request, list):
            yield RawConversation([_unwrap(*placed) for placed in path.objects(request)], {}, path)
        else:
            yield _read_request(path.object(request), path)


def _read_request(request: dict[str, Any], path: JsonPath) -> RawConversation:
    messages = [_unwrap(*placed) for placed in path["messages"].objects(request.get("messages"))]
    if request.get("output") is not None:
        output_path = path["output"]
        answer = output_path.object(request["output"]).get("message")
        messages.append((answer, output_path["message"]))
    if not messages:
        raise path["messages"].error("expected at least one message, found none")
    if request.get("system"):  # added last, and only counted
        messages.append(({"role": "system"}, path["system"]))
    other_fields = {key: field for key, field in request.items() if key not in _LEFT_OUT}
    tools = value_at(request, ("toolConfig", "tools"))
    return RawConversation(messages, other_fields, path, (tools,), tokens=find_usage(request))


def _unwrap(value: Any, path: JsonPath) -> tuple[Any, JsonPath]:
    """Returns the message inside a session message of Strands; other values as they are.

    A redacted message replaces the original.
    """
    if not _is_session_message(value):
        return value, path
    key = "message" if value.get("redact_message") is None else "redact_message"
    return value[key], path[key]


def _content_of_result(content: Any) -> Any:
    """Returns a result as recorded, but texts as one text and a single value as that value."""
    match content:
        case [{"json": only, **rest}] if not rest:
            return only
    return "" if content == [] else join_texts(content)


def _add_cited(message: chats.Message, citations: Any, path: JsonPath) -> None:
    content = path.object(citations).get("content")
    message.items += message_texts(
        content,
        path["content"],
        lambda part, part_path: text_of(part_path.object(part), part_path, "text"),
    )


def _add_guarded(message: chats.Message, guarded: Any, path: JsonPath) -> None:
    """Adds a part for the guardrail: a text or a picture."""
    if path.object(guarded).get("text") is None:
        message.ignored.append("picture")
    else:
        text = path["text"].object(guarded["text"]).get("text")
        chats.add_text(message, text or "", path["text"]["text"])


_PARTS: dict[str, chats.Entry] = {
    "text": chats.add_text,
    "toolUse": chats.CallKeys("name", ("input",), ("toolUseId",)),
    "toolResult": chats.ResultKeys(
        ids=("toolUseId",),
        status=chats.StatusKey("status", {"success": "ok", "error": "error"}),
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
_SCHEMA = chats.MessageSchema(
    _is_converse_message,
    {**_ROLES, "system": "system prompt"},
    _PARTS,
    chats.parts_by_key,
    find_conversations=_requests_and_lists,
    is_specific=_is_of_converse,
    messages_in=_messages_in,
)
recognises, read = _SCHEMA.recognises, _SCHEMA.read
