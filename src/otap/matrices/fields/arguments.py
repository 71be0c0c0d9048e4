"""The arguments of a call: as structured data, or as one text as in the paper."""

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pydantic import JsonValue

from otap.matrices.contents import ReadOnce
from otap.matrices.fields.field import Field, Measures
from otap.matrices.fields.text import TextField
from otap.matrices.texts import Matrix, joined_texts
from otap.trajectory import Step
from otap.values.distance import Compared
from otap.values.effort import set_run
from otap.values.keys import one_spelling, unwrapped
from otap.values.rules import Rules
from otap.values.value import Value, plain, read_arguments

if TYPE_CHECKING:
    from otap.matrices.bounds import UnionBounds


ANOTHER_CALL = 0.4  # the least distance of arguments that differ in an exact value
_VALUES: ReadOnce[Value] = ReadOnce(1 << 20)  # what is read of data takes some ten times as much
MORE = 0.1  # the power of the number of such values by which what is left of 1 falls


class Arguments(Field[Value]):
    """Arguments compared key by key and leaf by leaf."""

    name = "arguments"
    union_bound = "keys"
    unrelated = {"wordllama-l2_supercat-256": 1.0, "all-MiniLM-L6-v2": 1.0}  # noqa: RUF012

    def read(self, step: Step, rules: Rules | None) -> Value:
        """Returns the arguments as structure, with the rules of the step's tool."""
        data = step.arguments
        return copy(_VALUES.of(data, rules, lambda: read_arguments(data, rules).settled()))

    def gather(self, values: Sequence[Value], parts: Sequence[Value]) -> None:
        """Says to each value which run it belongs to."""
        set_run(values, parts)

    def distances(self, rows: Sequence[Value], columns: Sequence[Value], by: Measures) -> Matrix:
        """Returns the distances of structured data; at least ANOTHER_CALL with a wrong value.

        With more of them it is at least more, however much stands beside: one wrong cell of a
        table is nearer than two, or a row that is missing.
        """
        return by.structured.distances(rows, columns, _as_calls)

    def union(self, values: Sequence[JsonValue]) -> JsonValue:
        """Returns the keys of all parts; two values under one key become a list."""
        return merged_arguments(one_spelling([unwrapped(plain(value))[0] for value in values]))

    def similarity_of_unions(self, bounds: "UnionBounds") -> Matrix:
        """Returns the bound of `_UnionSimilarity`, pair by pair."""
        return _UnionSimilarity(bounds, self).matrix()


class ArgumentText(TextField):
    """Arguments compared as one text."""

    name = "arguments"
    unrelated = {"wordllama-l2_supercat-256": 0.669, "all-MiniLM-L6-v2": 0.664}  # noqa: RUF012

    def union(self, values: Sequence[JsonValue]) -> JsonValue:
        """Returns the keys of all parts; two values under one key become a list."""
        return merged_arguments(values)

    def similarity_of_unions(self, bounds: "UnionBounds") -> Matrix:
        """Returns 1: the text of merged arguments has no bound before it is made."""
        return np.ones_like(bounds.summed_similarity(self.name))


def _as_calls(found: Compared) -> Matrix:
    least = 1 - (1 - ANOTHER_CALL) / np.maximum(found.wrong, 1) ** MORE
    distances: Matrix = np.where(found.wrong, np.maximum(found.distance, least), found.distance)
    return distances


def merged_arguments(values: Sequence[JsonValue]) -> JsonValue:
    """Returns the arguments of a union of steps: everything that its parts' arguments hold.

    Texts are joined. Objects become one object with the keys of all; two different values under
    one key become a list of both. Anything else becomes a list.

    Args:
        values: the arguments of each part, in their order; None where a part records none.
    """
    known = [plain(value) for value in values if value is not None]
    objects = [value for value in known if isinstance(value, dict)]
    if not known:
        return None
    if len(objects) == len(known):
        return _merged_keys(objects)
    if all(isinstance(value, str) for value in known):
        return joined_texts(known)
    return known[0] if len(known) == 1 else known


def _merged_keys(objects: Sequence[dict[str, JsonValue]]) -> JsonValue:
    merged: dict[str, JsonValue] = {}
    for one in objects:
        for key, item in one.items():
            merged[key] = _both(merged[key], item) if key in merged else item
    return merged


def _both(one: JsonValue, other: JsonValue) -> JsonValue:
    if one == other:
        return one
    ours = one if isinstance(one, list) else [one]
    return [*ours, *(other if isinstance(other, list) else [other])]


class _UnionSimilarity:
    """An upper bound of the similarity of merged arguments, pair of parts by pair of parts.

    It is known for two texts, which become one text, and for two objects, which become one object.
    For anything else it is 1.
    """

    def __init__(self, bounds: "UnionBounds", field: Arguments) -> None:
        self._bounds = bounds
        self._rows, self._columns = bounds.rows.of(field), bounds.columns.of(field)
        self._together = bounds.summed_similarity(field.name)
        self._lists = _keys_of_lists(self._columns)
        self._free = np.array([_unfilled(value) for value in self._columns])

    def matrix(self) -> Matrix:
        """Returns the bound, shape (pairs, columns)."""
        most = np.ones_like(self._together)
        texts, objects = [], []
        for place, (i, k) in enumerate(self._bounds.pairs):
            one, other = self._rows[i], self._rows[k]
            if _says_one(one, other):
                most[place] = self._together[place]
            elif _are_texts(one, other):
                texts.append(place)
            elif _are_objects(one, other):
                objects.append(_Merged(place, *_merged_keys_of(one, other)))
        if texts:
            most[texts] = self._of_texts(texts)
        if objects:
            most[[merged.place for merged in objects]] = self._of_objects(objects)
        return np.minimum(most, 1.0, out=most)

    def _of_texts(self, places: Sequence[int]) -> Matrix:
        """The similarity of joined texts."""
        pairs = [self._bounds.pairs[place] for place in places]
        ours, theirs = ([value.text for value in s] for s in (self._rows, self._columns))
        return self._bounds.of_texts(ours, theirs, pairs)

    def _of_objects(self, objects: Sequence["_Merged"]) -> Matrix:
        """The bound of merged objects.

        A key that becomes a list resembles only columns with a list there.
        """
        keys = np.array([merged.keys for merged in objects])[:, None]
        alike = np.array([merged.keys - len(merged.listed) for merged in objects])[:, None]
        limit = (alike + self._free) / (keys + self._free)
        found: Matrix = np.minimum(self._together[[merged.place for merged in objects]], limit)
        for row, merged in zip(found, objects, strict=True):
            for key in merged.listed & self._lists.keys():
                row[self._lists[key]] = 1.0
        return found


class _Merged(NamedTuple):
    """Two merged objects: the place of the pair, its keys, and those that become lists."""

    place: int
    keys: int
    listed: set[str]


def _are_texts(one: Value, other: Value) -> bool:
    return isinstance(one.data, str) and isinstance(other.data, str)


def _are_objects(one: Value, other: Value) -> bool:
    return one.kind == other.kind == "object" and one.compared == other.compared


def _says_one(one: Value, other: Value) -> bool:
    """Whether both together say no more than one of them."""
    if one.data is None or other.data is None:
        return True
    return _are_texts(one, other) and (one.text == other.text or "" in (one.text, other.text))


def _merged_keys_of(one: Value, other: Value) -> tuple[int, set[str]]:
    """The number of keys of two merged objects, and the keys that become lists."""
    both = one.members.keys() & other.members.keys()
    listed = {key for key in both if _recorded(one, key) != _recorded(other, key)}
    return len(one.members) + len(other.members) - len(both), listed


def _recorded(value: Value, key: str) -> JsonValue:
    assert isinstance(value.data, dict)
    return value.data[value.members[key].key]


def _keys_of_lists(values: Sequence[Value]) -> dict[str, list[int]]:
    """For each key that holds a list in some object the places of these objects."""
    found: dict[str, list[int]] = {}
    for place, value in enumerate(values):
        for key, member in value.members.items() if value.kind == "object" else ():
            if isinstance(member.data, list):
                found.setdefault(key, []).append(place)
    return found


def _unfilled(value: Value) -> int:
    """The number of members of an object that it costs nothing to leave out."""
    return len(value.members) - int(value.filled) if value.kind == "object" else 0
