"""What a step says in one field, with all that is read of it: equal contents are read once.

The steps of a run often say the same, and so do the runs of a task. What is read here depends on
the data alone, never on the run that it stands in.
"""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from pydantic import JsonValue

from otap._caching import Kept
from otap.dependencies.values import (
    MAX_KEY,
    MAX_LEVELS,
    MAX_PHRASE,
    MAX_TEXT,
    canonical_value,
    parsed,
    tokens,
)

ROOM = 500_000  # characters of the contents of a generation, of texts and of other data each
_LEAST = 100  # characters that the shortest one counts for
_KEPT = 200  # characters of the longest text inside a content whose values are kept

T = TypeVar("T")
as_json = json.JSONEncoder(ensure_ascii=False).encode


def _room(text: str) -> int:
    """Returns how much of the room a text takes."""
    return len(text) + _LEAST


_texts: Kept[str, "Content"] = Kept(ROOM, _room)
_others: Kept[str, "Content"] = Kept(ROOM, _room)


class Content:
    """Some data, and what was read of it.

    Args:
        data: any JSON value; nobody changes it.
    """

    def __init__(self, data: JsonValue) -> None:
        self.data = data
        self._read: dict[Callable[[Content], Any], Any] = {}

    def read(self, reader: Callable[["Content"], T]) -> T:
        """Returns what a function reads of the data, which it does once.

        Args:
            reader: what it returns follows from the data alone, and is not None.
        """
        found = self._read.get(reader)
        if found is None:
            found = self._read[reader] = reader(self)
        return cast(T, found)


NOTHING = Content(None)


def content(data: JsonValue) -> Content:
    """Returns the content of some data: the same one for equal data, while it is kept."""
    if data is None:
        return NOTHING
    if isinstance(data, str):
        return _texts.made(data, Content)
    try:
        text = as_json(data)
    except RecursionError:  # deeper than anything is looked at
        return Content(data)
    return _others.made(text, _of_json)


def _of_json(text: str) -> Content:
    """A copy: whoever made the data may change it."""
    return Content(json.loads(text))


# The path of what is around, and a key or a place in a list; empty at the top. Written out, the
# paths of a small document can be very long together.
Path: TypeAlias = tuple[()] | tuple["Path", str | int]


def written(path: Path) -> str:
    """Returns a path as ``.flights[0].price``."""
    found: list[str] = []
    while path:
        path, last = path
        found.append(f".{last[:MAX_KEY]}" if isinstance(last, str) else f"[{last}]")
    return "".join(reversed(found))


class Leaf(NamedTuple):
    """One value of a tree of data, and where it stands.

    Attributes:
        value: in the spelling of :func:`canonical_value`.
        path: where it stands.
        record: the path of the innermost object, inside another object or a list, that holds the
            value; empty at the top. Values of one record belong together.
        is_part: whether it is a token of a longer text.
    """

    value: str
    path: Path
    record: Path = ()
    is_part: bool = False


def leaves(data: JsonValue) -> Sequence[Leaf]:
    """Returns the leaves of a tree of data, depth first and in listing order.

    Text that is itself JSON is read as such; other text gives itself, where it is short, and its
    tokens. A key that holds a digit is a leaf too: identifiers often serve as keys.

    Args:
        data: any JSON value.
    """
    return content(data).read(leaves_of)


def leaves_of(content: Content) -> Sequence[Leaf]:
    """Returns the leaves of a content."""
    found: list[Leaf] = []
    _add_leaves(found, content.data, (), (), 0)
    return found


def values_of(content: Content) -> frozenset[str]:
    """Returns the values of the leaves of a content: in half the time, as no place is told."""
    found: set[str] = set()
    _add_values(found, content.data, 0)
    found.discard("")  # a text that is too long to be one value
    return frozenset(found)


def _add_values(found: set[str], data: JsonValue, depth: int) -> None:
    data = parsed(data)
    if depth > MAX_LEVELS:
        return
    if isinstance(data, str):
        found.update(_values_in(data[:MAX_TEXT]))
    elif isinstance(data, dict | list):
        if isinstance(data, dict):
            found.update(map(canonical_value, filter(_is_value, data)))
        for value in data.values() if isinstance(data, dict) else data:
            _add_values(found, value, depth + 1)
    elif _is_number(data):
        found.add(canonical_value(data))


def _add_leaves(found: list[Leaf], data: JsonValue, path: Path, record: Path, depth: int) -> None:
    """Adds the leaves to a list: it is made in half the time that it takes to yield them."""
    data = parsed(data)
    if depth > MAX_LEVELS:
        return
    if isinstance(data, str):
        _add_text(found, data[:MAX_TEXT], path, record)
    elif isinstance(data, dict | list):
        for last, value in data.items() if isinstance(data, dict) else enumerate(data):
            place = path, last
            if isinstance(last, str) and _is_value(last):
                found.append(Leaf(canonical_value(last), place, record))
            inner = place if isinstance(value, dict) else record
            _add_leaves(found, value, place, inner, depth + 1)
    elif _is_number(data):
        found.append(Leaf(canonical_value(data), path, record))


def _add_text(found: list[Leaf], text: str, path: Path, record: Path) -> None:
    whole, *parts = _values_in(text)
    if whole:
        found.append(Leaf(whole, path, record))
    found += [Leaf(part, path, record, is_part=True) for part in parts]


def _values_in(text: str) -> Sequence[str]:
    """A text as a whole, empty where it is long, and its tokens."""
    return _kept_values(text) if len(text) <= _KEPT else _values(text)


@lru_cache(maxsize=16_384)
def _kept_values(text: str) -> Sequence[str]:
    return _values(text)


def _values(text: str) -> Sequence[str]:
    whole = canonical_value(text)
    parts = [token for token in tokens(text) if token != whole]
    return (whole if len(whole) <= MAX_PHRASE else "", *parts)


def _is_value(key: str) -> bool:
    """Whether a key holds a digit: identifiers often serve as keys."""
    return not key.isalpha() and any(map(str.isdigit, key))


def _is_number(data: JsonValue) -> bool:
    return data is not None and not isinstance(data, bool)
