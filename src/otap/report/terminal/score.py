"""One score as people read it: how good, why, and step by step beside the reference."""

from collections.abc import Iterator

from otap._numbers import count_text, number_text
from otap.report.cells import quality_cell, severity_style
from otap.report.story.headline import headline
from otap.report.story.numbers import Number, numbers
from otap.report.terminal.alignment import alignment_view, whole_alignment_view
from otap.report.terminal.bar import bar_view
from otap.report.terminal.counted import counted_view, whole_counted_view
from otap.report.terminal.losses import losses_view
from otap.report.terminal.order import order_view
from otap.report.terminal.paper import Paper
from otap.report.terminal.references import references_view
from otap.report.terminal.understood import doubts_view
from otap.report.terminal.why import counts_text, findings_view, why_view
from otap.report.view import Cell, Line, View, line
from otap.scoring import Explanation, Score

_NAME, _NUMBER = 9, 5  # columns


def score_view(explained: Explanation, paper: Paper) -> View:
    """Returns a score in short: what a person needs to see why it is what it is.

    Args:
        explained: the score, and what it was read off.
        paper: what it is drawn on.
    """
    return tuple(_in_short(explained, paper))


def whole_score_view(explained: Explanation, paper: Paper) -> View:
    """Returns everything about one score.

    Args:
        explained: the score, and what it was read off.
        paper: what it is drawn on.
    """
    return tuple(_in_full(explained, paper))


def _in_short(explained: Explanation, paper: Paper) -> Iterator[Line]:
    yield from _head(explained, paper)
    yield from _section("Why", why_view(explained.best, paper))
    yield from _section("Side by side", alignment_view(explained.best, paper))
    yield from counted_view(explained, paper)
    yield from _made(explained.score, paper)


def _in_full(explained: Explanation, paper: Paper) -> Iterator[Line]:
    yield from _head(explained, paper)
    yield from _section("References", references_view(explained.score, paper))
    yield from _section("Loss", losses_view(explained.score, paper))
    yield from _section("Findings", findings_view(explained.score, paper))
    yield from _section("Side by side", whole_alignment_view(explained.best, paper))
    yield from _section("Order", order_view(explained.best, paper))
    yield from _section("What counts", whole_counted_view(explained, paper))
    yield from _made(explained.score, paper)


def _section(title: str, body: Iterator[Line]) -> Iterator[Line]:
    yield line()
    yield line(title, "bold")
    yield from body


def _head(explained: Explanation, paper: Paper) -> Iterator[Line]:
    yield from _title(explained, paper)
    style = severity_style(explained.score.severity) if explained.score.severity else "green"
    yield from paper.paragraph(paper.own(headline(explained.best)), style)
    yield from doubts_view(explained.score, paper)
    yield line()
    yield from bar_view(explained.score, paper)
    yield line()
    yield from _numbers(explained.score, paper)


def _title(explained: Explanation, paper: Paper) -> Iterator[Line]:
    score, run, reference = explained.score, explained.best.run, explained.best.reference
    sizes = [count_text(len(side.steps), "step") for side in (run, reference)]
    count = len(score.references)
    best = f", the nearest of {count_text(count, 'reference')}" if count != 1 else ""
    names = [paper.text(side.recorded.name, 80) for side in (run, reference)]
    text = f"{names[0]} ({sizes[0]}) against {names[1]} ({sizes[1]}){best}"
    yield from paper.paragraph(text, "bold")


def _numbers(score: Score, paper: Paper) -> Iterator[Line]:
    first = Number("score", score.score, "1 is the same as a reference; exp(-loss)")
    for name, value, meaning in (first, *numbers(score)):
        yield from _number(name, quality_cell(value), Cell(meaning, "dim"), paper)
    style = severity_style(score.severity) if score.severity else "bold green"
    found = Cell(number_text(len(score.findings)), style)
    yield from _number("findings", found, Cell(counts_text(score), style), paper)


def _number(name: str, value: Cell, meaning: Cell, paper: Paper) -> Iterator[Line]:
    lead = (Cell(f"  {name:<{_NAME}}  "), Cell(f"{value.text:<{_NUMBER}}  ", value.style))
    indent = sum(len(cell.text) for cell in lead)
    yield from paper.paragraph(meaning.text, meaning.style, indent, lead)


def _made(score: Score, paper: Paper) -> Iterator[Line]:
    """How the number was made: two lines, or more where there is no room."""
    yield line()
    for text in (str(score.conditions), str(score.signature)):
        for part in paper.wrapped(paper.text(text), paper.columns, "|"):
            yield line(part, "dim")
