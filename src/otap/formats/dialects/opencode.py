"""Sessions of opencode, as ``opencode export`` writes them: each message with its parts."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.places import Place
from otap.formats.json.times import moment_of
from otap.formats.steps import tables
from otap.formats.steps.calls import Result, made_call
from otap.formats.steps.content import list_at, object_in, recorded
from otap.formats.steps.conversation import Kept
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


def _sessions(document: Document) -> Iterator[Kept]:
    """Yields each session; a bare list of messages is one."""
    if _is_opencode_message(first_of(document.value)):
        yield Kept(list(document.items()), {}, document.place)
        return
    for value, place in document.items():
        session = place.object(value)
        info = object_in(session, "info")
        about = recorded({key: info.get(key) for key in ("id", "title", "directory", "parentID")})
        listed = [(one, where) for one, where in place["messages"].objects(session.get("messages"))]
        yield Kept(listed, about, place)


def _add_text(message: Message, part: dict[str, Any], place: Place) -> None:
    """Adds a text; what opencode itself adds for the model was said by nobody."""
    if part.get("synthetic") is True or part.get("ignored") is True:
        message.ignored.append("text that opencode adds")
    elif part.get("text"):
        message.items.append(place["text"].text(part["text"]))


def _add_tool(message: Message, part: dict[str, Any], place: Place) -> None:
    where = place["state"]
    state = where.object(part.get("state") or {})
    identifier = place["callID"].label(part.get("callID"))
    call = made_call(part.get("tool"), state.get("input"), identifier, place["tool"])
    times = object_in(state, "time")
    call.started_at = moment_of(times.get("start"), 1e-3)
    message.items.append(call)
    status = _status(state)
    if status is not None:
        content = state.get("error") if status == "error" else state.get("output")
        ended = moment_of(times.get("end"), 1e-3)
        message.items.append(Result(identifier, call.tool, content, status, ended, waits=True))


DIALECT = tables.Dialect(
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
    joined=(tables.USER,),
    conversations=_sessions,
    messages_in=lambda value: value if isinstance(value, list) else list_at(value, "messages"),
)
recognises, read = DIALECT.recognises, DIALECT.read
