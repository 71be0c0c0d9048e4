"""Events of GitHub's Copilot CLI and SDK: one session per file, one event per line."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from otap.formats.content import drop_nulls, join_texts, object_in, unless_blank
from otap.formats.conversations import RawConversation
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import parse_time
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import Result, parse_call
from otap.trajectory import Trajectory

NAME = "copilot-cli"
DESCRIPTION = "events of GitHub's Copilot CLI: ~/.copilot/session-state/.../events.jsonl"
STEP = "each tool request of the assistant, and each execution without a request"
KNOWN_BY = "events with 'type', 'data' and 'parentId'"

# Prefixes of the types of events that record no action.
_SILENT_PREFIXES = (
    *("session.", "assistant.", "tool.execution_p", "system.", "hook.", "pending_", "abort"),
)


def recognises(value: Any) -> bool:
    """Returns whether this is an event, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict) or not {"type", "data", "parentId"} <= first.keys():
        return False
    return isinstance(first["type"], str) and "." in first["type"]


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one run for each session."""
    session: _Session | None = None
    for value, path in document.items():
        event = path.object(value)
        if session is None or event.get("type") == "session.start":
            if session is not None:
                yield session.to_trajectory()
            session = _Session(path, reasoning)
        session.add(event, path)
    if session is not None:
        yield session.to_trajectory()


class _Session:
    """One session, built event by event."""

    def __init__(self, path: JsonPath, reasoning: bool) -> None:
        self._path, self._recorder = path, Recorder(reasoning)
        self._fields: dict[str, Any] = {}
        self._requested_ids: set[str] = set()

    def add(self, event: dict[str, Any], path: JsonPath) -> None:
        """Adds an event.

        Raises:
            FormatError: with the path of the first invalid part of the event.
        """
        kind, data_path = path["type"].text(event.get("type")), path["data"]
        data = data_path.object(event.get("data") or {})
        match kind:
            case "session.start":
                self._fields = drop_nulls(
                    {"id": data.get("sessionId"), **object_in(data, "context")}
                )
            case "user.message":
                self._recorder.user(unless_blank(data.get("content")))
            case "assistant.message":
                self._add_requests(data, data_path)
            case "tool.execution_start":
                self._start_execution(data, data_path)
            case "tool.execution_complete":
                time = parse_time(event.get("timestamp"), path["timestamp"])
                self._end_execution(data, time, data_path)
            case _ if kind.startswith(_SILENT_PREFIXES):
                self._recorder.ignored(f"event '{kind}'")
            case _:
                self._recorder.unknown(f"event '{kind}'")

    def to_trajectory(self) -> Trajectory:
        """Returns the run of the session."""
        return RawConversation([], self._fields, self._path).to_trajectory(
            self._recorder.conversation()
        )

    def _add_requests(self, data: dict[str, Any], path: JsonPath) -> None:
        calls = []
        for request, request_path in path["toolRequests"].objects(data.get("toolRequests")):
            call_id = request_path.label_in(request, "toolCallId")
            name_path = request_path["name"]
            calls.append(
                parse_call(request.get("name"), request.get("arguments"), call_id, name_path)
            )
            self._requested_ids.add(call_id or "")
        self._recorder.assistant(unless_blank(data.get("content")), calls)

    def _start_execution(self, data: dict[str, Any], path: JsonPath) -> None:
        call_id = path.label_in(data, "toolCallId")
        if call_id in self._requested_ids:
            return
        name, arguments = data.get("toolName"), data.get("arguments")
        call = parse_call(name, arguments, call_id, path["toolName"])
        self._recorder.in_call(data.get("parentToolCallId")).assistant((), [call])

    def _end_execution(self, data: dict[str, Any], time: datetime | None, path: JsonPath) -> None:
        call_id = path.label_in(data, "toolCallId")
        if data.get("success") is False:
            content = object_in(data, "error").get("message")
            result = Result(call_id, None, join_texts(content), "error", time)
        else:
            content = object_in(data, "result").get("content")
            result = Result(call_id, None, join_texts(content), "ok", time)
        self._recorder.tool_result(result, {"event": "tool.execution_complete"})
