"""Pairs the members of two lists in near-linear time.

The content of a list decides whether its order counts. Identifiers, words, addresses and objects
(rows, line items, passengers) have no order. Numbers, prose, lists (rows of a table) and mixed
content have one. The settings ``sets`` and ``ordered`` override this.

1. Equal members are paired, the first with the first.
2. Objects are paired by a key: a field with a different value in each row.
3. The remaining members are paired at the least cost if they are few and flat, else in order.

For n members this takes O(n log n). The remaining members take at most MAX_PAIRED times their size
in comparisons, at each of MAX_PAIRED_LEVELS + 1 levels. Beyond the ``budget`` they are paired in
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
from otap.values.value import MAX_PAIRED, MAX_PAIRED_LEVELS, Value

Values = Sequence[Value]
Pairs = list[tuple[int, int]]
# Returns the rows and columns of the pairs with the least total cost in a matrix.
Assign = Callable[[npt.NDArray[np.float64]], tuple[npt.NDArray[Any], npt.NDArray[Any]]]


class Cheapest(NamedTuple):
    """How members are paired at the least cost.

    Attributes:
        distance: a symmetric distance of two members.
        assign: finds the pairs with the least total cost in a matrix.
    """

    distance: Callable[[Value, Value], float]
    assign: Assign


class Pairing(NamedTuple):
    """The pairs of the members of two lists.

    Attributes:
        pairs: the indices of paired members that are not equal.
        left: the indices of the members that only the first list has.
        right: those that only the second list has.
        disorder: the share of all pairs, also equal ones, out of order, in [0, 1); 0 if order has
            no meaning.
    """

    pairs: Sequence[tuple[int, int]]
    left: Sequence[int]
    right: Sequence[int]
    disorder: float


def pair_members(a: Value, b: Value, cheapest: Cheapest | None) -> Pairing:
    """Returns the pairs of the members of two lists; swapping the lists swaps the pairs.

    Args:
        a: a list.
        b: a list.
        cheapest: how the remaining members are paired; None: in order.
    """
    if (len(a.items), a.identity) > (len(b.items), b.identity):
        swapped = pair_members(b, a, cheapest)
        pairs = [(i, j) for j, i in swapped.pairs]
        return Pairing(pairs, swapped.right, swapped.left, swapped.disorder)
    rows, columns = a.items, b.items
    left, right = list(range(len(rows))), list(range(len(columns)))
    equal = _pair_equals([row.identity for row in rows], [column.identity for column in columns])
    left, right = _without_pairs(equal, left, right)
    pairs = _pair_by_key(a, b, left, right)
    left, right = _without_pairs(pairs, left, right)
    is_unordered = a.has_no_order and b.has_no_order
    if is_unordered:  # an order independent of the recorded one
        left.sort(key=lambda i: rows[i].rank)
        right.sort(key=lambda j: columns[j].rank)
    remaining = _pair_remaining([rows[i] for i in left], [columns[j] for j in right], cheapest)
    paired = [(left[i], right[j]) for i, j in remaining]
    left, right = _without_pairs(paired, left, right)
    pairs += paired
    return Pairing(pairs, left, right, 0.0 if is_unordered else _disorder([*equal, *pairs]))


def _without_pairs(pairs: Pairs, left: list[int], right: list[int]) -> tuple[list[int], list[int]]:
    """Returns the indices of both sides without the paired ones."""
    paired_left, paired_right = {i for i, _ in pairs}, {j for _, j in pairs}
    return [i for i in left if i not in paired_left], [j for j in right if j not in paired_right]


def _pair_equals(rows: Sequence[str], columns: Sequence[str]) -> Pairs:
    """Pairs equal texts, the first with the first."""
    waiting = defaultdict(list)
    for j in reversed(range(len(columns))):
        waiting[columns[j]].append(j)
    return [(i, waiting[text].pop()) for i, text in enumerate(rows) if waiting.get(text)]


def _pair_by_key(a: Value, b: Value, left: Sequence[int], right: Sequence[int]) -> Pairs:
    """Pairs rows with the same key."""
    rows, columns = [a.items[i] for i in left], [b.items[j] for j in right]
    key = _find_key_field(rows, columns)
    if key is None:
        return []
    by_key = {b.items[j].members[key].identity: j for j in right}
    pairs = [(i, by_key.get(a.items[i].members[key].identity)) for i in left]
    return [(i, j) for i, j in pairs if j is not None]


def _find_key_field(rows: Values, columns: Values) -> str | None:
    """Returns a field that identifies each row of two lists and is shared by some rows, or None.

    A field named as a key comes first, then the field with most shared values.
    """
    if not rows or not columns or {row.kind for row in (*rows, *columns)} != {"object"}:
        return None
    best: tuple[bool, int, str | None] = False, 0, None
    for name in set.intersection(*(set(row.members) for row in (*rows, *columns))):
        is_key = is_identifying(rows[0].members[name].key)
        shared = _distinct_cells(rows, name, is_key) & _distinct_cells(columns, name, is_key)
        rank = not is_key, -len(shared), name
        if shared and (best[2] is None or rank < best):
            best = rank
    return best[2]


def _distinct_cells(rows: Values, name: str, is_key: bool) -> set[str]:
    """Returns the values of a field if they are exact and distinct, else an empty set.

    Numbers identify rows only under a field named as a key.
    """
    cells = [row.members[name] for row in rows]
    for cell in cells:
        if cell.kind != "leaf" or cell.is_embedded or (cell.is_number and not is_key):
            return set()
    identities = {cell.identity for cell in cells}
    return identities if len(identities) == len(rows) else set()


def _pair_remaining(rows: Values, columns: Values, cheapest: Cheapest | None) -> Pairs:
    """Pairs as many members as possible: at the least cost if few and flat, else in order."""
    in_order = list(zip(range(len(rows)), range(len(columns)), strict=False))
    if not cheapest or not rows or not columns or not _can_matter(rows, columns):
        return in_order
    costs = [[cheapest.distance(row, column) for column in columns] for row in rows]
    if len(set(chain.from_iterable(costs))) == 1:
        return in_order
    row_indices, column_indices = cheapest.assign(np.array(costs))
    return list(zip(row_indices.tolist(), column_indices.tolist(), strict=True))


def _can_matter(rows: Values, columns: Values) -> bool:
    """Whether pairings can differ in cost; different leaves without grades all cost 1."""
    if len(rows) == len(columns) == 1 or max(len(rows), len(columns)) > MAX_PAIRED:
        return False
    members = [*rows, *columns]
    if any(member.levels > MAX_PAIRED_LEVELS for member in members):
        return False
    common_kinds = {row.kind for row in rows} & {column.kind for column in columns}
    return any(member.is_graded and member.kind in common_kinds for member in members)


def _disorder(pairs: Pairs) -> float:
    """Returns the share of pairs outside the longest increasing subsequence [Fredman1975]."""
    ends: list[int] = []
    for _, j in sorted(pairs):
        index = bisect_left(ends, j)
        ends[index : index + 1] = [j]
    return 1 - len(ends) / len(pairs) if pairs else 0.0
