"""What was read or compared before, kept by what it says."""

import marshal
from collections.abc import Callable, Sequence
from itertools import count, repeat
from typing import Any, Generic, TypeVar, cast

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap.transport.native.preparing import pair_table

Matrix = npt.NDArray[np.float64]
Places = Sequence[int]
T = TypeVar("T")

KEPT = 150_000  # pairs of a generation, of which the native core holds two in 12 MB
MOST = 20_000  # pairs that are compared at once, up to which they are kept
_VERSION = 2  # of marshal's format: the last one in which equal data gives equal bytes
_ENTRY = 200  # what an entry takes beside the data that it was read of, in bytes


class ReadOnce(Generic[T]):
    """What was read of data, kept by what the data says and by which rules it was read.

    In data, 1, 1.0 and true are three, and the order of keys counts: what says the same in another
    order is read again, no more.

    Args:
        read: reads a piece of data by some rules.
        size: bytes of data of which it is kept; then all of it goes.
    """

    def __init__(self, read: Callable[[Any, Any], T], size: int) -> None:
        self._read, self._size, self._used = read, size, 0
        self._known: dict[tuple[bytes, object], T] = {}

    def of(self, data: Sequence[JsonValue], rules: Sequence[object]) -> list[T]:
        """Returns what each piece of data says, by the rules for it; None where there are none."""
        try:
            contents = list(map(marshal.dumps, data, repeat(_VERSION)))
        except ValueError:  # nested too deeply, or no plain JSON
            return list(map(self._read, data, rules))
        keys = list(zip(contents, rules, strict=True))
        found = list(map(self._known.get, keys))
        for place, known in enumerate(found):
            if known is None:
                found[place] = self._add(keys[place], data[place])
        return cast(list[T], found)

    def _add(self, key: tuple[bytes, object], data: JsonValue) -> T:
        self._used += len(key[0]) + _ENTRY
        if self._used > self._size:
            self._known, self._used = {}, len(key[0]) + _ENTRY
        value = self._known[key] = self._read(data, key[1])
        return value


class Numbers(dict[str, int]):
    """Numbers of texts from 1 on, equal for equal texts; what was let go gets a new one.

    Args:
        size: characters of texts that are known, and what an entry takes; then all of them go.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self._next, self._size, self._used = count(1), size, 0

    def __missing__(self, text: str) -> int:
        """Gives a text a number."""
        self._used += len(text) + _ENTRY
        if self._used > self._size:
            self.clear()
            self._used = len(text) + _ENTRY
        number = self[text] = next(self._next)
        return number


class KnownPairs:
    """The distance of each two of some numbered things: it depends on these two alone."""

    def __init__(self) -> None:
        self._table = pair_table(KEPT)

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
        if self._table is None:
            return compare(range(len(rows)), range(len(columns)))
        found: Matrix
        found, missing = self._table.find(rows, columns)
        if missing:
            unknown = np.isnan(found)
            i = np.flatnonzero(unknown.any(axis=1)).tolist()
            j = np.flatnonzero(unknown.any(axis=0)).tolist()
            new = compare(i, j)
            found[np.ix_(i, j)] = new
            self._table.put([*map(rows.__getitem__, i)], [*map(columns.__getitem__, j)], new)
        return found
