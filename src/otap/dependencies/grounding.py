"""Grounding: the arguments of a run that no earlier observation and no utterance accounts for.

The rules, in the order in which they are applied to each value of a call's arguments:

1. Only what is telling of a value is judged (:func:`otap.dependencies.specificity.telling`).
   Of a text that joins several values each is judged by itself; of prose, none.
2. It has a ground if a step of an earlier turn showed it in its effect or state, or the user or the
   name of the task said it before: in the same spelling but for case, signs and blanks, or as a
   part of something longer; or if all its telling atoms have a ground.
3. So it has if it can be derived from what was shown or said: a date near another, a number that
   is the sum or difference of two, or a small multiple or fraction of one
   (:meth:`otap.dependencies.known_values.KnownValues.derives`).
4. What is left was read early if a later step shows it, and else invented.

Where all steps record what they depend on, "earlier" is by these dependencies, not by the list.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import NamedTuple

from pydantic import JsonValue

from otap._caching import cached_property
from otap.dependencies.content import Content, Path, content, values_of, written
from otap.dependencies.known_values import KnownValues, dates_near
from otap.dependencies.mechanisms import allows, dependency_graph
from otap.dependencies.specificity import telling
from otap.dependencies.utterances import Utterances
from otap.dependencies.values import MAX_LEVELS, canonical_value, parsed
from otap.trajectory import Step, Trajectory

MAX_UNGROUNDED = 100  # values that are found in one trajectory


@dataclass(frozen=True)
class Ungrounded:
    """An argument without a ground: a value that a step used and nothing before accounts for.

    Attributes:
        step: position of the step in the list.
        path: where the value stands in the step's arguments, as ``flights[0].id``.
        value: the telling part, in canonical spelling.
        shown_by: the first later step that showed the value and did not use it itself: it was used
            before it was produced. None if there is no such step: it was invented.
    """

    step: int
    path: str
    value: str
    shown_by: int | None


def ungrounded(trajectory: Trajectory) -> tuple[Ungrounded, ...]:
    """Returns the arguments without a ground, in order of use, at most MAX_UNGROUNDED.

    What was not recorded is not missing: nothing is found in a trajectory that does not record
    what the user said, nor after a call that does not record what came back.

    Args:
        trajectory: the whole of it, with steps that do not count.
    """
    if not trajectory.request:
        return ()
    ground = _Grounding(trajectory)
    judged = takewhile(lambda use: use[0] in ground.judged, ground.lacking())
    return tuple(
        Ungrounded(*use, ground.shown_by(use[2])) for use in islice(judged, MAX_UNGROUNDED)
    )


def assumed(trajectory: Trajectory) -> frozenset[str]:
    """Returns the values that a trajectory uses without a ground, whatever it records.

    Unlike :func:`ungrounded` it also answers for a reference that records no effects: what a
    known-good run assumes, a run need not show either.
    """
    return frozenset(value for _, _, value in _Grounding(trajectory).lacking())


class Grounds:
    """The grounding of one trajectory, computed when it is first asked for and kept.

    It keeps the results, not the trajectory. Every call must pass the same one.
    """

    def __init__(self) -> None:
        self._ungrounded: tuple[Ungrounded, ...] | None = None
        self._assumed: frozenset[str] | None = None

    def ungrounded(self, trajectory: Trajectory) -> tuple[Ungrounded, ...]:
        """Returns what :func:`ungrounded` returns for the trajectory."""
        if self._ungrounded is None:
            self._ungrounded = ungrounded(trajectory)
        return self._ungrounded

    def assumed(self, trajectory: Trajectory) -> frozenset[str]:
        """Returns what :func:`assumed` returns for the trajectory."""
        if self._assumed is None:
            self._assumed = assumed(trajectory)
        return self._assumed


def argument_values(arguments: JsonValue) -> Sequence[tuple[str, str]]:
    """Returns the path and canonical spelling of each scalar among a call's arguments.

    Unlike :func:`otap.dependencies.content.leaves` it does not take texts apart, and keys are none.

    Args:
        arguments: any JSON value; text that is JSON is read as such.
    """
    return [(_written(path), value) for path, value in _scalars(arguments, (), 0)]


class _Grounding:
    """Replays one trajectory in order, with the set of values known before each step."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.steps, self.request = trajectory.steps, trajectory.request
        self.order = _order(trajectory)
        self.utterances, self.known = Utterances(trajectory), KnownValues()
        self.known.add([content(trajectory.task)])

    @cached_property
    def judged(self) -> frozenset[int]:
        """The steps up to the first call that does not record what came back, itself included."""
        silent = [k for k in self.order if self.steps[k].kind == "tool" and not self._records(k)]
        return frozenset(self.order[: self.order.index(silent[0]) + 1] if silent else self.order)

    def lacking(self) -> Iterator[tuple[int, str, str]]:
        """Yields step, path and value of each use without a ground, in order.

        Can be iterated once: what is known grows on the way.
        """
        told = shown = 0
        for place, index in enumerate(self.order):
            while shown < place and not self._parallel(self.order[shown], index):
                self.known.add(_observed(self.steps[self.order[shown]]))
                shown += 1
            heard = self.utterances.count_before(index)
            if heard > told:
                self.known.add([*map(content, self.request[told:heard])])
                told = heard
            for claim in content(self.steps[index].arguments).read(_claims):
                yield from (
                    (index, _written(claim.path), part) for part in self._lost(claim, index)
                )

    def shown_by(self, value: str) -> int | None:
        """The first step that showed a value without having it among its own arguments."""
        return next((k for k in self.order if k in self._shown.get(value.casefold(), ())), None)

    def _lost(self, claim: "_Claim", index: int) -> list[str]:
        """The telling parts of a value that have no ground, unless it has one as a whole."""
        lost = [part for part, atoms in claim.parts if not self._follows(part, atoms, index)]
        return [] if lost and self._has_ground(claim.value, index) else lost

    def _follows(self, part: str, atoms: Sequence[str], index: int) -> bool:
        """Whether a part has a ground as a whole, or each of its telling atoms has one."""
        return self._has_ground(part, index) or (
            atoms != [part] and all(self._has_ground(atom, index) for atom in atoms)
        )

    def _has_ground(self, value: str, index: int) -> bool:
        return (
            self.known.spells(value)  # nearly always true, so the slower tests come after it
            or self.utterances.mention(value, index)
            or self.known.holds(value)
            or self.known.derives(value)
            or any(self.utterances.mention(day, index) for day in dates_near(value))
        )

    @cached_property
    def _shown(self) -> dict[str, set[int]]:
        """For each value the steps that showed it, but for those that echo their own arguments."""
        found: dict[str, set[int]] = defaultdict(set)
        for index, step in enumerate(self.steps):
            used = content(step.arguments).read(values_of)
            for value in (
                frozenset().union(*(one.read(values_of) for one in _observed(step))) - used
            ):
                found[value.casefold()].add(index)
        return found

    def _parallel(self, one: int, other: int) -> bool:
        turn = self.steps[other].turn
        return turn is not None and self.steps[one].turn == turn

    def _records(self, index: int) -> bool:
        return self.steps[index].effect is not None or self.steps[index].state is not None


def _order(trajectory: Trajectory) -> tuple[int, ...]:
    if allows(trajectory, "explicit"):
        return dependency_graph(trajectory, "explicit").order
    return tuple(range(len(trajectory.steps)))


def _observed(step: Step) -> list[Content]:
    """What a step shows: its effect and state, and those of the steps inside."""
    inside = [one for inner in step.substeps for one in _observed(inner)]
    return [content(step.effect), content(step.state), *inside]


class _Claim(NamedTuple):
    """A value among a call's arguments that must have a ground: each part, or all of its atoms."""

    path: Path
    value: str
    parts: Sequence[tuple[str, Sequence[str]]]


def _claims(arguments: Content) -> Sequence[_Claim]:
    """The values with telling parts."""
    used = ((path, value, telling(value)) for path, value in _scalars(arguments.data, (), 0))
    return [_Claim(path, value, parts) for path, value, parts in used if parts]


def _scalars(data: JsonValue, path: Path, depth: int) -> Iterator[tuple[Path, str]]:
    data = parsed(data)
    if depth > MAX_LEVELS:
        return
    if isinstance(data, dict | list):
        for last, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from _scalars(value, (path, last), depth + 1)
    elif data is not None and not isinstance(data, bool):
        yield path, canonical_value(data)


def _written(path: Path) -> str:
    return written(path).removeprefix(".") or "arguments"
