"""The problem as a value: what is to be transported, and what it costs."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import isfinite, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from otap.transport.parameters import LEAST_LAMBDA, MOST_LAMBDA
from otap.transport.structure import SMALL, Array, Hops, Structure

# Hops over a longest path are small fractions; a real asymmetry is far above this.
_ANTISYMMETRY = 1e-12
_NAMES = "C", "D_p", "D_r", "mu", "nu", "lambda_1", "lambda_2"
_HEAD = 3  # the numbers n, m and theta, with which a packed problem begins


@dataclass(frozen=True, eq=False)
class Problem:
    """One fused unbalanced Gromov-Wasserstein problem ([Barazandeh2026], eq. 3; [Thual2022]).

    Checked once, on construction. Arrays are held as C-contiguous float64. Up to SMALL steps a side
    `packed` is all of them in one array, in the order n, m, theta, C, D_p, D_r, mu, nu, lambda_1,
    lambda_2, as the native core reads it; beyond, it is None.

    Args:
        C: node costs, (n, m) with n and m at least 1, none negative.
        D_p: signed structure of the agent's steps, (n, n), antisymmetric; an array, or Hops, which
            are held so beyond SMALL steps.
        D_r: the same of the reference's steps, (m, m).
        mu: masses of the agent's steps, (n,), positive: the marginal that row sums are held to.
        nu: the same of the reference's steps, (m,), for the column sums.
        theta: weight of structure against node cost, in [0, 1].
        lambda_1: weight of the row sums' penalty, from 1e-6 to 1e9; a float is held as the same
            weight for every step, a vector (n,) gives each step its own.
        lambda_2: the same for the column sums, (m,).

    Raises:
        ValueError: if a shape or a value is outside what is said here, or not finite.
    """

    C: Array
    D_p: Structure
    D_r: Structure
    mu: Array
    nu: Array
    theta: float
    lambda_1: Array
    lambda_2: Array
    packed: Array | None

    def __init__(
        self,
        C: ArrayLike,
        D_p: ArrayLike | Hops,
        D_r: ArrayLike | Hops,
        mu: ArrayLike,
        nu: ArrayLike,
        theta: float,
        lambda_1: ArrayLike = 1.0,
        lambda_2: ArrayLike = 1.0,
    ) -> None:
        n, m = _shape(C)
        if not 0.0 <= theta <= 1.0:
            raise ValueError(f"theta must lie in [0, 1]: {theta}")
        packed = None
        if max(n, m) <= SMALL:
            packed = np.empty(_places(n, m)["lambda_2"][0].stop)
            packed[:_HEAD] = n, m, theta
        held: dict[str, Any] = {"theta": float(theta), "packed": packed}
        values = C, D_p, D_r, mu, nu, lambda_1, lambda_2
        for (name, (place, shape)), value in zip(_places(n, m).items(), values, strict=True):
            given = _given(name, value, shape)
            if not isinstance(given, Hops):  # which were checked when they were made
                if packed is None:
                    given = np.ascontiguousarray(np.broadcast_to(given, shape))
                else:
                    packed[place].reshape(shape)[...] = given
                    given = packed[place].reshape(shape)
                _check(name, given)
            held[name] = given
        self.__dict__.update(held)

    @classmethod
    def of_packed(cls, packed: Array) -> "Problem":
        """The problem that lies in an array, which is not checked again.

        Args:
            packed: the array as a problem holds it.
        """
        found = object.__new__(cls)
        n, m, theta = packed[:_HEAD].tolist()
        held: dict[str, Any] = {"packed": packed, "theta": theta}
        for name, (place, shape) in _places(int(n), int(m)).items():
            held[name] = packed[place].reshape(shape)
        found.__dict__.update(held)
        return found

    @property
    def shape(self) -> tuple[int, int]:
        """The number of steps on either side, (n, m)."""
        n, m = self.C.shape
        return n, m


def _shape(C: ArrayLike) -> tuple[int, int]:
    shape = np.shape(C)
    if len(shape) != 2 or 0 in shape:
        raise ValueError(f"C must be a matrix with at least one row and column: {shape}")
    n, m = shape
    return n, m


def _given(name: str, value: ArrayLike | Hops, shape: tuple[int, ...]) -> Structure:
    """The hops of a long trace as they are, all else in float64."""
    if isinstance(value, Hops):
        given = value if len(value.counts) > SMALL else value.matrix()
    else:
        given = np.asarray(value, dtype=np.float64)
    if given.shape != shape and not (given.shape == () and name.startswith("lambda")):
        raise ValueError(f"{name} must have shape {shape}: {given.shape}")
    return given


@lru_cache(maxsize=1024)
def _places(n: int, m: int) -> dict[str, tuple[slice, tuple[int, ...]]]:
    """Where each array lies in the packed one, and its shape."""
    shapes = (n, m), (n, n), (m, m), (n,), (m,), (n,), (m,)
    ends = list(accumulate(map(prod, shapes), initial=_HEAD))
    places = map(slice, ends[:-1], ends[1:])
    return dict(zip(_NAMES, zip(places, shapes, strict=True), strict=True))


def _check(name: str, array: Array) -> None:
    low, high = float(array.min()), float(array.max())
    if not isfinite(low) or not isfinite(high):
        raise ValueError(f"{name} must be finite")
    if name == "C" and low < 0:
        raise ValueError(f"C must not be negative: {low}")
    if name in ("D_p", "D_r") and abs(array + array.T).max() > _ANTISYMMETRY:
        raise ValueError(f"{name} must be antisymmetric")
    if name in _NAMES[3:] and low <= 0:
        raise ValueError(f"{name} must be positive: {low}")
    if name in _NAMES[5:] and (low < LEAST_LAMBDA or high > MOST_LAMBDA):
        raise ValueError(f"{name} must lie from {LEAST_LAMBDA:g} to {MOST_LAMBDA:g}: {low}, {high}")
