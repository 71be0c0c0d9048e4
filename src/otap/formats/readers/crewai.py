"""Events of CrewAI, as a listener stores them: an event a line, or a list of events."""

from collections.abc import Iterator
from typing import Any

from otap.formats.content import unless_blank
from otap.formats.conversations import RawConversation
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import parse_time
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import Call, Result, parse_call
from otap.trajectory import Trajectory

NAME = "crewai"
DESCRIPTION = "events of CrewAI, as a listener stores them: a list, or an event a line"
STEP = "each use of a tool"
KNOWN_BY = "events with 'type', 'timestamp' and 'source_fingerprint'"

_KICKOFF = "crew_kickoff_started"
_TOOL_STARTED, _TOOL_FINISHED = "tool_usage_started", "tool_usage_finished"
_TOOL_FAILED = (
    *("tool_usage_error", "tool_execution_error"),
    *("tool_validate_input_error", "tool_selection_error"),
)


def recognises(value: Any) -> bool:
    """Returns whether this is an event, or a list that begins with one."""
    first = first_of(value)
    return isinstance(first, dict) and {"type", "timestamp", "source_fingerprint"} <= first.keys()


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one trajectory for each kick-off of a crew."""
    crew: _Crew | None = None
    for value, path in document.items():
        event = path.object(value)
        if crew is None or (event.get("type") == _KICKOFF and crew.is_done):
            if crew is not None:
                yield crew.to_trajectory()
            crew = _Crew(path, reasoning)
        crew.add(event, path)
    if crew is not None:
        yield crew.to_trajectory()


class _Crew:
    """The run of a crew from its kick-off."""

    def __init__(self, path: JsonPath, reasoning: bool) -> None:
        self._path, self._recorder = path, Recorder(reasoning, "none")
        self._kickoff: dict[str, Any] = {}
        self._answer: tuple[str, ...] | None = None
        self._calls: list[Call] = []
        self.is_done = False

    def add(self, event: dict[str, Any], path: JsonPath) -> None:
        """Adds an event.

        Raises:
            FormatError: with the path of the first invalid field.
        """
        kind = path["type"].text(event.get("type"))
        if kind == _TOOL_STARTED:
            self._start_call(event, path)
        elif kind == _TOOL_FINISHED or kind in _TOOL_FAILED:
            self._end_call(event, path, failed=kind != _TOOL_FINISHED)
        elif kind == "task_started":
            self._recorder.user(unless_blank(event.get("task_name") or _task_description(event)))
        elif kind == "crew_kickoff_completed":
            self.is_done = True
            output = event.get("output")  # a text, or an object with the raw text
            answer = output.get("raw") if isinstance(output, dict) else output
            self._answer = tuple(unless_blank(answer))
        elif kind == _KICKOFF:
            keys = ("crew_name", "inputs", "id")
            self._kickoff = {key: event[key] for key in keys if event.get(key)}
        elif kind == "crew_kickoff_failed":
            self.is_done = True
        else:
            self._recorder.ignored(f"event '{kind}'")

    def to_trajectory(self) -> Trajectory:
        """Returns the run of the crew."""
        run = RawConversation([], self._kickoff, self._path).to_trajectory(
            self._recorder.conversation()
        )
        return (
            run
            if self._answer is None
            else run.model_copy(update={"messages_to_user": self._answer})
        )

    def _start_call(self, event: dict[str, Any], path: JsonPath) -> None:
        call = parse_call(event.get("tool_name"), event.get("tool_args"), None, path["tool_name"])
        call.started_at = parse_time(event.get("timestamp"), path["timestamp"])
        agent = event.get("agent_role")
        self._recorder.assistant((), [call], agent if isinstance(agent, str) else None)
        self._calls.append(call)

    def _end_call(self, event: dict[str, Any], path: JsonPath, *, failed: bool) -> None:
        """Adds the result of a call; the call may have no start if the listener skips starts."""
        name = event.get("tool_name")
        if not any(call.tool == name and call.ended_at is None for call in self._calls):
            self._start_call(event, path)
        ended_at = parse_time(event.get("finished_at") or event.get("timestamp"), path["timestamp"])
        content = event.get("error") if failed else event.get("output")
        result = Result(None, name, content, "error" if failed else "ok", ended_at)
        self._recorder.tool_result(result, {"event": event.get("type")})


def _task_description(event: dict[str, Any]) -> Any:
    task = event.get("task")
    return task.get("description") if isinstance(task, dict) else task
