"""The distances of pairs that were compared before, kept by the numbers of what was compared."""

import math
from collections.abc import Callable, Sequence
from itertools import count
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from otap._caching import Kept
from otap.transport.core import native

Matrix = npt.NDArray[np.float64]
Places = Sequence[int]
Thing = TypeVar("Thing", str, tuple[str, str | None, bool])

KEPT = 150_000  # pairs of a generation, of which the native core holds two in 12 MB
MOST = 20_000  # pairs that are compared at once, up to which they are kept


class Numbers(Generic[Thing]):
    """Numbers of things from 1 on, equal for equal things; what was let go gets a new one.

    Args:
        size: as of `Kept`.
        weight: as of `Kept`.
    """

    def __init__(self, size: int, weight: Callable[[Thing], int] = lambda _: 1) -> None:
        self._next = count(1)
        self._known: Kept[Thing, int] = Kept(size, weight)

    def of(self, things: Sequence[Thing]) -> list[int]:
        """Returns the number of each thing."""
        known = self._known.get_all(things)
        return [
            self._new(thing) if number is None else number
            for thing, number in zip(things, known, strict=True)
        ]

    def _new(self, thing: Thing) -> int:
        known = self._known.get(thing)  # it may stand there twice
        return self._known.put(thing, next(self._next)) if known is None else known


class KnownPairs:
    """The distance of each two of some numbered things: it depends on these two alone."""

    def __init__(self) -> None:
        core = native()
        self._table = core.PairTable(KEPT) if core else PairTable(KEPT)

    def among(
        self,
        rows: Sequence[int],
        columns: Sequence[int],
        compare: Callable[[Places, Places], Matrix],
    ) -> Matrix:
        """Returns the distance of each row from each column.

        Args:
            rows: the numbers of things.
            columns: those of the other side.
            compare: compares what stands at some places of both sides, each with each.
        """
        found: Matrix
        found, missing = self._table.find(rows, columns)
        if missing:
            unknown = np.isnan(found)
            i, j = (np.flatnonzero(unknown.any(axis=axis)).tolist() for axis in (1, 0))
            new = compare(i, j)
            found[np.ix_(i, j)] = new
            self._table.put([rows[k] for k in i], [columns[k] for k in j], new)
        return found


class PairTable:
    """Values of pairs of numbers, as the native core keeps them.

    Args:
        size: pairs of a generation.
    """

    def __init__(self, size: int) -> None:
        self._known: Kept[tuple[int, int], float] = Kept(size)

    def find(self, rows: Sequence[int], columns: Sequence[int]) -> tuple[Matrix, int]:
        """Returns the matrix of what is kept, NaN where nothing is, and how many these are."""
        known = self._known.get_all([(row, column) for row in rows for column in columns])
        values = [math.nan if one is None else one for one in known]
        return np.array(values).reshape(len(rows), len(columns)), known.count(None)

    def put(self, rows: Sequence[int], columns: Sequence[int], values: Matrix) -> None:
        """Keeps the values of all pairs of rows and columns."""
        pairs = ((row, column) for row in rows for column in columns)
        self._known.put_all(dict(zip(pairs, values.ravel().tolist(), strict=True)))
