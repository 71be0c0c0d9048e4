"""A comparison as Markdown, for a pull request or the summary of a job."""

from collections.abc import Iterator, Sequence

from otap._numbers import difference_text, p_text, score_text
from otap.evaluation.comparison import Comparison
from otap.evaluation.comparison.comparison import Difference, Side
from otap.report.markdown.reasons import reasons_flowchart
from otap.report.markdown.texts import table_lines, text_of
from otap.report.results.comparison import (
    FINDINGS_SHOWN,
    TASKS_SHOWN,
    condition_line,
    finding_text,
    interval_text,
    more_lines,
    named,
)


def comparison_markdown(found: Comparison) -> str:
    """Returns a comparison as Markdown; what comes out of traces is text in it, never markup."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Comparison) -> Iterator[str]:
    yield f"### OTAP: {found.verdict}"
    yield ""
    yield from map(_sentence, (found.reason, *more_lines(found.everywhere)))
    yield ""
    yield from table_lines(
        ("side", "tasks", "runs", "scored", "failed", "unmatched"), _sides(found)
    )
    yield from _alone(found)
    yield from table_lines(
        ("measure", "BASE", "NEW", "difference, 95 % interval", "p"), _rows(found)
    )
    yield from _tasks(found)
    yield from _findings(found)
    if found.conditions:
        several = len(found.conditions)
        yield f"Conditions differ in {several} of {found.everywhere.tasks} tasks "
        yield f"({text_of(named([one.task for one in found.conditions]), 400)}): "
        yield f"{text_of(condition_line(found))}."


def _sentence(text: str) -> str:
    """What follows a verdict elsewhere, as a sentence of its own."""
    said = text_of(text)
    return f"{said[:1].upper()}{said[1:]}."


def _sides(found: Comparison) -> Iterator[Sequence[str]]:
    for name, side in (("BASE", found.base), ("NEW", found.new)):
        counts = (side.tasks, side.runs, side.scored, side.failed, side.unmatched)
        yield name, *map(str, counts)


def _alone(found: Comparison) -> Iterator[str]:
    for name, side in (("BASE", found.base), ("NEW", found.new)):
        yield from _missing(name, side)


def _missing(name: str, side: Side) -> Iterator[str]:
    if side.only_here:
        yield f"{name} alone has a score of: {text_of(named(side.only_here), 400)}."
        yield ""
    if side.failures:
        yield f"{name}, without a score: {'; '.join(map(text_of, side.failures))}."
        yield ""


def _rows(found: Comparison) -> Iterator[Sequence[str]]:
    for one in found.measures:
        yield _row(one)


def _row(one: Difference) -> Sequence[str]:
    name = f"**{one.measure}**" if one.measure == "score" else one.measure
    values = score_text(one.base), score_text(one.new), interval_text(one), p_text(one.p_corrected)
    return name, *values


def _tasks(found: Comparison) -> Iterator[str]:
    if not found.tasks:
        return
    rows = [
        (
            text_of(one.task, 60),
            score_text(one.base),
            score_text(one.new),
            difference_text(one.difference),
            text_of(finding_text(one)),
        )
        for one in found.tasks[:TASKS_SHOWN]
    ]
    yield f"Tasks that moved: {len(found.tasks)}"
    yield ""
    yield from table_lines(("task", "BASE", "NEW", "difference", "first finding"), rows)
    reasons = reasons_flowchart(found.tasks)
    if reasons is not None:
        yield "Each task beside what came in it (thick line) or went (dotted):"
        yield ""
        yield from ("```mermaid", reasons, "```", "")


def _findings(found: Comparison) -> Iterator[str]:
    if not found.findings:
        return
    header = ("severity", "finding", "tool", "BASE", "NEW", "came in", "went from")
    rows = [
        (
            one.severity,
            text_of(one.kind),
            text_of(one.tool or "-", 60),
            *map(str, (one.base, one.new, one.came, one.went)),
        )
        for one in found.findings[:FINDINGS_SHOWN]
    ]
    yield from table_lines(header, rows)
