"""The arguments of a call: as structured data, or as one text as in the paper."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from pydantic import JsonValue

from otap.matrices.fields.field import Field, Measures
from otap.matrices.fields.text import TextField
from otap.matrices.texts import Matrix, joined_texts, plain
from otap.matrices.values.company import in_company
from otap.matrices.values.keys import one_spelling, unwrapped
from otap.matrices.values.rules import Rules
from otap.matrices.values.value import Value, called
from otap.trajectory import Step

if TYPE_CHECKING:
    from otap.matrices.bounds import UnionBounds


ANOTHER_CALL = 0.4  # the least distance of arguments that differ in an exact value
MORE = 0.1  # the power of the number of such values by which what is left of 1 falls


class Arguments(Field[Value]):
    """Arguments compared key by key and leaf by leaf."""

    name = "arguments"
    unrelated = {"wordllama-l2_supercat-256": 1.0, "all-MiniLM-L6-v2": 1.0}  # noqa: RUF012

    def read(self, step: Step, rules: Rules | None) -> Value:
        """Returns the arguments as structure, with the rules of the step's tool."""
        return called(step.arguments, rules)

    def gather(self, values: Sequence[Value], parts: Sequence[Value]) -> None:
        """Says to each value which company it is in."""
        in_company(values, parts)

    def distances(self, rows: Sequence[Value], columns: Sequence[Value], by: Measures) -> Matrix:
        """Returns the distances of structured data; at least ANOTHER_CALL with a wrong value.

        With more of them it is at least more, however much stands beside: one wrong cell of a
        table is nearer than two, or a row that is missing.
        """
        found = by.structured.compared(rows, columns)
        least = 1 - (1 - ANOTHER_CALL) / np.maximum(found.wrong, 1) ** MORE
        distances: Matrix = np.where(found.wrong, np.maximum(found.distance, least), found.distance)
        return distances

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
        self._lists = [_keys_of_lists(value) for value in self._columns]
        self._free = np.array([_unfilled(value) for value in self._columns])

    def matrix(self) -> Matrix:
        """Returns the bound, shape (pairs, columns)."""
        most = np.ones_like(self._together)
        texts = []
        for place, pair in enumerate(self._bounds.pairs):
            one, other = (self._rows[node] for node in pair)
            if _says_one(one, other):
                most[place] = self._together[place]
            elif _are_texts(one, other):
                texts.append(place)
            elif _are_objects(one, other):
                most[place] = self._of_objects(place, one, other)
        if texts:
            pairs = [self._bounds.pairs[place] for place in texts]
            ours, theirs = ([value.text for value in s] for s in (self._rows, self._columns))
            most[texts] = self._bounds.of_texts(ours, theirs, pairs)
        return np.minimum(most, 1.0)

    def _of_objects(self, place: int, one: Value, other: Value) -> Matrix:
        """The bound of two objects.

        Two values under one key become a list, which resembles only columns with a list there.
        """
        limit, listed = _merged_objects(one, other, self._free)
        row: Matrix = np.minimum(self._together[place], limit)
        row[[not listed.isdisjoint(keys) for keys in self._lists]] = 1.0
        return row


def _are_texts(one: Value, other: Value) -> bool:
    return isinstance(one.data, str) and isinstance(other.data, str)


def _are_objects(one: Value, other: Value) -> bool:
    return one.kind == other.kind == "object" and one.compared == other.compared


def _says_one(one: Value, other: Value) -> bool:
    """Whether both together say no more than one of them."""
    if one.data is None or other.data is None:
        return True
    return _are_texts(one, other) and (one.text == other.text or "" in (one.text, other.text))


def _merged_objects(one: Value, other: Value, free: Matrix) -> tuple[Matrix, set[str]]:
    """The similarity of two merged objects to each column at most, and the keys that become lists.

    ``free``: for each column the number of its keys that cost nothing where they are left out.
    """
    both = one.members.keys() & other.members.keys()
    listed = {key for key in both if _recorded(one, key) != _recorded(other, key)}
    count = len(one.members.keys() | other.members.keys())
    return (count - len(listed) + free) / (count + free), listed


def _recorded(value: Value, key: str) -> JsonValue:
    assert isinstance(value.data, dict)
    return value.data[value.members[key].key]


def _keys_of_lists(value: Value) -> frozenset[str]:
    """The keys of an object that hold a list."""
    members = value.members if value.kind == "object" else {}
    return frozenset(key for key, member in members.items() if isinstance(member.data, list))


def _unfilled(value: Value) -> int:
    """The number of members of an object that it costs nothing to leave out."""
    return len(value.members) - int(value.filled) if value.kind == "object" else 0
