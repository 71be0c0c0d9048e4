"""The drawing of an alignment: two lists of steps, ribbons between them, arcs at their margins.

Heights are in units of which a step takes ROW, so that the drawing fits lists of any font size.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from otap.alignment import SEVERITIES, Severity
from otap.report.pages.run.arcs import Arc, arcs
from otap.report.story.findings import worst
from otap.report.story.rows import Row
from otap.report.story.telling import Telling
from otap.scoring import Against, Side
from otap.trajectory import Step

ROW = 36  # height of a step
WIDTH = 140  # of the space between the lists
THICKEST = 16  # a ribbon that carries the whole mass of an ordinary step
THINNEST = 1.5
DRAWN = 200  # rows; of more, first those with something to say
SLIGHT_SHARE = 0.05  # pairs with less of the smaller step's mass are left to the table of masses
_NOTHING = 1e-12
_FAR = 0.1  # costs from which on a ribbon is hatched


class Item(NamedTuple):
    """A step in its list, the row that tells of it, and what tells it from others of its name."""

    step: Step
    row: int
    of: Row
    mark: str

    @property
    def severity(self) -> Severity:
        """Of the worst that is said of it; minor where nothing is."""
        return worst((*self.of.findings, *self.of.order)) or SEVERITIES[-1]


class Ribbon(NamedTuple):
    """What a pair shares.

    Attributes:
        path: its outline, as SVG draws it.
        way: "same", "near" or "far", by cost.
        run: the place of the row of the run's step.
        reference: the same of the reference's.
        ends: both steps.
        cost: of the pair, in [0, 1].
        mass: that it carries.
    """

    path: str
    way: str
    run: int
    reference: int
    ends: tuple[Step, Step]
    cost: float
    mass: float


class Diagram(NamedTuple):
    """All that is drawn of one reference.

    Attributes:
        run: the run's steps in their order.
        reference: the reference's.
        ribbons: the pairs, the dearest last and so on top.
        arcs: who needed whom, of either side.
        height: of the drawing.
        rest: rows that are not drawn.
    """

    run: tuple[Item, ...]
    reference: tuple[Item, ...]
    ribbons: tuple[Ribbon, ...]
    arcs: tuple[tuple[Arc, ...], tuple[Arc, ...]]
    height: int
    rest: int


def diagram(against: Against, rows: Sequence[Row]) -> Diagram:
    """Returns the drawing of an alignment.

    Args:
        against: the run and the reference.
        rows: the alignment in reading order.
    """
    drawn = _drawn(rows)
    run, reference = _items(against, drawn, rows)
    ribbons = tuple(_ribbons(against, run, reference))
    height = ROW * max(len(run), len(reference), 1)
    both = _arcs(against, run, reference)
    return Diagram(run, reference, ribbons, both, height, len(rows) - len(drawn))


def middle(place: int) -> float:
    """Returns the height of the middle of a step."""
    return ROW * (place + 0.5)


def _drawn(rows: Sequence[Row]) -> list[int]:
    """The places of the rows that are drawn, in their order."""
    telling = sorted(range(len(rows)), key=lambda place: (rows[place].is_slight, place))
    return sorted(telling[:DRAWN])


def _items(
    against: Against, drawn: Sequence[int], rows: Sequence[Row]
) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """The steps of both lists, each in its own order."""
    telling = Telling(against)
    ours: dict[int, Item] = {}
    theirs: dict[int, Item] = {}
    for number in drawn:
        row = rows[number]
        run = [against.run.steps[place] for place in row.run]
        reference = [against.reference.steps[place] for place in row.reference]
        marks = telling.row(run, reference, brief=True)
        for place, step, mark in zip(row.run, run, marks[0], strict=True):
            ours[place] = Item(step, number, row, mark)
        for place, step, mark in zip(row.reference, reference, marks[1], strict=True):
            theirs[place] = Item(step, number, row, mark)
    return _in_order(ours), _in_order(theirs)


def _in_order(items: Mapping[int, Item]) -> tuple[Item, ...]:
    return tuple(item for _, item in sorted(items.items()))


def _ribbons(against: Against, run: Sequence[Item], reference: Sequence[Item]) -> Iterator[Ribbon]:
    ours, theirs = _places(run), _places(reference)
    weights = [_weights(side) for side in (against.run, against.reference)]
    unit = max(1.0, (sum(weights[0].values()) + sum(weights[1].values())) / 2)
    for pair in sorted(against.score.alignment.pairs, key=lambda pair: pair.cost):
        if pair.agent not in ours or pair.reference not in theirs:
            continue
        carried = pair.mass * unit
        if carried < SLIGHT_SHARE * min(weights[0][pair.agent], weights[1][pair.reference]):
            continue
        here, there = ours[pair.agent], theirs[pair.reference]
        path = _path(middle(here), middle(there), max(THINNEST, THICKEST * min(1.0, carried)))
        ends = run[here], reference[there]
        steps = ends[0].step, ends[1].step
        yield Ribbon(path, _way(pair.cost), ends[0].row, ends[1].row, steps, pair.cost, pair.mass)


def _places(items: Sequence[Item]) -> dict[str, int]:
    return {item.step.id: place for place, item in enumerate(items)}


def _weights(side: Side) -> dict[str, float]:
    return {step.id: weight for step, weight in zip(side.steps, side.weights, strict=True)}


def _way(cost: float) -> str:
    if cost <= _NOTHING:
        return "same"
    return "near" if cost < _FAR else "far"


def _path(here: float, there: float, thick: float) -> str:
    """The outline of a band from the left at one height to the right at another."""
    half, bend = thick / 2, WIDTH / 2
    above = f"C{bend} {here - half:.1f} {bend} {there - half:.1f} {WIDTH} {there - half:.1f}"
    below = f"C{bend} {there + half:.1f} {bend} {here + half:.1f} 0 {here + half:.1f}"
    return f"M0 {here - half:.1f}{above}V{there + half:.1f}{below}Z"


def _arcs(
    against: Against, run: Sequence[Item], reference: Sequence[Item]
) -> tuple[tuple[Arc, ...], tuple[Arc, ...]]:
    order = [
        one for one in against.score.findings if one.kind in ("reversed", "broken", "inverted")
    ]
    ours = [(one.agent, one) for one in order]
    theirs = [(one.reference, one) for one in order]
    return (
        arcs(against.run, _heights(run), ours, leftwards=True),
        arcs(against.reference, _heights(reference), theirs, leftwards=False),
    )


def _heights(items: Collection[Item]) -> dict[str, float]:
    return {item.step.id: middle(place) for place, item in enumerate(items)}
