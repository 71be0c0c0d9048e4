"""Sessions of goose: JSONL with a header line each, exports, and rows of its database."""

from collections.abc import Iterator, Mapping
from typing import Any

from otap.formats import chats
from otap.formats.chats import Message
from otap.formats.content import join_texts, list_at, parse_inner
from otap.formats.conversations import RawConversation
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.tool_calls import ToolResult, parse_call

NAME = "goose"
DESCRIPTION = "sessions of goose: JSONL, JSON exports, or rows of its database"
STEP = "each tool request of the agent"
KNOWN_BY = "messages with 'role', 'created' and typed parts, or rows with 'content_json'"

_MESSAGE_KEYS = ("conversation", "messages")
_LEFT_OUT = {"extension_data", "accumulated_total_tokens", "total_tokens", "message_count"}


def _is_goose_message(message: Any) -> bool:
    """Returns whether this is a message, or a row with the content as text."""
    if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
        return False
    if isinstance(message.get("content_json"), str):
        return True
    parts = message.get("content")
    has_parts = isinstance(parts, list) and all(
        isinstance(part, dict) and "type" in part for part in parts
    )
    return has_parts and type(message.get("created")) is int


def _messages_in(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    lists = (list_at(value, key) for key in _MESSAGE_KEYS)
    return next((messages for messages in lists if messages), [])


def recognises(value: Any) -> bool:
    """Returns whether this is a session or begins like one."""
    first = first_of(value)
    is_header = isinstance(first, dict) and {"working_dir", "message_count"} <= first.keys()
    return is_header or SCHEMA.recognises(value)


def _sessions(document: Document) -> Iterator[RawConversation]:
    """Yields each session with its messages; a header line begins the next session."""
    header: dict[str, Any] = {}
    messages: list[tuple[Any, JsonPath]] = []
    has_header, session_id = False, None
    for value, path in document.items():
        line = path.object(value)
        if line.get("role") in ("user", "assistant"):
            if line.get("session_id") != session_id and messages:  # a row of the next session
                yield RawConversation(messages, header, document.root)
                messages = []
            session_id = line.get("session_id")
            header = {"id": session_id} if session_id is not None else header
            messages.append((_with_parts(line), path))
            continue
        if has_header or messages:
            yield RawConversation(messages, header, document.root)
        header, messages, has_header = _session_fields(line), [], True
        for key in _MESSAGE_KEYS:
            listed_messages = line.get(key) if isinstance(line.get(key), list) else None
            for message, message_path in path[key].objects(listed_messages):
                messages.append((_with_parts(message), message_path))
    if has_header or messages:
        yield RawConversation(messages, header, document.root)


def _session_fields(header: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a header that are not empty, without messages and counts."""
    return {
        key: field
        for key, field in header.items()
        if key not in {*_MESSAGE_KEYS, *_LEFT_OUT} and field not in (None, "", [], {})
    }


def _with_parts(message: dict[str, Any]) -> dict[str, Any]:
    """Returns a message with its parts, which a database row holds as JSON text."""
    if "content_json" not in message:
        return message
    return {**message, "content": parse_inner(message["content_json"])}


def _add_request(message: Message, part: dict[str, Any], path: JsonPath) -> None:
    call_path = path["toolCall"]
    request = call_path.object(part.get("toolCall") or {})
    tool_call = call_path["value"].object(request.get("value") or request)
    call_id = path["id"].label(part.get("id"))
    name, arguments = tool_call.get("name"), tool_call.get("arguments")
    message.items.append(parse_call(name, arguments, call_id, call_path["name"]))
    if request.get("status") == "error":  # the model's request was no valid call
        message.items.append(ToolResult(call_id, None, request.get("error"), "error", waits=True))


def _add_response(message: Message, part: dict[str, Any], path: JsonPath) -> None:
    response = path["toolResult"].object(part.get("toolResult") or {})
    content, failed = response.get("value"), response.get("status") == "error"
    if isinstance(content, dict) and "content" in content:
        failed = failed or content.get("isError") is True or content.get("is_error") is True
        content = content["content"]
    content = response.get("error") if content is None else join_texts(content)
    status: chats.Status = "error" if failed else "ok"
    message.items.append(ToolResult(path["id"].label(part.get("id")), None, content, status))


SCHEMA = chats.MessageSchema(
    _is_goose_message,
    chats.speakers(),
    {
        "text": chats.TextKeys(),
        **dict.fromkeys(("toolRequest", "frontendToolRequest"), _add_request),
        "toolResponse": _add_response,
        "toolConfirmationRequest": "request to approve a call",
        **dict.fromkeys(("thinking", "redactedThinking", "reasoning"), "thought"),
        **dict.fromkeys(("systemNotification", "contextLengthExceeded"), "notice"),
        **dict.fromkeys(("summarizationRequested", "conversationCompacted"), "notice"),
    },
    chats.parts_by_type("type"),
    joined_roles=(chats.USER, chats.ASSISTANT),
    find_conversations=_sessions,
    messages_in=_messages_in,
)
read = SCHEMA.read
