"""The problem as a value: what is to be transported, and what it costs."""

from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from otap.transport.structure import Hops, Structure

Array: TypeAlias = NDArray[np.float64]

# Hops over a longest path are small fractions; a real asymmetry is far above this.
_ANTISYMMETRY = 1e-12

PACKED = 100


@dataclass(frozen=True, eq=False)
class Problem:
    """One fused unbalanced Gromov-Wasserstein problem (eq. 3), checked once on construction.

    C: node costs, (n, m), none negative.
    D_p, D_r: signed structure of the agent's and of the reference's steps, (n, n) and (m, m),
        antisymmetric; as arrays, or as Hops, which are held so beyond PACKED steps.
    mu, nu: masses of the steps, (n,) and (m,), positive.
    theta: weight of structure against node cost, in [0, 1].
    lambda_1, lambda_2: weights of the two marginal penalties, positive; a float is held as the
        same weight for every step, a vector gives each step its own.

    n and m are at least 1. Other arrays are held as C-contiguous float64; a value outside what is
    said here is a ValueError. Up to PACKED steps a side `packed` is all of them in one array, in
    the order n, m, theta, C, D_p, D_r, mu, nu, lambda_1, lambda_2, as the native core reads it.
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
        shape = np.shape(C)
        if len(shape) != 2 or 0 in shape:
            raise ValueError(f"C must be a matrix with at least one row and column: {shape}")
        if not 0.0 <= theta <= 1.0:
            raise ValueError(f"theta must lie in [0, 1]: {theta}")
        n, m = shape
        shapes = {
            "C": (n, m), "D_p": (n, n), "D_r": (m, m), "mu": (n,), "nu": (m,), "lambda_1": (n,),
            "lambda_2": (m,),
        }  # fmt: skip
        values = C, D_p, D_r, mu, nu, lambda_1, lambda_2
        packed, places = _packed(theta, shapes) if max(shape) <= PACKED else (None, {})
        arrays: dict[str, Structure] = {}
        for (name, wanted), value in zip(shapes.items(), values, strict=True):
            given = _given(value)
            if given.shape != wanted and not (given.shape == () and name.startswith("lambda")):
                raise ValueError(f"{name} must have shape {wanted}: {given.shape}")
            if isinstance(given, Hops):
                arrays[name] = given
            elif name in places:
                places[name][...] = given
                arrays[name] = places[name]
            else:
                arrays[name] = np.ascontiguousarray(np.broadcast_to(given, wanted))
        if packed is None or not _plainly_right(packed, places):
            _check(arrays)
        fields = {**arrays, "theta": float(theta), "packed": packed}
        for name, held in fields.items():
            object.__setattr__(self, name, held)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of steps on either side, (n, m)."""
        n, m = self.C.shape
        return n, m


def _given(value: ArrayLike | Hops) -> Structure:
    """A value as it is held: the hops of a long trace as they are, all else in float64."""
    if isinstance(value, Hops):
        return value if len(value.counts) > PACKED else value.matrix()
    return np.asarray(value, dtype=np.float64)


def _packed(theta: float, shapes: dict[str, tuple[int, ...]]) -> tuple[Array, dict[str, Array]]:
    """One array for all of a problem, and the part of it for each field, still to be filled."""
    packed = np.empty(3 + sum(map(prod, shapes.values())))
    packed[:3] = *shapes["C"], theta
    parts, start = {}, 3
    for name, shape in shapes.items():
        end = start + prod(shape)
        parts[name] = packed[start:end].reshape(shape)
        start = end
    return packed, parts


def _plainly_right(packed: Array, arrays: dict[str, Array]) -> bool:
    """Whether nothing is wrong, by few looks at all numbers together; else _check says what is."""
    n, m = arrays["C"].shape
    return bool(
        np.isfinite(packed).all()
        and packed[3 : 3 + n * m].min() >= 0
        and packed[-2 * (n + m) :].min() > 0
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
