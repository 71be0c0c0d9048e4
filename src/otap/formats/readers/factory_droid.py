"""Sessions of Factory's Droid, and the stream of its command ``droid exec``.

The shapes are those of ``~/.factory/sessions/*.jsonl`` of droid 0.20 and later, whose messages are
like those of Anthropic's API, and of ``droid exec --output-format stream-json``. Both were seen in
Factory's documentation, and in the tests of public adapters that have captured files.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

from otap.formats.chats import Status
from otap.formats.content import drop_nulls, join_texts, unless_blank
from otap.formats.conversations import RawConversation
from otap.formats.events import EventLog
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.json.times import time_from_epoch
from otap.formats.readers.anthropic import SCHEMA
from otap.formats.tool_calls import ToolResult, parse_call
from otap.formats.unread import UnreadTally
from otap.trajectory import Trajectory

NAME = "factory-droid"
DESCRIPTION = "sessions of Factory's Droid: ~/.factory/sessions/.../*.jsonl, or its stream"
STEP = "each tool call of the assistant"
KNOWN_BY = "a line of type 'session_start', or lines of type 'message' with a 'message' or a 'text'"

_STATES = ("todo_state", "compaction_state", "session_end", "agent_state")
_MAX_EVENTS = 1000  # in which an event may show the stream
_SESSIONS = ("session_id", "sessionId")


def recognises(value: Any) -> bool:
    """Returns whether this is a line of a session, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    if first.get("type") == "session_start":
        return "id" in first
    message = first.get("message")
    if first.get("type") == "message" and isinstance(message, dict):
        return "role" in message
    return is_droid_stream(value)


def is_droid_stream(value: Any) -> bool:
    """Returns whether this is the stream of ``droid exec``, by its first event of its own kind."""
    lines = value[:_MAX_EVENTS] if isinstance(value, list) else [value]
    events = [line for line in lines if isinstance(line, dict)]
    if not events or events[0].get("type") not in tuple(_DroidStream.readers):
        return False
    own_event = next((event for event in events if event.get("type") != "system"), {})
    return _is_own_event(own_event)


def _is_own_event(event: dict[str, Any]) -> bool:
    kind = event.get("type")
    if kind == "message":
        return "text" in event and "role" in event and "content" not in event
    if kind == "tool_call":
        return "toolName" in event and "parameters" in event
    return kind == "completion" and "finalText" in event


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields the session as one run."""
    if is_droid_stream(document.value):
        yield from _DroidStream.read(document, reasoning=reasoning)
        return
    names: dict[str, Any] = {}
    messages = []
    tally = UnreadTally()
    for line in document.objects():
        kind = line.get("type")
        if kind == "message":
            messages.append((line.get("message"), line.at("message")))
        elif kind == "session_start":
            names = drop_nulls({key: line.get(key) for key in ("id", "title", "cwd")})
        elif kind in _STATES:
            tally.ignored(f"line of type '{kind}'")
        else:
            tally.unknown(f"line of type '{kind}'")
    raw = RawConversation(messages, names, document.root)
    run = raw.to_trajectory(SCHEMA.read_messages(messages, reasoning=reasoning))
    tally.add(run.unread)
    yield run.model_copy(update={"unread": tally.counts()})


class _DroidStream(EventLog):
    """The events of one ``droid exec``."""

    silent = ("reasoning", "thinking", "error")

    def __init__(self, path: JsonPath, reasoning: bool) -> None:
        super().__init__(path, reasoning)
        self._last_text: Any = None  # of the assistant

    def _read_start(self, event: JsonObject) -> None:
        session = next((event.get(key) for key in _SESSIONS if event.get(key)), None)
        self.fields = drop_nulls({"id": session, "model": event.get("model")})
        self.recorder.ignored("event 'system'")

    def _read_message(self, event: JsonObject) -> None:
        if event.get("role") == "user":
            self.recorder.user(unless_blank(event.get("text")))
        else:
            self._last_text = event.get("text")
            self.recorder.assistant(unless_blank(self._last_text))

    def _read_call(self, event: JsonObject) -> None:
        call_id, name = _call_id_of(event), event.get("toolName")
        call = parse_call(name, event.get("parameters"), call_id, event.at("toolName"))
        call.started_at = time_from_epoch(event.get("timestamp"), 1e-3)
        self.recorder.assistant((), [call])

    def _read_result(self, event: JsonObject) -> None:
        status: Status = "error" if event.get("isError") is True else "ok"
        name, ended_at = event.get("toolName"), time_from_epoch(event.get("timestamp"), 1e-3)
        tool = name if isinstance(name, str) else None
        content = join_texts(event.get("value"))
        result = ToolResult(_call_id_of(event), tool, content, status, ended_at)
        self.recorder.tool_result(result, {"event": "tool_result"})

    def _read_end(self, event: JsonObject) -> None:
        """Records the final text, which most versions also write as a message."""
        self.recorder.add_usage(event.mapping)
        if event.get("finalText") != self._last_text:
            self.recorder.assistant(unless_blank(event.get("finalText")))
        self.recorder.ignored("end of the session")

    readers: ClassVar = {
        "system": _read_start,
        "message": _read_message,
        "tool_call": _read_call,
        "tool_result": _read_result,
        "completion": _read_end,
    }


def _call_id_of(event: JsonObject) -> str | None:
    return event.label("id") or event.label("toolCallId")
