"""The threshold that limits the rate of false alarms on good runs of new tasks.

Tasks are exchangeable, but runs of one task depend on each other. So this is hierarchical conformal
prediction [Lee2023], in which the good runs of a task have a total weight of one. Larger values are
better. A run raises an alarm if its value is below the threshold; a value equal to it raises none.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, e, exp, floor, log

import numpy as np
import numpy.typing as npt

from otap._distributions import beta_quantile, binomial_cdf
from otap.learning.calibration.calibration import Caught, Share

Array = npt.NDArray[np.float64]

LEVEL = 0.95  # confidence level of the interval of a share
SPREAD_QUANTILES = (0.05, 0.95)  # of the true rate of a single calibration
TOLERANCE = 1e-9  # rounding error of sums of shares
BISECTIONS = 60  # of an interval, down to the precision of floats


@dataclass(frozen=True)
class Promise:
    """A limit of the rate of false alarms.

    Attributes:
        rate: share of good runs of new tasks that may raise an alarm, in (0, 1).
        confidence: share of calibrations in which the limit holds, in (0, 1); None: the limit holds
            on average over calibrations.
    """

    rate: float
    confidence: float | None = None

    @property
    def min_tasks(self) -> int:
        """The number of tasks with good runs below which no threshold keeps the promise."""
        if self.confidence is None:
            return ceil(1 / self.rate - 1 - TOLERANCE)
        return ceil(log(1 - self.confidence) / log(1 - self.rate) - TOLERANCE)

    def allowed_alarms(self, groups: Sequence[Array]) -> float:
        """Returns the limit of the sum over tasks of the share of runs that raise an alarm.

        On average over K tasks it is rate * (K + 1) - 1. With a confidence it is the largest sum
        whose probability is at most 1 - confidence if the true rate is above the limit: by the
        binomial distribution if every task has one run, else by the Hoeffding-Bentkus bound of
        risk-controlling prediction sets [Bates2021]. Below 0, no threshold keeps the promise.

        Args:
            groups: the values of the good runs of each task.
        """
        tasks = len(groups)
        if self.confidence is None:
            return self.rate * (tasks + 1) - 1
        risk = 1 - self.confidence
        if are_single(groups):
            tail = partial(binomial_cdf, trials=tasks, chance=self.rate)
            return float(bisect_right(range(tasks), risk, key=tail)) - 1
        return _largest(lambda total: _tail_bound(total, tasks, self.rate), risk, tasks)

    def rate_bound(self, groups: Sequence[Array], total: float) -> float:
        """Returns an upper bound of the rate of alarms on good runs of new tasks.

        It holds on average over calibrations, or with the confidence.

        Args:
            groups: the values of the good runs of each task.
            total: the sum over tasks of the share of runs that raise an alarm.
        """
        tasks = len(groups)
        if self.confidence is None:
            return min(1.0, (total + 1) / (tasks + 1))
        risk = 1 - self.confidence
        if are_single(groups):
            return beta_quantile(1 - risk, total + 1, tasks - total) if total < tasks else 1.0
        return 1 - _largest(lambda less: _tail_bound(total, tasks, 1 - less), risk, 1)


def are_single(groups: Sequence[Array]) -> bool:
    """Whether every task has one run."""
    return all(len(group) == 1 for group in groups)


def threshold(groups: Sequence[Array], allowed: float) -> float | None:
    """Returns the largest value below which the shares of the tasks sum to at most ``allowed``.

    Args:
        groups: the values of the good runs of each task, none empty.
        allowed: a sum of shares.

    Returns:
        None if ``allowed`` is negative or there is no task.
    """
    if allowed < -TOLERANCE or not groups:
        return None
    values = np.concatenate(groups)
    weights = np.concatenate([np.full(len(group), 1 / len(group)) for group in groups])
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    cumulative = np.concatenate([[0.0], np.cumsum(weights[order])])
    weight_below = cumulative[np.searchsorted(ordered, ordered, side="left")]
    return float(ordered[weight_below <= allowed + TOLERANCE][-1])


def alarm_total(groups: Sequence[Array], bound: float) -> float:
    """Returns the sum over tasks of the share of runs below a bound."""
    return float(sum(np.mean(group < bound) for group in groups))


def spread(groups: Sequence[Array], allowed: float) -> tuple[float, float]:
    """Returns the interval of the true rate of false alarms for nine in ten calibrations.

    The rate below the j-th of K values has the distribution Beta(j, K + 1 - j) [Vovk2012]; ties
    make it lower. If tasks have several runs, the interval is as wide as for equal runs.
    """
    rank = allowed + 1 + TOLERANCE
    if are_single(groups):
        rank = floor(rank)
    low, high = (beta_quantile(q, rank, len(groups) + 1 - rank) for q in SPREAD_QUANTILES)
    return low, high


def _tail_bound(total: float, tasks: int, rate: float) -> float:
    """Bounds the probability that shares with this mean sum to at most ``total``."""
    mean = total / tasks
    if mean >= rate:
        return 1.0  # also at a rate of 0
    if rate >= 1:
        return 0.0
    # Kullback-Leibler divergence of two Bernoulli distributions.
    divergence = (1 - mean) * log((1 - mean) / (1 - rate))
    if mean > 0:
        divergence += mean * log(mean / rate)
    bentkus = e * binomial_cdf(ceil(total - TOLERANCE), tasks, rate)
    return min(exp(-tasks * divergence), bentkus)


def _largest(tail: Callable[[float], float], risk: float, upper: int) -> float:
    """Returns the largest number in [0, upper] whose tail is at most ``risk``; -1 if none is."""
    if tail(0.0) > risk + TOLERANCE:
        return -1.0
    low, high = 0.0, float(upper)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if tail(middle) <= risk:
            low = middle
        else:
            high = middle
    return low


def measure_alarms(groups: Sequence[Array], bound: float) -> Caught | None:
    """Returns the shares of runs below a bound, over all runs and over tasks; None: no runs.

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
        of_runs=clustered_share(alarms, counts),
        of_tasks=clustered_share(alarms / counts, np.ones(len(groups))),
    )


def clustered_share(alarms: Array, counts: Array) -> Share:
    """Returns the share of all runs that raise an alarm, with its interval clustered by task.

    It is the interval of Clopper and Pearson for the effective number of independent runs
    [Korn1998]: the number of runs if tasks do not differ, the number of tasks if the runs of each
    task agree.

    Args:
        alarms: number of runs of each task that raise an alarm.
        counts: number of runs of each task.
    """
    share = float(alarms.sum() / counts.sum())
    size = _effective_size(alarms, counts, share)
    tail = (1 - LEVEL) / 2
    below, above = share * size, (1 - share) * size
    return Share(
        share=share,
        low=beta_quantile(tail, below, above + 1) if share > 0 else 0.0,
        high=beta_quantile(1 - tail, below + 1, above) if share < 1 else 1.0,
    )


def _effective_size(alarms: Array, counts: Array, share: float) -> float:
    """Returns the effective number of independent runs, from 1 to the number of runs."""
    tasks, runs = len(counts), float(counts.sum())
    if tasks < 2 or share in (0.0, 1.0):
        return float(tasks)
    variance = tasks / (tasks - 1) * float(np.sum((alarms - share * counts) ** 2)) / runs**2
    return float(np.clip(share * (1 - share) / variance if variance else runs, 1.0, runs))
