"""The threshold that holds a rate of false alarms on good runs of new tasks.

Tasks are exchangeable, the runs of one task are not independent: hierarchical conformal prediction
[Lee2023], in which the good runs of a task weigh one together. Larger values are better; a run
raises an alarm if its value is below the threshold, and a tie raises none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, e, exp, floor, inf, log

import numpy as np
import numpy.typing as npt

SLACK = 1e-9  # what sums of shares are rounded by
SPREAD = (0.05, 0.95)  # the quantiles that are told of the rate of one calibration

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
            return self._most_alarms(count, 1 - self.confidence)
        return _largest(lambda total: _tail(total, count, self.rate), 1 - self.confidence, count)

    def _most_alarms(self, count: int, risk: float) -> float:
        from scipy.stats import binom

        return float(np.count_nonzero(binom.cdf(np.arange(count), count, self.rate) <= risk)) - 1

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
    from scipy.stats import binom

    mean = total / count
    if mean >= rate:
        return 1.0  # also at a rate of 0
    hoeffding = exp(-count * _divergence(mean, rate))
    return min(hoeffding, e * float(binom.cdf(ceil(total - SLACK), count, rate)))


def _divergence(mean: float, rate: float) -> float:
    """That of Kullback and Leibler, of one Bernoulli distribution from another."""
    if rate >= 1:
        return inf
    there = mean * log(mean / rate) if mean > 0 else 0.0
    return there + (1 - mean) * log((1 - mean) / (1 - rate))


def _largest(tail: Callable[[float], float], risk: float, count: int) -> float:
    """The largest sum whose tail is within a risk; -1: not even 0 is."""
    if tail(0.0) > risk + SLACK:
        return -1.0
    low, high = 0.0, float(count)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) <= risk else (low, middle)
    return low
