"""The drawing of an alignment: two lists of steps, bands between them, arcs at their margins.

Heights are in units; a step has a height of ROW. The drawing thus fits lists of any font size.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from math import sqrt
from typing import Any, NamedTuple

from otap.findings import Finding
from otap.report.model.alignment_report import AlignmentReport
from otap.report.model.alignment_rows import SMALLEST, Row
from otap.report.model.vocabulary import ORDER_KINDS
from otap.scoring import Against, Side
from otap.trajectory import Step

ROW = 36  # height of a step
MAX_BAND = 16  # width of a band that carries the full mass of an average step
MIN_BAND = 1.5
MAX_ROWS = 200  # rows; if there are more, those with bad findings are preferred
MAX_ARCS = 400  # of one list
MIN_SHARE = 0.05  # bands with less of the mass of the smaller step are not drawn
_FAR = 0.1  # minimum cost of a hatched band
MARGIN = 56  # width of the space for arcs
_MIN_BEND, _BEND = 10.0, 1.7  # how far an arc bends outwards: the minimum, and growth with length


class DrawnStep(NamedTuple):
    """A step in its list, with its row and the values that distinguish it from similar steps."""

    step: Step
    row_index: int
    row: Row
    mark: str


def draw_diagram(report: AlignmentReport) -> Mapping[str, Any]:
    """Returns the drawing of an alignment: steps, bands, the arcs of each side, and its height.

    Bands with the highest cost come last, so that they are on top.
    """
    against = report.against
    drawn_steps: tuple[dict[int, DrawnStep], dict[int, DrawnStep]] = ({}, {})
    for row_index in report.choose_rows(MAX_ROWS):
        row = report.rows[row_index]
        marks = report.marks.mark_row(row, brief=True)
        for side, indices in enumerate((row.run, row.reference)):
            for index, step, mark in zip(indices, row.steps[side], marks[side], strict=True):
                drawn_steps[side][index] = DrawnStep(step, row_index, row, mark)
    run, reference = ([side[index] for index in sorted(side)] for side in drawn_steps)
    order = [finding for finding in against.score.findings if finding.kind in ORDER_KINDS]
    run_pairs = {pair: finding for finding in order for pair in pairwise(finding.agent)}
    reference_pairs = {pair: finding for finding in order for pair in pairwise(finding.reference)}
    run_arcs = _draw_arcs(against.run, run, run_pairs)
    reference_arcs = _draw_arcs(against.reference, reference, reference_pairs)
    return {
        "run": run,
        "reference": reference,
        "bands": list(_draw_bands(against, run, reference)),
        "arcs": [list(islice(arcs, MAX_ARCS)) for arcs in (run_arcs, reference_arcs)],
        "height": ROW * max(len(run), len(reference), 1),
        "omitted": max(0, len(report.rows) - MAX_ROWS),
    }


def _draw_bands(
    against: Against, run: Sequence[DrawnStep], reference: Sequence[DrawnStep]
) -> Iterator[Mapping[str, Any]]:
    """Yields a band for each pair of steps: its ends, its width, and whether its cost is high."""
    run_index, reference_index = (
        {entry.step.id: index for index, entry in enumerate(side)} for side in (run, reference)
    )
    sides = against.run, against.reference
    average_mass = max(1.0, sum(sum(side.weights) for side in sides) / 2)
    run_weights, reference_weights = (
        dict(zip(side.step_indices, side.weights, strict=True)) for side in sides
    )
    for pair in sorted(against.score.alignment.pairs, key=lambda pair: pair.cost):
        left, right = run_index.get(pair.agent), reference_index.get(pair.reference)
        weight = pair.mass * average_mass
        minimum = MIN_SHARE * min(run_weights[pair.agent], reference_weights[pair.reference])
        if left is not None and right is not None and weight >= minimum:
            yield {
                "pair": pair,
                "run": run[left],
                "reference": reference[right],
                "left": ROW * (left + 0.5),
                "right": ROW * (right + 0.5),
                "half": max(MIN_BAND, MAX_BAND * min(1.0, weight)) / 2,
                "closeness": "same"
                if pair.cost <= SMALLEST
                else "near"
                if pair.cost < _FAR
                else "far",
            }


def _draw_arcs(
    side: Side, steps: Sequence[DrawnStep], findings: Mapping[tuple[str, str], Finding]
) -> Iterator[Mapping[str, Any]]:
    """Yields arcs between steps: their ends, their bend, and the reason for each.

    The kind of an arc is "needs" or that of a finding. Dependencies that follow from others are
    left out [Aho1972].
    """
    positions = {entry.step.id: index for index, entry in enumerate(steps)}
    edges = {(edge.source, edge.target): edge for edge in side.graph.edges}
    arcs = [(*pair, finding.kind, finding.sentence) for pair, finding in findings.items()]
    # If each step needs the previous one, arcs add nothing.
    for pair in side.graph.reduction if side.graph.mechanism != "sequential" else ():
        source, target = (side.steps[k].id for k in pair)
        evidence = edges[pair].evidence
        if (source, target) not in findings:
            arcs.append((source, target, "needs", evidence[0].value if evidence else ""))
    for source, target, kind, reason in arcs:
        if source in positions and target in positions:
            start, end = (ROW * (positions[step] + 0.5) for step in (source, target))
            bend = min(MARGIN - 4.0, _MIN_BEND + _BEND * sqrt(abs(end - start)))
            yield {
                "source": source, "target": target, "kind": kind, "reason": reason,
                "start": start, "end": end, "bend": bend,
            }  # fmt: skip
