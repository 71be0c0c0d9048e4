"""One run of OpenHands: its events, of whatever version, become the steps of a trajectory."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from otap.formats.json.places import Place
from otap.formats.readers.coding.shell import SHELL
from otap.formats.steps.calls import Call, call_notes, parsed_arguments
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory, parse_trajectory

Event = tuple[dict[str, Any], Place]
_Groups = dict[str, list[Event]]

# The same tools under the names that they had in one version or another.
_TOOLS = {
    "execute_bash": SHELL,
    "terminal": SHELL,
    "execute_ipython_cell": "run_ipython",
    "file_editor": "str_replace_editor",
}
# What the agent's frame adds to what a tool is asked.
_FRAME = ("security_risk", "summary")


@dataclass(slots=True)
class Run:
    """What one run has recorded so far."""

    events: Sequence[Event]
    reasoning: bool
    recorder: Recorder = field(init=False)
    inside: list[str] = field(default_factory=list)  # calls for which other agents are at work
    ids: dict[Any, str] = field(default_factory=dict)  # of the calls that events made
    _groups: dict[str, _Groups] = field(default_factory=dict)
    _told: list[str] = field(default_factory=list)
    _defined: list[Any] = field(default_factory=list)
    _made: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.recorder = Recorder(self.reasoning)

    @property
    def within(self) -> Recorder:
        """What records the agent at work, perhaps inside the call for which it was started."""
        return self.recorder.inside(self.inside[-1] if self.inside else None)

    def group(self, what: str, name_of: Callable[[dict[str, Any]], str | None]) -> _Groups:
        """Returns the events that have a name, by that name, in their order.

        Args:
            what: which names are meant.
            name_of: returns the name of an event, or nothing.
        """
        if what not in self._groups:
            found: _Groups = {}
            for event, place in self.events:
                name = name_of(event)
                if name is not None:
                    found.setdefault(name, []).append((event, place))
            self._groups[what] = found
        return self._groups[what]

    def first_of(self, answer: str) -> bool:
        """Says whether no call of this answer of a model was recorded yet, and notes that one is.

        Args:
            answer: the id of the answer; the calls of one answer are one turn.
        """
        first = answer not in self._made
        self._made.add(answer)
        return first

    def user(self, texts: Sequence[str]) -> None:
        """Records what the user said."""
        self.within.interrupted()
        if texts:
            self.within.user(texts)

    def agent(self, texts: Sequence[str]) -> None:
        """Records what the agent said to the user; one that works for another says it to that."""
        self.within.assistant(texts)
        self.tell(texts)

    def tell(self, texts: Sequence[str]) -> None:
        """Notes what the user is told."""
        if not self.inside:
            self._told += texts

    def defines(self, tools: Any) -> None:
        """Notes what could be called."""
        self._defined.append(tools)

    def calls(self, texts: Sequence[str], calls: Sequence[Call], place: Place) -> None:
        """Records the calls of one answer, with the thought before them."""
        self.within.assistant(texts, calls, place=place)

    def result(
        self, identifier: str | None, effect: Any, status: Literal["ok", "error"] | None
    ) -> Call | None:
        """Records what came back, and returns the call that it belongs to."""
        kept = {"call_id": identifier}
        return self.within.result(identifier, None, effect, status, kept=kept)

    def trajectory(self, fields: Mapping[str, Any], place: Place) -> Trajectory:
        """Returns the run under these names.

        Raises:
            FormatError: if it is no trajectory.
        """
        found = self.recorder.conversation()
        metadata = {**fields["metadata"], **found.metadata}
        named = {**vars(found), **fields, "metadata": metadata, "told": tuple(self._told)}
        return parse_trajectory({**named, **tool_facts(*self._defined)}, str(place))


def tool_named(name: str) -> str:
    """Returns the name that a tool has in all versions."""
    return _TOOLS.get(name, name)


def made_call(name: str, arguments: Any, identifier: str | None) -> Call:
    """Returns a call under the name that its tool has in all versions.

    Args:
        name: the name of the tool.
        arguments: what it was asked, as JSON text or as it is.
        identifier: the id of the call.
    """
    asked, parsed = parsed_arguments(arguments)
    notes = call_notes(identifier)
    if not parsed:
        notes["arguments_unparsed"] = True
    if isinstance(asked, dict):
        asked = {key: value for key, value in asked.items() if key not in _FRAME}
    return Call(tool_named(name), asked, identifier, notes)
