"""Events of CrewAI, as a listener stores them: an event a line, or a list of events."""

from typing import Any, ClassVar

from otap.formats.content import unless_blank
from otap.formats.events import EventLog
from otap.formats.json.documents import first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.json.times import parse_time
from otap.formats.tool_calls import ToolCall, ToolResult, parse_call

NAME = "crewai"
DESCRIPTION = "events of CrewAI, as a listener stores them: a list, or an event a line"
STEP = "each use of a tool"
KNOWN_BY = "events with 'type', 'timestamp' and 'source_fingerprint'"

_KICKOFF, _COMPLETED = "crew_kickoff_started", "crew_kickoff_completed"
_TOOL_FAILED = (
    *("tool_usage_error", "tool_execution_error"),
    *("tool_validate_input_error", "tool_selection_error"),
)


def recognises(value: Any) -> bool:
    """Returns whether this is an event, or a list that begins with one."""
    first = first_of(value)
    return isinstance(first, dict) and {"type", "timestamp", "source_fingerprint"} <= first.keys()


class _Crew(EventLog):
    silent = ("",)
    visible_to_user = "none"

    def __init__(self, path: JsonPath, reasoning: bool) -> None:
        super().__init__(path, reasoning)
        self._calls: list[ToolCall] = []
        self._is_done = False

    def is_end(self, event: JsonObject) -> bool:
        return self._is_done and event.get("type") == _KICKOFF

    def _read_kickoff(self, event: JsonObject) -> None:
        keys = ("crew_name", "inputs", "id")
        self.fields = {key: event.get(key) for key in keys if event.get(key)}

    def _read_task(self, event: JsonObject) -> None:
        task = event.get("task")
        description = task.get("description") if isinstance(task, dict) else task
        self.recorder.user(unless_blank(event.get("task_name") or description))

    def _read_end(self, event: JsonObject) -> None:
        self._is_done = True
        if event.get("type") == _COMPLETED:
            output = event.get("output")  # a text, or an object with the raw text
            answer = output.get("raw") if isinstance(output, dict) else output
            self.messages_to_user = tuple(unless_blank(answer))

    def _read_call(self, event: JsonObject) -> None:
        tool, agent = event.get("tool_name"), event.get("agent_role")
        call = parse_call(tool, event.get("tool_args"), None, event.at("tool_name"))
        call.started_at = parse_time(event.get("timestamp"), event.at("timestamp"))
        self.recorder.assistant((), [call], agent if isinstance(agent, str) else None)
        self._calls.append(call)

    def _read_result(self, event: JsonObject) -> None:
        """Adds the result of a call; the call may have no start if the listener skips starts."""
        tool, failed = event.get("tool_name"), event.get("type") in _TOOL_FAILED
        if not any(call.tool == tool and call.ended_at is None for call in self._calls):
            self._read_call(event)
        time = event.get("finished_at") or event.get("timestamp")
        ended_at = parse_time(time, event.at("timestamp"))
        content = event.get("error" if failed else "output")
        result = ToolResult(None, tool, content, "error" if failed else "ok", ended_at)
        self.recorder.tool_result(result, {"event": event.get("type")})

    readers: ClassVar = {
        _KICKOFF: _read_kickoff,
        "task_started": _read_task,
        "tool_usage_started": _read_call,
        **dict.fromkeys(("tool_usage_finished", *_TOOL_FAILED), _read_result),
        **dict.fromkeys((_COMPLETED, "crew_kickoff_failed"), _read_end),
    }


read = _Crew.read
