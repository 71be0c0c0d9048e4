"""The drawing of an alignment: two lists of steps, ribbons between them, arcs at their margins.

Heights are in units of which a step takes ROW, so that the drawing fits lists of any font size.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from math import sqrt
from typing import Any, NamedTuple

from otap.alignment import Finding
from otap.report.model.rows import SMALLEST, Row, place_steps
from otap.report.model.score import AlignmentReport
from otap.report.model.words import ORDER_KINDS
from otap.scoring import Against, Side
from otap.trajectory import Step

ROW = 36  # height of a step
THICKEST = 16  # a ribbon that carries the whole mass of an ordinary step
THINNEST = 1.5
DRAWN = 200  # rows; of more, first those with something to say
ARCS_DRAWN = 400  # of one list
SLIGHT_SHARE = 0.05  # pairs with less of the smaller step's mass are left to the table of masses
_FAR = 0.1  # costs from which on a ribbon is hatched
MARGIN = 56  # width of the space for arcs
_LEAST, _MORE = 10.0, 1.7  # how far an arc bends outwards: at least, and more the longer it is


class Item(NamedTuple):
    """A step in its list, the row that tells of it, and what tells it from others of its name."""

    step: Step
    place: int
    row: Row
    mark: str


def draw_diagram(report: AlignmentReport) -> Mapping[str, Any]:
    """Returns the drawing of an alignment: items, ribbons, arcs by side, and its height.

    The dearest ribbons come last and so lie on top.
    """
    against = report.against
    items: tuple[dict[int, Item], dict[int, Item]] = ({}, {})
    for place in report.choose_rows(DRAWN):
        row = report.rows[place]
        marks = report.marks.mark_row(row, brief=True)
        for k, at in enumerate((row.run, row.reference)):
            drawn = zip(at, row.steps[k], marks[k], strict=True)
            items[k].update((at, Item(step, place, row, mark)) for at, step, mark in drawn)
    run, reference = ([side[k] for k in sorted(side)] for side in items)
    order = [one for one in against.score.findings if one.kind in ORDER_KINDS]
    ours = {pair: one for one in order for pair in pairwise(one.agent)}
    theirs = {pair: one for one in order for pair in pairwise(one.reference)}
    arcs = _draw_arcs(against.run, run, ours), _draw_arcs(against.reference, reference, theirs)
    return {
        "run": run,
        "reference": reference,
        "ribbons": list(_draw_ribbons(against, run, reference)),
        "arcs": [list(islice(of_side, ARCS_DRAWN)) for of_side in arcs],
        "height": ROW * max(len(run), len(reference), 1),
        "rest": max(0, len(report.rows) - DRAWN),
    }


def _draw_ribbons(
    against: Against, run: Sequence[Item], reference: Sequence[Item]
) -> Iterator[Mapping[str, Any]]:
    """What pairs share: which items, from height to height, how wide, and "same", "near", "far"."""
    ours, theirs = ({item.step.id: k for k, item in enumerate(side)} for side in (run, reference))
    sides = against.run, against.reference
    unit = max(1.0, sum(sum(side.weights) for side in sides) / 2)
    weights = [dict(zip(place_steps(side), side.weights, strict=True)) for side in sides]
    for pair in sorted(against.score.alignment.pairs, key=lambda pair: pair.cost):
        here, there = ours.get(pair.agent), theirs.get(pair.reference)
        carried = pair.mass * unit
        least = SLIGHT_SHARE * min(weights[0][pair.agent], weights[1][pair.reference])
        if here is not None and there is not None and carried >= least:
            yield {
                "pair": pair,
                "run": run[here],
                "reference": reference[there],
                "left": ROW * (here + 0.5),
                "right": ROW * (there + 0.5),
                "half": max(THINNEST, THICKEST * min(1.0, carried)) / 2,
                "way": "same" if pair.cost <= SMALLEST else "near" if pair.cost < _FAR else "far",
            }


def _draw_arcs(
    side: Side, items: Sequence[Item], marked: Mapping[tuple[str, str], Finding]
) -> Iterator[Mapping[str, Any]]:
    """From which step an arc leads to which one, how far it bends, and why it is drawn.

    Its kind is "needs", or that of a finding. What follows from others is left out [Aho1972].
    """
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
            start, end = (ROW * (places[step] + 0.5) for step in (source, target))
            bend = min(MARGIN - 4.0, _LEAST + _MORE * sqrt(abs(end - start)))
            known = {"source": source, "target": target, "kind": kind, "why": why}
            yield known | {"start": start, "end": end, "bend": bend}
