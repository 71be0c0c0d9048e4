"""The values in a step: the leaves of structured data, and the tokens of text."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pydantic import JsonValue
from pydantic_core import from_json

from otap.dependencies.numbers import matches, spelled

MAX_TEXT = 100_000  # characters of one text in which values are looked for
MAX_PHRASE = 200  # characters of a text that counts as one value
MAX_KEY = 80  # characters of a key that a path shows
_KEPT = 200  # characters of the longest text whose values are kept
MAX_LEVELS = 100  # of data, text that holds JSON included; what lies deeper is not looked at

_TOKEN = re.compile(r"[^\W_](?:[\w@.:/#-]*[^\W_])?")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d\Z")
_ARITHMETIC = re.compile(r"[\d.+*/%-]+\Z")


class Leaf(NamedTuple):
    """One value of a tree of data, and where it stands.

    Attributes:
        value: in the spelling of :func:`canonical_value`.
        path: as ``effect.flights[0].price``.
        record: the path of the innermost object, inside another object or a list, that holds the
            value; "" at the top. Values of one record belong together.
        is_part: whether it is a token of a longer text.
    """

    value: str
    path: str
    record: str = ""
    is_part: bool = False


def leaves(data: JsonValue, path: str) -> Sequence[Leaf]:
    """Returns the leaves of a tree of data, depth first and in listing order.

    Text that is itself JSON is read as such; other text gives itself, where it is short, and its
    tokens. A key that holds a digit is a leaf too: identifiers often serve as keys.

    Args:
        data: any JSON value.
        path: where the data stands; every leaf's path begins with it.
    """
    found: list[Leaf] = []
    _add_leaves(found, data, path, "", 0)
    return found


def parsed(data: JsonValue) -> JsonValue:
    """Returns the JSON object or list that a text holds; other data as it is."""
    if isinstance(data, str) and opens_json(data):
        try:
            value: JsonValue = from_json(data, allow_inf_nan=False)
        except ValueError:
            return data
        return value
    return data


def opens_json(text: str) -> bool:
    """Says whether a text begins as a JSON object or list does; it need not be valid JSON."""
    return text.lstrip()[:1] in ("{", "[")


def _add_leaves(found: list[Leaf], data: JsonValue, path: str, record: str, depth: int) -> None:
    """Adds the leaves to a list: it is made in half the time that it takes to yield them."""
    data = parsed(data)
    if depth > MAX_LEVELS:
        return
    if isinstance(data, dict | list):
        for key, place, value in _members(data, path):
            if key and any(map(str.isdigit, key)):
                found.append(Leaf(canonical_value(key), place, record))
            inner = place if isinstance(value, dict) else record
            _add_leaves(found, value, place, inner, depth + 1)
    elif isinstance(data, str):
        found.extend(_text_leaves(data[:MAX_TEXT], path, record))
    elif data is not None and not isinstance(data, bool):
        found.append(Leaf(canonical_value(data), path, record))


def _members(
    data: dict[str, JsonValue] | list[JsonValue], path: str
) -> Iterator[tuple[str, str, JsonValue]]:
    """The key, path and value of each member; the members of a list have no key."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield key, f"{path}.{key[:MAX_KEY]}", value
    else:
        for index, value in enumerate(data):
            yield "", f"{path}[{index}]", value


def _text_leaves(text: str, path: str, record: str) -> Iterator[Leaf]:
    values = _kept_values(text) if len(text) <= _KEPT else _values(text)
    return (Leaf(value, path, record, is_part) for value, is_part in values)


def _values(text: str) -> Iterator[tuple[str, bool]]:
    """A text as a whole, where it is short, and its tokens; whether each is only a part of it."""
    whole = canonical_value(text)
    if whole and len(whole) <= MAX_PHRASE:
        yield whole, False
    yield from ((token, True) for token in tokens(text) if token != whole)


@lru_cache(maxsize=16_384)
def _kept_values(text: str) -> tuple[tuple[str, bool], ...]:
    return tuple(_values(text))


def tokens(text: str) -> Iterator[str]:
    """Yields the tokens of a text: words, identifiers and numbers, in canonical spelling.

    A token that is a calculation, as 136-94.5, is followed by its operands.
    """
    for match in _TOKEN.finditer(text):
        token = canonical_value(match.group())
        yield token
        if _ARITHMETIC.match(token) and not is_number(token) and not is_date(token):
            operands = re.split(r"[-+*/%]+", token)
            yield from (canonical_value(number) for number in operands if number)


def canonical_value(value: object) -> str:
    """Returns the canonical spelling of one scalar, for value flow: 150, 150.0 and "150" are equal.

    Args:
        value: a number is spelled by the rule :mod:`otap.dependencies.numbers`; other
            text stays itself, without blanks at its ends.
    """
    return spelled(str(value).strip())


def is_number(value: str) -> bool:
    """Says whether a canonical value is a number, of any length."""
    return matches(value)


def is_date(value: str) -> bool:
    """Says whether a canonical value has the form of a date in ISO 8601, as 2026-06-12."""
    return bool(_ISO_DATE.match(value))
