"""Many results as Markdown, for the summary of a job."""

from collections.abc import Iterator, Sequence

from otap._numbers import ABSENT, count_text, number_text, score_text
from otap.evaluation import Summary, Tally
from otap.evaluation.results.summary import MEASURES
from otap.report.markdown.texts import table_lines, text_of
from otap.report.results.evaluation import (
    FINDINGS_SHOWN,
    HEADER,
    SHOWN_SEVERITIES,
    TASKS_SHOWN,
    counts_text,
    share_text,
)


def evaluation_markdown(summary: Summary, faults: Sequence[str] = ()) -> str:
    """Returns many results as Markdown; what comes out of traces is text in it, never markup.

    Args:
        summary: the results.
        faults: what their gate says against them.
    """
    return "\n".join(_lines(summary, faults)) + "\n"


def _lines(summary: Summary, faults: Sequence[str]) -> Iterator[str]:
    yield f"### OTAP: {counts_text(summary.all)}"
    yield ""
    told = [text_of(fault, 400) for fault in faults]
    told += [f"{why.kind}: {text_of(why.message, 300)}" for why in summary.errors]
    yield from (f"- {text}" for text in told)
    yield from [""] if told else []
    yield from _tasks(summary)
    yield from _findings(summary)


def _tasks(summary: Summary) -> Iterator[str]:
    tasks = summary.by_task()
    several = tasks[:TASKS_SHOWN] if len(tasks) > 1 else []
    rows = [_row("**all**", summary.all)]
    rows += [_row(text_of(task or ABSENT, 60), tally) for task, tally in several]
    yield from table_lines(HEADER, rows)
    yield from _more(len(tasks) - TASKS_SHOWN, "task")


def _row(name: str, tally: Tally) -> tuple[str, ...]:
    means = (score_text(tally.means[measure].value) for measure in MEASURES)
    shares = (share_text(tally, severity) for severity in SHOWN_SEVERITIES)
    return name, number_text(tally.runs), number_text(tally.scored), *means, *shares


def _findings(summary: Summary) -> Iterator[str]:
    found = summary.worst_findings()
    if not found:
        return
    rows = [
        (severity, text_of(kind), text_of(", ".join(tools) or ABSENT, 60), number_text(runs))
        for (severity, kind, tools), runs in found[:FINDINGS_SHOWN]
    ]
    yield from table_lines(("severity", "finding", "tool", "runs"), rows)
    yield from _more(len(found) - FINDINGS_SHOWN, "finding")


def _more(count: int, noun: str) -> Iterator[str]:
    if count > 0:
        yield f"and {count_text(count, f'more {noun}')}"
        yield ""
