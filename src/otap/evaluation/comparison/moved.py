"""The tasks that moved, each with what a person should look at first."""

from collections.abc import Iterable, Sequence

from otap.evaluation.comparison.comparison import TaskChange
from otap.evaluation.comparison.differences import DECIDING
from otap.evaluation.comparison.pairing import Task
from otap.evaluation.comparison.run import FirstFinding, Run


def moved_tasks(tasks: Sequence[Task]) -> list[TaskChange]:
    """The tasks whose score moved, the most first."""
    moved = [task for task in tasks if task.difference(DECIDING)]
    moved.sort(key=lambda task: (-abs(task.difference(DECIDING) or 0.0), task.name))
    return [_task_change(task) for task in moved]


def _task_change(task: Task) -> TaskChange:
    means = task.means(DECIDING)
    assert means is not None
    first = _first_finding(task)
    return TaskChange(
        task=task.name,
        base=means[0],
        new=means[1],
        difference=means[1] - means[0],
        runs=(len(task.counted[0]), len(task.counted[1])),
        kind=first and first.key[0],
        tool=(first and first.key[1]) or None,
        severity=first and first.severity,
        finding=first and first.sentence,
    )


def _first_finding(task: Task) -> FirstFinding | None:
    """Returns what a person should look at first in a task that moved.

    Of a task that fell the first finding of NEW's worst run that no run of BASE has, else its first
    one; of a task that rose the same of BASE, which is what is gone.
    """
    base, new = task.counted
    fell = (task.difference(DECIDING) or 0.0) < 0
    worse, other = (new, base) if fell else (base, new)
    worst = min(worse, key=lambda run: run.score)
    return _unlike(worst, other)


def _unlike(run: Run, others: Iterable[Run]) -> FirstFinding | None:
    known = {one.key for other in others for one in other.findings}
    fresh = [one for one in run.findings if one.key not in known]
    return next(iter([*fresh, *run.findings]), None)
