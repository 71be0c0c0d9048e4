"""What a step says in one field, with all that is read of it: equal contents are read once.

The steps of a run often say the same, and so do the runs of a task. What is read here depends on
the data alone, never on the run that it stands in.
"""

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias, TypeVar, TypeVarTuple, cast

from pydantic import JsonValue

from otap._caching import Kept, cached_property
from otap._patterns import regex
from otap.dependencies.parameters import COMMON, DECIMALS
from otap.dependencies.values import (
    MAX_CALCULATED,
    MAX_LEVELS,
    MAX_PHRASE,
    MAX_TEXT,
    canonical_value,
    date_of,
    is_capitalised,
    is_number,
    parsed,
    specificity,
    telling,
    tokens,
)

ROOM = 500_000  # characters of the contents of a generation, of texts and of other data each
MAX_KEY = 80  # characters of a key that a path shows
SHORT = 200  # characters of the longest text of which is kept what was read of it
KEPT = 24  # readings of one content
_LEAST = 100  # characters that the shortest content counts for
_SIGN = regex(r"[\W_]+")  # punctuation, and whatever else is no letter and no digit

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
# The path of what is around, and a key or a place in a list; empty at the top. Written out, the
# paths of a small document can be very long together.
Path: TypeAlias = tuple[()] | tuple["Path", str | int]

_as_json = json.JSONEncoder(ensure_ascii=False).encode


class Leaf(NamedTuple):
    """One value of a tree of data, and where it stands.

    Attributes:
        value: in canonical spelling.
        path: where it stands.
        record: the path of the innermost object, inside another object or a list, that holds the
            value; empty at the top. Values of one record belong together.
        is_part: whether it is a token of a longer text.
    """

    value: str
    path: Path
    record: Path = ()
    is_part: bool = False


class Claim(NamedTuple):
    """A value with telling parts, which must come from somewhere: each part, or all its atoms."""

    path: Path
    value: str
    parts: Sequence[tuple[str, Sequence[str]]]


class Content:
    """Some data, and what is read of it when it is first asked for.

    Args:
        data: any JSON value; nobody changes it.
    """

    def __init__(self, data: JsonValue) -> None:
        self.data = data
        self._read: dict[Hashable, Any] = {}

    def read(self, reader: Callable[["Content", *Ts], T], *given: *Ts) -> T:
        """Returns what a function reads of the data, which it does once while that is kept.

        Args:
            reader: what it returns follows from the data and what is given alone, and is not None.
            given: what it gets besides.
        """
        key = reader, *given
        found = self._read.get(key)
        if found is None:
            if len(self._read) == KEPT:
                self._read.clear()
            found = self._read[key] = reader(self, *given)
        return cast(T, found)

    @cached_property
    def leaves(self) -> Sequence[Leaf]:
        """The leaves of the data, depth first and in listing order.

        Text that is itself JSON is read as such; other text gives itself, where it is short, and
        its tokens. A key that holds a digit is a leaf too: identifiers often serve as keys.
        """
        found: list[Leaf] = []
        _add_leaves(found, self.data, (), (), 0)
        return found

    @cached_property
    def values(self) -> frozenset[str]:
        """The values of the leaves."""
        return frozenset([leaf.value for leaf in self.leaves])

    @cached_property
    def specific(self) -> Sequence[tuple[Leaf, float]]:
        """The leaves that say something, and how specific each is."""
        known = [(leaf, specificity(leaf.value)) for leaf in self.leaves]
        return [(leaf, how) for leaf, how in known if how > COMMON]

    @cached_property
    def paths(self) -> Mapping[str, Path]:
        """For each value the path of the first leaf that has it."""
        return {leaf.value: leaf.path for leaf in reversed(self.leaves)}

    @cached_property
    def records(self) -> Mapping[Path, set[str]]:
        """The values of each record; those at the top belong to none."""
        found: dict[Path, set[str]] = {}
        for leaf in self.leaves:
            found.setdefault(leaf.record, set()).add(leaf.value)
        return found

    @cached_property
    def capitalised(self) -> frozenset[str]:
        """The capitalised words that stand by themselves."""
        alone = [leaf.value for leaf in self.leaves if not leaf.is_part]
        return frozenset(filter(is_capitalised, alone))

    @cached_property
    def claims(self) -> Sequence[Claim]:
        """The values with telling parts; texts are not taken apart, and keys are none."""
        found = []
        for path, value in scalars(self.data):
            spelled = canonical_value(value)
            parts = telling(spelled)
            if parts:
                found.append(Claim(path, spelled, parts))
        return found

    @cached_property
    def folded(self) -> str:
        """The data as JSON in small letters."""
        return _as_json(self.data).casefold()

    @cached_property
    def folded_values(self) -> frozenset[str]:
        """The values of the leaves in small letters."""
        return frozenset(map(str.casefold, self.values))

    @cached_property
    def dates(self) -> frozenset[date]:
        """The dates among the values."""
        return frozenset(filter(None, map(date_of, self.values)))

    @cached_property
    def numbers(self) -> Sequence[float]:
        """The absolute values of the numbers, in the order in which they were seen last."""
        known = (number_of(leaf.value) for leaf in reversed(self.leaves))
        found = dict.fromkeys(number for number in known if number is not None)
        return [*reversed(found)]

    @cached_property
    def squashed(self) -> Sequence[str]:
        """The values at each path without signs and blanks, each different one once."""
        found = groupby(self.leaves, key=attrgetter("path"))
        texts = (squash("".join([leaf.value for leaf in leaves])) for _, leaves in found)
        return [*dict.fromkeys(texts)]


NOTHING = Content(None)
_texts: Kept[str, Content] = Kept(ROOM, lambda text: len(text) + _LEAST)
_others: Kept[str, Content] = Kept(ROOM, lambda text: len(text) + _LEAST)


def content(data: JsonValue) -> Content:
    """Returns the content of some data: the same one for equal data, while it is kept."""
    if data is None:
        return NOTHING
    if isinstance(data, str):
        return _texts.made(data, Content)
    try:
        text = _as_json(data)
    except RecursionError:  # deeper than anything is looked at
        return Content(data)
    # A copy of the data: whoever made it may change it.
    return _others.made(text, lambda text: Content(json.loads(text)))


def write_path(path: Path) -> str:
    """Returns a path as ``.flights[0].price``."""
    found: list[str] = []
    while path:
        path, last = path
        found.append(f".{last[:MAX_KEY]}" if isinstance(last, str) else f"[{last}]")
    return "".join(reversed(found))


def members_of(data: dict[str, JsonValue] | list[JsonValue]) -> list[tuple[Any, JsonValue]]:
    """Returns what stands in an object or a list, by key or place."""
    return [*(data.items() if isinstance(data, dict) else enumerate(data))]


def scalars(data: JsonValue, *, nested: bool = True) -> Sequence[tuple[Path, JsonValue]]:
    """Returns the texts and numbers of a tree of data with their paths, in listing order.

    Args:
        data: any JSON value.
        nested: whether text that is JSON is read as such.
    """
    found: list[tuple[Path, JsonValue]] = []
    waiting: list[tuple[Path, JsonValue, int]] = [((), data, 0)]
    while waiting:
        path, value, depth = waiting.pop()
        if nested and isinstance(value, str) and not value[:1].isalnum():
            value = parsed(value)
        if isinstance(value, dict | list):
            for last, one in reversed(members_of(value)) if depth < MAX_LEVELS else ():
                waiting.append(((path, last), one, depth + 1))
        elif value is not None and not isinstance(value, bool):
            found.append((path, value))
    return found


def number_of(value: str) -> float | None:
    """Returns the absolute value of a canonical value that is a number, None for another."""
    if len(value) <= MAX_CALCULATED and is_number(value):
        return round(abs(float(value)), DECIMALS)
    return None


def squash(text: str) -> str:
    """Returns a text in small letters without signs and blanks."""
    return _SIGN.sub("", text).casefold()


def _add_leaves(found: list[Leaf], data: JsonValue, path: Path, record: Path, depth: int) -> None:
    """Adds the leaves to a list: it is made in half the time that it takes to yield them."""
    data = parsed(data)
    if depth > MAX_LEVELS:
        return
    if isinstance(data, str):
        whole, *parts = _values_in(data)
        if whole:
            found.append(Leaf(whole, path, record))
        found += [Leaf(part, path, record, is_part=True) for part in parts]
    elif isinstance(data, dict | list):
        for last, value in members_of(data):
            place = path, last
            if isinstance(last, str) and _is_value(last):
                found.append(Leaf(canonical_value(last), place, record))
            inner = place if isinstance(value, dict) else record
            _add_leaves(found, value, place, inner, depth + 1)
    elif data is not None and not isinstance(data, bool):
        found.append(Leaf(canonical_value(data), path, record))


def _values_in(text: str) -> Sequence[str]:
    """A text as a whole, empty where it is long, and its tokens."""
    if len(text) <= SHORT:
        return _values_in_short(text)
    return _values_in_short.__wrapped__(text[:MAX_TEXT])


@lru_cache(maxsize=16_384)
def _values_in_short(text: str) -> Sequence[str]:
    whole = canonical_value(text)
    parts = [token for token in tokens(text) if token != whole]
    return (whole if len(whole) <= MAX_PHRASE else "", *parts)


def _is_value(key: str) -> bool:
    """Whether a key holds a digit: identifiers often serve as keys."""
    return not key.isalpha() and any(map(str.isdigit, key))
