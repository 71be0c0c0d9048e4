"""Two result files compared, as people read it: the verdict first, then why."""

from collections.abc import Iterator, Sequence

from otap._numbers import ABSENT, count_text, difference_text, p_text, score_text, tenths_text
from otap.errors import shown, shown_path
from otap.evaluation.comparison import Comparison
from otap.evaluation.comparison.comparison import Difference, Judgement, Side, TaskChange
from otap.report.view import Cell, Line, Table, View, line, make_cells, section, severity_cell

TASKS_SHOWN = 10
FINDINGS_SHOWN = 10
NAMES_SHOWN = 5
_STYLES = {"better": "bold green", "equal": "green", "worse": "bold red"}
_MEANINGS = {
    "score": "the verdict rests on it",
    "critical": "share of runs with a critical finding; less is better",
    "outcome": "as the benchmark judged",
}
_SIDES = ("", "file", "tasks", "runs", "scored", "failed", "unmatched", "steps", "tokens")
_MEASURES = ("measure", "BASE", "NEW", "difference", "95 % interval", "p", "tasks", "")
_TRIES = ("k", "pass@k BASE", "NEW", "pass^k BASE", "NEW", "tasks")
_TASKS = ("task", "BASE", "NEW", "difference", "first finding")
_FINDINGS = ("severity", "kind", "tool", "BASE", "NEW", "came in", "went from", "p")


def comparison_view(found: Comparison) -> View:
    """Returns everything that a person wants to know of a comparison."""
    style = _STYLES.get(found.verdict, "bold yellow")
    sides = (("BASE", found.base), ("NEW", found.new))
    tries = [
        make_cells(one.k, *map(score_text, (*one.pass_at, *one.pass_all)), one.tasks)
        for one in found.tries
    ]
    return (
        Line((Cell(found.verdict.upper(), style), Cell(f": {found.reason}"))),
        *(line(text, "dim") for text in _judge_evidence(found.everywhere)),
        line(),
        Table([_side_cells(*one) for one in sides], _SIDES, indent=2),
        *(one for side in sides for one in _missing_lines(*side)),
        *_list("Differences, NEW - BASE", _MEASURES, [*map(_measure_cells, found.measures)]),
        *_list("Outcomes by tries", _TRIES, tries),
        *_list(f"Tasks that moved: {len(found.tasks)}", _TASKS, _task_rows(found), "task"),
        *_list("Findings that came and went", _FINDINGS, _finding_rows(found), "kind"),
        *_condition_lines(found),
    )


def word_interval(one: Difference) -> str:
    """Returns a difference with its interval."""
    ends = _word_ends(one)
    moved = difference_text(one.difference)
    return f"{moved}, no interval" if ends == ABSENT else f"{moved}, {ends}"


def word_finding(one: TaskChange) -> str:
    """Returns what is new in a task that fell, what is gone in one that rose."""
    if one.finding is None:
        return ABSENT
    return f"{'came' if one.difference < 0 else 'gone'}: {shown(one.finding, 160)}"


def _list(
    title: str, header: Sequence[str], rows: Sequence[Sequence[Cell]], noun: str = ""
) -> Iterator[Line | Table]:
    """A section, if it has rows; of those with a noun the first, and how many more there are."""
    most = FINDINGS_SHOWN if noun == "kind" else TASKS_SHOWN if noun else len(rows)
    if rows:
        yield from section(title, Table(rows[:most], tuple(header), indent=2))
    if len(rows) > most:
        rest = count_text(len(rows) - most, f"more {noun}")
        yield line(f"and {rest}; --json has all", "dim", 2)


def _judge_evidence(judgement: Judgement) -> Iterator[str]:
    """What such a verdict could show at all, and how many more runs would tell."""
    score, more = judgement.score, judgement.more
    if score is not None and score.detectable is not None:
        tasks, least = count_text(score.tasks, "task"), score_text(score.detectable)
        yield f"{tasks}: a true difference of {least} is shown in four cases of five"
    ways = []
    if more is not None and more.tasks is not None:
        ways.append(f"about {count_text(more.tasks, 'task')} like these")
    if more is not None and more.repetitions is not None:
        ways.append(f"about {tenths_text(more.repetitions)} times the repetitions")
    if ways:
        yield f"{', or '.join(ways)} would tell"


def _side_cells(name: str, side: Side) -> Sequence[Cell]:
    counts = (side.tasks, side.runs, side.scored, side.failed, side.unmatched)
    means = (ABSENT if one is None else tenths_text(one) for one in (side.steps, side.tokens))
    return make_cells(name, shown_path(side.path), *counts, *means)


def _missing_lines(name: str, side: Side) -> Iterator[Line]:
    """What no number was made of, on each side: it is not averaged in."""
    if side.only_here:
        yield line(f"{name} alone has a score of: {_enumerate_tasks(side.only_here)}", "bold", 2)
    for failure in side.failures:
        yield line(f"{name}, no score: {shown(failure, 150)}", "yellow", 2)
    if rest := side.failed + side.unmatched - len(side.failures):
        text = f"{name}: and {count_text(rest, 'more run')} without a score"
        yield line(text, "yellow", 2)


def _enumerate_tasks(names: Sequence[str]) -> str:
    told = ", ".join(shown(name, 60) for name in names[:NAMES_SHOWN])
    rest = len(names) - NAMES_SHOWN
    return f"{told} and {rest} more" if rest > 0 else told


def _measure_cells(one: Difference) -> Sequence[Cell]:
    """A measure; what its test shows has the colour of whether it is for the better."""
    is_good = (one.difference > 0) != (one.measure == "critical")
    style = "" if one.p_corrected > 0.05 else "bold green" if is_good else "bold red"
    moved = Cell(difference_text(one.difference), style)
    before = (one.measure, score_text(one.base), score_text(one.new), moved)
    meaning = _MEANINGS.get(one.measure, "")
    return make_cells(*before, _word_ends(one), p_text(one.p_corrected), one.tasks, meaning)


def _word_ends(one: Difference) -> str:
    if one.low is None or one.high is None:
        return ABSENT
    return f"{difference_text(one.low)} to {difference_text(one.high)}"


def _task_rows(found: Comparison) -> list[Sequence[Cell]]:
    return [
        make_cells(
            shown(one.task, 60),
            score_text(one.base),
            score_text(one.new),
            Cell(difference_text(one.difference), "red" if one.difference < 0 else "green"),
            word_finding(one),
        )
        for one in found.tasks
    ]


def _finding_rows(found: Comparison) -> list[Sequence[Cell]]:
    return [
        make_cells(
            severity_cell(one.severity), one.kind, shown(one.tool or ABSENT, 40), one.base, one.new,
            one.came, one.went, p_text(one.p_corrected),
        )
        for one in found.findings
    ]  # fmt: skip


def _condition_lines(found: Comparison) -> Iterator[Line | Table]:
    """The tasks whose conditions differ, and the verdict with and without them."""
    same, count = found.same_conditions, len(found.conditions)
    if not found.conditions or same is None:
        return
    rows = [
        make_cells(shown(one.task, 40), "; ".join(shown(text, 120) for text in one.what))
        for one in found.conditions
    ]
    title = f"Conditions differ in {count} of {found.everywhere.tasks} tasks"
    yield from _list(title, (), rows, "task")
    without = "" if same.score is None else f" ({word_interval(same.score)})"
    yield line(
        f"all {count_text(found.everywhere.tasks, 'task')}: {found.everywhere.verdict}; "
        f"the {same.tasks} of equal conditions: {same.verdict}{without}",
        "bold",
        2,
    )
