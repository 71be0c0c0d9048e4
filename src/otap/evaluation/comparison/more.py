"""How many more runs would tell."""

from collections.abc import Sequence
from statistics import fmean, variance

from otap.evaluation.comparison.comparison import More
from otap.evaluation.comparison.differences import DECIDING
from otap.evaluation.comparison.inference import estimate
from otap.evaluation.comparison.pairing import Task


def more(tasks: Sequence[Task], tolerance: float) -> More:
    """Returns how many tasks, or repetitions of these, would tell.

    So many that in four of five cases a difference of the tolerance is shown, if there is one, and
    equality, if there is none.
    """
    moved = [value for task in tasks if (value := task.difference(DECIDING)) is not None]
    found = estimate(moved)
    wanted = found.tasks_for(tolerance)
    if wanted is None or wanted <= found.tasks:  # it was bad luck: twice as many
        return More(tasks=wanted and 2 * found.tasks, repetitions=None)
    return More(tasks=wanted, repetitions=_repetitions(tasks, found.error**2, wanted))


def _repetitions(tasks: Sequence[Task], square: float, wanted: int) -> float | None:
    """How many times the repetitions would do as well; None: no number, or tasks have one run.

    Args:
        tasks: what was compared.
        square: the squared standard error that they reach.
        wanted: how many tasks like these would do.
    """
    within = [value for task in tasks if (value := _within(task)) is not None]
    if len(within) < len(tasks):
        return None
    noise = min(fmean(within) / len(tasks), square)
    left = square * len(tasks) / wanted - (square - noise)
    return noise / left if left > 0 else None


def _within(task: Task) -> float | None:
    """The variance of a task's difference that its repetitions make; None: it has one run."""
    base, new = ([run.score for run in side] for side in task.counted)
    if min(len(base), len(new)) < 2:
        return None
    if task.paired:
        return variance([b - a for a, b in zip(base, new, strict=True)]) / len(base)
    return variance(base) / len(base) + variance(new) / len(new)
