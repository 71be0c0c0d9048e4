"""Arcs at the margin of a list: which step needed which, and where the order is another."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

from otap.alignment import Finding
from otap.dependencies import Edge
from otap.scoring import Side
from otap.trajectory import Step

WIDTH = 56  # of the margin
DRAWN = 400  # arcs of one list
_LEAST, _MORE = 10.0, 1.7  # how far an arc bends outwards: at least, and more the longer it is
_OF_STEPS = "sequential"  # each step after the one before: nothing that a drawing would add to


class Arc(NamedTuple):
    """A step that another needs, or two in another order than the reference has them.

    Attributes:
        path: as SVG draws it.
        kind: "needs", or the kind of the finding of it: reversed, broken, inverted.
        ends: the step that comes first, and the one that needs it.
        why: the value that proves it, or the sentence of the finding; may be empty.
        middle: where a sign has room.
    """

    path: str
    kind: str
    ends: tuple[Step, Step]
    why: str
    middle: tuple[float, float]


def arcs(
    side: Side,
    heights: Mapping[str, float],
    order: Sequence[tuple[Sequence[str], Finding]],
    *,
    leftwards: bool,
) -> tuple[Arc, ...]:
    """Returns the arcs of one side; what follows from others is left out [Aho1972].

    Args:
        side: whose.
        heights: of its steps that are drawn, by id.
        order: the findings of order, each with the steps of this side that it names.
        leftwards: whether they bend to the left.
    """
    marked = {pair: one for named, one in order for pair in pairwise(named)}
    found = _marked(side, marked, heights, leftwards) + _plain(side, marked, heights, leftwards)
    return tuple(found[:DRAWN])


def _marked(
    side: Side,
    marked: Mapping[tuple[str, str], Finding],
    heights: Mapping[str, float],
    leftwards: bool,
) -> list[Arc]:
    steps = {step.id: step for step in side.steps}
    return [
        _arc((steps[a], steps[b]), heights, leftwards, one.kind, one.sentence)
        for (a, b), one in marked.items()
        if a in heights and b in heights
    ]


def _plain(
    side: Side,
    marked: Mapping[tuple[str, str], Finding],
    heights: Mapping[str, float],
    leftwards: bool,
) -> list[Arc]:
    if side.graph.mechanism == _OF_STEPS:
        return []
    return [
        _arc(ends, heights, leftwards, "needs", why)
        for ends, why in _needed(side)
        if (ends[0].id, ends[1].id) not in marked and all(one.id in heights for one in ends)
    ]


def _needed(side: Side) -> Iterator[tuple[tuple[Step, Step], str]]:
    edges = {(edge.source, edge.target): edge for edge in side.graph.edges}
    for source, target in side.graph.reduction:
        edge = edges[source, target]
        yield (side.steps[source], side.steps[target]), _why(edge)


def _why(edge: Edge) -> str:
    return edge.evidence[0].value if edge.evidence else ""


def _arc(
    ends: tuple[Step, Step], heights: Mapping[str, float], leftwards: bool, kind: str, why: str
) -> Arc:
    start, end = heights[ends[0].id], heights[ends[1].id]
    bend = min(WIDTH - 4.0, _LEAST + _MORE * sqrt(abs(end - start)))
    near, far = (WIDTH - 2.0, WIDTH - bend) if leftwards else (2.0, bend)
    path = f"M{near:.1f} {start:.1f}C{far:.1f} {start:.1f} {far:.1f} {end:.1f} {near:.1f} {end:.1f}"
    return Arc(path, kind, ends, why, ((near + 3 * far) / 4, (start + end) / 2))
