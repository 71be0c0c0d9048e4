"""Eq. 5: the soft minimum of the losses against several references."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class SoftMinimum(NamedTuple):
    """The loss over all references, the weight of each one in it, and the spread term.

    loss = sum_k weights_k losses_k + spread, with 0 <= spread <= T log K.
    """

    loss: float
    weights: NDArray[np.float64]
    spread: float


def soft_minimum(losses: Sequence[float], T: float) -> SoftMinimum:
    """Returns L = -T log((1 / K) sum_k exp(-L_k / T)), in the form that keeps large L_k / T finite.

    With the weights w_k = exp(-L_k / T) / sum_l exp(-L_l / T) and their entropy h

        L = sum_k w_k L_k + T (log K - h)

    so the loss divides among the references, and the rest is the spread. The mean inside the
    logarithm makes L larger than the least loss, by at most T log K. A second reference can thus
    lower a score.

    Args:
        losses: L_k, at least one.
        T: the temperature, above 0.
    """
    L = np.asarray(losses, dtype=np.float64)
    shifted = np.exp(-(L - L.min()) / T)
    w = shifted / shifted.sum()
    h = -(w * np.log(np.where(w > 0, w, 1.0))).sum()
    spread = T * max(0.0, float(np.log(len(L)) - h))
    return SoftMinimum(float(w @ L) + spread, w, spread)
