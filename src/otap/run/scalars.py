"""Values in running text: their tokens, their canonical form, and how specific they are.

Values are taken out of text and searched for elsewhere, so the rule for numbers is narrow. A
leading plus begins a telephone number, and an exponent counts only as Python writes one (1e+20).
Anything longer than 15 characters is a name. Arguments under the same key are compared by a wider
rule, :mod:`otap.values.literals`.
"""

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from hashlib import blake2b
from typing import TypeAlias, TypeVar, TypeVarTuple

from pydantic import JsonValue

from otap._patterns import regex
from otap.values.value import parse_text

# Specificity of a value: how unlikely two steps share it by coincidence. Identifiers occur in one
# record; codes, dates, names and large numbers in few; small numbers in many; words everywhere.
# These constants, and those below, were set by hand.
IDENTIFIER, CODE, LARGE_NUMBER, SMALL_NUMBER, COMMON = 0.95, 0.8, 0.8, 0.6, 0.0
LARGE = 100  # a number from here on is specific
SMALL = 10  # a number from here on is evidence
MIN_DIGITS = 3  # significant digits of an identifying number; two digits can be a guess
MAX_WORDS = 3  # a text of more words is prose
MIN_CODE = 4  # letters of an identifying code; shorter ones (EUR, JFK) are common knowledge
DECIMALS = 6  # round numbers to this many decimals before they are compared

MAX_TEXT = 100_000  # search at most this many characters of one text for values
MAX_PHRASE = 200  # a text of up to this many characters counts as one value
MAX_LEVELS = 100  # ignore data nested deeper than this, counting JSON inside text
MAX_CALCULATED = 15  # a number of more characters is compared as a name
MAX_KEY = 80  # characters of a key that a path shows
MAX_CACHED_TEXT = 200  # characters of the longest text whose reading is cached

_TOKEN = regex(r"[^\W_](?:[\w@.:/#-]*[^\W_])?")
_DIGIT = regex(r"[0-9]")
_NUMBER = regex(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?\Z")
_ISO_DATE = regex(r"\d{4}-\d\d-\d\d\Z")
_ARITHMETIC = regex(r"[\d.+*/%-]+\Z")
_ATOM = regex(r"\d{4}-\d\d-\d\d|[^\W_](?:\w|(?<=\d)\.(?=\d))*")
_CLOCK = regex(r"(?<=\d)T(?=\d\d:)")  # between a date and a time
_AMOUNT = regex(r"[^\w.]*(\d[\d,]*(?:\.\d+)?)\s*[^\W\d_]{0,3}\W*\Z")  # $1,950.00, 5kg, -3, 3rd
PUNCTUATION = regex(r"[\W_]+")  # every character that is neither a letter nor a digit

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
# The path of the parent, and a key or a list index; empty at the top. Linked, because the full
# paths of a small document can be very long together.
Path: TypeAlias = tuple[()] | tuple["Path", str | int]


def cache_short(read: Callable[[str, *Ts], T]) -> Callable[[str, *Ts], T]:
    """Caches the results of a function for short texts; long texts are read again.

    Without the two caches of this kind a score takes 12 % longer if its values were seen before,
    and 2 % longer if they were not.
    """
    cached = lru_cache(maxsize=16_384)(read)

    def read_cached(text: str, *options: *Ts) -> T:
        return (cached if len(text) <= MAX_CACHED_TEXT else read)(text, *options)

    return read_cached


def canonical_value(value: object) -> str:
    """Returns the canonical form of a scalar for data flow: 150, 150.0 and "150" are equal.

    Args:
        value: a number of up to 15 characters becomes the shortest decimal of up to 15 digits;
            other text only loses the blanks at its ends.
    """
    if type(value) is int:
        return str(value)
    text = str(value).strip()
    if len(text) > MAX_CALCULATED or text.isalpha() or not _NUMBER.match(text):
        return text
    return f"{float(text) + 0.0:.15g}"


def is_number(value: str) -> bool:
    """Returns whether a canonical value is a number, of any length."""
    return _NUMBER.match(value) is not None


def is_date(value: str) -> bool:
    """Returns whether a canonical value has the form of an ISO 8601 date, as 2026-06-12."""
    return _ISO_DATE.match(value) is not None


def date_of(value: str) -> date | None:
    """Returns the date that a canonical value denotes, or None."""
    try:
        return date.fromisoformat(value) if _ISO_DATE.match(value) else None
    except ValueError:
        return None


def has_digit(text: str) -> bool:
    """Returns whether a text has a digit of any script."""
    if text.isascii():  # nearly always, and a search is several times faster
        return _DIGIT.search(text) is not None
    return any(character.isdigit() for character in text)


def is_capitalised(value: str) -> bool:
    """Returns whether a value is a word in lower case except for its first letter.

    Inside a text the capital means little: sentences begin with one, and so do German nouns.
    """
    return value[:1].isupper() and value[1:].islower() and value.isalpha()


def tokens(text: str) -> list[str]:
    """Returns the tokens of a text in canonical form: words, identifiers and numbers.

    The operands of a calculation, as 136-94.5, follow the calculation itself.
    """
    canonical: list[str] = []
    for token in _TOKEN.findall(text):
        if not token[0].isdecimal():
            canonical.append(token)
            continue
        value = canonical_value(token)
        canonical.append(value)
        if _ARITHMETIC.match(value) and not is_number(value) and not is_date(value):
            operands = [operand for operand in re.split(r"[-+*/%]+", value) if operand]
            canonical += [canonical_value(operand) for operand in operands]
    return canonical


def specificity(value: str) -> float:
    """Returns how specific a value is, in [0, 1]: how unlikely two steps share it by coincidence.

    Identifiers (a digit among letters) are the most specific, then codes and names (capitals,
    several words), then numbers. Plain lower-case words are the vocabulary of the tools: 0.

    Args:
        value: in canonical form.
    """
    if _NUMBER.match(value):
        number = float(value)
        if abs(number) >= LARGE or number != int(number):
            return LARGE_NUMBER
        return SMALL_NUMBER if abs(number) >= SMALL else COMMON
    if len(value) < 3 or (value.islower() and value.replace("_", "").isalpha()):
        return COMMON
    if has_digit(value):
        return CODE if _ISO_DATE.match(value) else IDENTIFIER
    return CODE if any(character.isupper() for character in value) else COMMON


def identifying_parts(value: str) -> list[tuple[str, list[str]]]:
    """Returns the identifying parts of a value, each with its identifying atoms.

    An identifying part is so specific that a run must have read or heard it: an identifier with a
    digit, a code of capitals, a date, or a number of at least MIN_DIGITS digits. Words, names,
    prose, small and round numbers can come from anywhere. Atoms are the pieces between the
    punctuation of an address or a path.

    Args:
        value: in canonical form.
    """
    amount = _AMOUNT.match(value)
    if amount:
        parts = [canonical_value(amount[1].replace(",", ""))]
    elif len(value.split()) > MAX_WORDS and any(character.isalpha() for character in value):
        return []
    else:
        parts = tokens(value)
    identifying: list[tuple[str, list[str]]] = []
    for part in dict.fromkeys(parts):
        atoms = [atom for atom in _ATOM.findall(_CLOCK.sub(" ", part)) if _is_identifying(atom)]
        if atoms:
            identifying.append((part, atoms))
    return identifying


def _is_identifying(atom: str) -> bool:
    amount = _AMOUNT.match(atom)
    if amount:  # zeros at the end, and those that begin a fraction, do not count
        integer, point, fraction = amount[1].replace(",", "").partition(".")
        digits = (integer + fraction).lstrip("0") if point else integer
        return len(digits.rstrip("0")) >= MIN_DIGITS
    if atom.isalpha():
        return atom.isupper() and len(atom) >= MIN_CODE
    return has_digit(atom) and specificity(atom) > 0


def number_of(value: str) -> float | None:
    """Returns the absolute value of a canonical number, or None for other values."""
    is_calculated = len(value) <= MAX_CALCULATED and _NUMBER.match(value)
    return round(abs(float(value)), DECIMALS) if is_calculated else None


def hash_texts(*texts: str) -> str:
    """Returns a short text that is equal for equal texts."""
    return blake2b("\x1f".join(texts).encode(), digest_size=9).hexdigest()


def write_path(path: Path) -> str:
    """Returns a path as ``.flights[0].price``."""
    parts: list[str] = []
    while path:
        path, last = path
        parts.append(f".{last[:MAX_KEY]}" if isinstance(last, str) else f"[{last}]")
    return "".join(reversed(parts))


def last_key(path: Path) -> str:
    """Returns the last key of a path without list indices, or an empty text."""
    while path:
        path, last = path
        if isinstance(last, str):
            return last[:MAX_KEY].rpartition(".")[2].partition("[")[0]
    return ""


def list_nodes(data: JsonValue, *, nested: bool = True) -> list[tuple[Path, Path, JsonValue]]:
    """Returns all nodes of a JSON document, each with its path and record, in listing order.

    Args:
        data: any JSON value.
        nested: whether text that is JSON is parsed.
    """
    nodes: list[tuple[Path, Path, JsonValue]] = []
    pending: list[tuple[Path, Path, JsonValue, int]] = [((), (), data, 0)]
    while pending:
        path, record, node, depth = pending.pop()
        inner_record = path if isinstance(node, dict) else record
        if nested and isinstance(node, str) and not node[:1].isalnum():
            node = parse_text(node)
        nodes.append((path, record, node))
        if isinstance(node, dict | list) and depth < MAX_LEVELS:
            members = node.items() if isinstance(node, dict) else enumerate(node)
            for last, member in reversed([*members]):
                pending.append(((path, last), inner_record, member, depth + 1))
    return nodes
