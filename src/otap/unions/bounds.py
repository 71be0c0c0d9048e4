"""Bounds of unions: how similar a union of two steps can be to each step of the other side.

Making unions and comparing them with every step of the other side takes longer than all else, and
hardly any union of unrelated steps helps. What a union costs at least is bounded field by field
from the costs of its parts: of texts by the lengths of summed vectors, of arguments key by key.
Nothing is read, encoded or merged for it, and hardly any pair is left whose union then does not
win. The native core has the nearer bounds; what it cannot look at, or where it was not built, is
bounded here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap.encoders import unit_rows
from otap.matrices import FieldCosts, Matrix, ReadSteps, Value
from otap.matrices.fields import ANOTHER_CALL, MORE, Arguments
from otap.matrices.texts import JOINT
from otap.matrices.values.keys import WRAPPING
from otap.transport.native import preparing
from otap.unions.merging import UnionCost, UnionEncoder
from otap.unions.parameters import CANCELLED, ENTRIES, MARGIN, MOST_KEYS, SLACK, SLACK_OF_COST

Marks = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int32]
Weighed = tuple[float, Matrix]  # the weight of a field, and its distances between rows and columns

# What the arguments of a step are, and what a key holds: as core/unions.hpp numbers them.
_NONE, _TEXT, _OBJECT, _OTHER, _EMPTY_OBJECT, _EMPTY_TEXT = range(6)
_PRESENT, _FILLED, _EXACT, _LIST, _SEVERAL, _WRAPS = (1 << bit for bit in range(6))


class Promising(NamedTuple):
    """Two rows whose union could stand for a column, and the columns that decide whether it does.

    parts: the two rows; columns: all to which the union could be as near as to the nearest one.
    gain: by how much closer to a column than its parts it could be at most.
    """

    parts: tuple[int, int]
    columns: list[int]
    gain: float


class _Fields(NamedTuple):
    """The fields of a problem by how unions are bounded in them.

    texts: by the shares of their parts; and whether a call's costs no more than the call.
    parts: by the sum of both parts' similarities.
    tool, arguments: None where they take no part.
    """

    texts: list[tuple[float, Matrix, Matrix, bool]]
    parts: list[Weighed]
    tool: Weighed | None
    arguments: Weighed | None


class _Keys(NamedTuple):
    """The arguments of the steps of a side, key by key.

    names: the keys, each with its place.
    held: what each step has there, as the native core holds it; None where there is none.
    share: of arguments that are texts, as `shares` returns them.
    vectors: their unit vectors; rows of zeros for what is no text, None where nothing is one.
    """

    names: Mapping[str, int]
    held: Any
    share: Matrix
    vectors: Matrix | None


def promising(
    rows: ReadSteps,
    columns: ReadSteps,
    pairs: Places,
    costs: FieldCosts,
    wholes: Marks,
    union_cost: UnionCost,
) -> list[Promising]:
    """Returns the pairs of rows whose union could stand for one of the columns ``wholes``.

    It must be able to be closer to that column than both of its parts, by MARGIN, and closer than
    they are to any other column.

    Args:
        rows: the steps of which unions could be made.
        columns: the steps that they could stand for.
        pairs: the two rows of each union, (count, 2).
        costs: the costs between rows and columns.
        wholes: whether a union may stand for a column.
        union_cost: how unions are compared with steps.
    """
    fields = _fields(rows, costs, union_cost)
    arguments = fields.arguments and _by_keys(rows, columns, fields.arguments, union_cost)
    if arguments or not fields.arguments:
        may = wholes.view(np.uint8)
        given = fields._replace(arguments=arguments)
        found = preparing.prospects(pairs, may, costs.total, *given, MARGIN)
        if found is not None:
            return [Promising(tuple(pairs[k].tolist()), near, gain) for k, gain, near in found]
    size = max(1, ENTRIES // len(wholes))
    blocks = (pairs[start : start + size] for start in range(0, len(pairs), size))
    similar = _Similarities(rows, columns, fields, union_cost)
    return [one for block in blocks for one in _could_win(block, similar, costs.total, wholes)]


def _fields(rows: ReadSteps, costs: FieldCosts, union_cost: UnionCost) -> _Fields:
    given = {name: (costs.weights[name], matrix) for name, matrix in costs.distances.items()}
    texts = []
    for field in union_cost.fields:
        if field.name in ("action", "effect") and field.name in given:
            if field.name not in rows.bounds:
                rows.bounds[field.name] = _share(rows.of(field), union_cost.encoder)
            bounded = field.name == "action" and union_cost.bounds_wording
            texts.append((*given[field.name], rows.bounds[field.name], bounded))
    parts = [given["state"]] if "state" in given else []
    return _Fields(texts, parts, given.get("tool"), given.get("arguments"))


# The native core's bounds of arguments.


def _by_keys(
    rows: ReadSteps, columns: ReadSteps, arguments: Weighed, union_cost: UnionCost
) -> tuple[Any, ...] | None:
    """What the core is told of arguments; None where it cannot look at them."""
    ours, theirs = _keys_of(rows, union_cost), _keys_of(columns, union_cost)
    if ours is None or theirs is None:
        return None
    places = np.array([theirs.names.get(name, -1) for name in ours.names], dtype=np.int32)
    cosines = arguments[1]  # not looked at where one side has no text
    if ours.vectors is not None and theirs.vectors is not None:
        cosines = ours.vectors @ theirs.vectors.T
    return *arguments, ours.held, theirs.held, places, cosines, ours.share, ANOTHER_CALL, MORE


def _keys_of(read: ReadSteps, union_cost: UnionCost) -> _Keys | None:
    """The arguments of a side, worked out once for all other sides.

    None for very many keys, for arguments that go by rules or are compared as text, or where there
    is no native core.
    """
    if "arguments" not in read.bounds:
        field = next((one for one in union_cost.fields if isinstance(one, Arguments)), None)
        keys = None if field is None else _new_keys(read.of(field), union_cost.encoder)
        read.bounds["arguments"] = keys if keys and keys.held else None
    found: _Keys | None = read.bounds["arguments"]
    return found


def _new_keys(values: Sequence[Value], encoder: UnionEncoder) -> _Keys | None:
    objects = [value.members if isinstance(value.data, dict) else {} for value in values]
    names = {name: k for k, name in enumerate(dict.fromkeys(chain.from_iterable(objects)))}
    if len(names) > MOST_KEYS or any(value.compared is not None for value in values):
        return None
    shape = len(values), len(names)
    holds, said = np.zeros(shape, dtype=np.uint8), np.zeros(shape, dtype=np.int32)
    steps = [i for i, members in enumerate(objects) for _ in members]
    places = [names[name] for members in objects for name in members]
    holds[steps, places] = [_holds(*item) for members in objects for item in members.items()]
    said[steps, places] = _numbers(chain.from_iterable(map(_recorded, values)))
    kinds = list(map(_kind, values))
    held = preparing.argument_keys(
        np.array(kinds, dtype=np.uint8),
        np.array(list(map(len, objects)), dtype=np.int32),
        ((holds & _FILLED) > 0).sum(axis=1, dtype=np.int32),
        holds,
        said,
        np.array(["[0]" in members for members in objects], dtype=np.uint8),
    )
    if _TEXT not in kinds:
        return _Keys(names, held, np.zeros((len(values), len(values))), None)
    texts = [value.text if k == _TEXT else "" for k, value in zip(kinds, values, strict=True)]
    sums = _sums(texts, encoder)
    return _Keys(names, held, shares(texts, sums), unit_rows(sums))


def _kind(value: Value) -> int:
    if value.data is None:
        return _NONE
    if isinstance(value.data, str):
        return _TEXT if value.kind == "leaf" else _EMPTY_TEXT
    if isinstance(value.data, dict):
        return _OBJECT if value.kind == "object" else _EMPTY_OBJECT
    return _OTHER


def _recorded(value: Value) -> list[JsonValue]:
    """What an object was recorded to have, in the order of its members."""
    data = value.data
    return [data[m.key] for m in value.members.values()] if isinstance(data, dict) else []


def _holds(name: str, member: Value) -> int:
    """What a key holds, as bits."""
    several = member.kind == "list" and len(member.items) > 1
    return (
        _PRESENT
        | _FILLED * member.is_filled
        | _EXACT * (member.exact > 0)
        | _LIST * (member.kind == "list")
        | _SEVERAL * several
        | _WRAPS * (name in WRAPPING)
    )


def _numbers(values: Iterable[JsonValue]) -> list[int]:
    """A number for each value, the same for equal ones."""
    known: dict[Any, int] = {}
    return [known.setdefault(_hashable(value), len(known)) for value in values]


def _hashable(value: JsonValue) -> Any:
    if isinstance(value, dict):
        return frozenset((key, _hashable(one)) for key, one in value.items())
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


# The shares of texts in their unions.


def _share(texts: Sequence[str], encoder: UnionEncoder) -> Matrix:
    if len(set(texts)) == 1:
        return np.full((len(texts), len(texts)), np.inf)
    return shares(texts, _sums(texts, encoder))


def _sums(texts: Sequence[str], encoder: UnionEncoder) -> Matrix:
    """The vectors of texts, each the sum of its parts'; zeros for an empty text."""
    found: Matrix = encoder.sums(list(texts)) * np.array([[bool(text)] for text in texts])
    return found


def shares(texts: Sequence[str], sums: Matrix) -> Matrix:
    """Returns how much of the similarity of a union each part brings, (part, other part).

    The vector of a union is the sum of its parts', so that its similarity to any text is the sum of
    theirs, each times its length over that of the sum. Where one part says all that the union does,
    its share is infinite, and that of the other one 0 unless both say the same; NaN where nothing
    is known: their vectors cancel out, or they have something in common.

    Args:
        texts: what each step says.
        sums: the vectors of these texts, each the sum of its parts' unit vectors.
    """
    products = sums @ sums.T
    squares = np.diagonal(products)
    total = np.sqrt(np.maximum(np.add.outer(squares, squares) + 2.0 * products, 0.0))
    cancelled = total < CANCELLED
    found: Matrix = np.sqrt(squares)[:, None] / np.where(cancelled, 1.0, total)
    found[cancelled] = np.nan
    said = np.array([bool(text) for text in texts])
    found[:, ~said], found[~said, :] = np.inf, 0.0
    numbers = np.array(_numbers(texts))
    found[numbers[:, None] == numbers] = np.inf
    _put_parts(found, [frozenset(text.split(JOINT)) - {""} for text in texts])
    return found


def _put_parts(found: Matrix, texts: Sequence[frozenset[str]]) -> None:
    """Puts the shares of texts that are unions and have a part in common with another."""
    for i, ours in enumerate(texts):
        for k, theirs in enumerate(texts) if len(ours) > 1 else ():
            if ours != theirs and not ours.isdisjoint(theirs):
                found[i, k], found[k, i] = _share_of_both(ours, theirs)


def _share_of_both(ours: frozenset[str], theirs: frozenset[str]) -> tuple[float, float]:
    if ours > theirs:
        return np.inf, 0.0
    return (0.0, np.inf) if ours < theirs else (np.nan, np.nan)


# The definition in NumPy, with bounds of arguments that are less near.


class _Similarities(NamedTuple):
    """Upper bounds of the similarity, 1 - cost, of unions of two rows to the columns."""

    rows: ReadSteps
    columns: ReadSteps
    fields: _Fields
    union_cost: UnionCost

    def of(self, pairs: Places) -> Matrix:
        """Returns the bound for unions of pairs of rows, (pairs, columns)."""
        left, right = pairs.T
        total: Matrix = np.zeros(1)
        arguments: Matrix = np.zeros(1)
        if self.fields.arguments:
            weight, D = self.fields.arguments
            arguments = self._of_arguments(pairs, D)
            total = weight * arguments
        call = arguments
        if self.fields.tool:
            weight, D = self.fields.tool
            tool = np.maximum(1.0 - np.minimum(D[left], D[right]), arguments)
            call, total = np.minimum(call, tool), total + weight * tool
        for weight, D, share, bounded in self.fields.texts:
            own = _of_texts(1.0 - D, share, left, right)
            total = total + weight * (np.maximum(own, call) if bounded else own)
        for weight, D in self.fields.parts:
            total = total + weight * np.minimum(1.0, 2.0 - D[left] - D[right])
        return total

    def _of_arguments(self, pairs: Places, D: Matrix) -> Matrix:
        """The bound of merged arguments: of two objects, or of parts that say no more than one."""
        found = np.ones((len(pairs), D.shape[1]))
        field = next((one for one in self.union_cost.fields if isinstance(one, Arguments)), None)
        if field is None:
            return found
        ours, theirs = self.rows.of(field), self.columns.of(field)
        objects = _Objects(theirs)
        for place, (i, k) in enumerate(pairs.tolist()):
            one, other = ours[i], ours[k]
            if one.data is None or other.data is None:
                found[place] = 2.0 - D[i] - D[k]
            elif one.kind == other.kind == "object" and one.compared == other.compared:
                found[place] = objects.similarity(one, other, 2.0 - D[i] - D[k])
        return np.minimum(found, 1.0, out=found)


class _Objects:
    """The objects among the columns: their empty members, and the columns with lists by key."""

    def __init__(self, columns: Sequence[Value]) -> None:
        objects = [column.members if column.kind == "object" else {} for column in columns]
        self._empty = np.array(
            [sum(not member.is_filled for member in members.values()) for members in objects]
        )
        self._lists: dict[str, list[int]] = {}
        for place, members in enumerate(objects):
            for key, member in members.items():
                if isinstance(member.data, list):
                    self._lists.setdefault(key, []).append(place)

    def similarity(self, one: Value, other: Value, together: Matrix) -> Matrix:
        """The bound of two merged objects, of which the similarities sum to ``together``.

        A key with another value in each becomes a list, and resembles only columns with a list
        there.
        """
        ours, theirs = (dict(zip(v.members, _recorded(v), strict=True)) for v in (one, other))
        listed = [key for key in ours.keys() & theirs.keys() if ours[key] != theirs[key]]
        keys = len(ours.keys() | theirs.keys())
        limit = (keys - len(listed) + self._empty) / (keys + self._empty)
        found: Matrix = np.minimum(together, limit)
        for key in listed:
            found[self._lists.get(key, [])] = 1.0
        return found


def _of_texts(similarity: Matrix, share: Matrix, left: Places, right: Places) -> Matrix:
    """The similarity of unions of texts, by those of their parts."""
    first, second = share[left, right][:, None], share[right, left][:, None]
    one, other = similarity[left], similarity[right]
    alone = np.maximum(np.where(np.isinf(first), one, 0.0), np.where(np.isinf(second), other, 0.0))
    finite = np.isfinite(first) & np.isfinite(second)
    both = np.where(finite, first, 0.0) * one + np.where(finite, second, 0.0) * other
    found = np.where(finite, np.clip(both + SLACK, 0.0, 1.0), alone)
    return np.where(np.isnan(first), 1.0, found)


def _could_win(
    pairs: Places, similar: _Similarities, C: Matrix, wholes: Marks
) -> Iterator[Promising]:
    nearest = np.minimum(C[pairs[:, 0]], C[pairs[:, 1]])
    least = (1.0 - similar.of(pairs))[:, wholes]
    most = np.minimum(nearest - MARGIN, _elsewhere(nearest))[:, wholes]
    could = least < most
    may = np.max(most, axis=1, where=could, initial=-1.0)
    gains = np.max(nearest[:, wholes] - least, axis=1, where=could, initial=0.0)
    near, places = least <= may[:, None] + SLACK_OF_COST, np.flatnonzero(wholes)
    for k in np.flatnonzero(gains > 0).tolist():
        yield Promising(tuple(pairs[k].tolist()), places[near[k]].tolist(), float(gains[k]))


def _elsewhere(rows: Matrix) -> Matrix:
    """Returns for each entry the least of the others in its row; 1 where there are none."""
    least, second = np.partition(np.hstack([rows, np.ones((len(rows), 1))]), 1)[:, :2].T
    found: Matrix = np.where(rows == least[:, None], second[:, None], least[:, None])
    return found
