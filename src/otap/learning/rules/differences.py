"""In what two calls of one tool differ, by the path of their arguments."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import JsonValue

from otap.matrices import Value, below, plain

Way = Literal["same", "order", "number", "prose", "value"]
_PATHS = 200  # of a call that are looked at
_DEEPEST = 16  # levels of arguments that are looked at


class Difference(NamedTuple):
    """In what two values of one path differ.

    ``size`` is of two numbers the difference, as a share of the larger one. ``listed`` says whether
    both are lists of the same members, at least two.
    """

    way: Way
    size: float = 0.0
    listed: bool = False


class _Leaf(NamedTuple):
    """What stands at a path, and the key above it."""

    data: JsonValue
    key: str


def differences(arguments: JsonValue, other: JsonValue) -> Mapping[str, Difference]:
    """Returns in what the arguments of two calls differ, by path, of the paths that both fill.

    Args:
        arguments: of one call.
        other: of the other.
    """
    ours, theirs = _filled(arguments), _filled(other)
    return {path: _difference(ours[path], theirs[path]) for path in ours if path in theirs}


def _filled(arguments: JsonValue) -> dict[str, list[_Leaf]]:
    """What a call fills, by path; the objects of a list share theirs."""
    found: defaultdict[str, list[_Leaf]] = defaultdict(list)
    for path, leaf in _leaves(arguments, "", "", 0):
        if path in found or len(found) < _PATHS:
            found[path].append(leaf)
    return dict(found)


def _leaves(data: JsonValue, path: str, key: str, depth: int) -> Iterator[tuple[str, _Leaf]]:
    data = plain(data)
    if isinstance(data, dict) and depth < _DEEPEST:
        for name, value in data.items():
            yield from _leaves(value, below(path, name), name, depth + 1)
    elif isinstance(data, list) and data and all(isinstance(one, dict) for one in data):
        for value in data:
            yield from _leaves(value, path, key, depth + 1)
    elif data not in (None, "", [], {}):
        yield path, _Leaf(data, key)


def _difference(ours: Sequence[_Leaf], theirs: Sequence[_Leaf]) -> Difference:
    if ours == theirs:  # most are, and nothing has to be read of them
        listed = len(ours) == 1 and isinstance(ours[0].data, list) and len(ours[0].data) > 1
        return Difference("same", listed=listed)
    values = [[Value(leaf.data, key=leaf.key) for leaf in side] for side in (ours, theirs)]
    if len(ours) == len(theirs) == 1:
        return _of_two(values[0][0], values[1][0])
    same = sorted(map(_spelled, values[0])) == sorted(map(_spelled, values[1]))
    return Difference("same" if same else "value")


def _of_two(one: Value, other: Value) -> Difference:
    if one.kind == other.kind == "list":
        return _of_lists(one, other)
    if _spelled(one) == _spelled(other):
        return Difference("same")
    if one.is_number and other.is_number:
        size = abs(one.number - other.number) / max(abs(one.number), abs(other.number))
        return Difference("number", size)
    return Difference("prose" if one.worded and other.worded else "value")


def _of_lists(one: Value, other: Value) -> Difference:
    members = sorted(map(_spelled, one.items)), sorted(map(_spelled, other.items))
    listed = members[0] == members[1] and len(members[0]) > 1
    if _spelled(one) == _spelled(other):
        return Difference("same", listed=listed)
    return Difference("order", listed=True) if listed else Difference("value")


def _spelled(value: Value) -> str:
    """One text for values that are the same."""
    return value.canonical if value.kind == "leaf" else value.identity
