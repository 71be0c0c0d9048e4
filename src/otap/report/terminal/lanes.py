"""The lanes at the margin of a graph: a line down from each step to those that needed it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from otap.dependencies import DependencyGraph


@dataclass(frozen=True)
class Crossing:
    """What a row of the drawing does with a lane; nothing: the lane passes.

    Attributes:
        begins: whether the lane is that of the row's own step.
        meets: whether the row's step needed that of the lane.
        ends: whether it is the last one that did.
    """

    begins: bool = False
    meets: bool = False
    ends: bool = False


@dataclass(frozen=True)
class Lanes:
    """A drawing of a graph, row by row.

    Attributes:
        rows: of each step, what happens on the lanes that are there, by their places; 0 is the
            one next to the steps.
        below: of each step, the lanes that go on below it.
        hidden: steps whose lane has no room.
        count: how many lanes there are.
    """

    rows: Sequence[Mapping[int, Crossing]]
    below: Sequence[frozenset[int]]
    hidden: frozenset[int]
    count: int


def lanes(graph: DependencyGraph, most: int) -> Lanes:
    """Returns a drawing with no more than ``most`` lanes; each lane is as far in as is free.

    A lane does not begin where another one ends in the same row: they would look like one.

    Args:
        graph: whose edges lead down.
        most: how many lanes there is room for.
    """
    last = {step: max(needed) for step, needed in enumerate(graph.children) if needed}
    taken: dict[int, int] = {}  # the step of each lane
    rows, below = [], []
    for step in range(graph.size):
        row = _crossings(step, taken, set(graph.parents[step]), last)
        lane = _first_free(row) if step in last else most
        if lane < most:
            row[lane] = Crossing(begins=True)
            taken[lane] = step
        taken = {lane: source for lane, source in taken.items() if last[source] > step}
        rows.append(row)
        below.append(frozenset(taken))
    begun = {step for step, row in enumerate(rows) if any(one.begins for one in row.values())}
    count = 1 + max((lane for row in rows for lane in row), default=-1)
    return Lanes(rows, below, frozenset(last.keys() - begun), count)


def _crossings(
    step: int, taken: Mapping[int, int], needed: set[int], last: Mapping[int, int]
) -> dict[int, Crossing]:
    return {
        lane: Crossing(meets=source in needed, ends=last[source] == step)
        for lane, source in taken.items()
    }


def _first_free(row: Mapping[int, Crossing]) -> int:
    return next(place for place in range(len(row) + 1) if place not in row)
