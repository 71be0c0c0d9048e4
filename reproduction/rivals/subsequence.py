"""The longest common subsequence, exact and fast enough for texts of many thousand words."""

from collections.abc import Hashable, Sequence


def common_length(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """The length of the longest common subsequence, by a row of bits in a Python integer.

    The table's differences along a row are 0 or 1, and an addition carries them from one row to
    the next: Hyyro, Bit-parallel LCS-length computation revisited (2004). rouge-score fills the
    table cell by cell, which takes seconds where this takes milliseconds.
    """
    places: dict[Hashable, int] = {}
    for place, item in enumerate(first):
        places[item] = places.get(item, 0) | 1 << place
    every = (1 << len(first)) - 1
    row = every  # a bit that is 0 is a step up
    for item in second:
        matched = row & places.get(item, 0)
        row = (row + matched | row - matched) & every
    return len(first) - row.bit_count()
