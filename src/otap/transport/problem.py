"""The problem as a value: what is to be transported, and what it costs."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]

# Hops over a longest path are small fractions; a real asymmetry is far above this.
_ANTISYMMETRY = 1e-12


@dataclass(frozen=True, eq=False)
class Problem:
    """One fused unbalanced Gromov-Wasserstein problem (eq. 3), checked once on construction.

    C: node costs, (n, m), none negative.
    D_p, D_r: signed structure of the agent's and of the reference's steps, (n, n) and (m, m),
        antisymmetric.
    mu, nu: masses of the steps, (n,) and (m,), positive.
    theta: weight of structure against node cost, in [0, 1].
    lambda_1, lambda_2: weights of the two marginal penalties, positive; a float is held as the
        same weight for every step, a vector gives each step its own.

    n and m are at least 1. Arrays are held as C-contiguous float64; a value outside what is said
    here is a ValueError.
    """

    C: Array
    D_p: Array
    D_r: Array
    mu: Array
    nu: Array
    theta: float
    lambda_1: Array
    lambda_2: Array

    def __init__(
        self,
        C: ArrayLike,
        D_p: ArrayLike,
        D_r: ArrayLike,
        mu: ArrayLike,
        nu: ArrayLike,
        theta: float,
        lambda_1: ArrayLike = 1.0,
        lambda_2: ArrayLike = 1.0,
    ) -> None:
        cost = _finite("C", C)
        if cost.ndim != 2 or 0 in cost.shape:
            raise ValueError(f"C must be a matrix with at least one row and column: {cost.shape}")
        if cost.min() < 0:
            raise ValueError(f"C must not be negative: {cost.min()}")
        n, m = cost.shape
        if not 0.0 <= theta <= 1.0:
            raise ValueError(f"theta must lie in [0, 1]: {theta}")
        fields = {
            "C": cost,
            "D_p": _antisymmetric("D_p", D_p, n),
            "D_r": _antisymmetric("D_r", D_r, m),
            "mu": _positive("mu", mu, n),
            "nu": _positive("nu", nu, m),
            "theta": float(theta),
            "lambda_1": _weights("lambda_1", lambda_1, n),
            "lambda_2": _weights("lambda_2", lambda_2, m),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of steps on either side, (n, m)."""
        n, m = self.C.shape
        return n, m


def _finite(name: str, value: ArrayLike) -> Array:
    array: Array = np.ascontiguousarray(value, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite")
    return array


def _antisymmetric(name: str, value: ArrayLike, size: int) -> Array:
    array = _finite(name, value)
    if array.shape != (size, size):
        raise ValueError(f"{name} must have shape {(size, size)}: {array.shape}")
    if abs(array + array.T).max() > _ANTISYMMETRY:
        raise ValueError(f"{name} must be antisymmetric")
    return array


def _positive(name: str, value: ArrayLike, size: int) -> Array:
    array = _finite(name, value)
    if array.shape != (size,):
        raise ValueError(f"{name} must have shape {(size,)}: {array.shape}")
    if array.min() <= 0:
        raise ValueError(f"{name} must be positive: {array.min()}")
    return array


def _weights(name: str, value: ArrayLike, size: int) -> Array:
    array = np.asarray(value, dtype=np.float64)
    return _positive(name, np.full(size, array) if array.ndim == 0 else array, size)
