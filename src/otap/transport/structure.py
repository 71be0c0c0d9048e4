"""Structure matrices (eq. 2): as arrays, or held compactly as the hops that they are made of."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from otap.transport.parameters import GRADED

Array: TypeAlias = NDArray[np.float64]
# A matrix of float32, which is how the native core holds the couplings of long traces.
Single: TypeAlias = NDArray[Any]
Index: TypeAlias = NDArray[np.intp]
# Steps a side up to which a trace is short. A short structure is an array of float64, and a problem
# of two is solved in double precision; beyond, hops take a quarter of the memory.
SMALL = 100
_TILE = 512


@dataclass(frozen=True, eq=False)
class Hops:
    """The structure matrix D = counts / height of [Barazandeh2026], eq. 2: signed hops over H.

    An index gives entries of D as an array does.

    Args:
        counts: signed hops from each step to each, (n, n), antisymmetric; held as C-contiguous
            int16.
        height: the hops of the graph's longest path H, at least 1.

    Raises:
        ValueError: if counts is not square or not antisymmetric, or height is below 1.
    """

    counts: NDArray[np.int16]
    height: int

    def __post_init__(self) -> None:
        counts = np.ascontiguousarray(self.counts, dtype=np.int16)
        if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
            raise ValueError(f"hops must be a square matrix: {counts.shape}")
        if self.height < 1:
            raise ValueError(f"the height must be at least 1: {self.height}")
        if not _antisymmetric(counts):
            raise ValueError("hops must be antisymmetric")
        object.__setattr__(self, "counts", counts)

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of D."""
        return self.counts.shape[0], self.counts.shape[0]

    def matrix(self) -> Array:
        """D as an array."""
        return self.counts / float(self.height)

    def __getitem__(self, key: Any) -> Any:
        return self.counts[key] / float(self.height)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hops):
            return NotImplemented
        if self is other:
            return True
        return self.height == other.height and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]


Structure: TypeAlias = Array | Hops


def dense(D: Structure) -> Array:
    """A structure as an array of float64, (n, n), whichever way it is held."""
    return D.matrix() if isinstance(D, Hops) else D


def is_graded(D: Array) -> bool:
    """Whether D is graded, D_ik = y_k - y_i for some y."""
    return bool(abs(D - (D[0] - D[0][:, None])).max() < GRADED)


def equal(D: Structure, other: Structure) -> bool:
    """Whether two structures have the same entries, to the last bit."""
    if isinstance(D, Hops) and isinstance(other, Hops) and D.height == other.height:
        return other == D
    return D.shape == other.shape and np.array_equal(dense(D), dense(other))


def _antisymmetric(counts: NDArray[np.int16]) -> bool:
    # Tile by tile, so that both tiles stay in cache.
    starts = range(0, len(counts), _TILE)
    return all(
        not (counts[a : a + _TILE, b : b + _TILE] + counts[b : b + _TILE, a : a + _TILE].T).any()
        for a in starts
        for b in starts
        if b <= a
    )
