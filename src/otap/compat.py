"""The matchers of other libraries, for comparison with our scores on the same runs.

A call is a tool with its arguments; reasoning steps do not count. The modes have the semantics of
their libraries: agentevals 0.0.9 (``strict``, ``unordered``, ``subset``, ``superset``, and the four
modes for arguments), Google ADK 2.13.0 (``exact``, ``in_order``, ``any_order``), Vertex AI
(``precision``, ``recall``). Tests compare them with answers of these libraries.
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
Matches = Callable[[Any, Any], bool]


class ToolCall(NamedTuple):
    """A tool with its arguments."""

    tool: str
    arguments: JsonValue


def trajectory_match(
    run: Any,
    reference: Any,
    mode: Mode = "strict",
    arguments: Arguments = "exact",
    overrides: Mapping[str, Arguments | Matches] | None = None,
) -> float:
    """Returns the result of another library's matcher for a run: 1 or 0, or a share of calls.

    Args:
        run: a trajectory, or an object that :func:`otap.parse` accepts.
        reference: a trajectory or object like the run.
        mode: the condition on the calls.
            ``strict``: the same calls in each turn, in any order within the turn.
            ``exact``: the same calls in the same order.
            ``unordered``: the same calls in any order.
            ``subset``: only calls of the reference.
            ``superset`` and ``any_order``: all calls of the reference.
            ``in_order``: all calls of the reference in its order, with others between.
            ``precision``: the share of the run's calls that are in the reference.
            ``recall``: the share of the reference's calls that are in the run.
        arguments: the condition on the arguments of a call.
            ``exact``: equal arguments.
            ``ignore``: any arguments.
            ``subset``: only arguments of the reference's call.
            ``superset``: all arguments of the reference's call.
        overrides: another condition for a tool, or a function that compares the arguments of the
            run and the reference.

    Raises:
        ConfigError: if a mode is unknown.
        FormatError: if an object is no run.
    """
    for name, names in ((mode, Mode), (arguments, Arguments)):
        if name not in get_args(names):
            raise ConfigError(f"unknown '{shown(name)}'; there are {', '.join(get_args(names))}")
    run_turns, gold_turns = list_turns(parse(run)), list_turns(parse(reference))
    matcher = _Matcher(arguments, overrides or {})
    if mode == "strict":
        return float(
            len(run_turns) == len(gold_turns)
            and all(
                matcher.same_turn(calls, gold)
                for calls, gold in zip(run_turns, gold_turns, strict=True)
            )
        )
    calls, gold = ([call for turn in turns for call in turn] for turns in (run_turns, gold_turns))
    return float(getattr(matcher, "superset" if mode == "any_order" else mode)(calls, gold))


def list_turns(run: Trajectory) -> list[list[ToolCall]]:
    """Returns the calls of each turn of a run; a step without a turn is a turn of its own."""
    turns: list[list[Step]] = []
    for step in run.steps:
        if step.kind == "tool":
            if not turns or step.turn is None or step.turn != turns[-1][-1].turn:
                turns.append([])
            turns[-1].append(step)
    return [[ToolCall(step.tool or "", _read_arguments(step)) for step in turn] for turn in turns]


def _read_arguments(step: Step) -> JsonValue:
    """Returns the arguments of a call; text that is a JSON object or array is parsed."""
    if not isinstance(step.arguments, str):
        return {} if step.arguments is None else step.arguments
    try:
        arguments: JsonValue = from_json(step.arguments)
    except ValueError:
        return step.arguments
    return arguments if isinstance(arguments, dict | list) else step.arguments


class _Matcher:
    """The modes for lists of calls. Matching is greedy: a call takes the first free match."""

    def __init__(self, arguments: Arguments, overrides: Mapping[str, Arguments | Matches]) -> None:
        self._arguments, self._overrides = arguments, overrides

    def same_call(self, call: ToolCall, gold: ToolCall) -> bool:
        """Returns whether a call of the run matches a call of the reference."""
        if call.tool != gold.tool:
            return False
        mode = self._overrides.get(call.tool, self._arguments)
        matches = _ARGUMENT_MODES[mode] if isinstance(mode, str) else mode
        return bool(matches(call.arguments, gold.arguments))

    def _covers(
        self, calls: Sequence[ToolCall], targets: Sequence[ToolCall], matches: Matches
    ) -> bool:
        """Returns whether each target has a matching call; a call matches one target only."""
        free = list(calls)
        for target in targets:
            index = next((k for k, call in enumerate(free) if matches(call, target)), None)
            if index is None:
                return False
            del free[index]
        return True

    def same_turn(self, calls: Sequence[ToolCall], gold: Sequence[ToolCall]) -> bool:
        """Returns whether two turns have the same calls, in any order."""
        is_covered = self._covers(gold, calls, lambda target, call: self.same_call(call, target))
        return len(calls) == len(gold) and is_covered

    def superset(self, calls: Sequence[ToolCall], gold: Sequence[ToolCall]) -> bool:
        return self._covers(calls, gold, self.same_call)

    def subset(self, calls: Sequence[ToolCall], gold: Sequence[ToolCall]) -> bool:
        # The library exchanges both sides, and thereby the condition on the arguments.
        return self._covers(gold, calls, self.same_call)

    def unordered(self, calls: Sequence[ToolCall], gold: Sequence[ToolCall]) -> bool:
        return self.superset(calls, gold) and self.subset(calls, gold)

    def exact(self, calls: Sequence[ToolCall], gold: Sequence[ToolCall]) -> bool:
        return len(calls) == len(gold) and all(
            self.same_call(call, target) for call, target in zip(calls, gold, strict=True)
        )

    def in_order(self, calls: Sequence[ToolCall], gold: Sequence[ToolCall]) -> bool:
        remaining = iter(calls)
        return all(any(self.same_call(call, target) for call in remaining) for target in gold)

    def precision(self, calls: Sequence[ToolCall], gold: Sequence[ToolCall]) -> float:
        matched = sum(any(self.same_call(call, target) for target in gold) for call in calls)
        return matched / len(calls) if calls else float(not gold)

    def recall(self, calls: Sequence[ToolCall], gold: Sequence[ToolCall]) -> float:
        matched = sum(any(self.same_call(call, target) for call in calls) for target in gold)
        return matched / len(gold) if gold else 1.0


def _contains(container: Any, part: Any) -> bool:
    """Returns whether an object has all entries of another; other values must be equal."""
    if not (isinstance(container, dict) and isinstance(part, dict)):
        return bool(container == part)
    return all(key in container and container[key] == value for key, value in part.items())


_ARGUMENT_MODES: Mapping[str, Matches] = {
    "exact": lambda arguments, gold: bool(arguments == gold),
    "ignore": lambda *_: True,
    "subset": lambda arguments, gold: _contains(gold, arguments),
    "superset": lambda arguments, gold: _contains(arguments, gold),
}
