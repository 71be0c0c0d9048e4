"""Statistics of task differences: an interval, tests, and the smallest detectable difference.

The unit is the task: its repetitions are averaged first. Tasks are independent, the runs of a task
are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, sqrt

import numpy as np
import numpy.typing as npt

from otap._distributions import binomial_cdf, student_quantile

LEVEL = 0.95
POWER = 0.8
MAX_EXACT = 13  # with up to this many changed tasks the test tries all signs, else it draws them
DRAWS = 9_999
SEED = 20_260_101
MAX_BATCH = 4_000_000  # signs in memory at once
MIN_TASKS = 6  # with fewer, all tasks change in one direction by chance more than 1 time in 20
_ROUNDING = 1e-9  # relative; sums of the same numbers in another order differ by less

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """The mean of task differences, with its standard error and degrees of freedom."""

    tasks: int
    moved: int
    mean: float
    error: float
    freedom: float

    @property
    def half_width(self) -> float:
        """Half the width of the interval; infinite for a single task that changed."""
        return 0.0 if self.moved == 0 else self.error * _quantile((1 + LEVEL) / 2, self.freedom)

    @property
    def detectable(self) -> float | None:
        """The smallest true difference that this many tasks show with the power, or None."""
        if self.tasks < MIN_TASKS or self.moved == 0:
            return None
        return self.error * _required_errors(self.freedom, POWER)

    def tasks_for(self, tolerance: float) -> int | None:
        """Returns the number of tasks like these that decide about a difference of the tolerance.

        With the power, this many tasks show that there is such a difference, or that there is none.
        None if the variation between tasks is unknown, or no number is enough.
        """
        if self.tasks < 2 or self.moved == 0 or tolerance <= 0:
            return None
        spread = self.error**2 * self.tasks
        # Both ends of the interval must stay inside: each may fail with half of the risk.
        required = spread * (_required_errors(inf, (1 + POWER) / 2) / tolerance) ** 2
        return max(ceil(required), MIN_TASKS)


def estimate(differences: Sequence[float] | Array) -> Estimate:
    """Returns the mean of task differences with its standard error.

    The interval is Student's t. The reliability of the standard error depends on the tails of the
    differences. The degrees of freedom are therefore Satterthwaite's, with the variance of a
    variance at the sample's kurtosis, and at most n - 1. They are few if a few tasks make the
    whole difference.

    Args:
        differences: one for each task, at least one.
    """
    ordered = np.sort(np.asarray(differences, dtype=np.float64))  # the order of lines is irrelevant
    n = len(ordered)
    mean = float(ordered.mean())
    moved = int(np.count_nonzero(ordered))
    if n < 2:
        return Estimate(n, moved, mean, inf if moved else 0.0, 0.0)
    error = float(ordered.std(ddof=1)) / sqrt(n)
    return Estimate(n, moved, mean, error, _degrees_of_freedom(ordered - mean))


def sign_flip_test(differences: Sequence[float] | Array) -> float:
    """Returns the two-sided p of a paired permutation test that flips the sign of whole tasks.

    With few changed tasks the test tries all signs. Otherwise it draws them from a fixed seed, and
    counts the observed signs among the draws [Phipson2010].
    """
    nonzero = np.sort(np.array([difference for difference in differences if difference != 0.0]))
    if len(nonzero) == 0:
        return 1.0
    if len(nonzero) <= MAX_EXACT:
        bits = np.arange(2 ** len(nonzero))[:, None] >> np.arange(len(nonzero)) & 1
        return float(_is_as_extreme(1 - 2 * bits, nonzero).mean())
    generator = np.random.default_rng(SEED)
    rows = max(1, MAX_BATCH // len(nonzero))
    extreme = 0
    for start in range(0, DRAWS, rows):
        shape = min(rows, DRAWS - start), len(nonzero)
        signs = 1 - 2 * generator.integers(0, 2, shape, dtype=np.int8)
        extreme += int(_is_as_extreme(signs, nonzero).sum())
    return (1 + extreme) / (1 + DRAWS)


def sign_test(came: int, went: int) -> float:
    """Returns the two-sided p of a sign test (McNemar).

    The null hypothesis is that changed tasks are equally likely to change in each direction.
    """
    return min(1.0, 2 * binomial_cdf(min(came, went), came + went, 0.5))


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns p values corrected for their number [Holm1979], in their order."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = largest
    return corrected


def _is_as_extreme(signs: npt.NDArray[np.integer], nonzero: Array) -> npt.NDArray[np.bool_]:
    """Returns for each row of signs whether its sum is at least as far from 0 as the observed."""
    sums = np.abs(signs @ nonzero)
    return np.asarray(sums >= abs(nonzero.sum()) - _ROUNDING * np.abs(nonzero).sum())


def _degrees_of_freedom(deviations: Array) -> float:
    """Returns the degrees of freedom of a variance: 2 / its squared coefficient of variation."""
    n = len(deviations)
    square = float((deviations**2).mean())
    if n < 4 or square == 0:
        return n - 1
    biased = float((deviations**4).mean()) / square**2 - 3
    excess = ((n + 1) * biased + 6) * (n - 1) / ((n - 2) * (n - 3))
    return 2 / (2 / (n - 1) + max(excess, 0.0) / n)


def _required_errors(freedom: float, power: float) -> float:
    """Returns the difference, in standard errors, that is shown with a power.

    The last factor is for the uncertainty of the standard error, which is more often too small than
    too large, and widens the interval. It was fitted by simulation in
    `reproduction/studies/comparing.py`.
    """
    sum_of_quantiles = _quantile((1 + LEVEL) / 2, freedom) + _quantile(power, freedom)
    return sum_of_quantiles * (1 + 1 / (2 * freedom))


def _quantile(level: float, freedom: float) -> float:
    """Returns a quantile of Student's t; of the normal distribution for infinite freedom."""
    return inf if freedom == 0 else student_quantile(level, freedom)
