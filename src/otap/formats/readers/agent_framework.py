"""Messages of Microsoft's Agent Framework, in sessions and responses."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from otap.formats import chats
from otap.formats.content import value_at
from otap.formats.conversations import RawConversation, find_conversations
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.tokens import find_usage

NAME = "agent-framework"
DESCRIPTION = "messages of Microsoft's Agent Framework: sessions, responses, lists, or JSONL"
STEP = "each call in the contents of an assistant's message, server-side calls included"
KNOWN_BY = "messages with 'role' and 'contents' that have a type, such as 'function_call'"

_ROLES = chats.speakers(system="system developer", tool="tool")
_LEFT_OUT = ("usage_details", "additional_properties", "type", "continuation_token")
_APPROVAL = "request to approve a call"
_CALL, _RESULT = "_call", "_result"  # the endings of content types
_TYPES_WITH_TOOL_NAME = ("function_call", "mcp_server_tool_call")  # other types are the tool's name
_ID_KEYS = ("call_id", "image_id")
_ARGUMENT_KEYS = ("arguments", "inputs", "commands", "action")


def recognises(value: Any) -> bool:
    """Returns whether this is a message, a response, a session, or a list that begins with one."""
    return _SCHEMA.recognises(value) or _is_session(first_of(value))


def _role_of(message: Mapping[str, Any]) -> Any:
    """Returns the role of a message; the first versions wrote it as an object."""
    return value_at(message, ("role", "value")) or message.get("role")


def _is_framework_message(message: Any) -> bool:
    if not isinstance(message, dict) or _role_of(message) not in tuple(_ROLES):
        return False
    contents = message.get("contents")
    if "messages" in message or not isinstance(contents, list):
        return False
    return all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in contents)


def _is_session(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "session" and "session_id" in value


def _sessions_and_conversations(document: Document) -> Iterator[RawConversation]:
    if not _is_session(first_of(document.value)):
        yield from find_conversations(document, _is_framework_message, ignored_keys=_LEFT_OUT)
        return
    for value, path in document.items():
        session = path.object(value)
        if _is_session(session):
            yield _read_session(session, path)
            continue
        response = session  # a list of sessions may also hold responses
        messages = list(path["messages"].objects(response.get("messages") or []))
        dropped = ("messages", *_LEFT_OUT)
        other_fields = {key: field for key, field in response.items() if key not in dropped}
        yield RawConversation(messages, other_fields, path, tokens=find_usage(response))


def _read_session(session: dict[str, Any], path: JsonPath) -> RawConversation:
    """Returns the messages in the state of a session, whichever provider stores them.

    Raises:
        FormatError: if there are none, because a server stores them.
    """
    state_path = path["state"]
    for provider, state in state_path.object(session.get("state")).items():
        if isinstance(state, dict) and _SCHEMA.is_conversation(state):
            messages = list(state_path[provider]["messages"].objects(state["messages"]))
            return RawConversation(messages, {"id": session.get("session_id")}, path)
    raise state_path.error("expected messages, found none; a server may store them")


def _classify_content(part: dict[str, Any], path: JsonPath) -> Iterable[chats.Part]:
    path["type"].text(part.get("type"))
    return chats.parts_by_type("type", _CALL, _RESULT)(part, path)


def _add_call(message: chats.Message, part: dict[str, Any], path: JsonPath) -> None:
    kind = part["type"]
    key = "tool_name" if part.get("tool_name") is not None else "name"
    if kind not in _TYPES_WITH_TOOL_NAME:
        part = {**part, key: kind.removesuffix(_CALL).removesuffix("_tool")}
    chats.CallKeys(key, _ARGUMENT_KEYS, _ID_KEYS, ("server_name",))(message, part, path)


_SCHEMA = chats.MessageSchema(
    _is_framework_message,
    _ROLES,
    {
        "text": chats.TextKeys(),
        _CALL: _add_call,
        _RESULT: chats.ResultKeys(
            ("result", "output", "outputs"),
            _ID_KEYS,
            status=lambda part: "ok" if part.get("exception") is None else "error",
            clean=chats.identity,
        ),
        "text_reasoning": "thought",
        **dict.fromkeys(("data", "uri", "hosted_file", "hosted_vector_store"), "file"),
        "usage": "count",
        "function_approval_request": _APPROVAL,
        "function_approval_response": _APPROVAL,
        "oauth_consent_request": _APPROVAL,
    },
    _classify_content,
    role=_role_of,
    content=("contents",),
    agent=("author_name",),
    part_word="content",
    find_conversations=_sessions_and_conversations,
)
read = _SCHEMA.read
