"""Structured data as it is compared: what kind each piece is, read once."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

from pydantic import JsonValue

from otap.matrices.texts import plain, text_of

LONGEST_LIST = 100  # members; longer lists are compared as texts
DEEPEST = 64  # levels; what lies deeper is compared as text
_WORDS = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d+)?\Z")

Kind = Literal["empty", "object", "list", "long list", "leaf"]


class Value:
    """A piece of data with its kind and, for objects and lists, its members.

    Text that is itself JSON is what it says. Members are read when they are first asked for.
    """

    def __init__(self, data: JsonValue, depth: int = 0) -> None:
        self.data = plain(data)
        self._depth = depth
        self.kind: Kind = "leaf" if depth > DEEPEST else _kind(self.data)

    @cached_property
    def text(self) -> str:
        """One text for equal data."""
        return text_of(self.data)

    @cached_property
    def canonical(self) -> str:
        """One spelling of a leaf for equal values: 1, 1.0 and "1" are the same."""
        return f"{float(self.text):.15g}" if _NUMBER.match(self.text) else self.text

    @cached_property
    def worded(self) -> bool:
        """Whether a leaf means what its words mean."""
        return isinstance(self.data, list) or (isinstance(self.data, str) and is_prose(self.data))

    @cached_property
    def members(self) -> Mapping[str, "Value"]:
        """The members of an object, by key in sorted order."""
        assert isinstance(self.data, dict)
        return {key: Value(self.data[key], self._depth + 1) for key in sorted(self.data)}

    @cached_property
    def items(self) -> Sequence["Value"]:
        """The members of a list."""
        assert isinstance(self.data, list)
        return [Value(member, self._depth + 1) for member in self.data]

    @cached_property
    def is_filled(self) -> bool:
        """Whether it costs something to leave out: a key without a value says as much as none."""
        return not _is_empty(self.data)

    @cached_property
    def filled(self) -> float:
        """The number of members of an object that are filled."""
        return float(sum(member.is_filled for member in self.members.values()))


def is_prose(text: str) -> bool:
    """Says whether a text means what its words mean: two words or more, mostly letters."""
    words = _WORDS.findall(text)
    return len(words) >= 2 and " " in text and 2 * sum(map(len, words)) > len(text)


def _kind(data: JsonValue) -> Kind:
    if _is_empty(data):
        return "empty"
    if isinstance(data, dict):
        return "object"
    if isinstance(data, list):
        return "list" if len(data) <= LONGEST_LIST else "long list"
    return "leaf"


def _is_empty(data: JsonValue) -> bool:
    return _says_nothing(data) or (
        isinstance(data, dict) and all(map(_says_nothing, data.values()))
    )


def _says_nothing(data: JsonValue) -> bool:
    return data in (None, [], {}) or (isinstance(data, str) and not data.strip())
