"""The distance of structured data: keys and leaves, compared one by one.

Objects: the mean over the union of their keys, a key that only one has costs 1; customerId and
customer_id are one key. Lists: each member costs what it is from its counterpart in the other list
(``lists`` says which that is), 1 if it has none, divided by the longer length; where order counts,
members out of order cost less than one that was replaced. Leaves: equal or not, or prose
(``leaves``). Different types cost 1, but 1, 1.0 and "1" are the same, and so are true and "true".

Beside the distance stands in how many exact values the two differ: leaves that both have and that
are no prose, and those of the members of a list that the other lacks. A key that is missing is
none.

Rules change this by path: numbers that are equal within a tolerance, texts that are equal or not,
words that are texts, lists as sets, lists whose order counts.

Few pairs are compared one after the other, many as whole matrices, where each key and each
different value is looked at once: the same sums in the same order. Lists are compared pair by pair
in time near-linear in their size.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from math import fsum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap.matrices.pairs import MOST, KnownPairs
from otap.matrices.texts import Matrix, TextDistances
from otap.matrices.values.company import blocks
from otap.matrices.values.leaves import (
    LeafPairs,
    Values,
    all_say_another,
    leaf_distances,
    says_another,
)
from otap.matrices.values.lists import Way, paired
from otap.matrices.values.prose import shared
from otap.matrices.values.value import Value, numbered

FEW = 400  # pairs up to which calls of NumPy cost more than they save
OUT_OF_ORDER = 0.5  # what a list costs that is all out of order, in members replaced
Counts = npt.NDArray[np.int64]
Places = Sequence[int]


class Compared(NamedTuple):
    """Distances of values, and in how many exact values they differ; (rows, columns) each."""

    distance: Matrix
    wrong: Counts


_One = Callable[[Compared], Matrix]


class StructuredDistances:
    """Distances between pieces of structured data, in [0, 1].

    Args:
        texts: the distances of texts.
    """

    def __init__(self, texts: TextDistances) -> None:
        self._texts = texts
        self._known: defaultdict[tuple[_One, Way, bool], KnownPairs] = defaultdict(KnownPairs)

    def between(self, rows: Sequence[JsonValue], columns: Sequence[JsonValue]) -> Matrix:
        """Returns the distances of two lists of data, shape (len(rows), len(columns))."""
        return self.between_values([Value(row) for row in rows], [Value(c) for c in columns])

    def between_values(self, rows: Values, columns: Values) -> Matrix:
        """Returns the distances of two lists of values."""
        return self.compared(rows, columns).distance

    def compared(self, rows: Values, columns: Values) -> Compared:
        """Returns the distances of two lists of values, and how many exact values differ.

        The values of two runs that hold very much are compared less thoroughly: see ``company``.
        """
        found = [
            (i, j, _Way(self._texts, *way).compared([rows[k] for k in i], [columns[k] for k in j]))
            for i, j, way in blocks(rows, columns)
        ]
        if len(found) == 1:
            return found[0][2]
        shape = len(rows), len(columns)
        distance, wrong = np.empty(shape), np.empty(shape, dtype=np.int64)
        for i, j, one in found:
            distance[np.ix_(i, j)], wrong[np.ix_(i, j)] = one
        return Compared(distance, wrong)

    def distances(self, rows: Values, columns: Values, as_one: _One) -> Matrix:
        """Returns the distances of two lists of values; of pairs seen before those found before.

        Args:
            rows: values of one side.
            columns: those of the other.
            as_one: makes one number of both that `compared` returns, pair by pair.
        """
        found = np.empty((len(rows), len(columns)))
        for i, j, way in blocks(rows, columns):
            ours, theirs = [rows[k] for k in i], [columns[k] for k in j]
            block = self._in_one_way(ours, theirs, as_one, way)
            if len(i) == len(rows) and len(j) == len(columns):
                return block
            found[np.ix_(i, j)] = block
        return found

    def _in_one_way(
        self, rows: Values, columns: Values, as_one: _One, way: tuple[Way, bool]
    ) -> Matrix:
        compared = _Way(self._texts, *way).compared
        ours, theirs = ([v.number_of_content for v in side] for side in (rows, columns))
        if len(rows) * len(columns) > MOST or not (all(ours) and all(theirs)):
            return as_one(compared(rows, columns))
        return self._known[as_one, *way].among(
            ours,
            theirs,
            lambda i, j: as_one(compared([rows[k] for k in i], [columns[k] for k in j])),
        )


class _Way:
    """One way to compare values.

    Args:
        texts: the distances of texts.
        lists: how lists are compared.
        reads_prose: whether all prose is read for what contradicts.
    """

    def __init__(self, texts: TextDistances, lists: Way, reads_prose: bool) -> None:
        self._texts, self._lists, self._reads_prose = texts, lists, reads_prose

    def compared(self, rows: Values, columns: Values) -> Compared:
        left, left_place = _different(rows)
        right, right_place = _different(columns)
        if len(left) * len(right) <= FEW and self._is_thorough:
            found = self._one_by_one(left, right)
        else:
            found = self._of_kinds(left, right)
        places = np.ix_(left_place, right_place)
        return Compared(found.distance[places], found.wrong[places])

    @property
    def _is_thorough(self) -> bool:
        return self._reads_prose and self._lists != "equal"

    def _of_kinds(self, rows: Values, columns: Values) -> Compared:
        """Values of one kind are compared as such; values of different kinds cost 1."""
        distance = np.ones((len(rows), len(columns)))
        wrong = _fewer(rows, columns)
        ways: tuple[tuple[str, Callable[[Values, Values], Compared]], ...] = (
            ("empty", _nothing),
            ("object", self._objects),
            ("list", _as_bags if self._lists == "equal" else self._one_by_one),
            ("leaf", self._leaves),
        )
        for kind, compare in ways:
            i, j = _places_of(kind, rows), _places_of(kind, columns)
            if i and j:
                block = compare([rows[place] for place in i], [columns[place] for place in j])
                distance[np.ix_(i, j)], wrong[np.ix_(i, j)] = block
        return Compared(distance, wrong)

    def _objects(self, rows: Values, columns: Values) -> Compared:
        left, right = _by_key(rows), _by_key(columns)
        alone = np.add.outer([value.filled for value in rows], [v.filled for v in columns])
        shared, wrong = np.zeros(alone.shape), np.zeros(alone.shape, dtype=np.int64)
        union = np.add.outer([len(v.members) for v in rows], [len(v.members) for v in columns])
        for key in sorted(left.keys() & right.keys()):
            (i, ours), (j, theirs) = left[key], right[key]
            places = np.ix_(i, j)
            found = self.compared(ours, theirs)
            shared[places] += found.distance
            wrong[places] += found.wrong
            alone[places] -= np.add.outer(
                [float(value.is_filled) for value in ours], [float(v.is_filled) for v in theirs]
            )
            union[places] -= 1
        return Compared((shared + alone) / union, wrong)

    def _leaves(self, rows: Values, columns: Values) -> Compared:
        distance = leaf_distances(rows, columns, self._texts, self._reads_prose)
        wrong = (_fewer(rows, columns) > 0) & (distance > 0)
        wrong |= all_say_another(distance, rows, columns)
        return Compared(distance, wrong.astype(np.int64))

    def _one_by_one(self, rows: Values, columns: Values) -> Compared:
        leaf = LeafPairs(self._texts, rows, columns).distance
        compare = Pairwise(leaf, cheapest=self._lists == "cheapest").compared
        pairs = [compare(a, b) for a in rows for b in columns]
        shape = len(rows), len(columns)
        return Compared(
            np.array([distance for distance, _ in pairs], dtype=np.float64).reshape(shape),
            np.array([wrong for _, wrong in pairs], dtype=np.int64).reshape(shape),
        )


class Pairwise:
    """Values compared pair by pair.

    Args:
        leaf: the distance of two leaves.
        cheapest: whether what is left of two short lists is paired at the least cost, else in
            order.
    """

    def __init__(self, leaf: Callable[[Value, Value], float], cheapest: bool = True) -> None:
        self._leaf = leaf
        self._cost = self.distance if cheapest else None

    def distance(self, a: Value, b: Value) -> float:
        """Returns the distance of two values."""
        return self.compared(a, b)[0]

    def compared(self, a: Value, b: Value) -> tuple[float, int]:
        """Returns the distance of two values, and in how many exact ones they differ."""
        if a is b:
            return 0.0, 0
        kind = a.kind
        if kind != b.kind:
            return 1.0, min(a.exact, b.exact)
        if kind == "leaf":
            return self._leaves(a, b)
        if kind == "object":
            return self._objects(a, b)
        if kind != "list" or a.identity == b.identity:
            return 0.0, 0
        things = a.as_things, b.as_things
        return _of_things(*things) if all(things) else self._lists(a, b)

    def _leaves(self, a: Value, b: Value) -> tuple[float, int]:
        distance = self._leaf(a, b)
        if a.exact and b.exact:
            return distance, int(distance > 0)
        return distance, int(says_another(distance, a, b))

    def _objects(self, a: Value, b: Value) -> tuple[float, int]:
        shared, alone, wrong = 0.0, a.filled + b.filled, 0
        theirs = b.members
        union = len(a.members) + len(theirs)
        if theirs.keys().isdisjoint(a.members):
            return alone / union, 0
        for key, ours in a.members.items():
            other = theirs.get(key)
            if other is not None:
                distance, differ = self.compared(ours, other)
                shared += distance
                wrong += differ
                alone -= float(ours.is_filled) + float(other.is_filled)
                union -= 1
        return (shared + alone) / union, wrong

    def _lists(self, a: Value, b: Value) -> tuple[float, int]:
        found = paired(a, b, self._cost)
        pairs = [self.compared(a.items[i], b.items[j]) for i, j in found.pairs]
        alone = [*(a.items[i] for i in found.left), *(b.items[j] for j in found.right)]
        cost = fsum(distance for distance, _ in pairs) + len(alone)
        wrong = sum(differ for _, differ in pairs) + sum(member.exact for member in alone)
        longer = max(len(a.items), len(b.items))
        return min(1.0, (cost + OUT_OF_ORDER * found.disorder) / longer), wrong


def _of_things(a: Collection[object], b: Collection[object]) -> tuple[float, int]:
    """Lists of things, of which each is in the other list or not, as `Pairwise` compares lists."""
    longer, equal = max(len(a), len(b)), len(frozenset(a).intersection(b))
    return (longer - equal) / longer, longer - equal


def _as_bags(rows: Values, columns: Values) -> Compared:
    """Lists of very many calls: of each member the other list has an equal one or not."""
    ours, theirs = ([_counted(value) for value in side] for side in (rows, columns))
    longer = np.maximum.outer(list(map(len, ours)), list(map(len, theirs)))
    lacking = longer - shared(ours, theirs)
    return Compared(lacking / longer, np.minimum(lacking, _fewer(rows, columns)))


def _counted(value: Value) -> frozenset[tuple[str, int]]:
    """The members of a list, each with its number among its equals."""
    return frozenset(numbered(member.identity for member in value.items))


def _different(values: Values) -> tuple[list[Value], list[int]]:
    """The different values, and the place of each value among them."""
    places: dict[object, int] = {}
    different: list[Value] = []
    index = []
    for value in values:
        key = value.number_of_content or _said(value)
        if key not in places:
            places[key] = len(different)
            different.append(value)
        index.append(places[key])
    return different, index


def _said(value: Value) -> object:
    text = value.text if value.kind != "empty" else ""
    return value.kind, text, value.key, value.compared


def _places_of(kind: str, values: Values) -> list[int]:
    return [place for place, value in enumerate(values) if value.kind == kind]


def _fewer(rows: Values, columns: Values) -> Counts:
    """The exact values of the side that has fewer of them, by pair."""
    ours, theirs = (np.array([v.exact for v in side], dtype=np.int64) for side in (rows, columns))
    found: Counts = np.minimum.outer(ours, theirs)
    return found


def _nothing(rows: Values, columns: Values) -> Compared:
    shape = len(rows), len(columns)
    return Compared(np.zeros(shape), np.zeros(shape, dtype=np.int64))


def _by_key(objects: Iterable[Value]) -> dict[str, tuple[list[int], list[Value]]]:
    """For each key the objects that have it, by position, and what they have there."""
    found: dict[str, tuple[list[int], list[Value]]] = {}
    for index, value in enumerate(objects):
        for key, member in value.members.items():
            places, members = found.setdefault(key, ([], []))
            places.append(index)
            members.append(member)
    return found
