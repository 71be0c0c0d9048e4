"""What a run scores against each of its references."""

from collections.abc import Iterator

from otap._numbers import loss_text, score_text
from otap.report.terminal.paper import Paper, padded
from otap.report.terminal.widths import width
from otap.report.view import Cell, Line
from otap.scoring import Score
from otap.scoring.result import ReferenceScore

_NUMBERS = 34  # columns of the numbers, and of what is before the name
_NAME = 12  # columns that a name has in any case


def references_view(score: Score, paper: Paper) -> Iterator[Line]:
    """Yields a line for each reference, in the order in which they were given; one is the best."""
    names = [paper.text(one.id, 60) for one in score.references]
    room = min(max(map(width, names)), max(paper.columns - _NUMBERS, _NAME))
    for place, (name, one) in enumerate(zip(names, score.references, strict=True)):
        best = place == score.best_place
        lead = Cell(f"  {'*' if best else ' '} {padded(paper.cut(name, room), room)}  ")
        style = "bold" if best else ""
        yield from paper.paragraph(_against(one), style, width(lead.text), (lead,))


def _against(one: ReferenceScore) -> str:
    if one.loss is None:
        return f"not solved, its loss is at least {loss_text(one.at_least or 0.0)}"
    return f"score {score_text(one.score)}  loss {loss_text(one.loss)}"
