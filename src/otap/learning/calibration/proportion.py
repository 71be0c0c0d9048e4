"""A share of runs with an interval that knows that runs of one task resemble each other."""

from collections.abc import Sequence

import numpy as np

from otap.learning.calibration.calibration import Caught, Share
from otap.learning.calibration.conformal import Array

LEVEL = 0.95


def caught(groups: Sequence[Array], bound: float) -> Caught | None:
    """Returns how many runs lie below a bound, over all of them and over tasks; None of no run.

    Args:
        groups: the values of the runs of each task, none empty.
        bound: the threshold.
    """
    if not groups:
        return None
    counts = np.array([len(group) for group in groups], dtype=np.float64)
    alarms = np.array([np.count_nonzero(group < bound) for group in groups], dtype=np.float64)
    return Caught(
        runs=int(counts.sum()),
        tasks=len(groups),
        of_runs=clustered(alarms, counts),
        of_tasks=clustered(alarms / counts, np.ones(len(groups))),
    )


def clustered(alarms: Array, counts: Array) -> Share:
    """Returns the share of all runs that raise an alarm, with its interval clustered by task.

    The interval of Clopper and Pearson at the number of independent runs that would be as sure
    [Korn1998]: all of them if tasks do not differ, one a task where they are all or nothing.

    Args:
        alarms: how many runs of each task raise one.
        counts: how many runs each task has.
    """
    from scipy.stats import beta

    share = float(alarms.sum() / counts.sum())
    size = _effective(alarms, counts, share)
    tail = (1 - LEVEL) / 2
    below, above = share * size, (1 - share) * size
    return Share(
        share=share,
        low=float(beta.ppf(tail, below, above + 1)) if share > 0 else 0.0,
        high=float(beta.ppf(1 - tail, below + 1, above)) if share < 1 else 1.0,
    )


def _effective(alarms: Array, counts: Array, share: float) -> float:
    """How many independent runs are as sure as these: at least one, and at most all."""
    tasks, total = len(counts), float(counts.sum())
    if tasks < 2 or share in (0.0, 1.0):
        return float(tasks)
    variance = tasks / (tasks - 1) * float(np.sum((alarms - share * counts) ** 2)) / total**2
    return float(np.clip(share * (1 - share) / variance if variance else total, 1.0, total))
