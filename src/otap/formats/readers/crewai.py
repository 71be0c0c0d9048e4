"""Events of CrewAI, as a listener keeps them: an event a line, or a list of events."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import parse_time
from otap.formats.steps.calls import Call, Result, parse_call
from otap.formats.steps.content import unless_blank
from otap.formats.steps.conversation import RawConversation
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory

NAME = "crewai"
DESCRIPTION = "events of CrewAI, as a listener keeps them: a list, or an event a line"
STEP = "each use of a tool"
KNOWN_BY = "events with 'type', 'timestamp' and 'source_fingerprint'"

_KICKED_OFF = "crew_kickoff_started"
_BEGUN, _ENDED = "tool_usage_started", "tool_usage_finished"
_FAILED = (
    *("tool_usage_error", "tool_execution_error"),
    *("tool_validate_input_error", "tool_selection_error"),
)


def recognises(value: Any) -> bool:
    """Says whether this is an event, or a list that begins with one."""
    first = first_of(value)
    return isinstance(first, dict) and {"type", "timestamp", "source_fingerprint"} <= first.keys()


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each crew that was kicked off."""
    crew: _Crew | None = None
    for value, place in document.items():
        event = place.object(value)
        if crew is None or (event.get("type") == _KICKED_OFF and crew.is_done):
            if crew is not None:
                yield crew.to_trajectory()
            crew = _Crew(place, reasoning)
        crew.add(event, place)
    if crew is not None:
        yield crew.to_trajectory()


class _Crew:
    """What happened from one kick-off on."""

    def __init__(self, place: JsonPath, reasoning: bool) -> None:
        self._place, self._recorder = place, Recorder(reasoning, "none")
        self._about: dict[str, Any] = {}
        self._told: tuple[str, ...] | None = None
        self._calls: list[Call] = []
        self.is_done = False

    def add(self, event: dict[str, Any], place: JsonPath) -> None:
        """Adds an event.

        Raises:
            FormatError: with the place of the first thing that no event may hold.
        """
        kind = place["type"].text(event.get("type"))
        if kind == _BEGUN:
            self._begin(event, place)
        elif kind == _ENDED or kind in _FAILED:
            self._end(event, place, failed=kind != _ENDED)
        elif kind == "task_started":
            self._recorder.user(unless_blank(event.get("task_name") or _described(event)))
        elif kind == "crew_kickoff_completed":
            self.is_done = True
            self._told = tuple(unless_blank(_text_of(event.get("output"))))
        elif kind == _KICKED_OFF:
            self._about = {
                key: event[key] for key in ("crew_name", "inputs", "id") if event.get(key)
            }
        elif kind == "crew_kickoff_failed":
            self.is_done = True
        else:
            self._recorder.ignored(f"event '{kind}'")

    def to_trajectory(self) -> Trajectory:
        """Returns the run of the crew."""
        found = self._recorder.conversation()
        told = {"told": self._told} if self._told is not None else {}
        run = RawConversation([], self._about, self._place).to_trajectory(found)
        return run.model_copy(update=told) if told else run

    def _begin(self, event: dict[str, Any], place: JsonPath) -> Call:
        call = parse_call(event.get("tool_name"), event.get("tool_args"), None, place["tool_name"])
        call.started_at = parse_time(event.get("timestamp"), place["timestamp"])
        agent = event.get("agent_role")
        self._recorder.assistant((), [call], agent if isinstance(agent, str) else None)
        self._calls.append(call)
        return call

    def _end(self, event: dict[str, Any], place: JsonPath, *, failed: bool) -> None:
        """Gives a call its result; a listener may keep the ends alone."""
        name = event.get("tool_name")
        begun = any(call.tool == name and call.ended_at is None for call in self._calls)
        if not begun:
            self._begin(event, place)
        ended = parse_time(event.get("finished_at") or event.get("timestamp"), place["timestamp"])
        content = event.get("error") if failed else event.get("output")
        result = Result(None, name, content, "error" if failed else "ok", ended)
        self._recorder.tool_result(result, {"event": event.get("type")})


def _described(event: dict[str, Any]) -> Any:
    task = event.get("task")
    return task.get("description") if isinstance(task, dict) else task


def _text_of(output: Any) -> Any:
    """What a crew answered: a text, or the raw text inside its output."""
    return output.get("raw") if isinstance(output, dict) else output
