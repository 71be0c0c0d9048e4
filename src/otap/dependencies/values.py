"""Values in data and text: tokens, the one spelling of each, and how much each says.

Dependencies and grounding take values out of running text and look for equal ones elsewhere, so
the rule for numbers is narrow: a leading plus begins a telephone number, an exponent is one as
Python spells a float (1e+20), what is longer than 15 characters is a name. Arguments that stand at
one place are compared by a wider rule, `otap.values.literals`.
"""

import re
from collections.abc import Sequence
from datetime import date

from pydantic import JsonValue
from pydantic_core import from_json

from otap._patterns import regex
from otap.dependencies.parameters import (
    CODE,
    COMMON,
    IDENTIFIER,
    LARGE,
    LARGE_NUMBER,
    MAX_WORDS,
    MIN_CODE,
    MIN_DIGITS,
    SMALL,
    SMALL_NUMBER,
)

MAX_TEXT = 100_000  # characters of one text in which values are looked for
MAX_PHRASE = 200  # characters of a text that counts as one value
MAX_LEVELS = 100  # of data, text that holds JSON included; what lies deeper is not looked at
MAX_CALCULATED = 15  # characters of a number that value flow spells anew: a longer one is a name

_TOKEN = regex(r"[^\W_](?:[\w@.:/#-]*[^\W_])?")
_NUMBER = regex(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?\Z")
_ISO_DATE = regex(r"\d{4}-\d\d-\d\d\Z")
_ARITHMETIC = regex(r"[\d.+*/%-]+\Z")
_ATOM = regex(r"\d{4}-\d\d-\d\d|[^\W_](?:\w|(?<=\d)\.(?=\d))*")
_CLOCK = regex(r"(?<=\d)T(?=\d\d:)")  # between a date and a time
_AMOUNT = regex(r"[^\w.]*(\d[\d,]*(?:\.\d+)?)\s*[^\W\d_]{0,3}\W*\Z")  # $1,950.00, 5kg, -3, 3rd


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


def canonical_value(value: object) -> str:
    """Returns the canonical spelling of one scalar, for value flow: 150, 150.0 and "150" are equal.

    Args:
        value: a number of up to 15 characters is spelled as the shortest decimal of up to 15
            digits; other text stays itself, without blanks at its ends.
    """
    if type(value) is int:
        return str(value)
    text = str(value).strip()
    if len(text) > MAX_CALCULATED or text.isalpha() or not _NUMBER.match(text):
        return text
    return f"{float(text) + 0.0:.15g}"


def is_number(value: str) -> bool:
    """Says whether a canonical value is a number, of any length."""
    return _NUMBER.match(value) is not None


def is_date(value: str) -> bool:
    """Says whether a canonical value has the form of a date in ISO 8601, as 2026-06-12."""
    return _ISO_DATE.match(value) is not None


def date_of(value: str) -> date | None:
    """Returns the date that a canonical value is, None if it is none."""
    try:
        return date.fromisoformat(value) if _ISO_DATE.match(value) else None
    except ValueError:
        return None


def is_capitalised(value: str) -> bool:
    """Says whether a value is a word in small letters but for its first.

    Inside of a text the capital says little: sentences begin with one, and German nouns have one.
    """
    return value[:1].isupper() and value[1:].islower() and value.isalpha()


def tokens(text: str) -> list[str]:
    """Returns the tokens of a text: words, identifiers and numbers, in canonical spelling.

    A token that is a calculation, as 136-94.5, is followed by its operands.
    """
    found: list[str] = _TOKEN.findall(text)
    spellings: list[str] = []
    for token in found:
        if token[0].isdecimal():  # a number or calculation
            spellings += _spell_token(token)
        else:
            spellings.append(token)
    return spellings


def _spell_token(token: str) -> Sequence[str]:
    """The canonical spelling of a token, and of the operands of one that is a calculation."""
    value = canonical_value(token)
    if not _ARITHMETIC.match(value) or is_number(value) or is_date(value):
        return (value,)
    return (value, *map(canonical_value, filter(None, re.split(r"[-+*/%]+", value))))


def specificity(value: str) -> float:
    """Returns how specific a value is, in [0, 1]: how unlikely two steps have it by coincidence.

    Identifiers (a digit among letters) say most, then codes and names (capitals, several words),
    then numbers; plain lower-case words are the vocabulary of the tools and say nothing.

    Args:
        value: in canonical spelling.
    """
    if _NUMBER.match(value):
        number = float(value)
        if abs(number) >= LARGE or number != int(number):
            return LARGE_NUMBER
        return SMALL_NUMBER if abs(number) >= SMALL else COMMON
    if len(value) < 3 or (value.islower() and value.replace("_", "").isalpha()):
        return COMMON
    if any(map(str.isdigit, value)):
        return CODE if _ISO_DATE.match(value) else IDENTIFIER
    return CODE if any(map(str.isupper, value)) else COMMON


def telling(value: str) -> list[tuple[str, list[str]]]:
    """Returns the telling parts of a value, each with its telling atoms.

    A telling part is so specific that a run must have read or heard it: an identifier with a
    digit, a code of capitals, a date, or a number of at least MIN_DIGITS digits. Words, names,
    prose, small and round numbers can come from anywhere. An atom is what stands between the signs
    of an address or a path.

    Args:
        value: in canonical spelling.
    """
    amount = _AMOUNT.match(value)
    if amount:
        parts = [canonical_value(amount[1].replace(",", ""))]
    elif len(value.split()) > MAX_WORDS and any(map(str.isalpha, value)):
        return []
    else:
        parts = tokens(value)
    found: list[tuple[str, list[str]]] = []
    for part in dict.fromkeys(parts):
        atoms = [*filter(_is_telling, _ATOM.findall(_CLOCK.sub(" ", part)))]
        if atoms:
            found.append((part, atoms))
    return found


def _is_telling(atom: str) -> bool:
    amount = _AMOUNT.match(atom)
    if amount:  # digits but for zeros at the end, and for those that begin a fraction
        whole, point, fraction = amount[1].replace(",", "").partition(".")
        digits = (whole + fraction).lstrip("0") if point else whole
        return len(digits.rstrip("0")) >= MIN_DIGITS
    if atom.isalpha():
        return atom.isupper() and len(atom) >= MIN_CODE
    return any(map(str.isdigit, atom)) and specificity(atom) > 0
