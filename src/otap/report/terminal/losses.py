"""The parts of one loss, each in numbers and as a bar."""

from collections.abc import Iterator

from otap._numbers import loss_text, percent_text
from otap.report.parts import Part, parts
from otap.report.terminal.paper import Paper, padded
from otap.report.view import Cell, Line, line
from otap.scoring import Score

_LONGEST = 24  # characters of a bar
_WORD, _NAME, _LOSS = 17, 14, 6  # columns


def losses_view(score: Score, paper: Paper) -> Iterator[Line]:
    """Yields the parts that sum to the loss, largest first, and their total."""
    found = parts(score)
    if not found:
        yield from paper.paragraph(_nothing(score), "green", 2)
        return
    for part in found:
        yield _row(part, found[0].loss, paper)
    total = f"  {padded('total', _WORD)}  {padded('', _NAME)}  {loss_text(score.loss):>{_LOSS}}"
    yield line(total, "bold")


def _row(part: Part, largest: float, paper: Paper) -> Line:
    text = (
        f"  {padded(part.word, _WORD)}  {padded(part.name, _NAME)}"
        f"  {loss_text(part.loss):>{_LOSS}}  {percent_text(part.share):>5}  "
    )
    room = min(_LONGEST, paper.columns - len(text))
    fill = "#" if paper.plain else "█"
    return Line((Cell(text), Cell(fill * max(1, round(room * part.loss / largest)), "cyan")))


def _nothing(score: Score) -> str:
    ordered = "" if score.conditions.order_scored else "; order was not scored"
    compared = ", ".join(score.conditions.fields) or "steps"
    return f"none: the run is the same as the reference in {compared}{ordered}"
