"""The steps that are out of order, and the values by which one sees that they depend."""

from collections.abc import Iterator

from otap.dependencies import Edge
from otap.errors import shown
from otap.report.story.kinds import ORDER
from otap.report.terminal.evidence import evidence_text
from otap.report.terminal.paper import Paper
from otap.report.view import Line, line
from otap.scoring import Against, Side


def order_view(against: Against, paper: Paper) -> Iterator[Line]:
    """Yields each finding of order, and below it the edges between its steps, of either side."""
    found = [one for one in against.score.findings if one.kind in ORDER]
    if not found:
        scored = against.score.conditions.order_scored
        yield line("  nothing is out of order" if scored else "  order was not scored")
    for one in found:
        yield from paper.paragraph(paper.own(one.sentence), "", 2)
        sides = ("run", against.run, one.agent), ("reference", against.reference, one.reference)
        for whose, side, ids in sides:
            for edge in _between(side, set(ids)):
                text = f"{whose}: {_edge_text(side, edge)}"
                yield from paper.paragraph(paper.own(text), "dim", 6)


def _between(side: Side, ids: set[str]) -> Iterator[Edge]:
    places = {place for place, step in enumerate(side.steps) if step.id in ids}
    yield from (edge for edge in side.graph.edges if {edge.source, edge.target} <= places)


def _edge_text(side: Side, edge: Edge) -> str:
    source, target = side.steps[edge.source], side.steps[edge.target]
    return f"{shown(target.id, 24)} needs {shown(source.id, 24)}{evidence_text(edge)}"
