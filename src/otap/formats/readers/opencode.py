"""Sessions of opencode, as ``opencode export`` writes them: each message with its parts."""

from collections.abc import Iterator
from typing import Any

from otap.formats import chats
from otap.formats.chats import Message
from otap.formats.content import drop_nulls, object_in
from otap.formats.conversations import RawConversation
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import time_from_epoch
from otap.formats.tool_calls import ToolResult, parse_call

NAME = "opencode"
DESCRIPTION = "sessions of opencode, as 'opencode export' writes them: one, a list, or JSONL"
STEP = "each part in which the agent calls a tool"
KNOWN_BY = "'info' beside 'messages', each with 'info' and 'parts'"

_status = chats.StatusKey("status", {"completed": "ok", "error": "error"})
_SILENT = ("snapshot", "patch", "step-start", "step-finish", "retry", "compaction", "agent")


def _is_opencode_message(message: Any) -> bool:
    if not isinstance(message, dict) or not isinstance(message.get("parts"), list):
        return False
    return object_in(message, "info").get("role") in ("user", "assistant")


def _sessions(document: Document) -> Iterator[RawConversation]:
    """Yields each session; a bare list of messages is one."""
    if _is_opencode_message(first_of(document.value)):
        yield RawConversation(list(document.items()), {}, document.root)
        return
    for value, path in document.items():
        session = path.object(value)
        info = object_in(session, "info")
        names = drop_nulls({key: info.get(key) for key in ("id", "title", "directory", "parentID")})
        yield RawConversation(list(path["messages"].objects(session.get("messages"))), names, path)


def _add_text(message: Message, part: dict[str, Any], path: JsonPath) -> None:
    """Adds a text; texts that opencode adds for the model are only counted."""
    if part.get("synthetic") is True or part.get("ignored") is True:
        message.ignored.append("text added by opencode")
    elif part.get("text"):
        message.items.append(path["text"].text(part["text"]))


def _add_tool(message: Message, part: dict[str, Any], path: JsonPath) -> None:
    state = path["state"].object(part.get("state") or {})
    call_id = path["callID"].label(part.get("callID"))
    call = parse_call(part.get("tool"), state.get("input"), call_id, path["tool"])
    times = object_in(state, "time")
    call.started_at = time_from_epoch(times.get("start"), 1e-3)
    message.items.append(call)
    status = _status(state)
    if status is not None:
        content = state.get("error") if status == "error" else state.get("output")
        ended_at = time_from_epoch(times.get("end"), 1e-3)
        message.items.append(ToolResult(call_id, call.tool, content, status, ended_at, waits=True))


SCHEMA = chats.MessageSchema(
    _is_opencode_message,
    chats.speakers(),
    {
        "text": _add_text,
        "tool": _add_tool,
        "reasoning": "thought",
        "file": "file",
        "subtask": "task for another agent",
        **dict.fromkeys(_SILENT, "mark"),
    },
    chats.parts_by_type("type"),
    role=lambda message: object_in(message, "info").get("role"),
    content=("parts",),
    find_conversations=_sessions,
)
recognises, read = SCHEMA.recognises, SCHEMA.read
