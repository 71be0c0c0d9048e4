"""The parts of one loss, each in numbers and as a bar."""

from collections.abc import Iterator

from otap._numbers import loss_text, percent_text
from otap.report.story.parts import Part, parts
from otap.report.terminal.paper import Paper, padded
from otap.report.view import Cell, Line, line
from otap.scoring import Score

_LONGEST = 24  # characters of a bar
_WORD, _NAME, _LOSS = 17, 14, 6  # columns
_ROOMY = 64  # columns of a paper that has room for the keys of the record


def losses_view(score: Score, paper: Paper) -> Iterator[Line]:
    """Yields the parts that sum to the loss, largest first, and their total."""
    found = parts(score)
    if not found:
        yield from paper.paragraph(_nothing(score), "green", 2)
        return
    for part in found:
        yield _row(part, found[0].loss, paper)
    yield line(f"{_named('total', '', paper)}  {loss_text(score.loss):>{_LOSS}}", "bold")


def _row(part: Part, largest: float, paper: Paper) -> Line:
    numbers = f"{loss_text(part.loss):>{_LOSS}}  {percent_text(part.share):>5}  "
    text = f"{_named(part.word, part.name, paper)}  {numbers}"
    room = min(_LONGEST, paper.columns - len(text))
    fill = "#" if paper.plain else "█"
    return Line((Cell(text), Cell(fill * max(1, round(room * part.loss / largest)), "cyan")))


def _named(word: str, name: str, paper: Paper) -> str:
    known = f"  {padded(word, _WORD)}"
    return known + (f"  {padded(name, _NAME)}" if paper.columns >= _ROOMY else "")


def _nothing(score: Score) -> str:
    ordered = "" if score.conditions.order_scored else "; order was not scored"
    compared = ", ".join(score.conditions.fields) or "steps"
    return f"none: the run is the same as the reference in {compared}{ordered}"
