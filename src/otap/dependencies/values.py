"""The values in a step: leaves of structured data, and telling tokens of text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue
from pydantic_core import from_json

MAX_TEXT = 100_000  # characters of one text in which values are looked for
MAX_PHRASE = 200  # characters of a text that counts as one value
MAX_KEY = 80  # characters of a key that a path shows
DEEPEST = 100  # levels of data, text that says data included; what lies deeper is not looked at

_TOKEN = re.compile(r"[^\W_](?:[\w@.:/#-]*[^\W_])?")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?\Z")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d\Z")
_ARITHMETIC = re.compile(r"[\d.+*/%-]+\Z")


@dataclass(frozen=True)
class Leaf:
    """One value, in canonical spelling, and where it stands.

    ``record`` is the path of the innermost object inside a list or object that holds it, or ""
    at the top: values of one record belong together.
    """

    value: str
    path: str
    record: str = ""


def leaves(data: JsonValue, path: str) -> Iterator[Leaf]:
    """Yields every value of ``data`` with its path, in listing order.

    Text that is itself JSON is read as such; other text gives itself, where it is short, and its
    tokens. A key that holds a digit is a value too: identifiers often serve as keys.
    """
    yield from _leaves(data, path, "", 0)


def parsed(data: JsonValue) -> JsonValue:
    """Returns what a text says, if it is a JSON object or list; else ``data`` itself."""
    if isinstance(data, str) and data.lstrip()[:1] in ("{", "["):
        try:
            value: JsonValue = from_json(data, allow_inf_nan=False)
        except ValueError:
            return data
        return value
    return data


def _leaves(data: JsonValue, path: str, record: str, depth: int) -> Iterator[Leaf]:
    data = parsed(data)
    if depth > DEEPEST:
        return
    if isinstance(data, dict):
        for key, value in data.items():
            place = f"{path}.{key[:MAX_KEY]}"
            if any(character.isdigit() for character in key):
                yield Leaf(canonical(key), place, record)
            inner = place if isinstance(value, dict) else record
            yield from _leaves(value, place, inner, depth + 1)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            place = f"{path}[{index}]"
            inner = place if isinstance(value, dict) else record
            yield from _leaves(value, place, inner, depth + 1)
    elif isinstance(data, str):
        yield from _text_leaves(data[:MAX_TEXT], path, record)
    elif data is not None and not isinstance(data, bool):
        yield Leaf(canonical(data), path, record)


def _text_leaves(text: str, path: str, record: str) -> Iterator[Leaf]:
    whole = canonical(text)
    if whole and len(whole) <= MAX_PHRASE:
        yield Leaf(whole, path, record)
    for token in tokens(text):
        if token != whole:
            yield Leaf(token, path, record)


def tokens(text: str) -> Iterator[str]:
    """Yields the words, identifiers and numbers of a text, in canonical spelling."""
    for match in _TOKEN.finditer(text):
        token = canonical(match.group())
        yield token
        if _ARITHMETIC.match(token) and not is_number(token) and not is_date(token):
            yield from (canonical(number) for number in re.split(r"[-+*/%]+", token) if number)


def canonical(value: object) -> str:
    """Returns one spelling for equal values: 150, 150.0 and "150" are the same."""
    text = str(value).strip()
    if _NUMBER.match(text) and len(text) < 16:
        return f"{float(text) + 0.0:.15g}"  # all its digits, and no negative zero
    return text


def is_number(value: str) -> bool:
    """Says whether a canonical value is a number."""
    return bool(_NUMBER.match(value))


def is_date(value: str) -> bool:
    """Says whether a canonical value is a date such as 2026-06-12."""
    return bool(_ISO_DATE.match(value))
