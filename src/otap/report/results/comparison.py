"""Two result files compared, as people read it: the verdict first, then why."""

from collections.abc import Iterator, Sequence

from otap._numbers import ABSENT, count_text, difference_text, p_text, score_text, tenths_text
from otap.errors import shown, shown_path
from otap.evaluation.comparison import Comparison
from otap.evaluation.comparison.comparison import (
    Difference,
    FindingChange,
    Judgement,
    More,
    Side,
    TaskChange,
)
from otap.report.cells import severity_cell
from otap.report.view import Cell, Line, Table, View, line

TASKS_SHOWN = 10
FINDINGS_SHOWN = 10
NAMES_SHOWN = 5
STYLES = {"better": "bold green", "equal": "green", "worse": "bold red"}
LOWER_IS_BETTER = "critical"
MEANINGS = {
    "score": "the verdict rests on it",
    "critical": "share of runs with a critical finding; less is better",
    "outcome": "as the benchmark judged",
}


def comparison_view(found: Comparison) -> View:
    """Returns everything that a person wants to know of a comparison."""
    return tuple(_parts(found))


def _parts(found: Comparison) -> Iterator[Line | Table]:
    style = STYLES.get(found.verdict, "bold yellow")
    yield Line((Cell(found.verdict.upper(), style), Cell(f": {found.reason}")))
    yield from (line(text, "dim") for text in more_lines(found.everywhere))
    yield line()
    yield _sides(found)
    yield from _missing(found)
    if found.measures:
        yield from _section("Differences, NEW - BASE", _measures(found.measures))
    if found.tries:
        yield from _section("Outcomes by tries", _tries(found))
    if found.tasks:
        yield from _section(f"Tasks that moved: {len(found.tasks)}", _tasks(found.tasks))
    if found.findings:
        yield from _section("Findings that came and went", _findings(found.findings))
    if found.conditions:
        yield from _section("Tasks whose conditions differ", _conditions(found))


def more_lines(judgement: Judgement) -> Iterator[str]:
    """What such a verdict could show at all, and how many more runs would tell."""
    score = judgement.score
    if score is not None and score.detectable is not None:
        yield (
            f"{count_text(score.tasks, 'task')}: a true difference of "
            f"{score_text(score.detectable)} is shown in four cases of five"
        )
    if judgement.more is not None:
        told = _more(judgement.more)
        if told:
            yield told


def _more(more: More) -> str | None:
    ways = []
    if more.tasks is not None:
        ways.append(f"about {count_text(more.tasks, 'task')} like these")
    if more.repetitions is not None:
        ways.append(f"about {tenths_text(more.repetitions)} times the repetitions")
    return f"{', or '.join(ways)} would tell" if ways else None


def condition_line(found: Comparison) -> str:
    """The verdict with and without the tasks whose conditions differ, in one line."""
    same = found.same_conditions
    assert same is not None
    return (
        f"all {count_text(found.everywhere.tasks, 'task')}: {found.everywhere.verdict}; "
        f"the {same.tasks} of equal conditions: {same.verdict}{_interval_of(same.score)}"
    )


def _interval_of(score: Difference | None) -> str:
    return "" if score is None else f" ({interval_text(score)})"


def interval_text(one: Difference) -> str:
    """A difference with its interval."""
    if one.low is None or one.high is None:
        return f"{difference_text(one.difference)}, no interval"
    ends = f"{difference_text(one.low)} to {difference_text(one.high)}"
    return f"{difference_text(one.difference)}, {ends}"


def _section(title: str, body: Line | Table) -> Iterator[Line | Table]:
    yield line()
    yield line(title, "bold")
    yield body


def _sides(found: Comparison) -> Table:
    header = ("", "file", "tasks", "runs", "scored", "failed", "unmatched", "steps", "tokens")
    sides = (("BASE", found.base), ("NEW", found.new))
    return Table([_side(name, side) for name, side in sides], header, indent=2)


def _side(name: str, side: Side) -> tuple[Cell, ...]:
    counts = (side.tasks, side.runs, side.scored, side.failed, side.unmatched)
    beside = (
        ABSENT if value is None else tenths_text(value) for value in (side.steps, side.tokens)
    )
    texts = (name, shown_path(side.path), *map(str, counts), *beside)
    return tuple(Cell(text) for text in texts)


def _missing(found: Comparison) -> Iterator[Line]:
    """What no number was made of, on each side: it is not averaged in."""
    for name, side in (("BASE", found.base), ("NEW", found.new)):
        if side.only_here:
            yield line(f"  {name} alone has a score of: {named(side.only_here)}", "bold")
        for failure in side.failures:
            yield line(f"  {name}, no score: {shown(failure, 150)}", "yellow")
        rest = side.failed + side.unmatched - len(side.failures)
        if rest:
            yield line(f"  {name}: and {count_text(rest, 'more run')} without a score", "yellow")


def named(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    told = ", ".join(shown(name, 60) for name in names[:NAMES_SHOWN])
    rest = len(names) - NAMES_SHOWN
    return f"{told} and {rest} more" if rest > 0 else told


def _measures(measures: Sequence[Difference]) -> Table:
    header = ("measure", "BASE", "NEW", "difference", "95 % interval", "p", "tasks", "")
    return Table([_measure(one) for one in measures], header, indent=2)


def _measure(one: Difference) -> tuple[Cell, ...]:
    ends = ABSENT
    if one.low is not None and one.high is not None:
        ends = f"{difference_text(one.low)} to {difference_text(one.high)}"
    moved = Cell(difference_text(one.difference), _direction(one))
    before = (Cell(one.measure), Cell(score_text(one.base)), Cell(score_text(one.new)), moved)
    after = (ends, p_text(one.p_corrected), str(one.tasks), MEANINGS.get(one.measure, ""))
    return *before, *(Cell(text) for text in after)


def _direction(one: Difference) -> str:
    """The colour of a difference that its test shows, by whether it is for the better."""
    if one.p_corrected > 0.05:
        return ""
    rose = one.difference > 0
    return "bold green" if rose != (one.measure == LOWER_IS_BETTER) else "bold red"


def _tries(found: Comparison) -> Table:
    header = ("k", "pass@k BASE", "NEW", "pass^k BASE", "NEW", "tasks")
    rows = [
        (
            str(one.k),
            *(score_text(value) for value in (*one.pass_at, *one.pass_all)),
            str(one.tasks),
        )
        for one in found.tries
    ]
    return Table([tuple(Cell(text) for text in row) for row in rows], header, indent=2)


def _tasks(tasks: Sequence[TaskChange]) -> Table:
    rows = [_task(one) for one in tasks[:TASKS_SHOWN]]
    header = ("task", "BASE", "NEW", "difference", "first finding")
    return Table([*rows, *_rest(len(tasks) - TASKS_SHOWN, len(header), "task")], header, indent=2)


def _task(one: TaskChange) -> tuple[Cell, ...]:
    moved = Cell(difference_text(one.difference), "red" if one.difference < 0 else "green")
    numbers = Cell(score_text(one.base)), Cell(score_text(one.new)), moved
    return Cell(shown(one.task, 40)), *numbers, Cell(finding_text(one))


def finding_text(one: TaskChange) -> str:
    """What is new in a task that fell, what is gone in one that rose."""
    if one.finding is None:
        return ABSENT
    return f"{'came' if one.difference < 0 else 'gone'}: {shown(one.finding, 160)}"


def _findings(findings: Sequence[FindingChange]) -> Table:
    header = ("severity", "kind", "tool", "BASE", "NEW", "came in", "went from", "p")
    rows = [_finding(one) for one in findings[:FINDINGS_SHOWN]]
    rest = _rest(len(findings) - FINDINGS_SHOWN, len(header), "kind")
    return Table([*rows, *rest], header, indent=2)


def _finding(one: FindingChange) -> tuple[Cell, ...]:
    texts = (one.kind, shown(one.tool or ABSENT, 40), str(one.base), str(one.new))
    tasks = (str(one.came), str(one.went), p_text(one.p_corrected))
    return severity_cell(one.severity), *(Cell(text) for text in (*texts, *tasks))


def _rest(count: int, columns: int, noun: str) -> Iterator[tuple[Cell, ...]]:
    if count > 0:
        text = f"and {count_text(count, f'more {noun}')}; --json has all"
        yield *(Cell("") for _ in range(columns - 1)), Cell(text, "dim")


def _conditions(found: Comparison) -> Table:
    rows = [
        (Cell(shown(one.task, 40)), Cell("; ".join(shown(text, 120) for text in one.what)))
        for one in found.conditions[:TASKS_SHOWN]
    ]
    rest = list(_rest(len(found.conditions) - TASKS_SHOWN, 2, "task"))
    return Table([*rows, *rest, (Cell(""), Cell(condition_line(found), "bold"))], indent=2)
