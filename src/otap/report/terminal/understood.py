"""What makes a score say less than it seems to: first of all, as nothing else matters then."""

from collections.abc import Iterator

from otap.report.terminal.paper import Paper
from otap.report.view import Line
from otap.scoring import Score
from otap.trajectory import counted


def doubts_view(score: Score, paper: Paper) -> Iterator[Line]:
    """Yields a line for each doubt; most scores have none."""
    for text, style in doubts(score):
        yield from paper.paragraph(paper.text(text, 1000), style)


def doubts(score: Score) -> Iterator[tuple[str, str]]:
    """Yields the text of each doubt, of which a trace names parts, and its style on a terminal."""
    if not score.understood:
        seen = counted(score.unknown.agent)
        yield f"NOTHING WAS UNDERSTOOD of the run, the score says nothing: {seen}", "bold red"
    elif score.unknown.agent:
        yield f"not understood of the run: {counted(score.unknown.agent)}", "bold"
    if score.unknown.reference:
        yield f"not understood of the reference: {counted(score.unknown.reference)}", "bold"
    if score.conditions.told is False:
        yield "what must be told is not scored: the run does not record what was told", "bold"
    if not score.converged:
        yield "The solver did not converge: the loss is an upper bound.", "bold red"
