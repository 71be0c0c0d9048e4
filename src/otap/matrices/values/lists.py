"""Which members of two lists stand for each other, in near-linear time.

What a list holds says how it is read. Identifiers, words, addresses, and objects (rows, line
items, passengers) have no order; numbers, prose, lists (rows of a table) and anything mixed do.
The settings beat both: ``sets`` and ``ordered``.

1. Equal members are paired, the first with the first.
2. Objects are paired by a key: a field with a different value in each row.
3. The rest is paired at the least cost where it is small and flat, else in order.

With n members this takes O(n log n), and the rest at most SMALL times its own size in comparisons,
at each of FLAT + 1 levels. Where that is too much in all (``company``), each rest is paired in
order.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np

from otap.matrices.values.rows import key_of
from otap.matrices.values.value import Value
from otap.transport import assignment

SMALL = 8  # members of a rest that are paired at the least cost
FLAT = 2  # levels of data of which this is done: what lies deeper would be compared too often

Cost = Callable[[Value, Value], float]
# How lists are compared: their rests paired at the least cost, or in order; or only equal members.
Way = Literal["cheapest", "listed", "equal"]
Pairs = list[tuple[int, int]]


@dataclass(frozen=True)
class Pairing:
    """The counterparts of two lists' members.

    Attributes:
        pairs: the places of the members that stand for each other and are not equal.
        left: the places of the members that only the first list has.
        right: those that only the second has.
        disorder: the share of the pairs, equal ones too, that are out of order, in [0, 1); 0 where
            order says nothing.
    """

    pairs: Sequence[tuple[int, int]]
    left: Sequence[int]
    right: Sequence[int]
    disorder: float


def paired(a: Value, b: Value, cost: Cost | None) -> Pairing:
    """Returns the counterparts of the members of two lists; exchanged, if the lists are.

    Args:
        a: a list.
        b: a list.
        cost: the distance of two members, the same both ways; None: what is left is paired in
            order.
    """
    if _later(a, b):
        found = _paired(b, a, cost)
        pairs = [(i, j) for j, i in found.pairs]
        return Pairing(pairs, found.right, found.left, found.disorder)
    return _paired(a, b, cost)


def _later(a: Value, b: Value) -> bool:
    return (len(a.items), a.identity) > (len(b.items), b.identity)


def _paired(a: Value, b: Value, cost: Cost | None) -> Pairing:
    rest = _Rest(a.items, b.items)
    equal = rest.pair_equal()
    pairs = rest.pair_by_key()
    free = a.has_no_order and b.has_no_order
    if free:
        rest.sort()
    pairs += rest.pair(cost)
    return Pairing(pairs, rest.left, rest.right, 0.0 if free else _disorder([*equal, *pairs]))


class _Rest:
    """The members of two lists that have no counterpart yet, by their places."""

    def __init__(self, ours: Sequence[Value], theirs: Sequence[Value]) -> None:
        self._ours, self._theirs = ours, theirs
        self.left, self.right = list(range(len(ours))), list(range(len(theirs)))

    def pair_equal(self) -> Pairs:
        """Pairs equal members, the first with the first."""
        waiting = defaultdict(list)
        for j in reversed(self.right):
            waiting[self._theirs[j].identity].append(j)
        found = [(i, waiting[self._ours[i].identity]) for i in self.left]
        return self._taken([(i, places.pop()) for i, places in found if places])

    def pair_by_key(self) -> Pairs:
        """Pairs rows with the same key."""
        rows, others = [self._ours[i] for i in self.left], [self._theirs[j] for j in self.right]
        key = key_of(rows, others)
        if key is None:
            return []
        places = zip(self.right, others, strict=True)
        known = {other.members[key].identity: j for j, other in places}
        found = [(i, known.get(self._ours[i].members[key].identity)) for i in self.left]
        return self._taken([(i, j) for i, j in found if j is not None])

    def sort(self) -> None:
        """Puts the members into an order that does not depend on how they are listed."""
        self.left.sort(key=lambda i: self._ours[i].rank)
        self.right.sort(key=lambda j: self._theirs[j].rank)

    def pair(self, cost: Cost | None) -> Pairs:
        """Pairs as many as there are: at the least cost if they are few and flat, else in order."""
        if not self.left or not self.right:
            return []
        pairs = self._cheapest(cost) if cost and self._is_small and self._may_differ else None
        return self._taken(pairs or list(zip(self.left, self.right, strict=False)))

    def _cheapest(self, cost: Cost) -> Pairs | None:
        """The pairs of least cost; None where all pairs cost the same."""
        costs = [[cost(self._ours[i], self._theirs[j]) for j in self.right] for i in self.left]
        if len(set(chain.from_iterable(costs))) == 1:
            return None
        places = zip(*assignment(np.array(costs)), strict=True)
        return [(self.left[i], self.right[j]) for i, j in places]

    @property
    def _is_small(self) -> bool:
        if max(len(self.left), len(self.right)) > SMALL:
            return False
        ours, theirs = (self._ours[i] for i in self.left), (self._theirs[j] for j in self.right)
        return all(member.levels <= FLAT for member in (*ours, *theirs))

    @property
    def _may_differ(self) -> bool:
        """Whether one pair may cost less than another: leaves that are not equal all cost 1."""
        if len(self.left) == len(self.right) == 1:
            return False
        ours, theirs = [self._ours[i] for i in self.left], [self._theirs[j] for j in self.right]
        graded = {one.kind for one in (*ours, *theirs) if one.is_graded}
        return not graded.isdisjoint({one.kind for one in ours} & {one.kind for one in theirs})

    def _taken(self, pairs: Pairs) -> Pairs:
        left, right = {i for i, _ in pairs}, {j for _, j in pairs}
        self.left = [i for i in self.left if i not in left]
        self.right = [j for j in self.right if j not in right]
        return pairs


def _disorder(pairs: Pairs) -> float:
    """The share of pairs outside the longest increasing subsequence [Fredman1975]."""
    ends: list[int] = []
    for _, j in sorted(pairs):
        place = bisect_left(ends, j)
        ends[place : place + 1] = [j]
    return 1 - len(ends) / len(pairs) if pairs else 0.0
