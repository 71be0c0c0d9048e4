"""Which unions of two steps could be closer to a step than their parts: bounds, before any is made.

A union has a cost of its own with every step of the other side, and most unions of unrelated steps
are not worth it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from otap.encoders import Encoder
from otap.matrices import FieldCosts, Fields, Value

Array = npt.NDArray[np.float64]
Pairs = Sequence[tuple[int, int]]

_SLACK = 1e-6  # what rounding may add to a likeness of texts


@dataclass(frozen=True)
class Known:
    """What is known of the unions of some pairs of nodes before they are made.

    ``lengths`` says by field how long the sum of the vectors of both texts is; ``arguments``, shape
    (pairs, nodes of the other side), how alike the arguments can be at most.
    """

    lengths: Mapping[str, Array]
    arguments: Array


def known(
    rows: Fields, columns: Fields, pairs: Pairs, costs: FieldCosts, encoder: Encoder
) -> Known:
    """Reads off what the steps record what is known of the unions of pairs of ``rows``."""
    lengths = {
        name: np.linalg.norm(_sums(texts, pairs, encoder), axis=1)
        for name, texts in (("action", rows.actions), ("effect", rows.effects))
        if name in costs.distances
    }
    distances = costs.distances.get("arguments", np.ones(costs.total.shape))
    return Known(lengths, _arguments(rows, columns, pairs, _together(distances, pairs), encoder))


def promising(
    pairs: Pairs, wholes: Sequence[int], costs: FieldCosts, known: Known, margin: float
) -> list[tuple[int, int]]:
    """Returns the pairs of rows whose union could be closer to one of the columns ``wholes``.

    Closer than its parts are to that column, by ``margin``, and than they are to any other. A union
    of texts is as like another as its parts are together, divided by the length of their sum. In
    no other field is it more like a step than its parts are together, but for arguments, of which
    more is known; tools follow the arguments, and wording follows the call.
    """
    left, right = np.array(pairs).T
    alike = {name: _together(matrix, pairs) for name, matrix in costs.distances.items()}
    for name, length in known.lengths.items():
        told = np.maximum(length, _SLACK)  # two texts that say nothing are like nothing
        alike[name] = np.minimum(alike[name] / told[:, None] + _SLACK, 1.0)
    called: Array | float = 0.0
    if "arguments" in alike:
        called = alike["arguments"] = known.arguments
    if "tool" in alike:
        tool = costs.distances["tool"]
        alike["tool"] = np.maximum(1.0 - np.minimum(tool[left], tool[right]), called)
    if "action" in alike:
        alike["action"] = np.maximum(alike["action"], called)
    least = 1.0 - sum(costs.weights[name] * matrix for name, matrix in alike.items())
    nearest = np.minimum(costs.total[left], costs.total[right])
    could = (nearest - least > margin) & (least < _elsewhere(nearest))
    kept: list[int] = np.flatnonzero(could[:, list(wholes)].any(axis=1)).tolist()
    return [pairs[k] for k in kept]


def _together(distances: Array, pairs: Pairs) -> Array:
    """How like the columns both parts are together; not cut off at 1."""
    left, right = np.array(pairs).T
    likenesses: Array = 2.0 - distances[left] - distances[right]
    return likenesses


def _sums(texts: Sequence[str], pairs: Pairs, encoder: Encoder) -> Array:
    """The sums of the vectors of two texts each; a text that is empty has none."""
    left, right = np.array(pairs).T
    vectors = np.where([[text != ""] for text in texts], encoder.encode(list(texts)), 0.0)
    sums: Array = vectors[left] + vectors[right]
    return sums


def _elsewhere(rows: Array) -> Array:
    """For each entry the least of the others in its row; 1 where there are none."""
    least, second = np.partition(np.hstack([rows, np.ones((len(rows), 1))]), 1)[:, :2].T
    found: Array = np.where(rows == least[:, None], second[:, None], least[:, None])
    return found


def _arguments(
    rows: Fields, columns: Fields, pairs: Pairs, together: Array, encoder: Encoder
) -> Array:
    """How alike arguments are at most, from how like the columns both parts are together.

    Texts become one text, objects one object; of what else is taken together nothing is known.
    """
    most = np.ones_like(together)
    lists = [_lists(value) for value in columns.arguments]
    free = np.array([_unfilled(value) for value in columns.arguments])
    texts = []
    for place, pair in enumerate(pairs):
        one, other = (rows.arguments[node] for node in pair)
        if _says_one(one, other):
            most[place] = together[place]
        elif isinstance(one.data, str) and isinstance(other.data, str):
            texts.append(place)
        elif one.kind == other.kind == "object" and one.compared == other.compared:
            limit, listed = _objects(one, other, free)
            most[place] = np.minimum(together[place], limit)
            most[place, [not listed.isdisjoint(of) for of in lists]] = 1.0
    if texts:
        sums = _sums(rows.argument_texts, [pairs[place] for place in texts], encoder)
        cosines = sums @ encoder.encode(columns.argument_texts).T
        lengths = np.maximum(np.linalg.norm(sums, axis=1), _SLACK)
        most[texts] = np.maximum(cosines / lengths[:, None], 0.0) + _SLACK
    return np.minimum(most, 1.0)


def _says_one(one: Value, other: Value) -> bool:
    """Whether both together say no more than one of them."""
    if one.data is None or other.data is None:
        return True
    are_texts = isinstance(one.data, str) and isinstance(other.data, str)
    return are_texts and (one.text == other.text or "" in (one.text, other.text))


def _objects(one: Value, other: Value, free: Array) -> tuple[Array, set[str]]:
    """How alike they are at most, and the keys under which there will be a list.

    Two values under one key become a list, which only a list can be like. ``free`` says of each
    column how many keys it costs nothing to leave out.
    """
    assert isinstance(one.data, dict)
    assert isinstance(other.data, dict)
    both = one.data.keys() & other.data.keys()
    listed = {key for key in both if one.data[key] != other.data[key]}
    count = len(one.data.keys() | other.data.keys())
    return (count - len(listed) + free) / (count + free), listed


def _lists(value: Value) -> frozenset[str]:
    """The keys of an object that hold a list."""
    members = value.members if value.kind == "object" else {}
    return frozenset(key for key, member in members.items() if isinstance(member.data, list))


def _unfilled(value: Value) -> int:
    """The number of members of an object that it costs nothing to leave out."""
    return len(value.members) - int(value.filled) if value.kind == "object" else 0
