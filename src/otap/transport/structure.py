"""Structure matrices (eq. 2), as arrays or compactly as hops."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from otap.transport.parameters import GRADED

Array: TypeAlias = NDArray[np.float64]
# A matrix of float32: the couplings of long traces in the native core.
Single: TypeAlias = NDArray[Any]
Index: TypeAlias = NDArray[np.intp]
# The maximum number of steps of a short trace. Short structures are arrays of float64, and problems
# of two short traces are solved in double precision; hops need a quarter of the memory.
SMALL = 100
_TILE = 512


@dataclass(frozen=True, eq=False)
class Hops:
    """The structure matrix D = counts / height of [Barazandeh2026], eq. 2: signed hops over H.

    Indexing returns entries of D, as for an array.

    Args:
        counts: signed hops between steps, (n, n), antisymmetric; stored as C-contiguous int16.
        height: the length H of the longest path of the graph, at least 1.

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
        """Returns D as an array."""
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
    """Returns a structure as an array of float64, (n, n)."""
    return D.matrix() if isinstance(D, Hops) else D


def is_graded(D: Array) -> bool:
    """Returns whether D is graded: D_ik = y_k - y_i for some y."""
    return bool(abs(D - (D[0] - D[0][:, None])).max() < GRADED)


def equal(D: Structure, other: Structure) -> bool:
    """Returns whether two structures have exactly the same entries."""
    if isinstance(D, Hops) and isinstance(other, Hops) and D.height == other.height:
        return other == D
    return D.shape == other.shape and np.array_equal(dense(D), dense(other))


def _antisymmetric(counts: NDArray[np.int16]) -> bool:
    # By tiles, so that both tiles stay in the cache.
    starts = range(0, len(counts), _TILE)
    return all(
        not (counts[a : a + _TILE, b : b + _TILE] + counts[b : b + _TILE, a : a + _TILE].T).any()
        for a in starts
        for b in starts
        if b <= a
    )
