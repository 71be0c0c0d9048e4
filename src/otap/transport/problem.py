"""The problem as a value: what is to be transported, and what it costs."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from otap.transport.arrays import Array
from otap.transport.structure import SMALL, Hops, Structure

# Hops over a longest path are small fractions; a real asymmetry is far above this.
_ANTISYMMETRY = 1e-12
# Beyond, exp(cost / lambda) or the products of mass and lambda leave double precision.
_LEAST_LAMBDA, _MOST_LAMBDA = 1e-6, 1e9
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
        values = C, D_p, D_r, mu, nu, lambda_1, lambda_2
        packed = _empty(n, m, theta) if max(n, m) <= SMALL else None
        places = {} if packed is None else {name: _part(packed, name) for name in _shapes(n, m)}
        arrays = {
            name: _held(name, value, shape, places.get(name))
            for (name, shape), value in zip(_shapes(n, m).items(), values, strict=True)
        }
        if packed is None or not _plainly_right(packed, places):
            _check(arrays)
        fields = {**arrays, "theta": float(theta), "packed": packed}
        for name, held in fields.items():
            object.__setattr__(self, name, held)

    @classmethod
    def of_packed(cls, packed: Array) -> "Problem":
        """The problem that lies in an array, which is not checked again.

        Args:
            packed: the array as a problem holds it.
        """
        found = object.__new__(cls)
        held: dict[str, Any] = {"packed": packed, "theta": float(packed[2])}
        found.__dict__.update(held)
        return found

    def __getattr__(self, name: str) -> Array:
        """A part of a packed problem, when it is first asked for."""
        packed = self.__dict__.get("packed")
        if packed is None or name not in _NAMES:
            raise AttributeError(f"a problem has no attribute {name!r}")
        part: Array = self.__dict__.setdefault(name, _part(packed, name))
        return part

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


def _held(
    name: str, value: ArrayLike | Hops, shape: tuple[int, ...], place: Array | None
) -> Structure:
    """A value as it is held: in its place of the packed array where there is one."""
    given = _given(value)
    if given.shape != shape and not (given.shape == () and name.startswith("lambda")):
        raise ValueError(f"{name} must have shape {shape}: {given.shape}")
    if isinstance(given, Hops):
        return given
    if place is None:
        return np.ascontiguousarray(np.broadcast_to(given, shape))
    place[...] = given
    return place


def _given(value: ArrayLike | Hops) -> Structure:
    """The hops of a long trace as they are, all else in float64."""
    if isinstance(value, Hops):
        return value if len(value.counts) > SMALL else value.matrix()
    return np.asarray(value, dtype=np.float64)


@lru_cache(maxsize=1024)
def _shapes(n: int, m: int) -> dict[str, tuple[int, ...]]:
    """The shape of each array, in the order in which they are packed."""
    return dict(zip(_NAMES, ((n, m), (n, n), (m, m), (n,), (m,), (n,), (m,)), strict=True))


@lru_cache(maxsize=1024)
def _places(n: int, m: int) -> dict[str, slice]:
    """Where each array lies in the packed one."""
    ends = list(accumulate(map(prod, _shapes(n, m).values()), initial=_HEAD))
    return {name: slice(*ends[k : k + 2]) for k, name in enumerate(_shapes(n, m))}


def _empty(n: int, m: int, theta: float) -> Array:
    """One array for all of a problem, of which the parts are still to be filled."""
    packed = np.empty(_HEAD + sum(map(prod, _shapes(n, m).values())))
    packed[:_HEAD] = n, m, theta
    return packed


def _part(packed: Array, name: str) -> Array:
    n, m = int(packed[0]), int(packed[1])
    return packed[_places(n, m)[name]].reshape(_shapes(n, m)[name])


def _plainly_right(packed: Array, arrays: dict[str, Array]) -> bool:
    """Whether all values are valid, by few passes over the array; _check says which is not."""
    n, m = arrays["C"].shape
    return bool(
        np.isfinite(packed).all()
        and packed[3 : 3 + n * m].min() >= 0
        and packed[-2 * (n + m) :].min() > 0
        and packed[-(n + m) :].min() >= _LEAST_LAMBDA
        and packed[-(n + m) :].max() <= _MOST_LAMBDA
        and not any((arrays[name] + arrays[name].T).any() for name in ("D_p", "D_r"))
    )


def _check(fields: dict[str, Structure]) -> None:
    # Hops have been checked when they were made.
    arrays = {name: held for name, held in fields.items() if not isinstance(held, Hops)}
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite")
    if arrays["C"].min() < 0:
        raise ValueError(f"C must not be negative: {arrays['C'].min()}")
    for name in {"D_p", "D_r"} & arrays.keys():
        if abs(arrays[name] + arrays[name].T).max() > _ANTISYMMETRY:
            raise ValueError(f"{name} must be antisymmetric")
    for name in ("mu", "nu", "lambda_1", "lambda_2"):
        if arrays[name].min() <= 0:
            raise ValueError(f"{name} must be positive: {arrays[name].min()}")
    _check_lambdas(arrays)


def _check_lambdas(arrays: dict[str, Array]) -> None:
    for name in ("lambda_1", "lambda_2"):
        low, high = arrays[name].min(), arrays[name].max()
        if low < _LEAST_LAMBDA or high > _MOST_LAMBDA:
            raise ValueError(
                f"{name} must lie from {_LEAST_LAMBDA:g} to {_MOST_LAMBDA:g}: {low}, {high}"
            )
