"""Numbers in the notations of all languages: signs, separators, fractions, words that multiply."""

import math
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from otap._patterns import regex

# Significant digits of a double; a longer number is a name.
DIGITS = 15

# Numbers: 1,000 is 1000 and 1.50 is 1.5, but 007 and very long numbers are names.

_PLAIN = regex(r"[+-]?(?:0|[1-9]\d*)?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?\Z", re.ASCII)
# Groups of three digits with any separator. A single dot is a decimal point, as in JSON.
_GROUPED = regex(
    r"(?P<sign>[+-]?)(?P<whole>[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+|(?:['\u2019]\d{3})+)"
    r"|[1-9]\d?(?:,\d\d)+,\d{3})(?P<part>\.\d+|(?<= \d{3}),\d{1,2})?\Z",
    re.ASCII,
)
_DOTTED = regex(
    r"(?P<sign>[+-]?)(?P<whole>[1-9]\d{0,2}(?:(?:\.\d{3})+(?=,)|(?:\.\d{3}){2}\Z))"
    r"(?P<part>,\d+)?\Z",
    re.ASCII,
)
# As accountants write less than nothing; (5) and 5- may be something else.
_NEGATIVE = regex(r"\((?P<in>\d[\d.,' ]*[.,]\d\d\d?)\)\Z|(?P<before>\d[\d.,' ]*[.,]\d\d\d?)-\Z")
_NO_DIGIT = regex(r"\D")
_TELEPHONE = regex(r"\+\d{8,}\Z", re.ASCII)
_SCALED = regex(r"(\d[\d.,]{0,12})([\u5343\u4e07\u842c\u5104\u4ebf\ub9cc])(?=[^\W\d_]{0,3}\Z)")
_SCALED_BY_WORD = regex(r"(\d[\d.,]{0,12})\s?([^\W\d_]{1,9})\.?(?=\s|\Z)")
_SCALES = {"\u5343": 1_000, "\u5104": 10**8, "\u4ebf": 10**8}  # the others: 10,000


@cache
def read_section(name: str) -> str:
    """Returns a section of the file of units and currencies."""
    return _read_sections()[name].strip()


@cache
def _read_sections() -> Mapping[str, str]:
    return tomllib.loads(files(__package__).joinpath("literals.toml").read_text(encoding="utf-8"))


def format_number(number: int | float) -> str:
    """Returns the form that equal JSON numbers share: the shortest decimal of 15 digits."""
    if isinstance(number, int):
        return str(number)
    if not math.isfinite(number):
        return str(float(number))
    if abs(number) >= 10**DIGITS:
        return str(int(number)) if float(number).is_integer() else repr(number)
    return f"{number + 0.0:.{DIGITS}g}"


def parse_number(text: str) -> str | None:
    """Returns the canonical form of a number with sign, separators, fraction and exponent."""
    if len(text) > 40 or _TELEPHONE.match(text):
        return None
    text = text.replace("\u2212", "-")
    negative = _NEGATIVE.match(text) if text[-1:] in (")", "-") else None
    digits = parse_decimal(f"-{negative['in'] or negative['before']}" if negative else text)
    return format_number(float(digits)) if digits and math.isfinite(float(digits)) else None


def parse_decimal(text: str) -> str | None:
    """Returns a number as digits, sign, point and exponent; None for a name."""
    if _PLAIN.match(text):
        decimal = text
    else:
        groups = _GROUPED.match(text) or _DOTTED.match(text)
        if not groups:
            return None
        fraction = (groups["part"] or "").replace(",", ".")
        decimal = groups["sign"] + _NO_DIGIT.sub("", groups["whole"]) + fraction
    mantissa = re.split("[eE]", decimal)[0]
    max_length = DIGITS + mantissa.startswith(("+", "-"))
    has_digits = any(character.isdigit() for character in mantissa)
    return decimal if has_digits and len(mantissa.split(".")[0]) <= max_length else None


def number_in_prose(text: str) -> float:
    """Returns the value of digits with decimal points, commas and separators of thousands."""
    text = re.sub(r"['\u00a0\u202f]", "", text)
    last = max(text.rfind(","), text.rfind("."))
    integer, sign, fraction = text[: max(last, 0)], text[last : last + 1], text[last + 1 :]
    if last < 0 or sign in integer or (sign == "," and len(fraction) == 3):
        integer, fraction = text, "0"
    return float(f"{_NO_DIGIT.sub('', integer)[:300] or '0'}.{fraction[:30]}")


@cache
def _scales() -> Mapping[str, int]:
    rows = [line.split() for line in read_section("scales").splitlines()]
    return {word: int(number) for number, *words in rows for word in words}


def in_full(text: str) -> str:
    """Returns an amount with its number in full: 2,5 mln EUR is 2500000 EUR."""
    text = _SCALED.sub(_write_scaled, text)
    words = _SCALED_BY_WORD.search(text)
    scale = words and _scales().get(words[2].lower())
    if not scale and words and text[0] in "$\u20ac\u00a3":
        scale = {"M": 10**6, "B": 10**9}.get(words[2])
    if not words or not scale:
        return text
    number = number_in_prose(words[1]) * scale
    return f"{text[: words.start()]}{number:.12g}{text[words.end() :]}"


def _write_scaled(match: re.Match[str]) -> str:
    number = number_in_prose(match[1]) * _SCALES.get(match[2], 10_000)
    return f"{number:.12g}"
