"""The values in data and text: tokens, and the one spelling of each."""

import re
from collections.abc import Sequence

from pydantic import JsonValue
from pydantic_core import from_json

from otap._patterns import regex
from otap.dependencies.numbers import matches, spelled

MAX_TEXT = 100_000  # characters of one text in which values are looked for
MAX_PHRASE = 200  # characters of a text that counts as one value
MAX_KEY = 80  # characters of a key that a path shows
MAX_LEVELS = 100  # of data, text that holds JSON included; what lies deeper is not looked at

_TOKEN = regex(r"[^\W_](?:[\w@.:/#-]*[^\W_])?")
_ISO_DATE = regex(r"\d{4}-\d\d-\d\d\Z")
_ARITHMETIC = regex(r"[\d.+*/%-]+\Z")


def parsed(data: JsonValue) -> JsonValue:
    """Returns the JSON object or list that a text holds; other data as it is."""
    if not isinstance(data, str) or data[:1].isalnum() or not opens_json(data):
        return data
    try:
        value: JsonValue = from_json(data, allow_inf_nan=False)
    except ValueError:
        return data
    return value


def opens_json(text: str) -> bool:
    """Says whether a text begins as a JSON object or list does; it need not be valid JSON."""
    return text.lstrip()[:1] in ("{", "[")


def tokens(text: str) -> list[str]:
    """Returns the tokens of a text: words, identifiers and numbers, in canonical spelling.

    A token that is a calculation, as 136-94.5, is followed by its operands.
    """
    found = _TOKEN.findall(text)
    if any(map(str.isdecimal, [token[0] for token in found])):
        return [spelling for token in found for spelling in _spellings(token)]
    return found


def _spellings(token: str) -> Sequence[str]:
    """The canonical spelling of a token, and of the operands of one that is a calculation."""
    if not token[0].isdecimal():  # neither number nor calculation
        return (token,)
    value = canonical_value(token)
    if not _ARITHMETIC.match(value) or is_number(value) or is_date(value):
        return (value,)
    return (value, *(canonical_value(number) for number in re.split(r"[-+*/%]+", value) if number))


def canonical_value(value: object) -> str:
    """Returns the canonical spelling of one scalar, for value flow: 150, 150.0 and "150" are equal.

    Args:
        value: a number is spelled by the rule :mod:`otap.dependencies.numbers`; other
            text stays itself, without blanks at its ends.
    """
    if type(value) is int:
        return str(value)
    return spelled(str(value).strip())


def is_number(value: str) -> bool:
    """Says whether a canonical value is a number, of any length."""
    return matches(value)


def is_date(value: str) -> bool:
    """Says whether a canonical value has the form of a date in ISO 8601, as 2026-06-12."""
    return bool(_ISO_DATE.match(value))
