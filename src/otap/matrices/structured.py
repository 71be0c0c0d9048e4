"""The distance of structured data: keys and leaves, compared one by one.

Objects: the mean over the union of their keys, a key that only one has costs 1. Lists: the
cheapest alignment that keeps their order, a member left over costs 1, divided by the longer
length. Leaves: identifiers, numbers, dates and single words are equal or not; text of several
words costs its embedding distance. Different types cost 1, but 1, 1.0 and "1" are the same, and
so are true and "true".

Whole matrices are computed at once: each key and each different value is looked at once.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from pydantic import JsonValue

from otap.matrices.texts import Matrix, TextDistances, plain, text_of

Object = dict[str, JsonValue]
Array = list[JsonValue]

LONGEST_LIST = 100  # members; longer lists are compared as texts
DEEPEST = 64  # levels; what lies deeper is compared as text
LARGEST_MATRIX = 25_000_000  # distances of list members held at once
_WORDS = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d+)?\Z")


class StructuredDistances:
    """Distances between pieces of structured data, in [0, 1]."""

    def __init__(self, texts: TextDistances, depth: int = 0) -> None:
        self._texts = texts
        self._depth = depth  # how deep in the data the values lie that are compared here

    @cached_property
    def _inside(self) -> "StructuredDistances":
        return StructuredDistances(self._texts, self._depth + 1)

    def between(self, rows: Sequence[JsonValue], columns: Sequence[JsonValue]) -> Matrix:
        """Returns the distances of two lists of data, shape (len(rows), len(columns))."""
        left, left_place = _different(rows)
        right, right_place = _different(columns)
        distances: Matrix = self._of_kinds(left, right)[np.ix_(left_place, right_place)]
        return distances

    def _of_kinds(self, rows: list[JsonValue], columns: list[JsonValue]) -> Matrix:
        """Values of one kind are compared as such; values of different kinds cost 1."""
        if self._depth > DEEPEST:
            return self._leaves(rows, columns)
        distances = np.ones((len(rows), len(columns)))
        kinds = [_kind(value) for value in rows], [_kind(value) for value in columns]
        ways: tuple[tuple[str, str, Callable[[list[Any], list[Any]], Matrix]], ...] = (
            ("empty", "empty", _nothing),
            ("object", "object", self._objects),
            ("list", "list", self._lists),
            ("list", "long list", self._leaves),
            ("long list", "list", self._leaves),
            ("long list", "long list", self._leaves),
            ("leaf", "leaf", self._leaves),
        )
        for kind, other, compare in ways:
            i = [place for place, found in enumerate(kinds[0]) if found == kind]
            j = [place for place, found in enumerate(kinds[1]) if found == other]
            if i and j:
                block = compare([rows[place] for place in i], [columns[place] for place in j])
                distances[np.ix_(i, j)] = block
        return distances

    def _objects(self, rows: list[Object], columns: list[Object]) -> Matrix:
        left, right = _by_key(rows), _by_key(columns)
        alone = np.add.outer([_filled(value) for value in rows], [_filled(v) for v in columns])
        shared = np.zeros(alone.shape)
        union = np.add.outer([len(value) for value in rows], [len(value) for value in columns])
        for key in sorted(left.keys() & right.keys()):
            (i, ours), (j, theirs) = left[key], right[key]
            places = np.ix_(i, j)
            shared[places] += self._inside.between(ours, theirs)
            alone[places] -= np.add.outer([*map(_is_filled, ours)], [*map(_is_filled, theirs)])
            union[places] -= 1
        distances: Matrix = (shared + alone) / union
        return distances

    def _lists(self, rows: list[Array], columns: list[Array]) -> Matrix:
        members, place = _different([member for value in columns for member in value])
        ends = np.cumsum([0, *map(len, columns)])
        right = [place[start:end] for start, end in pairwise(ends)]
        distances = [
            self._alignments(block, members, right) for block in _blocks(rows, len(members))
        ]
        return np.concatenate(distances)

    def _alignments(
        self, rows: list[Array], members: list[JsonValue], right: list[list[int]]
    ) -> Matrix:
        """The distances of some lists from lists of the given members, each named by its place."""
        between = self._inside.between([member for value in rows for member in value], members)
        ends = np.cumsum([0, *map(len, rows)])
        return np.array(
            [
                [_aligned(between[start:end, places]) for places in right]
                for start, end in pairwise(ends)
            ]
        )

    def _leaves(self, rows: list[JsonValue], columns: list[JsonValue]) -> Matrix:
        left, right = [text_of(value) for value in rows], [text_of(value) for value in columns]
        ours, theirs = [_canonical(text) for text in left], [_canonical(text) for text in right]
        differ = np.array(ours)[:, None] != np.array(theirs)[None, :]
        distances: Matrix = differ.astype(np.float64)
        prose = [[i for i, v in enumerate(side) if _worded(v)] for side in (rows, columns)]
        if prose[0] and prose[1]:
            texts = [left[i] for i in prose[0]], [right[j] for j in prose[1]]
            distances[np.ix_(*prose)] = self._texts.between(*texts)
        return distances


def is_prose(text: str) -> bool:
    """Says whether a text means what its words mean: two words or more, mostly letters."""
    words = _WORDS.findall(text)
    return len(words) >= 2 and " " in text and 2 * sum(map(len, words)) > len(text)


def _worded(value: JsonValue) -> bool:
    return isinstance(value, list) or (isinstance(value, str) and is_prose(value))


def _different(values: Sequence[JsonValue]) -> tuple[list[JsonValue], list[int]]:
    """The different values, and the place of each value among them."""
    places: dict[str, int] = {}
    different: list[JsonValue] = []
    index = []
    for value in map(plain, values):
        key = f"{_kind(value)} {text_of(value)}"
        if key not in places:
            places[key] = len(different)
            different.append(value)
        index.append(places[key])
    return different, index


def _kind(value: JsonValue) -> str:
    if _says_nothing(value) or (
        isinstance(value, dict) and all(map(_says_nothing, value.values()))
    ):
        return "empty"
    if isinstance(value, dict):
        return "object"
    if isinstance(value, list):
        return "list" if len(value) <= LONGEST_LIST else "long list"
    return "leaf"


def _says_nothing(value: JsonValue) -> bool:
    return value in (None, [], {}) or (isinstance(value, str) and not value.strip())


def _nothing(rows: list[JsonValue], columns: list[JsonValue]) -> Matrix:
    return np.zeros((len(rows), len(columns)))


def _by_key(objects: list[Object]) -> dict[str, tuple[list[int], list[JsonValue]]]:
    """For each key the objects that have it, by position, and what they have there."""
    found: dict[str, tuple[list[int], list[JsonValue]]] = {}
    for index, value in enumerate(objects):
        for key, member in value.items():
            places, members = found.setdefault(key, ([], []))
            places.append(index)
            members.append(member)
    return found


def _is_filled(value: JsonValue) -> float:
    """1 for a value that costs something to leave out: a key without one says as much as none."""
    return float(_kind(plain(value)) != "empty")


def _filled(value: Object) -> float:
    return float(sum(map(_is_filled, value.values())))


def _blocks(lists: list[Array], members: int) -> Iterator[list[Array]]:
    """The lists in portions whose matrix of member distances fits into memory."""
    block: list[Array] = []
    size = 0
    for value in lists:
        if block and (size + len(value)) * members > LARGEST_MATRIX:
            yield block
            block, size = [], 0
        block.append(value)
        size += len(value)
    yield block


def _aligned(members: Matrix) -> float:
    """The cost of the cheapest alignment of two lists, given the distances of their members."""
    length, width = members.shape
    costs: list[float] = [float(column) for column in range(width + 1)]
    for row, distances in enumerate(members.tolist(), 1):
        previous, costs = costs, [float(row)]
        for column, distance in enumerate(distances, 1):
            pair = previous[column - 1] + distance
            costs.append(min(pair, previous[column] + 1, costs[column - 1] + 1))
    return float(costs[-1] / max(length, width))


def _canonical(text: str) -> str:
    return f"{float(text):.15g}" if _NUMBER.match(text) else text
