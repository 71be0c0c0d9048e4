"""Events of ``gemini --output-format stream-json``: the stream of Gemini CLI as a command.

The shape is that of ``JsonStreamEvent`` in github.com/google-gemini/gemini-cli,
``packages/core/src/output/types.ts``.
"""

from typing import Any, ClassVar

from otap.formats.chats import Status, StatusKey
from otap.formats.content import drop_nulls, object_in, unless_blank
from otap.formats.events import EventLog
from otap.formats.json.documents import first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.json.times import parse_time
from otap.formats.tool_calls import ToolResult, parse_call
from otap.trajectory import Trajectory

NAME = "gemini-cli-stream"
DESCRIPTION = "events of 'gemini --output-format stream-json': one session, an event a line"
STEP = "each event of type 'tool_use'"
KNOWN_BY = "a first event of type 'init', or events with 'tool_name' and 'tool_id'"

_STATUS = StatusKey("status", {"success": "ok", "error": "error"})


def recognises(value: Any) -> bool:
    """Returns whether this is an event, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    if first.get("type") == "init":
        return {"session_id", "model"} <= first.keys()
    return first.get("type") == "tool_use" and {"tool_name", "tool_id"} <= first.keys()


class _GeminiStream(EventLog):
    def __init__(self, path: JsonPath, reasoning: bool) -> None:
        super().__init__(path, reasoning)
        self._pieces: list[str] = []  # of an answer that is not complete

    def is_end(self, event: JsonObject) -> bool:
        return bool(event.get("type") == "init" and self.fields)

    def add(self, event: JsonObject) -> None:
        if event.get("type") != "message" or event.get("delta") is not True:
            self._end_answer()
        super().add(event)

    def to_trajectory(self) -> Trajectory:
        self._end_answer()
        return super().to_trajectory()

    def _end_answer(self) -> None:
        if self._pieces:
            self.recorder.assistant(unless_blank("".join(self._pieces)))
            self._pieces.clear()

    def _read_start(self, event: JsonObject) -> None:
        self.fields = drop_nulls({"id": event.get("session_id"), "model": event.get("model")})

    def _read_message(self, event: JsonObject) -> None:
        content = event.get("content")
        if event.get("role") == "user":
            self.recorder.user(unless_blank(content))
        elif isinstance(content, str):
            self._pieces.append(content)

    def _read_call(self, event: JsonObject) -> None:
        name, arguments = event.get("tool_name"), event.get("parameters")
        call = parse_call(name, arguments, event.label("tool_id"), event.at("tool_name"))
        call.started_at = parse_time(event.get("timestamp"), event.at("timestamp"))
        self.recorder.assistant((), [call])

    def _read_result(self, event: JsonObject) -> None:
        error = object_in(event.mapping, "error")
        status: Status = "error" if error else _STATUS(event.mapping)
        content = event.get("output")
        if content is None:
            content = error.get("message")
        time = parse_time(event.get("timestamp"), event.at("timestamp"))
        result = ToolResult(event.label("tool_id"), None, content, status, time)
        self.recorder.tool_result(result, {"event": "tool_result"})

    def _read_end(self, event: JsonObject) -> None:
        self.recorder.add_usage({"usage": event.get("stats")})
        self.recorder.ignored("result of the session")

    def _read_error(self, event: JsonObject) -> None:
        del event
        self.recorder.ignored("notice")

    readers: ClassVar = {
        "init": _read_start,
        "message": _read_message,
        "tool_use": _read_call,
        "tool_result": _read_result,
        "result": _read_end,
        "error": _read_error,
    }


read = _GeminiStream.read
