"""The distance of structured data: keys and leaves, compared one by one.

Objects: the mean over the union of their keys, a key that only one has costs 1. Lists: the
cheapest alignment that keeps their order [Needleman1970], a gap costs 1, divided by the longer
length. Leaves: identifiers, numbers, dates and single words are equal or not; text of several
words costs its embedding distance. Different types cost 1, but 1, 1.0 and "1" are the same, and
so are true and "true".

Rules change this by path: numbers that are equal within a tolerance, texts that are equal or not,
words that are texts, and lists as sets, whose members are paired at the least cost in any order.

Few pairs are compared one after the other, many as whole matrices, where each key and each
different value is looked at once: the same sums in the same order.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import fsum

import numpy as np
from pydantic import JsonValue

from otap.matrices.leaves import LeafPairs, Values, leaf_distances
from otap.matrices.texts import Matrix, TextDistances
from otap.matrices.values import Value
from otap.transport import assignment

LARGEST_MATRIX = 25_000_000  # distances of list members held at once
_LISTS = ("list", "set")
FEW = 400  # pairs up to which calls of NumPy cost more than they save
Cheapest = Callable[[list[list[float]], int], float]


class StructuredDistances:
    """Distances between pieces of structured data, in [0, 1]."""

    def __init__(self, texts: TextDistances) -> None:
        self._texts = texts

    def between(self, rows: Sequence[JsonValue], columns: Sequence[JsonValue]) -> Matrix:
        """Returns the distances of two lists of data, shape (len(rows), len(columns))."""
        return self.between_values([Value(row) for row in rows], [Value(c) for c in columns])

    def between_values(self, rows: Values, columns: Values) -> Matrix:
        """Returns the distances of two lists of values."""
        left, left_place = _different(rows)
        right, right_place = _different(columns)
        if len(left) * len(right) <= FEW:
            distances = _OneByOne(self._texts, left, right).distances()
        else:
            distances = self._of_kinds(left, right)
        spread: Matrix = distances[left_place][:, right_place]
        return spread

    def _of_kinds(self, rows: Values, columns: Values) -> Matrix:
        """Values of one kind are compared as such; values of different kinds cost 1."""
        distances = np.ones((len(rows), len(columns)))
        kinds = [value.kind for value in rows], [value.kind for value in columns]
        ways: tuple[tuple[str, str, Callable[[Values, Values], Matrix]], ...] = (
            ("empty", "empty", _nothing),
            ("object", "object", self._objects),
            ("list", "list", self._lists),
            ("set", "set", self._sets),
            ("set", "list", self._sets),
            ("list", "set", self._sets),
            ("set", "long list", self._leaves),
            ("long list", "set", self._leaves),
            ("list", "long list", self._leaves),
            ("long list", "list", self._leaves),
            ("long list", "long list", self._leaves),
            ("leaf", "leaf", self._leaves),
        )
        for kind, other, compare in ways:
            i, j = _places_of(kind, kinds[0]), _places_of(other, kinds[1])
            if i and j:
                block = compare([rows[place] for place in i], [columns[place] for place in j])
                distances[np.ix_(i, j)] = block
        return distances

    def _objects(self, rows: Values, columns: Values) -> Matrix:
        left, right = _by_key(rows), _by_key(columns)
        alone = np.add.outer([value.filled for value in rows], [v.filled for v in columns])
        shared = np.zeros(alone.shape)
        union = np.add.outer([len(v.members) for v in rows], [len(v.members) for v in columns])
        for key in sorted(left.keys() & right.keys()):
            (i, ours), (j, theirs) = left[key], right[key]
            places = np.ix_(i, j)
            shared[places] += self.between_values(ours, theirs)
            alone[places] -= np.add.outer(
                [float(value.is_filled) for value in ours], [float(v.is_filled) for v in theirs]
            )
            union[places] -= 1
        distances: Matrix = (shared + alone) / union
        return distances

    def _lists(self, rows: Values, columns: Values) -> Matrix:
        return self._by_members(rows, columns, _aligned)

    def _sets(self, rows: Values, columns: Values) -> Matrix:
        return self._by_members(rows, columns, _paired)

    def _by_members(self, rows: Values, columns: Values, cheapest: Cheapest) -> Matrix:
        members, place = _different([member for value in columns for member in value.items])
        ends = np.cumsum([0, *(len(value.items) for value in columns)])
        right = [place[start:end] for start, end in pairwise(ends)]
        distances = [
            self._cheapest(block, members, right, cheapest) for block in _blocks(rows, len(members))
        ]
        return np.concatenate(distances)

    def _cheapest(
        self, rows: Values, members: Values, right: list[list[int]], cheapest: Cheapest
    ) -> Matrix:
        """The distances of some lists from lists of the given members, each named by its place."""
        between = self.between_values([member for v in rows for member in v.items], members)
        ends = np.cumsum([0, *(len(value.items) for value in rows)])
        return np.array(
            [
                [cheapest(between[start:end, places].tolist(), len(places)) for places in right]
                for start, end in pairwise(ends)
            ]
        )

    def _leaves(self, rows: Values, columns: Values) -> Matrix:
        return leaf_distances(rows, columns, self._texts)


class _OneByOne:
    """The same distances, pair by pair; only texts are compared all at once, by their vectors."""

    def __init__(self, texts: TextDistances, rows: Values, columns: Values) -> None:
        self._rows, self._columns = rows, columns
        self._leaf = LeafPairs(texts, rows, columns).distance

    def distances(self) -> Matrix:
        """Returns the matrix."""
        pairs = [[self._distance(a, b) for b in self._columns] for a in self._rows]
        return np.array(pairs, dtype=np.float64).reshape(len(self._rows), len(self._columns))

    def _distance(self, a: Value, b: Value) -> float:
        kind, other = a.kind, b.kind
        if kind == "leaf" and other == "leaf":
            return self._leaf(a, b)
        if kind == "object" and other == "object":
            return self._object(a, b)
        if kind in _LISTS and other in _LISTS:
            return self._list(a, b)
        if "long list" in (kind, other) and {kind, other} <= {*_LISTS, "long list"}:
            return self._leaf(a, b)
        return 0.0 if kind == other else 1.0  # both empty, or of different kinds

    def _object(self, a: Value, b: Value) -> float:
        shared, alone = 0.0, a.filled + b.filled
        theirs = b.members
        union = len(a.members) + len(theirs)
        for key, ours in a.members.items():
            other = theirs.get(key)
            if other is not None:
                shared += self._distance(ours, other)
                alone -= float(ours.is_filled) + float(other.is_filled)
                union -= 1
        return (shared + alone) / union

    def _list(self, a: Value, b: Value) -> float:
        cheapest = _aligned if a.kind == b.kind == "list" else _paired
        members = [[self._distance(x, y) for y in b.items] for x in a.items]
        return cheapest(members, len(b.items))


def _different(values: Values) -> tuple[list[Value], list[int]]:
    """The different values, and the place of each value among them."""
    places: dict[tuple[str, str, object], int] = {}
    different: list[Value] = []
    index = []
    for value in values:
        key = value.kind, value.text if value.kind != "empty" else "", value.compared
        if key not in places:
            places[key] = len(different)
            different.append(value)
        index.append(places[key])
    return different, index


def _places_of(kind: str, kinds: Sequence[str]) -> list[int]:
    return [place for place, found in enumerate(kinds) if found == kind]


def _nothing(rows: Values, columns: Values) -> Matrix:
    return np.zeros((len(rows), len(columns)))


def _by_key(objects: Values) -> dict[str, tuple[list[int], list[Value]]]:
    """For each key the objects that have it, by position, and what they have there."""
    found: dict[str, tuple[list[int], list[Value]]] = {}
    for index, value in enumerate(objects):
        for key, member in value.members.items():
            places, members = found.setdefault(key, ([], []))
            places.append(index)
            members.append(member)
    return found


def _blocks(lists: Values, members: int) -> Iterator[list[Value]]:
    """The lists in portions whose matrix of member distances fits into memory."""
    block: list[Value] = []
    size = 0
    for value in lists:
        if block and (size + len(value.items)) * members > LARGEST_MATRIX:
            yield block
            block, size = [], 0
        block.append(value)
        size += len(value.items)
    yield block


def _paired(members: list[list[float]], width: int) -> float:
    """The linear sum assignment of two sets, an unmatched member costs 1, divided by the larger."""
    pairs = zip(*assignment(np.array(members)), strict=True)
    left_over = abs(len(members) - width)
    return (fsum(members[i][j] for i, j in pairs) + left_over) / max(len(members), width)


def _aligned(members: list[list[float]], width: int) -> float:
    """The global alignment of two lists [Needleman1970] with a gap cost of 1, by the longer."""
    costs: list[float] = [float(column) for column in range(width + 1)]
    for row, distances in enumerate(members, 1):
        previous, costs = costs, [float(row)]
        for column, distance in enumerate(distances, 1):
            pair = previous[column - 1] + distance
            costs.append(min(pair, previous[column] + 1, costs[column - 1] + 1))
    return costs[-1] / max(len(members), width)
