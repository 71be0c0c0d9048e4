"""Several references: the soft-min of their losses ([Barazandeh2026], eq. 5), and its weights."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

TIE = 1e-12  # losses that differ by less differ by rounding


class SoftMinimum(NamedTuple):
    """The aggregate loss, the weight of each reference in it, and the spread term.

    loss = sum_k weights_k losses_k + spread, with 0 <= spread <= T log K.
    """

    loss: float
    weights: npt.NDArray[np.float64]
    spread: float


def find_least(losses: Sequence[float]) -> int:
    """Returns the place of the least loss, of at least one; the first on a tie."""
    return int(np.argmax(np.asarray(losses) <= min(losses) + TIE))


def soft_minimum(losses: Sequence[float], temperature: float) -> SoftMinimum:
    """Returns -T log(mean exp(-L_k / T)); at temperature 0 the least loss, of the nearest alone.

    Args:
        losses: one of each reference, at least one.
        temperature: T, at least 0, in units of the loss.
    """
    values = np.asarray(losses, dtype=np.float64)
    if temperature == 0:
        weights = np.zeros(len(losses))
        weights[find_least(losses)] = 1.0
        return SoftMinimum(float(values.min()), weights, 0.0)
    shifted = np.exp(-(values - values.min()) / temperature)
    weights = shifted / shifted.sum()
    entropy = -(weights * np.log(np.where(weights > 0, weights, 1.0))).sum()
    spread = temperature * max(0.0, float(np.log(len(values)) - entropy))
    return SoftMinimum(float(weights @ values) + spread, weights, spread)
