"""Many results as people read them: all in all, by task, and what was found most."""

from collections.abc import Iterator

from otap._numbers import ABSENT, count_text, number_text, percent_text
from otap.errors import shown
from otap.evaluation import Summary, Tally
from otap.evaluation.results.summary import MEASURES
from otap.report.cells import quality_cell, severity_cell
from otap.report.view import Cell, Line, Table, View, line

TASKS_SHOWN = 15
FINDINGS_SHOWN = 10
SHOWN_SEVERITIES = ("critical", "major")
HEADER = ("task, worst first", "runs", "scored", *MEASURES, *SHOWN_SEVERITIES)


def evaluation_view(summary: Summary) -> View:
    """Returns what a person wants to know of many runs."""
    return tuple(_parts(summary))


def counts_text(tally: Tally) -> str:
    """Returns how many runs there are, and how many have a score, in one line."""
    counts = [f"{number_text(tally.scored)} scored", f"{number_text(tally.unread)} failed"]
    counts += [f"{number_text(tally.unmatched)} without a reference of their task"]
    counts += _not_understood(tally)
    return f"{count_text(tally.runs, 'run')}: {', '.join(counts)}"


def _parts(summary: Summary) -> Iterator[Line | Table]:
    yield line(counts_text(summary.all), "bold")
    for why in summary.errors:
        yield line(f"  {why.kind}: {shown(why.message, 300)}", "bold red")
    yield line()
    tasks = summary.by_task()
    rows = [_row("all", summary.all)]
    if len(tasks) > 1:
        rows += [_row(task or ABSENT, tally) for task, tally in tasks[:TASKS_SHOWN]]
    yield Table(rows, HEADER)
    yield from _more(len(tasks) - TASKS_SHOWN, "task")
    yield from _findings(summary)


def _not_understood(tally: Tally) -> list[str]:
    count = tally.not_understood
    return [f"{number_text(count)} not understood"] if count else []


def _row(name: str, tally: Tally) -> tuple[Cell, ...]:
    means = [quality_cell(tally.means[name].value) for name in MEASURES]
    shares = [Cell(share_text(tally, name)) for name in SHOWN_SEVERITIES]
    counts = [Cell(number_text(count)) for count in (tally.runs, tally.scored)]
    return Cell(shown(name, 40)), *counts, *means, *shares


def share_text(tally: Tally, severity: str) -> str:
    """The share of the runs whose worst finding is of a severity."""
    if not tally.scored:
        return ABSENT
    return percent_text(tally.severities[severity] / tally.scored)


def _findings(summary: Summary) -> Iterator[Line | Table]:
    found = summary.worst_findings()
    if not found:
        return
    yield line()
    yield line("Findings", "bold")
    yield Table(
        [
            (
                severity_cell(severity), Cell(kind),
                Cell(shown(", ".join(tools) or ABSENT, 60)), Cell(count_text(runs, "run")),
            )
            for (severity, kind, tools), runs in found[:FINDINGS_SHOWN]
        ],
        indent=2,
    )  # fmt: skip
    yield from _more(len(found) - FINDINGS_SHOWN, "finding")


def _more(count: int, what: str) -> Iterator[Line]:
    if count > 0:
        yield line(f"  and {count_text(count, f'more {what}')} (--json)", "dim")
