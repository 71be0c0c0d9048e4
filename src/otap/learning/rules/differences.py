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


_SAME = Difference("same")


def differences(arguments: JsonValue, other: JsonValue) -> Mapping[str, Difference]:
    """Returns in what the arguments of two calls differ, by path, of the paths that both fill.

    Args:
        arguments: of one call.
        other: of the other.
    """
    ours, theirs = _filled(arguments), _filled(other)
    return {path: _difference(ours[path], theirs[path]) for path in ours if path in theirs}


def _filled(arguments: JsonValue) -> dict[str, list[Value]]:
    """The values of a call by path; the objects of a list share theirs."""
    found: defaultdict[str, list[Value]] = defaultdict(list)
    for path, value in _leaves(arguments, "", "", 0):
        if value.kind != "empty" and (path in found or len(found) < _PATHS):
            found[path].append(value)
    return dict(found)


def _leaves(data: JsonValue, path: str, key: str, depth: int) -> Iterator[tuple[str, Value]]:
    data = plain(data)
    if isinstance(data, dict) and depth < _DEEPEST:
        for name, value in data.items():
            yield from _leaves(value, below(path, name), name, depth + 1)
    elif isinstance(data, list) and data and all(isinstance(one, dict) for one in data):
        for value in data:
            yield from _leaves(value, path, key, depth + 1)
    else:
        yield path, Value(data, key=key)


def _difference(ours: Sequence[Value], theirs: Sequence[Value]) -> Difference:
    if len(ours) == len(theirs) == 1:
        return _of_two(ours[0], theirs[0])
    same = sorted(map(_spelled, ours)) == sorted(map(_spelled, theirs))
    return _SAME if same else Difference("value")


def _of_two(one: Value, other: Value) -> Difference:
    if one.kind == other.kind == "list":
        return _of_lists(one, other)
    if _spelled(one) == _spelled(other):
        return _SAME
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
