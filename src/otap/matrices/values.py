"""Structured data as it is compared: what kind each piece is, read once."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

from pydantic import JsonValue

from otap.dependencies.numbers import COMPARISON
from otap.matrices.rules import Rule, Rules
from otap.matrices.texts import plain, text_of

LONGEST_LIST = 100  # members; longer lists are compared as texts
DEEPEST = 64  # levels; what lies deeper is compared as text
_WORDS = re.compile(r"[^\W\d_]{2,}")
_NO_RULE = Rule()
SLACK = 1e-9  # what rounding may add to a difference, as a share of what a tolerance allows

Kind = Literal["empty", "object", "list", "set", "long list", "leaf"]


class Value:
    """A piece of data with its kind and, for objects and lists, its members.

    Text that holds a JSON object or list is read as such. Members are read when first asked for.

    Args:
        data: any JSON value.
        depth: levels of data above it; beyond DEEPEST it is a leaf.
        rules: how the data at a path is compared; None: by no rule.
        path: where this piece stands.
    """

    def __init__(
        self, data: JsonValue, depth: int = 0, rules: Rules | None = None, path: str = ""
    ) -> None:
        self.data = plain(data)
        self._depth, self._rules, self._path = depth, rules, path
        self.rule = rules.by_path.get(path, _NO_RULE) if rules else _NO_RULE
        if self.rule.as_set and isinstance(self.data, list):
            self.data = _as_set(self.data)
        self.kind: Kind = "leaf" if depth > DEEPEST else _kind(self.data, self.rule)

    @property
    def compared(self) -> object:
        """The rules that it is compared by: values of equal data and equal rules are the same."""
        if self._rules is None:
            return None
        return self.rule if self.kind == "leaf" else (self._rules, self._path)

    @cached_property
    def text(self) -> str:
        """One text for equal data."""
        return text_of(self.data)

    @cached_property
    def canonical(self) -> str:
        """One spelling of a leaf for equal values: 1, 1.0 and "1" are the same."""
        if isinstance(self.data, dict | list):
            return canonical_json(self.data) if self.rule.exact else self.text
        return COMPARISON.spelled(self.text)

    @cached_property
    def number(self) -> float:
        """The number that a leaf is, NaN for one that is none."""
        given = isinstance(self.data, int | float) and not isinstance(self.data, bool)
        return float(self.text) if given or COMPARISON.matches(self.text) else math.nan

    @cached_property
    def worded(self) -> bool:
        """Whether a leaf is compared by its text vector: prose, a long list, or by its rule."""
        if self.rule.exact or self.rule.text:
            return self.rule.text
        return isinstance(self.data, list) or (isinstance(self.data, str) and is_prose(self.data))

    @cached_property
    def prose(self) -> bool:
        """Whether a leaf is prose whose numbers, names, negations and order of words are exact."""
        return self.worded and isinstance(self.data, str) and not self.rule.text

    @cached_property
    def members(self) -> Mapping[str, "Value"]:
        """The members of an object, by key in sorted order."""
        assert isinstance(self.data, dict)
        return {key: self._below(self.data[key], key) for key in sorted(self.data)}

    @cached_property
    def items(self) -> Sequence["Value"]:
        """The members of a list."""
        assert isinstance(self.data, list)
        return [Value(one, self._depth + 1, self._rules, self._path) for one in self.data]

    def _below(self, data: JsonValue, key: str) -> "Value":
        if self._rules is None:
            return Value(data, self._depth + 1)
        return Value(data, self._depth + 1, self._rules, below(self._path, key))

    @cached_property
    def is_filled(self) -> bool:
        """Whether a key with this value costs something where the other object lacks the key."""
        return not _is_empty(self.data)

    @cached_property
    def filled(self) -> float:
        """The number of members of an object that are filled."""
        return float(sum(member.is_filled for member in self.members.values()))


def is_prose(text: str) -> bool:
    """Says whether a text is prose: a space, two words or more, and mostly letters."""
    words = _WORDS.findall(text)
    return len(words) >= 2 and " " in text and 2 * sum(map(len, words)) > len(text)


def below(path: str, key: str) -> str:
    """Returns the path of an object's member: the object's own path, a dot, and the key."""
    return f"{path}.{key}" if path else key


def canonical_json(data: JsonValue) -> str:
    """One spelling of data for equal values, whatever the order of keys; 1 is 1.0 is "1"."""
    data = plain(data)
    if isinstance(data, dict):
        return json.dumps({key: canonical_json(data[key]) for key in sorted(data)})
    if isinstance(data, list):
        return json.dumps([canonical_json(member) for member in data])
    return Value(data).canonical


def near(a: Value, b: Value) -> bool:
    """Whether two leaves are numbers that are equal within the larger of their tolerances."""
    if not a.rule.has_tolerance and not b.rule.has_tolerance:
        return False
    absolute = max(a.rule.absolute, b.rule.absolute)
    relative = max(a.rule.relative, b.rule.relative)
    allowed = max(absolute, relative * max(abs(a.number), abs(b.number)))
    return abs(a.number - b.number) <= allowed * (1 + SLACK)


def alike(rules: Rules, path: str, ours: JsonValue, theirs: JsonValue) -> bool | None:
    """Returns whether two values are the same by the rules of a tool; None if these do not decide.

    Args:
        rules: the rules of the tool.
        path: where both values stand.
        ours: the run's value.
        theirs: the reference's.
    """
    a, b = Value(ours, 0, rules, path), Value(theirs, 0, rules, path)
    if a.kind == b.kind == "set":
        return True if a.text == b.text else None
    if a.rule.text or a.rule.exact:
        return a.rule.text or a.canonical == b.canonical
    return True if near(a, b) else None


def _as_set(members: Sequence[JsonValue]) -> list[JsonValue]:
    """Each different member once, in an order that does not depend on how they are listed."""
    found: dict[str, JsonValue] = {}
    for member in members:
        found.setdefault(canonical_json(member), member)
    return [found[text] for text in sorted(found)]


def _kind(data: JsonValue, rule: Rule) -> Kind:
    if _is_empty(data):
        return "empty"
    as_set = rule.as_set and isinstance(data, list)
    if (rule.exact or rule.text) and not as_set:
        return "leaf"
    if isinstance(data, dict):
        return "object"
    if isinstance(data, list):
        short: Kind = "set" if as_set else "list"
        return short if len(data) <= LONGEST_LIST else "long list"
    return "leaf"


def _is_empty(data: JsonValue) -> bool:
    return _says_nothing(data) or (
        isinstance(data, dict) and all(map(_says_nothing, data.values()))
    )


def _says_nothing(data: JsonValue) -> bool:
    return data in (None, [], {}) or (isinstance(data, str) and not data.strip())
