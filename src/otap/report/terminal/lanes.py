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
    drawing = _Drawing(graph, most)
    for step in range(graph.size):
        drawing.add(step)
    rows = drawing.rows
    begun = {step for step, row in enumerate(rows) if any(one.begins for one in row.values())}
    count = 1 + max((lane for row in rows for lane in row), default=-1)
    return Lanes(rows, drawing.below, frozenset(drawing.last.keys() - begun), count)


class _Drawing:
    """The rows so far."""

    def __init__(self, graph: DependencyGraph, most: int) -> None:
        self._parents, self._most = graph.parents, most
        self.last = {step: max(needed) for step, needed in enumerate(graph.children) if needed}
        self._taken: dict[int, int] = {}  # the step of each lane
        self.rows: list[dict[int, Crossing]] = []
        self.below: list[frozenset[int]] = []

    def add(self, step: int) -> None:
        """Adds the row of the next step."""
        needed = set(self._parents[step])
        row = {
            lane: Crossing(meets=source in needed, ends=self.last[source] == step)
            for lane, source in self._taken.items()
        }
        lane = _first_free(row)
        if step in self.last and lane < self._most:
            row[lane] = Crossing(begins=True)
            self._taken[lane] = step
        self._taken = {lane: one for lane, one in self._taken.items() if self.last[one] > step}
        self.rows.append(row)
        self.below.append(frozenset(self._taken))


def _first_free(row: Mapping[int, Crossing]) -> int:
    return next(place for place in range(len(row) + 1) if place not in row)
