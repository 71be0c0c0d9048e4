"""Numbers in the notations of all languages: signs, separators, fractions, words that multiply."""

import math
import re
import tomllib
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files

from otap._patterns import regex
from otap.values.cldr import read_names

# Significant digits of a double; a longer number is a name.
DIGITS = 15

# Numbers: 1,000 is 1000 and 1.50 is 1.5, but 007 and very long numbers are names.

_PLAIN = regex(r"[+-]?(?:0|[1-9]\d*)?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?\Z", re.ASCII)
# Groups of three digits with any separator. A single dot is a decimal point, as in JSON.
_GROUPED = regex(
    r"(?P<sign>[+-]?)(?P<whole>[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+|(?:['\u2019]\d{3})+"
    r"|(?:_\d{3})+)"
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
_HUNDREDS = ("百", "千", "万")
_SIGNS = "零〇一二三四五六七八九两兩十百千万亿億"
_SCRIPT_NUMBER = regex(rf"(?=[{_SIGNS}]*[十百千])[{_SIGNS}]{{2,}}\Z")
_SCRIPT_DIGITS = regex(
    rf"[{_SIGNS}]+(?=[年月日号號時时点點分秒刻元円圆圓块塊个個小週周天公斤克升米%])"
)
_NO_NUMBERS = frozenset(("十分", "万一", "千万", "百分", "一万"))
_VULGAR = regex(r"(\d*)\s?([\u00bc-\u00be\u2150-\u215e])")
_FRACTION = regex(r"(?:(\d{1,3})[ +-])?(\d{1,2})/(2|3|4|5|6|8|16|32)(?=\s?[^\W\d_])")
_MINUS = regex(
    r"\A(?:(?:minus|moins|menos|meno|min|miinus|eksi|минус|мінус|mínus)\s|マイナス|零下|负|負)(?=\d)",
    re.IGNORECASE,
)
_MILLIONS = regex(r"(\d[\d.]{0,8})M\Z")
_JOINED = "\u0e00"  # from here on, scripts mostly without blanks between a number and its words


@cache
def read_section(name: str) -> str:
    """Returns a section of the file of units and currencies."""
    return _read_sections()[name].strip()


@cache
def numbered_words(section: str) -> Mapping[str, str]:
    """Returns the words of a section by word, with the text at the beginning of their line."""
    rows = [line.split() for line in read_section(section).splitlines()]
    return {word: first for first, *words in rows for word in words}


@cache
def _read_sections() -> Mapping[str, str]:
    return tomllib.loads(read_source())


def read_source() -> str:
    """Returns the text of the file of units and currencies."""
    return files(__package__).joinpath("literals.toml").read_text(encoding="utf-8")


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
    text = _MILLIONS.sub(r"\1 million", write_minus(text))
    if _SCRIPT_NUMBER.match(text):
        return read_script_number(text)
    if text[:1].isnumeric() and not text[-1:].isdecimal():
        text = in_full(text)
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


def write_minus(text: str) -> str:
    """Returns an amount with a hyphen for its minus, as a sign or as a word."""
    return _MINUS.sub("-", text.replace("\u2212", "-"))


@cache
def _scales() -> Mapping[str, int]:
    """The words that multiply a number, with the abbreviations of ``literals.toml`` first."""
    abbreviations = {word: int(number) for word, number in numbered_words("scales").items()}
    return {name: int(size) for name, size in read_names("scales").items()} | abbreviations


@cache
def _scaled() -> re.Pattern[str]:
    names = sorted(map(re.escape, _scales()), key=len, reverse=True)
    joined = "|".join(name for name in names if name >= _JOINED)
    # All begin with a letter, and are tried by their first one: there are hundreds.
    endings: dict[str, list[str]] = {}
    for name in names:
        if name < _JOINED and len(name) > 1:
            endings.setdefault(name[0], []).append(name[1:])
    words = "|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in endings.items())
    # A capital K is kelvin.
    return regex(rf"(\d[\d.,]{{0,12}})\s?(?=[^\W\d_])(?:({joined})|(k|(?i:{words}))\b\.?)\s?")


def in_full(text: str) -> str:
    """Returns an amount with its number in digits: 2,5 mln EUR is 2500000 EUR, ½ cup 0.5 cup."""
    if not text.isascii():
        text = _VULGAR.sub(_write_vulgar, digits_of_script(text))
    if "/" in text:
        text = _FRACTION.sub(_write_fraction, text, count=1)
    if text[0] in "$\u20ac\u00a3" and text[-1] in "MB":
        text = f"{text[:-1]} {'million' if text[-1] == 'M' else 'billion'}"
    first = _scaled().search(text)
    if not first:
        return text
    total, end, match = 0.0, first.start(), first
    step: re.Match[str] | None = first
    while step:
        match = step
        total += number_in_prose(match[1]) * _scales()[(match[2] or match[3]).lower()]
        end = match.end()
        step = _scaled().match(text, end)
    units = _UNITS.match(text, end) if match[2] else None
    if units:
        total, end = total + int(units[0]), units.end()
    number = f"{total:.0f}" if total.is_integer() else f"{total:.12g}"
    is_word = text[end - 1] == " " and end < len(text)
    return f"{text[: first.start()]}{number}{' ' if is_word else ''}{text[end:]}"


_UNITS = regex(r"\d{1,4}(?![\d.,])")


def digits_of_script(text: str) -> str:
    """Returns a text with counted numbers in Chinese characters in digits: 三点 is 3点."""
    return text if text.isascii() else _SCRIPT_DIGITS.sub(_write_script_digits, text)


def _write_vulgar(match: re.Match[str]) -> str:
    return f"{int(match[1] or 0) + unicodedata.numeric(match[2]):.12g}"


def _write_fraction(match: re.Match[str]) -> str:
    return f"{int(match[1] or 0) + int(match[2]) / int(match[3]):.12g}"


def _write_script_digits(match: re.Match[str]) -> str:
    number = read_script_number(match[0])
    return match[0] if number is None else number


def read_script_number(signs: str) -> str | None:
    """Returns a number in Chinese characters in digits; None for some other words."""
    if signs in _NO_NUMBERS or set(signs) <= set(_HUNDREDS):
        return None
    # 两 (two) is the only sign without a value in Python's tables.
    numbers = [int(unicodedata.numeric(sign, 2)) for sign in signs[:16]]
    if max(numbers) < 10:
        return "".join(str(number) for number in numbers).lstrip("0") or "0"
    return f"{value_of_words(numbers, (10, 100, 1000)):.12g}"


def value_of_words(numbers: Sequence[int], scales: Collection[int] = (100,)) -> int:
    """Returns the number of the words two, hundred, twenty, five.

    Args:
        numbers: the values of the words, in their order.
        scales: the values that multiply only the units before them.
    """
    total, scaled, units = 0, 0, 0
    for number in numbers:
        if number in scales:
            scaled, units = scaled + (units or 1) * number, 0
        elif number < 1000:
            units += number
        else:
            pending = scaled + units
            if number > total:
                total = (total + pending or 1) * number
            else:
                total += (pending or 1) * number
            scaled = units = 0
    return total + scaled + units
