"""What a page has room for: it opens at once, however long its runs are."""

from collections.abc import Sequence
from typing import NamedTuple

ROWS = 1000  # of all references together
OF_OTHERS = 60  # rows of each reference but the best
CHARACTERS = 1_000_000  # that the fields of all steps together take
SHORTEST, LONGEST = 120, 4000  # characters of one field, whatever there are
VALUES = 6000  # values of arguments that have a line of their own
FEWEST, MOST = 4, 60  # of one step
_FIELDS = 3  # of a step that are long, as a rule


class Room(NamedTuple):
    """What there is room for of one reference.

    Attributes:
        rows: how many.
        characters: of each field.
        values: of the arguments of each step, those that differ first.
    """

    rows: int
    characters: int
    values: int


def rooms(rows: Sequence[int]) -> list[Room]:
    """Returns what there is room for of each reference; the best has what the others leave.

    Args:
        rows: how many each reference has, the best first.
    """
    others = [min(OF_OTHERS, count) for count in rows[1:]]
    counts = [min(rows[0], ROWS - sum(others)), *others]
    whole = max(1, sum(counts))
    characters = _between(SHORTEST, CHARACTERS // (2 * _FIELDS * whole), LONGEST)
    values = _between(FEWEST, VALUES // whole, MOST)
    return [Room(count, characters, values) for count in counts]


def _between(least: int, number: int, most: int) -> int:
    return max(least, min(number, most))
