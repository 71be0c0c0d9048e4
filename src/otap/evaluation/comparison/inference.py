"""What the differences of tasks say of their mean: an interval, a test, what could be shown.

The unit is the task, whose repetitions are averaged first: tasks are drawn one by one, the runs of
a task are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, isinf, sqrt

import numpy as np
import numpy.typing as npt

LEVEL = 0.95
POWER = 0.8
EXACT = 13  # tasks that moved up to which all signs are tried, else so many draws
DRAWS = 9_999
SEED = 20_260_101
BATCH = 4_000_000  # signs that are held at once
FEWEST = 6  # tasks: below, all of them may have moved one way by chance once in twenty times
_SAME = 1e-9  # sums of the same numbers in another order differ by less

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean of differences of tasks, with its standard error and degrees of freedom."""

    tasks: int
    moved: int
    mean: float
    error: float
    freedom: float

    @property
    def half(self) -> float:
        """Half of the width of the interval; infinite for a single task that moved."""
        return 0.0 if self.moved == 0 else self.error * _quantile((1 + LEVEL) / 2, self.freedom)

    @property
    def detectable(self) -> float | None:
        """The smallest true difference that so many tasks show with the power; None: no one."""
        if self.tasks < FEWEST or self.moved == 0:
            return None
        return self.error * _reach(self.freedom, POWER)

    def tasks_for(self, tolerance: float) -> int | None:
        """How many tasks like these tell whether the difference is as large as the tolerance.

        With the power either a difference of the tolerance is shown, or that there is none. None
        where nothing is known of how tasks differ, or no number would do.
        """
        if self.tasks < 2 or self.moved == 0 or tolerance <= 0:
            return None
        spread = self.error**2 * self.tasks
        # Both ends of the interval must stay inside: half of what is risked is risked at each.
        wanted = spread * (_reach(inf, (1 + POWER) / 2) / tolerance) ** 2
        return max(ceil(wanted), FEWEST)


def estimate(differences: Sequence[float] | Array) -> Estimate:
    """Returns the mean of the differences of tasks, and how sure it is.

    The interval is that of Student's t. How sure its standard error is depends on the tails of the
    differences: its degrees of freedom are Satterthwaite's, with the variance that a variance has
    at the kurtosis of the sample, and never more than n - 1. Where a few tasks make all of the
    difference, they are few.

    Args:
        differences: one for each task, at least one.
    """
    values = np.sort(np.asarray(differences, dtype=np.float64))  # no order of lines counts
    n = len(values)
    mean = float(values.mean())
    moved = int(np.count_nonzero(values))
    if n < 2:
        return Estimate(n, moved, mean, inf if moved else 0.0, 0.0)
    error = float(values.std(ddof=1)) / sqrt(n)
    return Estimate(n, moved, mean, error, _freedom(values - mean))


def sign_flip_test(differences: Sequence[float] | Array) -> float:
    """Returns the two-sided p of a paired permutation test that flips the sign of whole tasks.

    All signs are tried where few tasks moved; else a fixed seed draws them, and the observed one
    counts among the draws [Phipson2010].
    """
    moved = np.sort(np.array([value for value in differences if value != 0.0]))
    if len(moved) == 0:
        return 1.0
    if len(moved) <= EXACT:
        bits = np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved)) & 1
        return float(_as_large(1 - 2 * bits, moved).mean())
    draw = np.random.default_rng(SEED)
    rows = max(1, BATCH // len(moved))
    found = 0
    for start in range(0, DRAWS, rows):
        shape = min(rows, DRAWS - start), len(moved)
        signs = 1 - 2 * draw.integers(0, 2, shape, dtype=np.int8)
        found += int(_as_large(signs, moved).sum())
    return (1 + found) / (1 + DRAWS)


def sign_test(came: int, went: int) -> float:
    """Returns the two-sided p of a sign test: of tasks that changed, as many each way (McNemar)."""
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(came, went), came + went, 0.5)))


def holm(values: Sequence[float]) -> list[float]:
    """Returns p values corrected for their number [Holm1979], in their order."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    corrected = [0.0] * len(values)
    worst = 0.0
    for rank, place in enumerate(order):
        worst = max(worst, min(1.0, (len(values) - rank) * values[place]))
        corrected[place] = worst
    return corrected


def _as_large(signs: npt.NDArray[np.integer], moved: Array) -> npt.NDArray[np.bool_]:
    """For each row of signs, whether its mean is as far from 0 as the one observed."""
    sums = np.abs(signs @ moved)
    return np.asarray(sums >= abs(moved.sum()) - _SAME * np.abs(moved).sum())


def _freedom(deviations: Array) -> float:
    """Degrees of freedom of a variance: 2 over its squared coefficient of variation."""
    n = len(deviations)
    square = float((deviations**2).mean())
    if n < 4 or square == 0:
        return n - 1
    biased = float((deviations**4).mean()) / square**2 - 3
    excess = ((n + 1) * biased + 6) * (n - 1) / ((n - 2) * (n - 3))
    return 2 / (2 / (n - 1) + max(excess, 0.0) / n)


def _reach(freedom: float, power: float) -> float:
    """How many standard errors a difference must have to be shown with a power.

    The last factor is for the error itself, which is more often too small than too large, and whose
    doubt widens the interval: measured by simulation in `reproduction/studies/comparing.py`.
    """
    sum_of_both = _quantile((1 + LEVEL) / 2, freedom) + _quantile(power, freedom)
    return sum_of_both * (1 + 1 / (2 * freedom))


def _quantile(level: float, freedom: float) -> float:
    """A quantile of Student's t; of the normal distribution at infinite degrees of freedom."""
    from scipy.special import ndtri, stdtrit

    if freedom == 0:
        return inf
    return float(ndtri(level) if isinf(freedom) else stdtrit(freedom, level))
