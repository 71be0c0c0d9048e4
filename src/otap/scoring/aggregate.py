"""From losses to numbers: the soft-min of several references, and the scale of an unrelated run.

The soft-min is eq. 5 of [Barazandeh2026]; the scale goes from a run that has nothing to do with the
task (0) to the same run (1).
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from otap.matrices import Field

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


def unrelated_costs(fields: Sequence[Field[Any]], encoder: str) -> Mapping[str, float] | None:
    """Returns what matched steps of unrelated tasks cost, by field; None for an unknown encoder."""
    if any(encoder not in field.unrelated for field in fields):
        return None
    return {field.name: field.unrelated[encoder] for field in fields}


def unrelated_loss(
    c0: float,
    theta: float,
    lambda_agent: float,
    lambda_reference: float,
    run: float = 1.0,
    reference: float = 1.0,
) -> float:
    """Returns L_u, the loss of a run whose steps all cost c0 and whose structure costs nothing.

    With S = l1 + l2 and the masses a of the run and b of the reference

        L_u = l1 a + l2 b - S a^(l1/S) b^(l2/S) exp(-(1 - theta) c0 / S)

    which for masses of 1 is S (1 - exp(-(1 - theta) c0 / S)): moving all mass but as little of it
    as pays is then optimal.
    """
    total = lambda_agent + lambda_reference
    moved = math.expm1(-(1 - theta) * c0 / total)
    if run == reference == 1.0:
        return total * -moved
    mean = math.pow(run, lambda_agent / total) * math.pow(reference, lambda_reference / total)
    return lambda_agent * run + lambda_reference * reference - total * mean * (1 + moved)


def skill(loss: float, unrelated: float) -> float:
    """Returns max(0, 1 - loss / unrelated); if nothing can be unrelated, 1 for no loss, else 0."""
    if unrelated <= 0:
        return float(loss <= 0)
    return max(0.0, 1.0 - loss / unrelated)
