"""Sessions of opencode, as ``opencode export`` writes them: each message with its parts."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import time_from_epoch
from otap.formats.steps import tables
from otap.formats.steps.calls import Result, parse_call
from otap.formats.steps.content import drop_nulls, list_at, object_in
from otap.formats.steps.conversation import RawConversation
from otap.formats.steps.tables import Message

NAME = "opencode"
DESCRIPTION = "sessions of opencode, as 'opencode export' writes them: one, a list, or JSONL"
STEP = "each part in which the agent calls a tool"
KNOWN_BY = "'info' beside 'messages', of which each has 'info' and 'parts'"

_status = tables.StatusKey("status", {"completed": "ok", "error": "error"})
_SILENT = ("snapshot", "patch", "step-start", "step-finish", "retry", "compaction", "agent")


def _is_opencode_message(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("parts"), list):
        return False
    return object_in(value, "info").get("role") in ("user", "assistant")


def _sessions(document: Document) -> Iterator[RawConversation]:
    """Yields each session; a bare list of messages is one."""
    if _is_opencode_message(first_of(document.value)):
        yield RawConversation(list(document.items()), {}, document.root)
        return
    for value, place in document.items():
        session = place.object(value)
        info = object_in(session, "info")
        about = drop_nulls({key: info.get(key) for key in ("id", "title", "directory", "parentID")})
        listed = [(one, where) for one, where in place["messages"].objects(session.get("messages"))]
        yield RawConversation(listed, about, place)


def _add_text(message: Message, part: dict[str, Any], place: JsonPath) -> None:
    """Adds a text; what opencode itself adds for the model was said by nobody."""
    if part.get("synthetic") is True or part.get("ignored") is True:
        message.ignored.append("text that opencode adds")
    elif part.get("text"):
        message.items.append(place["text"].text(part["text"]))


def _add_tool(message: Message, part: dict[str, Any], place: JsonPath) -> None:
    where = place["state"]
    state = where.object(part.get("state") or {})
    identifier = place["callID"].label(part.get("callID"))
    call = parse_call(part.get("tool"), state.get("input"), identifier, place["tool"])
    times = object_in(state, "time")
    call.started_at = time_from_epoch(times.get("start"), 1e-3)
    message.items.append(call)
    status = _status(state)
    if status is not None:
        content = state.get("error") if status == "error" else state.get("output")
        ended = time_from_epoch(times.get("end"), 1e-3)
        message.items.append(Result(identifier, call.tool, content, status, ended, waits=True))


DIALECT = tables.MessageSchema(
    _is_opencode_message,
    tables.speakers(),
    {
        "text": _add_text,
        "tool": _add_tool,
        "reasoning": "thought",
        "file": "file",
        "subtask": "task for another agent",
        **dict.fromkeys(_SILENT, "mark"),
    },
    tables.parts_by_type("type"),
    role=lambda value: object_in(value, "info").get("role"),
    content=("parts",),
    joined_roles=(tables.USER,),
    find_conversations=_sessions,
    messages_in=lambda value: value if isinstance(value, list) else list_at(value, "messages"),
)
recognises, read = DIALECT.recognises, DIALECT.read
