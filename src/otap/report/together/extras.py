"""What runs do besides the reference, aligned to each other as in a progressive alignment.

The runs are taken one after the other, the longest first [Feng1987]. What one of them does besides,
between two steps that stand for steps of the reference, is aligned with the columns that are there
already [Needleman1970]: a column takes calls of the same tool that ended alike, those with the same
arguments before others. What finds no column makes one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from otap.report.together.grid import Call


class ExtraCalls(NamedTuple):
    """What a run does besides, one step after the other, between two steps that have their column.

    Attributes:
        first: the first gap that it may stand in; gap k is the one before column k of the
            reference.
        last: the last one.
        calls: what the steps call.
    """

    first: int
    last: int
    calls: tuple[Call, ...]


@dataclass(eq=False)
class ExtraColumn:
    """A column that the reference lacks, while it is filled.

    Attributes:
        gap: where it stands.
        tool: what its calls have in common.
        failed: whether they failed.
        texts: the arguments that were met in it.
        leaves: the single values of these.
    """

    gap: int
    tool: str
    failed: bool
    texts: set[str] = field(default_factory=set)
    leaves: set[str] = field(default_factory=set)

    def likeness(self, call: Call) -> float:
        """How well a call fits: 0 not at all, 1 to 2 by its tool, 3 where it was met before."""
        if (call.tool, call.failed) != (self.tool, self.failed):
            return 0.0
        if call.text in self.texts:
            return 3.0
        return 1.0 + len(call.leaves & self.leaves) / max(len(call.leaves), 1)


def align_extras(extras: Sequence[ExtraCalls]) -> tuple[list[ExtraColumn], list[list[ExtraColumn]]]:
    """Returns the columns in their order, and the column of each step of what was given.

    The order of what is given is of no importance, and what is equal has equal columns.

    Args:
        extras: of all runs.
    """
    profile: list[ExtraColumn] = []
    ranked = sorted({*extras}, key=lambda one: (-len(one.calls), one))
    placed = {one: _align(one, profile) for one in ranked}
    return profile, [placed[one] for one in extras]


def _align(extra: ExtraCalls, profile: list[ExtraColumn]) -> list[ExtraColumn]:
    """Puts calls into the profile, which gets the columns that it lacks."""
    start = sum(one.gap < extra.first for one in profile)
    end = sum(one.gap <= extra.last for one in profile)
    met = _match_columns(extra.calls, profile[start:end])
    found, at, gap = [], start, extra.first
    for place, call in enumerate(extra.calls):
        if place in met:
            at = start + met[place]
        else:
            # Columns made above moved those behind: `at` is where the last step stands.
            profile.insert(at, ExtraColumn(gap, call.tool, call.failed))
            start += 1
        column = profile[at]
        column.texts.add(call.text)
        column.leaves |= call.leaves
        found.append(column)
        at, gap = at + 1, column.gap
    return found


def _match_columns(calls: Sequence[Call], columns: Sequence[ExtraColumn]) -> Mapping[int, int]:
    """The column of each call that finds one, in order, at the greatest likeness in all."""
    best = [[0.0] * (len(columns) + 1)]
    for call in calls:
        above, row = best[-1], [column.likeness(call) for column in columns]
        paired = (max(above[j + 1], above[j] + like) for j, like in enumerate(row))
        best.append(list(accumulate(paired, max, initial=0.0)))
    met: dict[int, int] = {}
    i, j = len(calls), len(columns)
    while i and j:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            met[i] = j
    return met
