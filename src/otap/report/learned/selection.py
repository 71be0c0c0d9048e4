"""References that were chosen, as people read it: whom they stand for, and how well they cover."""

from collections.abc import Iterator, Sequence

from otap._numbers import count_text, loss_text, number_text, percent_text
from otap.errors import shown
from otap.learning.selection import Selection
from otap.learning.selection.selection import Chosen, Coverage, TaskSelection
from otap.report.view import Cell, Line, Table, View, line, make_cells

BAR = 30  # characters of the longest bar
TASKS_SHOWN = 20
_CHOSEN = ("reference", "stands for", "copies", "loss")


def selection_view(found: Selection, *, written: bool) -> View:
    """Returns everything that a person wants to know of a selection.

    Args:
        found: the selection.
        written: whether its references are in a file already.
    """
    chosen = count_text(sum(len(task.chosen) for task in found.tasks), "reference")
    of = f"{count_text(found.good, 'good run')} of {count_text(len(found.tasks), 'task')}"
    left = f"left out: {found.bad} bad, {found.unknown} of unknown outcome"
    hint = "write them with -o gold/, and score with -r gold/"
    return (
        line(f"{chosen} out of {of}", "bold"),
        *([line(left, "dim")] if found.bad or found.unknown else []),
        *_list_tasks(found.tasks),
        *([] if written else [line(), line(hint, "dim")]),
    )


def _list_tasks(of_all: Sequence[TaskSelection]) -> Iterator[Line | Table]:
    """Those with a choice, one after the other; where there are none, all."""
    several = [task for task in of_all if task.distinct > 1]
    alone, tasks = len(of_all) - len(several), several or of_all
    if alone and several:
        have = "1 task has" if alone == 1 else f"{number_text(alone)} tasks have"
        yield line(f"{have} one distinct good run, which is the reference; --json has all", "dim")
    for task in tasks[:TASKS_SHOWN]:
        yield line()
        yield from _task_lines(task)
    if (rest := len(tasks) - TASKS_SHOWN) > 0:
        yield line()
        yield line(f"and {count_text(rest, 'more task')}; --json has all", "dim")


def _task_lines(task: TaskSelection) -> Iterator[Line | Table]:
    name = "runs of no task" if task.task is None else f"task {shown(task.task, 60)}"
    drawn = f", {task.drawn} of them drawn" if task.drawn < task.runs else ""
    counts = f": {count_text(task.runs, 'good run')}{drawn}, {task.distinct} distinct"
    yield Line((Cell(name, "bold"), Cell(counts)))
    rows = [
        make_cells(
            _name_chosen(one), count_text(one.stands_for, "run"), one.copies, loss_text(one.loss)
        )
        for one in task.chosen
    ]
    yield Table(rows, _CHOSEN, 2)
    if len(task.coverage) > 1:
        yield line("  mean loss of a run to its nearest reference, by their number")
        yield Table([_coverage_cells(one, task) for one in task.coverage], indent=2)
        yield from _doubt_lines(task)


def _name_chosen(one: Chosen) -> str:
    place = "unnamed run"
    if one.source is not None and one.source.path is not None:
        place = f"{one.source.path}#{one.source.index or 0}"
    return shown(place if one.id is None else one.id, 60)


def _coverage_cells(one: Coverage, task: TaskSelection) -> Sequence[Cell]:
    """What one more reference brings; a share that is nearly all never reads as all."""
    first = task.coverage[0].loss
    bar = "#" * round(BAR * one.loss / first) if first > 0 else ""
    nearly = 0.995 <= one.covered < 1
    share = "> 99 %" if nearly else percent_text(max(0.0, one.covered))
    less = "" if one.k == 1 else f"{share} less than one"
    return make_cells(
        one.k, loss_text(one.loss), bar, less, Cell("<- bends here" * (one.k == task.bend), "bold")
    )


def _doubt_lines(task: TaskSelection) -> Iterator[Line]:
    if any(one.solved < 1 for one in task.coverage):
        solved = percent_text(task.pairs_solved / task.pairs)
        told = f"{solved} of all pairs were solved; the rest of the curve is estimated"
        yield line(told, "dim", 2)
    if task.drawn < task.runs:
        yield line(f"all figures are of the {task.drawn} runs that were drawn", "dim", 2)
