"""The distances of pairs that were compared before, kept by the numbers of what was compared."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from otap._caching import Kept

T = TypeVar("T")
Places = Sequence[int]

KEPT = 100_000  # pairs of a generation: some 20 MB
MOST = 20_000  # pairs that are compared at once, up to which they are kept


class KnownPairs(Generic[T]):
    """What each two things of some numbers are to each other: it depends on these two alone."""

    def __init__(self) -> None:
        self._known: Kept[int, T] = Kept(KEPT)

    def among(
        self,
        rows: Sequence[int],
        columns: Sequence[int],
        compare: Callable[[Places, Places], Sequence[Sequence[T]]],
    ) -> list[T]:
        """Returns what each row is to each column, row by row.

        Args:
            rows: the numbers of things, below 2^32.
            columns: those of the other side.
            compare: compares what stands at some places of both sides, each with each.
        """
        keys = [row << 32 | column for row in rows for column in columns]
        known = self._known.get_all(keys)
        found = [one for one in known if one is not None]
        return found if len(found) == len(keys) else self._completed(known, keys, columns, compare)

    def _completed(
        self,
        known: Sequence[T | None],
        keys: Sequence[int],
        columns: Sequence[int],
        compare: Callable[[Places, Places], Sequence[Sequence[T]]],
    ) -> list[T]:
        """All of them, after those that are not known were compared."""
        new = [place for place, one in enumerate(known) if one is None]
        width = len(columns)
        i, j = sorted({place // width for place in new}), sorted({place % width for place in new})
        row_of, column_of = ({place: k for k, place in enumerate(some)} for some in (i, j))
        compared = compare(i, j)
        return [
            self._known.put(keys[place], compared[row_of[place // width]][column_of[place % width]])
            if one is None
            else one
            for place, one in enumerate(known)
        ]
