"""Many results as people read them: all in all, by task, and what was found most."""

from collections.abc import Iterator, Sequence

from otap._numbers import ABSENT, count_text, number_text, percent_text
from otap.errors import shown
from otap.evaluation import Summary, Tally
from otap.evaluation.results.summary import MEASURES
from otap.report.view import (
    Cell,
    Line,
    Table,
    View,
    line,
    make_cells,
    quality_cell,
    section,
    severity_cell,
)

TASKS_SHOWN = 15
FINDINGS_SHOWN = 10
_SEVERITIES = ("critical", "major")
_HEADER = ("task, worst first", "runs", "scored", *MEASURES, *_SEVERITIES)


def evaluation_view(summary: Summary, faults: Sequence[str] = ()) -> View:
    """Returns what a person wants to know of many runs.

    Args:
        summary: the results.
        faults: what their gate says against them.
    """
    tasks = summary.by_task()
    rows = [_tally_cells(Cell("all", "bold"), summary.all)]
    if len(tasks) > 1:
        named = [(Cell(shown(task or ABSENT, 60)), tally) for task, tally in tasks[:TASKS_SHOWN]]
        rows += [_tally_cells(*one) for one in named]
    told = [f"{why.kind}: {shown(why.message, 300)}" for why in summary.errors]
    return (
        line(count_results(summary.all), "bold"),
        *(line(shown(text, 400), "bold red", 2) for text in [*faults, *told]),
        line(),
        Table(rows, _HEADER),
        *_count_rest(len(tasks) - TASKS_SHOWN, "task"),
        *_finding_lines(summary),
    )


def count_results(tally: Tally) -> str:
    """Returns how many runs there are, and how many have a score, in one line."""
    counts = [f"{number_text(tally.scored)} scored", f"{number_text(tally.unread)} failed"]
    counts += [f"{number_text(tally.unmatched)} without a reference of their task"]
    if tally.not_understood:
        counts += [f"{number_text(tally.not_understood)} not understood"]
    return f"{count_text(tally.runs, 'run')}: {', '.join(counts)}"


def _tally_cells(name: Cell, tally: Tally) -> tuple[Cell, ...]:
    means = [quality_cell(tally.mean(measure)) for measure in MEASURES]
    shares = [
        percent_text(tally.severities[one] / tally.scored) if tally.scored else ABSENT
        for one in _SEVERITIES
    ]
    return make_cells(name, number_text(tally.runs), number_text(tally.scored), *means, *shares)


def _finding_lines(summary: Summary) -> Iterator[Line | Table]:
    found = summary.worst_findings()
    rows = [
        make_cells(severity_cell(severity), kind, shown(", ".join(tools) or ABSENT, 60),
              count_text(runs, "run"))
        for (severity, kind, tools), runs in found[:FINDINGS_SHOWN]
    ]  # fmt: skip
    if rows:
        yield from section("Findings", Table(rows, indent=2))
    yield from _count_rest(len(found) - FINDINGS_SHOWN, "finding")


def _count_rest(count: int, noun: str) -> Iterator[Line]:
    if count > 0:
        yield line(f"and {count_text(count, f'more {noun}')} (--json)", "dim", 2)
