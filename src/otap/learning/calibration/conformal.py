"""The threshold that holds a rate of false alarms on good runs of new tasks, and what it catches.

Tasks are exchangeable, the runs of one task are not independent: hierarchical conformal prediction
[Lee2023], in which the good runs of a task weigh one together. Larger values are better; a run
raises an alarm if its value is below the threshold, and a tie raises none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, e, exp, floor, log

import numpy as np
import numpy.typing as npt

from otap.learning.calibration.calibration import Caught, Share
from otap.learning.parameters import LEVEL, SLACK, SPREAD

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Promise:
    """At most so many false alarms.

    Args:
        rate: the share of good runs of new tasks that may raise an alarm, in (0, 1).
        confidence: the share of calibrations in which that holds; None: it holds on average over
            calibrations.
    """

    rate: float
    confidence: float | None = None

    @property
    def fewest(self) -> int:
        """How many tasks with good runs it takes: of fewer even the lowest value is too high."""
        if self.confidence is None:
            return ceil(1 / self.rate - 1 - SLACK)
        return ceil(log(1 - self.confidence) / log(1 - self.rate) - SLACK)

    def allowed(self, groups: Sequence[Array]) -> float:
        """Returns what the shares of alarms of the tasks may sum to; negative: not even nothing.

        On average over calibrations, with K tasks: the rate of K + 1, less the whole new one. With
        confidence: the largest sum that has at most the rest of the probability where the true rate
        is one too high; by the binomial distribution for tasks of one run each, else by the bound
        of Hoeffding and Bentkus, as sets that control a risk have it [Bates2021].
        """
        count = len(groups)
        if self.confidence is None:
            return self.rate * (count + 1) - 1
        if are_single(groups):
            from scipy.stats import binom

            within = binom.cdf(np.arange(count), count, self.rate) <= 1 - self.confidence
            return float(np.count_nonzero(within)) - 1
        return _largest(lambda total: _tail(total, count, self.rate), 1 - self.confidence, count)

    def most(self, groups: Sequence[Array], total: float) -> float:
        """Returns the rate of alarms that a sum of shares stands for, at most.

        On average over calibrations, or with the confidence.
        """
        count = len(groups)
        if self.confidence is None:
            return min(1.0, (total + 1) / (count + 1))
        risk = 1 - self.confidence
        if are_single(groups):
            from scipy.stats import beta

            return float(beta.ppf(1 - risk, total + 1, count - total)) if total < count else 1.0
        return 1 - _largest(lambda less: _tail(total, count, 1 - less), risk, 1)


def are_single(groups: Sequence[Array]) -> bool:
    """Whether every task has one run."""
    return all(len(group) == 1 for group in groups)


def threshold(groups: Sequence[Array], allowed: float) -> float | None:
    """Returns the largest value below which the shares of the tasks sum to at most ``allowed``.

    Args:
        groups: the values of the good runs of each task, none empty.
        allowed: a sum of shares; negative: there is no such value.
    """
    if allowed < -SLACK or not groups:
        return None
    values = np.concatenate(groups)
    weights = np.concatenate([np.full(len(group), 1 / len(group)) for group in groups])
    order = np.argsort(values, kind="stable")
    ordered, sums = values[order], np.concatenate([[0.0], np.cumsum(weights[order])])
    below = sums[np.searchsorted(ordered, ordered, side="left")]
    return float(ordered[below <= allowed + SLACK][-1])


def alarms(groups: Sequence[Array], bound: float) -> float:
    """Returns the sum over tasks of the share of its runs that are below a bound."""
    return float(sum(np.mean(group < bound) for group in groups))


def spread(groups: Sequence[Array], allowed: float) -> tuple[float, float]:
    """Returns between which rates of false alarms nine of ten calibrations lie.

    The rate below the j-th of K values has the Beta distribution of j and K + 1 - j [Vovk2012],
    with ties a lower one. Where tasks have several runs it is as wide as if these were alike.
    """
    from scipy.stats import beta

    place = allowed + 1 + SLACK
    place = floor(place) if are_single(groups) else place
    low, high = (float(beta.ppf(q, place, len(groups) + 1 - place)) for q in SPREAD)
    return low, high


def _tail(total: float, count: int, rate: float) -> float:
    """How probable it is at most that shares whose mean is a rate sum to so little or less."""
    from scipy.special import rel_entr
    from scipy.stats import binom

    mean = total / count
    if mean >= rate:
        return 1.0  # also at a rate of 0
    # The divergence of Kullback and Leibler, of one Bernoulli distribution from another.
    divergence = float(rel_entr(mean, rate) + rel_entr(1 - mean, 1 - rate))
    return min(exp(-count * divergence), e * float(binom.cdf(ceil(total - SLACK), count, rate)))


def _largest(tail: Callable[[float], float], risk: float, count: int) -> float:
    """The largest sum whose tail is within a risk; -1: not even 0 is."""
    if tail(0.0) > risk + SLACK:
        return -1.0
    low, high = 0.0, float(count)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) <= risk else (low, middle)
    return low


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
