"""The transport problem: masses, costs, structures and penalties."""

from dataclasses import dataclass
from functools import lru_cache
from math import isfinite, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from otap.transport.parameters import LEAST_LAMBDA, MOST_LAMBDA
from otap.transport.structure import SMALL, Array, Hops, Structure

# Hops over a longest path are small fractions; a real asymmetry is far above this.
_ANTISYMMETRY = 1e-12
_NAMES = "C", "D_p", "D_r", "mu", "nu", "lambda_1", "lambda_2"
_HEAD = 3  # a packed problem begins with the numbers n, m and theta


@dataclass(frozen=True, eq=False)
class Problem:
    """A fused unbalanced Gromov-Wasserstein problem ([Barazandeh2026], eq. 3; [Thual2022]).

    The constructor checks the arrays and stores them as C-contiguous float64. With at most SMALL
    steps per side `packed` has all of them in one array for the native core, in the order n, m,
    theta, C, D_p, D_r, mu, nu, lambda_1, lambda_2; otherwise it is None.

    Args:
        C: node costs, (n, m) with n and m at least 1, not negative.
        D_p: signed structure of the agent's steps, (n, n), antisymmetric; an array or Hops, which
            are kept as Hops above SMALL steps.
        D_r: the same for the reference's steps, (m, m).
        mu: masses of the agent's steps, (n,), positive: the target of the row sums.
        nu: masses of the reference's steps, (m,), positive: the target of the column sums.
        theta: weight of structure against node cost, in [0, 1].
        lambda_1: weight of the penalty on row sums, from 1e-6 to 1e9; a float for all steps, or a
            vector (n,).
        lambda_2: the same for the column sums, (m,).

    Raises:
        ValueError: if a shape or a value is out of range, or not finite.
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
            packed = np.empty(_layout(n, m)["lambda_2"][0].stop)
            packed[:_HEAD] = n, m, theta
        fields: dict[str, Any] = {"theta": float(theta), "packed": packed}
        values = C, D_p, D_r, mu, nu, lambda_1, lambda_2
        for (name, (part, shape)), value in zip(_layout(n, m).items(), values, strict=True):
            array = _convert(name, value, shape)
            if not isinstance(array, Hops):  # Hops check themselves
                if packed is None:
                    array = np.ascontiguousarray(np.broadcast_to(array, shape))
                else:
                    packed[part].reshape(shape)[...] = array
                    array = packed[part].reshape(shape)
                _check(name, array)
            fields[name] = array
        self.__dict__.update(fields)

    @classmethod
    def of_packed(cls, packed: Array) -> "Problem":
        """Returns the problem of a packed array, without checks.

        Args:
            packed: the attribute `packed` of a problem.
        """
        problem = object.__new__(cls)
        n, m, theta = packed[:_HEAD].tolist()
        fields: dict[str, Any] = {"packed": packed, "theta": theta}
        for name, (part, shape) in _layout(int(n), int(m)).items():
            fields[name] = packed[part].reshape(shape)
        problem.__dict__.update(fields)
        return problem

    def with_run(self, mu: Array, lambda_1: Array) -> "Problem":
        """Returns the problem with other masses and penalties of the agent's steps.

        Args:
            mu: the masses, (n,).
            lambda_1: the penalties, (n,).
        """
        if self.packed is None:
            structures = self.D_p, self.D_r
            return Problem(self.C, *structures, mu, self.nu, self.theta, lambda_1, self.lambda_2)
        layout, packed = _layout(*self.shape), self.packed.copy()
        packed[layout["mu"][0]] = mu
        packed[layout["lambda_1"][0]] = lambda_1
        return Problem.of_packed(packed)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of steps, (n, m)."""
        n, m = self.C.shape
        return n, m


def _shape(C: ArrayLike) -> tuple[int, int]:
    shape = np.shape(C)
    if len(shape) != 2 or 0 in shape:
        raise ValueError(f"C must be a matrix with at least one row and column: {shape}")
    n, m = shape
    return n, m


def _convert(name: str, value: ArrayLike | Hops, shape: tuple[int, ...]) -> Structure:
    """Returns the hops of a long trace unchanged, and all other arrays as float64."""
    if isinstance(value, Hops):
        array = value if len(value.counts) > SMALL else value.matrix()
    else:
        array = np.asarray(value, dtype=np.float64)
    if array.shape != shape and not (array.shape == () and name.startswith("lambda")):
        raise ValueError(f"{name} must have shape {shape}: {array.shape}")
    return array


@lru_cache(maxsize=1024)
def _layout(n: int, m: int) -> dict[str, tuple[slice, tuple[int, ...]]]:
    """Returns the slice of each array in the packed one, and its shape."""
    shapes = (n, m), (n, n), (m, m), (n,), (m,), (n,), (m,)
    layout: dict[str, tuple[slice, tuple[int, ...]]] = {}
    start = _HEAD
    for name, shape in zip(_NAMES, shapes, strict=True):
        end = start + prod(shape)
        layout[name] = slice(start, end), shape
        start = end
    return layout


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
