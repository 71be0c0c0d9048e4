"""Numbers: 1,000 is 1000 and 1.50 is 1.5, but 007 is a name and so is what is too long."""

import math
import re

from otap._patterns import regex

LONGEST = 15  # digits that a double keeps; a longer number is a name

_PLAIN = regex(r"[+-]?(?:0|[1-9]\d*)?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?\Z", re.ASCII)
# Groups of three, however they are set apart. One dot alone is a decimal point, as in JSON.
_GROUPED = regex(
    r"(?P<sign>[+-]?)(?P<whole>[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+|(?:['\u2019]\d{3})+)"
    r"|[1-9]\d?(?:,\d\d)+,\d{3})(?P<part>\.\d+)?\Z",
    re.ASCII,
)
_DOTTED = regex(
    r"(?P<sign>[+-]?)(?P<whole>[1-9]\d{0,2}(?:(?:\.\d{3})+(?=,)|(?:\.\d{3}){2}\Z))"
    r"(?P<part>,\d+)?\Z",
    re.ASCII,
)
_NO_DIGIT = regex(r"\D")
_SUM = regex(r"(?=.*\d\s*[+*/-]\s*[\d(.])(?!.*\d\s+[\d.])[\d.\s()+*/-]+\Z", re.ASCII)
_TELEPHONE = regex(r"\+\d{8,}\Z", re.ASCII)
_BLANKS = regex(r"\s+")
_LONGEST_TEXT, _LONGEST_SUM = 40, 200


def spelled(number: int | float) -> str:
    """Returns the one spelling of equal JSON numbers: the shortest decimal of 15 digits."""
    if isinstance(number, int):
        return str(number)
    if not math.isfinite(number):
        return str(float(number))
    if abs(number) >= 10**LONGEST:
        return str(int(number)) if float(number).is_integer() else repr(number)
    return f"{number + 0.0:.{LONGEST}g}"


def number(text: str) -> str | None:
    """Reads a number: a sign, separators of thousands, a fraction, an exponent."""
    if len(text) > _LONGEST_TEXT or _TELEPHONE.match(text):
        return None
    digits = decimal(text.replace("\u2212", "-"))
    return spelled(float(digits)) if digits and math.isfinite(float(digits)) else None


def calculation(text: str) -> str | None:
    """Reads what is to be calculated: blanks are no difference. It is not calculated."""
    if len(text) > _LONGEST_SUM or not _SUM.match(text):
        return None
    return _BLANKS.sub("", text) if " " in text else None


def decimal(text: str) -> str | None:
    """Returns a number in digits, sign, point and exponent alone; None for a name."""
    if _PLAIN.match(text):
        found = text
    elif separated := _GROUPED.match(text) or _DOTTED.match(text):
        whole, part = _NO_DIGIT.sub("", separated["whole"]), separated["part"] or ""
        found = separated["sign"] + whole + part.replace(",", ".")
    else:
        return None
    return found if _is_sound(found) else None


def _is_sound(digits: str) -> bool:
    mantissa = re.split("[eE]", digits)[0]
    return sum(map(str.isdigit, mantissa)) > 0 and len(mantissa.split(".")[0]) <= LONGEST + (
        mantissa[0] in "+-"
    )
