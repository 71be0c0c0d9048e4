"""Messages of Microsoft's Agent Framework, in sessions and responses."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.steps import tables
from otap.formats.steps.content import value_at
from otap.formats.steps.conversation import RawConversation, find_conversations
from otap.formats.steps.tokens import find_usage

NAME = "agent-framework"
DESCRIPTION = "messages of Microsoft's Agent Framework: sessions, responses, lists, or JSONL"
STEP = "each call in the contents of an assistant's message, those that the server ran included"
KNOWN_BY = "messages with 'role' and 'contents' of a type, as 'function_call'"

_SPEAKERS = tables.speakers(system="system developer", tool="tool")
_LEFT_OUT = ("usage_details", "additional_properties", "type", "continuation_token")
_APPROVAL = "question whether a call may run"
_CALL, _RESULT = "_call", "_result"  # how the types of contents end
_NAMED = ("function_call", "mcp_server_tool_call")  # other tools are named by their type
_IDS = ("call_id", "image_id")
_ARGUMENTS = ("arguments", "inputs", "commands", "action")


def recognises(value: Any) -> bool:
    """Says whether this is a message, a response, a session, or a list that begins with one."""
    return _DIALECT.recognises(value) or _is_session(first_of(value))


def _role_of(message: Mapping[str, Any]) -> Any:
    """Returns who speaks; first versions wrote an object."""
    return value_at(message, ("role", "value")) or message.get("role")


def _is_framework_message(value: Any) -> bool:
    if not isinstance(value, dict) or _role_of(value) not in tuple(_SPEAKERS):
        return False
    contents = value.get("contents")
    if "messages" in value or not isinstance(contents, list):
        return False
    return all(isinstance(one, dict) and isinstance(one.get("type"), str) for one in contents)


def _is_session(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "session" and "session_id" in value


def _sessions_and_conversations(document: Document) -> Iterator[RawConversation]:
    if not _is_session(first_of(document.value)):
        yield from find_conversations(document, _is_framework_message, ignored_keys=_LEFT_OUT)
        return
    for value, place in document.items():
        item = place.object(value)
        if _is_session(item):
            yield _read_session(item, place)
        else:  # a response that stands among sessions
            listed = list(place["messages"].objects(item.get("messages") or []))
            around = {k: v for k, v in item.items() if k not in ("messages", *_LEFT_OUT)}
            yield RawConversation(listed, around, place, tokens=find_usage(item))


def _read_session(session: dict[str, Any], place: JsonPath) -> RawConversation:
    """Returns the messages that a session keeps, under the name of whatever provider does.

    Raises:
        FormatError: if it keeps none: then a server does.
    """
    where = place["state"]
    for name, item in where.object(session.get("state")).items():
        if isinstance(item, dict) and _DIALECT.is_conversation(item):
            listed = list(where[name]["messages"].objects(item["messages"]))
            return RawConversation(listed, {"id": session.get("session_id")}, place)
    raise where.error("expected messages, found none; a server may have them")


def _tell_content(part: dict[str, Any], place: JsonPath) -> Iterable[tables.Part]:
    place["type"].text(part.get("type"))
    return tables.parts_by_type("type", _CALL, _RESULT)(part, place)


def _add_call(message: tables.Message, part: dict[str, Any], place: JsonPath) -> None:
    kind = part["type"]
    key = "tool_name" if part.get("tool_name") is not None else "name"
    if kind not in _NAMED:
        part = {**part, key: kind.removesuffix(_CALL).removesuffix("_tool")}
    tables.CallKeys(key, _ARGUMENTS, _IDS, ("server_name",))(message, part, place)


_DIALECT = tables.MessageSchema(
    _is_framework_message,
    _SPEAKERS,
    {
        "text": tables.TextKeys(),
        _CALL: _add_call,
        _RESULT: tables.ResultKeys(
            ("result", "output", "outputs"),
            _IDS,
            status=lambda part: "ok" if part.get("exception") is None else "error",
            clean=tables.identity,
        ),
        "text_reasoning": "thought",
        **dict.fromkeys(("data", "uri", "hosted_file", "hosted_vector_store"), "file"),
        "usage": "count",
        "function_approval_request": _APPROVAL,
        "function_approval_response": _APPROVAL,
        "oauth_consent_request": _APPROVAL,
    },
    _tell_content,
    role=_role_of,
    content=("contents",),
    agent=("author_name",),
    part_word="content",
    find_conversations=_sessions_and_conversations,
)
read = _DIALECT.read
