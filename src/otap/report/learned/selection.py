"""References that were chosen, as people read it: whom they stand for, and how well they cover."""

from collections.abc import Iterator, Sequence

from otap._numbers import count_text, loss_text, number_text, percent_text
from otap.errors import shown
from otap.learning.selection import Selection
from otap.learning.selection.selection import Chosen, Coverage, TaskSelection
from otap.report.view import Cell, Line, Table, View, line

BAR = 30  # characters of the longest bar
TASKS_SHOWN = 20


def selection_view(found: Selection, *, written: bool) -> View:
    """Returns everything that a person wants to know of a selection.

    Args:
        found: the selection.
        written: whether its references are in a file already.
    """
    return tuple(_parts(found, written))


def _parts(found: Selection, written: bool) -> Iterator[Line | Table]:
    chosen = sum(len(task.chosen) for task in found.tasks)
    of = f"{count_text(found.good, 'good run')} of {count_text(len(found.tasks), 'task')}"
    yield line(f"{count_text(chosen, 'reference')} out of {of}", "bold")
    if found.bad or found.unknown:
        yield line(f"left out: {found.bad} bad, {found.unknown} of unknown outcome", "dim")
    yield from _tasks(found.tasks)
    if not written:
        yield line()
        yield line("write them with -o gold/, and score with -r gold/", "dim")


def _tasks(of_all: Sequence[TaskSelection]) -> Iterator[Line | Table]:
    """Those with a choice, one after the other; where there are none, all."""
    several = [task for task in of_all if task.distinct > 1]
    alone, tasks = len(of_all) - len(several), several or of_all
    if alone and several:
        have = "1 task has" if alone == 1 else f"{number_text(alone)} tasks have"
        yield line(f"{have} one distinct good run, which is the reference; --json has all", "dim")
    for task in tasks[:TASKS_SHOWN]:
        yield line()
        yield from _task(task)
    if len(tasks) > TASKS_SHOWN:
        yield line()
        yield line(
            f"and {count_text(len(tasks) - TASKS_SHOWN, 'more task')}; --json has all", "dim"
        )


def _task(task: TaskSelection) -> Iterator[Line | Table]:
    name = "runs of no task" if task.task is None else f"task {shown(task.task, 60)}"
    yield Line((Cell(name, "bold"), Cell(f": {_counts(task)}")))
    yield Table(
        [_chosen(one) for one in task.chosen], ("reference", "stands for", "copies", "loss"), 2
    )
    if len(task.coverage) > 1:
        yield line("  mean loss of a run to its nearest reference, by their number")
        yield Table([_coverage(one, task) for one in task.coverage], indent=2)
        yield from _doubts(task)


def _counts(task: TaskSelection) -> str:
    drawn = f", {task.drawn} of them drawn" if task.drawn < task.runs else ""
    return f"{count_text(task.runs, 'good run')}{drawn}, {task.distinct} distinct"


def _chosen(one: Chosen) -> tuple[Cell, ...]:
    name = shown(one.id if one.id is not None else _place(one), 60)
    return (
        Cell(name),
        Cell(count_text(one.stands_for, "run")),
        Cell(str(one.copies)),
        Cell(loss_text(one.loss)),
    )


def _place(one: Chosen) -> str:
    if one.source is None or one.source.path is None:
        return "unnamed run"
    return f"{one.source.path}#{one.source.index or 0}"


def _coverage(one: Coverage, task: TaskSelection) -> tuple[Cell, ...]:
    first = task.coverage[0].loss
    bar = "#" * round(BAR * one.loss / first) if first > 0 else ""
    return (
        Cell(str(one.k)),
        Cell(loss_text(one.loss)),
        Cell(bar),
        Cell("" if one.k == 1 else f"{_share(one.covered)} less than one"),
        Cell("<- bends here" if one.k == task.bend else "", "bold"),
    )


def _share(covered: float) -> str:
    """A share; nearly all never reads as all."""
    return "> 99 %" if 0.995 <= covered < 1 else percent_text(max(0.0, covered))


def _doubts(task: TaskSelection) -> Iterator[Line]:
    if any(one.solved < 1 for one in task.coverage):
        solved = percent_text(task.pairs_solved / task.pairs)
        yield line(
            f"  {solved} of all pairs were solved; the rest of the curve is estimated", "dim"
        )
    if task.drawn < task.runs:
        yield line(f"  all figures are of the {task.drawn} runs that were drawn", "dim")
