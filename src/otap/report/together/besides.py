"""What runs do besides the reference, aligned to each other as in a progressive alignment.

The runs are taken one after the other, the longest first [Feng1987]. What one of them does besides,
between two steps that stand for steps of the reference, is aligned with the columns that are there
already [Needleman1970]: a column takes calls of the same tool that ended alike, those with the same
arguments before others. What finds no column makes one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from otap.report.together.calls import Call


@dataclass(frozen=True)
class Stretch:
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

    @property
    def key(self) -> tuple[int, int, tuple[tuple[str, bool, str], ...]]:
        """What tells it apart; stretches that have the same are the same."""
        return self.first, self.last, tuple((c.tool, c.failed, c.text) for c in self.calls)


@dataclass(eq=False)
class Slot:
    """A column that the reference lacks, while it is filled.

    Attributes:
        gap: where it stands.
        kind: what its calls have in common.
        texts: the arguments that were met in it.
        leaves: the single values of these.
    """

    gap: int
    kind: tuple[str, bool]
    texts: set[str] = field(default_factory=set)
    leaves: set[str] = field(default_factory=set)

    def take(self, call: Call) -> None:
        """Adds what a run does there."""
        self.texts.add(call.text)
        self.leaves |= call.leaves

    def likeness(self, call: Call) -> float:
        """How well a call fits: 0 not at all, 1 to 2 by its tool, 3 where it was met before."""
        if call.kind != self.kind:
            return 0.0
        if call.text in self.texts:
            return 3.0
        return 1.0 + len(call.leaves & self.leaves) / max(len(call.leaves), 1)


def slots(stretches: Sequence[Stretch]) -> tuple[list[Slot], list[list[Slot]]]:
    """Returns the columns in their order, and for each stretch the column of each of its steps.

    The order of the stretches is of no importance, and equal ones have equal columns.

    Args:
        stretches: of all runs.
    """
    profile: list[Slot] = []
    placed: dict[object, list[Slot]] = {}
    different = {one.key: one for one in stretches}
    for key in sorted(different, key=lambda key: (-len(key[2]), key)):
        placed[key] = _align(different[key], profile)
    return profile, [placed[one.key] for one in stretches]


def _align(stretch: Stretch, profile: list[Slot]) -> list[Slot]:
    """Puts a stretch into the profile, which gets the columns that it lacks."""
    start = sum(one.gap < stretch.first for one in profile)
    end = sum(one.gap <= stretch.last for one in profile)
    met = _met(stretch.calls, profile[start:end])
    found, at, gap = [], start, stretch.first
    for place, call in enumerate(stretch.calls):
        if place in met:
            at = start + met[place]
        else:
            # Columns made above moved those behind: `at` is where the last step stands.
            profile.insert(at, Slot(gap, call.kind))
            start += 1
        slot = profile[at]
        slot.take(call)
        found.append(slot)
        at, gap = at + 1, slot.gap
    return found


def _met(calls: Sequence[Call], slots: Sequence[Slot]) -> Mapping[int, int]:
    """The column of each call that finds one, in order, at the greatest likeness in all."""
    likeness = [[slot.likeness(call) for slot in slots] for call in calls]
    best = [[0.0] * (len(slots) + 1)]
    for row in likeness:
        best.append(_extended(best[-1], row))
    met: dict[int, int] = {}
    i, j = len(calls), len(slots)
    while i and j:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            met[i] = j
    return met


def _extended(above: Sequence[float], row: Sequence[float]) -> list[float]:
    """The next row of the table: each entry the best of leaving out either, or pairing both."""
    paired = (max(above[j + 1], above[j] + like) for j, like in enumerate(row))
    return list(accumulate(paired, max, initial=0.0))
