"""What the losses of pairs that were not solved may be, learned from those that were."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from otap.learning.selection.sketch import Differences

LEAST = 0.1  # of a loss, in what an error is relative to: near pairs are the ones that decide
SWEEPS = 6  # over runs, for their own errors
PRIOR = 4.0  # solved pairs that weigh as much as knowing nothing of a run's own error
SPREAD = 0.02  # the least spread of these errors
Known = npt.NDArray[Any]  # (n, n), of floating point, NaN where a pair was not solved


@dataclass(frozen=True)
class Estimate:
    """Losses by a regression on sketches and each run's own error, as an upper confidence bound.

    Args:
        base: what the regression says, (n, n).
        errors: by how much each run's losses are above that, relative to it, (n,).
        spread: standard deviation of what is not known of these, (n,).
    """

    base: Known
    errors: Known
    spread: Known

    @classmethod
    def of(cls, known: Known, sketches: Differences) -> "Estimate":
        """Fits non-negative weights of the sketches to the pairs that were solved."""
        from scipy.optimize import nnls

        one, other = np.nonzero(np.triu(~np.isnan(known), 1))
        solved = known[one, other].astype(np.float64)
        scale = 1.0 / (solved + LEAST)
        weights, _ = nnls(sketches[:, one, other].T * scale[:, None], solved * scale)
        base = np.tensordot(weights.astype(np.float32), sketches, 1)
        return cls(base, *_own_errors(known, base))

    def losses(self, known: Known, optimism: float) -> Known:
        """Returns each loss, where it was not solved the least that it may well be.

        Args:
            known: what was solved.
            optimism: how many standard deviations below what is to be expected.
        """
        errors = self.errors - np.float32(optimism) * self.spread
        guessed = self.base + (self.base + LEAST) * (errors[:, None] + errors)
        found = np.where(np.isnan(known), np.maximum(guessed, 0.0), known).astype(np.float32)
        np.fill_diagonal(found, 0.0)
        return found


def _own_errors(known: Known, base: Known) -> tuple[Known, Known]:
    """The mean relative error of each run and its standard deviation, shrunk to nothing."""
    solved = (~np.isnan(known)).astype(np.float32)
    np.fill_diagonal(solved, 0.0)
    error = np.where(solved > 0, (known - base) / (base + LEAST), 0.0)
    count = solved.sum(axis=1)
    own = np.zeros(len(known))
    for _ in range(SWEEPS):
        own = (error.sum(axis=1) - solved @ own + own) / (count + PRIOR)
    spread = max(SPREAD, float(np.sqrt((own[count > 0] ** 2).mean())))
    unsure = 2.0 * spread / np.sqrt(1.0 + count / PRIOR)
    return own.astype(np.float32), unsure.astype(np.float32)
