"""The matchers of other libraries, to see their number beside ours on the same runs.

A call is a tool with its arguments; a step of reasoning is none. What each mode asks is what its
library asks: agentevals 0.0.9 (``strict``, ``unordered``, ``subset``, ``superset``, and the four
ways to match arguments), Google ADK 2.13.0 (``exact``, ``in_order``, ``any_order``), Vertex AI
(``precision``, ``recall``). Tests hold them to what these libraries answered.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from pydantic import JsonValue
from pydantic_core import from_json

from otap.errors import ConfigError, shown
from otap.formats import parse
from otap.trajectory import Step, Trajectory

Mode = Literal[
    "strict", "exact", "unordered", "subset", "superset", "in_order", "any_order", "precision",
    "recall",
]  # fmt: skip
Arguments = Literal["exact", "ignore", "subset", "superset"]
Same = Callable[[Any, Any], bool]


class Call(NamedTuple):
    """A tool with what it is given."""

    tool: str
    arguments: JsonValue


def trajectory_match(
    run: Any,
    reference: Any,
    mode: Mode = "strict",
    arguments: Arguments = "exact",
    overrides: Mapping[str, Arguments | Same] | None = None,
) -> float:
    """Returns what another library's matcher says of a run: 1 or 0, or a share of calls.

    Args:
        run: a trajectory, or an object in memory as :func:`otap.parse` takes it.
        reference: the same.
        mode: ``strict``: the same calls turn by turn, those of a turn in any order; ``exact``: one
            by one; ``unordered``: in any order; ``subset``: no call that the reference lacks;
            ``superset`` and ``any_order``: every call that it has; ``in_order``: these in its
            order, others between; ``precision``: the share of the run's calls that the reference
            has; ``recall``: the share of the reference's calls that the run has.
        arguments: ``exact``; ``ignore``: the tool alone; ``subset``: all that the run's call says
            is said by the reference's; ``superset``: the other way round.
        overrides: by tool another of these, or a function of the run's arguments and the
            reference's that says whether they match.

    Raises:
        ConfigError: for an unknown mode.
        FormatError: for an object that is no run.
    """
    for given, known in ((mode, Mode), (arguments, Arguments)):
        if given not in get_args(known):
            raise ConfigError(f"unknown '{shown(given)}'; there are {', '.join(get_args(known))}")
    ours, theirs = list_turns(parse(run)), list_turns(parse(reference))
    match = _Matcher(arguments, overrides or {})
    if mode == "strict":
        return float(len(ours) == len(theirs) and all(map(match.turn, ours, theirs)))
    calls, gold = ([call for turn in turns for call in turn] for turns in (ours, theirs))
    return float(getattr(match, "superset" if mode == "any_order" else mode)(calls, gold))


def list_turns(run: Trajectory) -> list[list[Call]]:
    """Returns the calls of a run turn by turn; a step that does not record its turn is one."""
    turns: list[list[Step]] = []
    for step in run.steps:
        if step.kind == "tool":
            if not turns or step.turn is None or step.turn != turns[-1][-1].turn:
                turns.append([])
            turns[-1].append(step)
    return [[Call(step.tool or "", _read_arguments(step)) for step in turn] for turn in turns]


def _read_arguments(step: Step) -> JsonValue:
    """What a call is given; text that is an object or a list says the same as the data."""
    if not isinstance(step.arguments, str):
        return {} if step.arguments is None else step.arguments
    try:
        said: JsonValue = from_json(step.arguments)
    except ValueError:
        return step.arguments
    return said if isinstance(said, dict | list) else step.arguments


class _Matcher:
    """The modes over lists of calls; each call stands for one other, the first that it may."""

    def __init__(self, arguments: Arguments, overrides: Mapping[str, Arguments | Same]) -> None:
        self._arguments, self._overrides = arguments, overrides

    def same(self, call: Call, gold: Call) -> bool:
        """Whether a call of the run is one of the reference."""
        if call.tool != gold.tool:
            return False
        how = self._overrides.get(call.tool, self._arguments)
        match = _HOW[how] if isinstance(how, str) else how
        return bool(match(call.arguments, gold.arguments))

    def _covers(self, calls: Sequence[Call], others: Sequence[Call], same: Same) -> bool:
        """Whether for each of the others there is one of the calls, of its own."""
        free = list(calls)
        for other in others:
            found = next((k for k, call in enumerate(free) if same(call, other)), None)
            if found is None:
                return False
            del free[found]
        return True

    def turn(self, calls: Sequence[Call], gold: Sequence[Call]) -> bool:
        """Whether one turn is another, its calls in any order."""
        of_each = self._covers(gold, calls, lambda wanted, call: self.same(call, wanted))
        return len(calls) == len(gold) and of_each

    def superset(self, calls: Sequence[Call], gold: Sequence[Call]) -> bool:
        return self._covers(calls, gold, self.same)

    def subset(self, calls: Sequence[Call], gold: Sequence[Call]) -> bool:
        # The library exchanges both sides, and with them what the arguments are to hold.
        return self._covers(gold, calls, self.same)

    def unordered(self, calls: Sequence[Call], gold: Sequence[Call]) -> bool:
        return self.superset(calls, gold) and self.subset(calls, gold)

    def exact(self, calls: Sequence[Call], gold: Sequence[Call]) -> bool:
        return len(calls) == len(gold) and all(map(self.same, calls, gold))

    def in_order(self, calls: Sequence[Call], gold: Sequence[Call]) -> bool:
        rest = iter(calls)
        return all(any(self.same(call, wanted) for call in rest) for wanted in gold)

    def precision(self, calls: Sequence[Call], gold: Sequence[Call]) -> float:
        found = sum(any(self.same(call, wanted) for wanted in gold) for call in calls)
        return found / len(calls) if calls else float(not gold)

    def recall(self, calls: Sequence[Call], gold: Sequence[Call]) -> float:
        found = sum(any(self.same(call, wanted) for call in calls) for wanted in gold)
        return found / len(gold) if gold else 1.0


def _holds(all_: Any, some: Any) -> bool:
    """Whether an object has all that another has; what is no object is equal or not."""
    if not (isinstance(all_, dict) and isinstance(some, dict)):
        return bool(all_ == some)
    return all(key in all_ and all_[key] == value for key, value in some.items())


_HOW: Mapping[str, Same] = {
    "exact": lambda said, asked: bool(said == asked),
    "ignore": lambda *_: True,
    "subset": lambda said, asked: _holds(asked, said),
    "superset": lambda said, asked: _holds(said, asked),
}
