"""Which members of two lists stand for each other, in near-linear time.

What a list holds says how it is read. Identifiers, words, addresses, and objects (rows, line
items, passengers) have no order; numbers, prose, lists (rows of a table) and anything mixed do.
The settings beat both: ``sets`` and ``ordered``.

1. Equal members are paired, the first with the first.
2. Objects are paired by a key: a field with a different value in each row.
3. The rest is paired at the least cost where it is small and flat, else in order.

With n members this takes O(n log n), and the rest at most SMALL times its own size in comparisons,
at each of FLAT + 1 levels. Where that is too much in all (``effort``), each rest is paired in
order.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from otap.values.keys import is_identifying
from otap.values.parameters import FLAT, SMALL
from otap.values.value import Value

Values = Sequence[Value]
Pairs = list[tuple[int, int]]
# The rows and columns of the pairs of least total cost in a matrix.
Assign = Callable[[npt.NDArray[np.float64]], tuple[npt.NDArray[Any], npt.NDArray[Any]]]


class Cheapest(NamedTuple):
    """How members are paired at the least cost.

    Attributes:
        distance: the distance of two members, the same both ways.
        assign: the pairs of least total cost in a matrix.
    """

    distance: Callable[[Value, Value], float]
    assign: Assign


class Pairing(NamedTuple):
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


def pair_members(a: Value, b: Value, cheapest: Cheapest | None) -> Pairing:
    """Returns the counterparts of the members of two lists; exchanged, if the lists are.

    Args:
        a: a list.
        b: a list.
        cheapest: how what is left is paired; None: in order.
    """
    if (len(a.items), a.identity) > (len(b.items), b.identity):
        found = pair_members(b, a, cheapest)
        return Pairing([(i, j) for j, i in found.pairs], found.right, found.left, found.disorder)
    ours, theirs = a.items, b.items
    left, right = list(range(len(ours))), list(range(len(theirs)))
    equal = _pairs_of_equals([one.identity for one in ours], [one.identity for one in theirs])
    _take(equal, left, right)
    pairs = _pairs_by_key(a, b, left, right)
    _take(pairs, left, right)
    free = a.has_no_order and b.has_no_order
    if free:  # an order that does not depend on how they are listed
        left.sort(key=lambda i: ours[i].rank)
        right.sort(key=lambda j: theirs[j].rank)
    rest = _pairs_of_rest([ours[i] for i in left], [theirs[j] for j in right], cheapest)
    paired = [(left[i], right[j]) for i, j in rest]
    _take(paired, left, right)
    pairs += paired
    return Pairing(pairs, left, right, 0.0 if free else _disorder([*equal, *pairs]))


def _take(pairs: Pairs, left: list[int], right: list[int]) -> None:
    """Leaves out the members that have a counterpart."""
    ours, theirs = {i for i, _ in pairs}, {j for _, j in pairs}
    left[:] = [i for i in left if i not in ours]
    right[:] = [j for j in right if j not in theirs]


def _pairs_of_equals(ours: Sequence[str], theirs: Sequence[str]) -> Pairs:
    """Pairs equal texts, the first with the first."""
    waiting = defaultdict(list)
    for j in reversed(range(len(theirs))):
        waiting[theirs[j]].append(j)
    return [(i, waiting[one].pop()) for i, one in enumerate(ours) if waiting.get(one)]


def _pairs_by_key(a: Value, b: Value, left: Sequence[int], right: Sequence[int]) -> Pairs:
    """Pairs rows with the same key."""
    rows, others = [a.items[i] for i in left], [b.items[j] for j in right]
    key = _key_of_rows(rows, others)
    if key is None:
        return []
    known = {other.members[key].identity: j for j, other in zip(right, others, strict=True)}
    found = [(i, known.get(a.items[i].members[key].identity)) for i in left]
    return [(i, j) for i, j in found if j is not None]


def _key_of_rows(rows: Values, others: Values) -> str | None:
    """The field that names each row of two lists, and some row of both; None: no field does.

    Of several it is one that is named as a key, then the one that names most rows of both lists.
    """
    if not rows or not others or {row.kind for row in (*rows, *others)} != {"object"}:
        return None
    best: tuple[bool, int, str | None] = False, 0, None
    for name in set.intersection(*(set(row.members) for row in (*rows, *others))):
        identifying = is_identifying(rows[0].members[name].key)
        shared = _cells(rows, name, identifying) & _cells(others, name, identifying)
        rank = not identifying, -len(shared), name
        if shared and (best[2] is None or rank < best):
            best = rank
    return best[2]


def _cells(rows: Values, name: str, identifying: bool) -> set[str]:
    """The values of a field where each row has an exact one of its own; else none.

    Numbers tell rows apart only where the field is named as a key.
    """
    cells = [row.members[name] for row in rows]
    if any(
        cell.kind != "leaf" or cell.worded or (cell.is_number and not identifying) for cell in cells
    ):
        return set()
    found = {cell.identity for cell in cells}
    return found if len(found) == len(rows) else set()


def _pairs_of_rest(ours: Values, theirs: Values, cheapest: Cheapest | None) -> Pairs:
    """Pairs as many as there are: at the least cost if they are few and flat, else in order."""
    in_order = list(zip(range(len(ours)), range(len(theirs)), strict=False))
    if not cheapest or not ours or not theirs or not _may_matter(ours, theirs):
        return in_order
    costs = [[cheapest.distance(one, other) for other in theirs] for one in ours]
    if len(set(chain.from_iterable(costs))) == 1:
        return in_order
    rows, columns = cheapest.assign(np.array(costs))
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _may_matter(ours: Values, theirs: Values) -> bool:
    """Whether one pairing of a small rest may cost less than another: unequal leaves all cost 1."""
    if len(ours) == len(theirs) == 1 or max(len(ours), len(theirs)) > SMALL:
        return False
    if any(member.levels > FLAT for member in (*ours, *theirs)):
        return False
    graded = {one.kind for one in (*ours, *theirs) if one.is_graded}
    return not graded.isdisjoint({one.kind for one in ours} & {one.kind for one in theirs})


def _disorder(pairs: Pairs) -> float:
    """The share of pairs outside the longest increasing subsequence [Fredman1975]."""
    ends: list[int] = []
    for _, j in sorted(pairs):
        place = bisect_left(ends, j)
        ends[place : place + 1] = [j]
    return 1 - len(ends) / len(pairs) if pairs else 0.0
