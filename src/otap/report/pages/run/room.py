"""What a page has room for: it opens at once, however long its runs are."""

from collections.abc import Sequence
from typing import NamedTuple

ROWS = 1000  # of all references together
OF_OTHERS = 60  # rows of each reference but the best
CHARACTERS = 1_200_000  # that the fields of all steps together take
SHORTEST, LONGEST = 120, 4000  # characters of one field, whatever there are
_FIELDS = 3  # of a step that are long, as a rule


class Room(NamedTuple):
    """How many rows of one reference have room, and how many characters each field of theirs."""

    rows: int
    characters: int


def rooms(rows: Sequence[int]) -> list[Room]:
    """Returns what there is room for of each reference; the best has what the others leave.

    Args:
        rows: how many each reference has, the best first.
    """
    others = [min(OF_OTHERS, count) for count in rows[1:]]
    counts = [min(rows[0], ROWS - sum(others)), *others]
    texts = 2 * _FIELDS * max(1, sum(counts))
    characters = max(SHORTEST, min(LONGEST, CHARACTERS // texts))
    return [Room(count, characters) for count in counts]
