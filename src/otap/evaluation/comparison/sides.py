"""What each of both files holds, and what it has no score of."""

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from otap.evaluation.comparison.comparison import Side
from otap.evaluation.comparison.files import ResultFile
from otap.evaluation.comparison.pairing import Task
from otap.evaluation.comparison.run import Run

NAMED = 5  # failures that a side tells


def side_of(
    file: ResultFile, tasks: Sequence[Task], both: Sequence[Task], place: int, lacks: float
) -> Side:
    """Returns what a file holds.

    Args:
        file: the file.
        tasks: all tasks of both files.
        both: those that are compared.
        place: 0 for BASE, 1 for NEW.
        lacks: the share of its runs that should be compared and have no score.
    """
    failures = [run for task in tasks for run in (task.base, task.new)[place] if not run.scored]
    count = sum(map(len, file.runs.values()))
    unmatched = sum(_is_unmatched(run) for run in failures)
    sides = [task.counted[place] for task in both]
    return Side(
        path=file.path,
        runs=count,
        scored=count - len(failures),
        failed=len(failures) - unmatched,
        unmatched=unmatched,
        failures=tuple(_told(run) for run in failures[:NAMED]),
        tasks=len(file.runs),
        only_here=tuple(task.name for task in tasks if _only(task, place)),
        missing=lacks,
        steps=_mean(sides, lambda run: run.steps),
        tokens=_mean(sides, lambda run: run.tokens),
    )


def _only(task: Task, place: int) -> bool:
    """Whether a task has a score on one side alone."""
    scored = [any(run.scored for run in side) for side in (task.base, task.new)]
    return scored[place] and not scored[1 - place]


def _is_unmatched(run: Run) -> bool:
    return run.failure is not None and run.failure[0] == "unmatched"


def _told(run: Run) -> str:
    assert run.failure is not None
    return f"{run.name}: {run.failure[1]}"


def _mean(sides: Iterable[Sequence[Run]], number: Callable[[Run], int | None]) -> float | None:
    """The mean over tasks of the mean over runs, of what is known."""
    known = [[value for run in side if (value := number(run)) is not None] for side in sides]
    means = [fmean(side) for side in known if side]
    return fmean(means) if means else None
