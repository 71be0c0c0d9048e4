"""The drawing of an alignment: two lists of steps, ribbons between them, arcs at their margins.

Heights are in units of which a step takes ROW, so that the drawing fits lists of any font size.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from math import sqrt
from typing import NamedTuple

from otap.alignment import Finding
from otap.report.model.rows import SMALLEST, Row
from otap.report.model.score import AlignmentReport
from otap.report.model.words import ORDER_KINDS
from otap.scoring import Side
from otap.trajectory import Step

ROW = 36  # height of a step
WIDTH = 140  # of the space between the lists
THICKEST = 16  # a ribbon that carries the whole mass of an ordinary step
THINNEST = 1.5
DRAWN = 200  # rows; of more, first those with something to say
ARCS_DRAWN = 400  # of one list
SLIGHT_SHARE = 0.05  # pairs with less of the smaller step's mass are left to the table of masses
_FAR = 0.1  # costs from which on a ribbon is hatched
_MARGIN = 56  # width of the space for arcs
_LEAST, _MORE = 10.0, 1.7  # how far an arc bends outwards: at least, and more the longer it is


class Item(NamedTuple):
    """A step in its list, the row that tells of it, and what tells it from others of its name."""

    step: Step
    place: int
    row: Row
    mark: str


class Ribbon(NamedTuple):
    """What a pair shares.

    Attributes:
        path: its outline, as SVG draws it.
        way: "same", "near" or "far", by cost.
        run: the item of the run's step.
        reference: that of the reference's.
        cost: of the pair, in [0, 1].
        mass: that it carries.
    """

    path: str
    way: str
    run: Item
    reference: Item
    cost: float
    mass: float


class Arc(NamedTuple):
    """A step that another needs, or two in another order than the reference has them.

    Attributes:
        path: as SVG draws it.
        kind: "needs", or the kind of the finding of it.
        ends: the step that comes first, and the one that needs it.
        why: the value that proves it, or the sentence of the finding; may be empty.
        middle: where a sign has room.
    """

    path: str
    kind: str
    ends: tuple[Step, Step]
    why: str
    middle: tuple[float, float]


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

    run: Sequence[Item]
    reference: Sequence[Item]
    ribbons: Sequence[Ribbon]
    arcs: tuple[Sequence[Arc], Sequence[Arc]]
    height: int
    rest: int


def draw_diagram(report: AlignmentReport) -> Diagram:
    """Returns the drawing of an alignment."""
    against = report.against
    telling = sorted(enumerate(report.rows), key=lambda one: (one[1].is_slight, one[0]))
    run, reference = _list_items(report, telling[:DRAWN])
    order = [one for one in against.score.findings if one.kind in ORDER_KINDS]
    ours = {pair: one for one in order for pair in pairwise(one.agent)}
    theirs = {pair: one for one in order for pair in pairwise(one.reference)}
    return Diagram(
        run,
        reference,
        list(_draw_ribbons(report, run, reference)),
        (
            list(islice(_draw_arcs(against.run, run, ours, leftwards=True), ARCS_DRAWN)),
            list(islice(_draw_arcs(against.reference, reference, theirs), ARCS_DRAWN)),
        ),
        ROW * max(len(run), len(reference), 1),
        len(telling[DRAWN:]),
    )


def _list_items(
    report: AlignmentReport, drawn: Sequence[tuple[int, Row]]
) -> tuple[Sequence[Item], Sequence[Item]]:
    """The steps of both lists, each in its own order."""
    run, reference = report.against.run.steps, report.against.reference.steps
    ours: dict[int, Item] = {}
    theirs: dict[int, Item] = {}
    for place, row in drawn:
        marks = report.marks.mark_row(row, brief=True)
        for k, mark in zip(row.run, marks[0], strict=True):
            ours[k] = Item(run[k], place, row, mark)
        for k, mark in zip(row.reference, marks[1], strict=True):
            theirs[k] = Item(reference[k], place, row, mark)
    return [ours[k] for k in sorted(ours)], [theirs[k] for k in sorted(theirs)]


def _draw_ribbons(
    report: AlignmentReport, run: Sequence[Item], reference: Sequence[Item]
) -> Iterator[Ribbon]:
    ours, theirs = ({item.step.id: k for k, item in enumerate(side)} for side in (run, reference))
    sides = report.against.run, report.against.reference
    unit = max(1.0, sum(map(sum, (side.weights for side in sides))) / 2)
    weights = [dict(zip([s.id for s in side.steps], side.weights, strict=True)) for side in sides]
    for pair in sorted(report.against.score.alignment.pairs, key=lambda pair: pair.cost):
        here, there = ours.get(pair.agent), theirs.get(pair.reference)
        if here is None or there is None:
            continue
        carried = pair.mass * unit
        if carried >= SLIGHT_SHARE * min(weights[0][pair.agent], weights[1][pair.reference]):
            path = _trace_band(here, there, max(THINNEST, THICKEST * min(1.0, carried)) / 2)
            way = "same" if pair.cost <= SMALLEST else "near" if pair.cost < _FAR else "far"
            yield Ribbon(path, way, run[here], reference[there], pair.cost, pair.mass)


def _trace_band(here: int, there: int, half: float) -> str:
    """The outline of a band from the left at one height to the right at another."""
    left, right, bend = ROW * (here + 0.5), ROW * (there + 0.5), WIDTH / 2
    above = f"C{bend} {left - half:.1f} {bend} {right - half:.1f} {WIDTH} {right - half:.1f}"
    below = f"C{bend} {right + half:.1f} {bend} {left + half:.1f} 0 {left + half:.1f}"
    return f"M0 {left - half:.1f}{above}V{right + half:.1f}{below}Z"


def _draw_arcs(
    side: Side,
    items: Sequence[Item],
    marked: Mapping[tuple[str, str], Finding],
    *,
    leftwards: bool = False,
) -> Iterator[Arc]:
    """The arcs of one side; what follows from others is left out [Aho1972]."""
    places = {item.step.id: k for k, item in enumerate(items)}
    edges = {(edge.source, edge.target): edge for edge in side.graph.edges}
    found = [(*pair, one.kind, one.sentence) for pair, one in marked.items()]
    # Where each step needs the one before, a drawing would add nothing.
    for pair in side.graph.reduction if side.graph.mechanism != "sequential" else ():
        source, target = (side.steps[k].id for k in pair)
        evidence = edges[pair].evidence
        if (source, target) not in marked:
            found.append((source, target, "needs", evidence[0].value if evidence else ""))
    for source, target, kind, why in found:
        if source in places and target in places:
            start, end = places[source], places[target]
            path, middle = _trace_arc(ROW * (start + 0.5), ROW * (end + 0.5), leftwards)
            yield Arc(path, kind, (items[start].step, items[end].step), why, middle)


def _trace_arc(start: float, end: float, leftwards: bool) -> tuple[str, tuple[float, float]]:
    """An arc from one height to another, and its middle."""
    bend = min(_MARGIN - 4.0, _LEAST + _MORE * sqrt(abs(end - start)))
    near, far = (_MARGIN - 2.0, _MARGIN - bend) if leftwards else (2.0, bend)
    path = f"M{near:.1f} {start:.1f}C{far:.1f} {start:.1f} {far:.1f} {end:.1f} {near:.1f} {end:.1f}"
    return path, ((near + 3 * far) / 4, (start + end) / 2)
