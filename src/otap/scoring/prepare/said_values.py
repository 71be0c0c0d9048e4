"""The numbers, dates and times that a running text says, in one spelling each.

Texts are expected in plain spelling: in normal form NFKC, without capitals.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from otap._patterns import regex
from otap.dependencies.utterances import MONTHS

Kind = Literal["number", "date", "time"]

LONGEST = 40  # characters of a number that is spelled anew; a longer one is a name
# Words that count; ordinals and dozens, which count in prose, are no answer to how many.
_WORDS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
}  # fmt: skip
_MONTH = rf"(?P<month>{'|'.join(f'{name}|{name[:3]}' for name in MONTHS)}|sept)\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"
_YEAR = r"(?P<year>\d{4})"
_DATES = [
    regex(pattern)
    for pattern in (
        rf"(?<![\w-]){_YEAR}[-/](?P<number>\d{{1,2}})[-/](?P<day>\d{{1,2}})(?![\d-])",
        rf"\b{_MONTH} +(?:the +)?{_DAY}(?:,? +{_YEAR}\b)?",
        rf"(?<![\w.]){_DAY} +(?:of +)?{_MONTH}(?:,? +{_YEAR}\b)?",
        rf"(?<![\w/.])(?P<number>\d{{1,2}})/(?P<day>\d{{1,2}})/{_YEAR}(?![\d/])",
        rf"(?<![\w/.])(?P<day>\d{{1,2}})\.(?P<number>\d{{1,2}})\.{_YEAR}(?!\d)",
    )
]
_TIME = regex(
    r"(?<![\w:.])(?P<hour>\d{1,2})"
    r"(?::(?P<minute>[0-5]\d)(?::[0-5]\d)?|\.(?P<dotted>[0-5]\d)(?= ?uhr\b))?"
    r"(?: ?(?P<half>[ap])\.?m\b\.?|(?P<clock> ?uhr\b))?(?![\d:])"
)
_UNIT = r"(?:usd|eur|gbp|chf|kg|lbs?|oz|km|mi|cm|mm|gb|mb|tb|ml|hrs?|mins?|h|g|m|x)\b"
_NUMBER = regex(
    rf"(?<![^\W\d])(?<![^\W\d]-)(?<!\d)(?<!\d[.,])(?P<digits>\d++(?:[.,]\d++)*+)"
    rf"(?=$|[\W]|{_UNIT})(?P<percent> ?%| percent\b| per cent\b)?"
)
_GROUPED = regex(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?\Z")
_GROUPED_BY_POINTS = regex(r"\d{1,3}(?:\.\d{3})+,\d{1,2}\Z|\d{1,3}(?:\.\d{3}){2,}\Z")
_DIGIT = regex(r"\d")
_COUNTED = regex(rf"\b(?:{'|'.join(_WORDS)})\b")
# What may stand around a number that is all of an answer.
_CURRENCY = r"[$€£¥]|us\$|usd|eur|gbp|dollars?|euros?|pounds?|cents?"
_ALONE = regex(
    rf"(?:{_CURRENCY})? ?[-+\u2212]?(?:{_CURRENCY})? ?(?P<body>\d[\d.,]*(?: ?%| percent)?)"
    rf" ?(?:{_CURRENCY})?\.?\Z"
)


class Value(NamedTuple):
    """A value in its one spelling.

    A date is year, month and day; the year is 0 where none is said, and every date is said once
    more with the year "any". Numbers have no sign: whether a sum is paid or given back is said in
    words.
    """

    kind: Kind
    canonical: str
    percent: bool = False

    @property
    def ways(self) -> "tuple[Value, ...]":
        """The values that say this one: 20 May says 20 May 2024, and 10 % says 10."""
        if self.kind == "number":
            return (self,) if self.percent else (self, self._replace(percent=True))
        year, _, day = self.canonical.partition("-")
        if self.kind == "time" or year == "any":
            return (self,)
        return (self, self._of_year("0", day)) if year != "0" else (self._of_year("any", day),)

    @property
    def of_any_year(self) -> "Value":
        """This date, whatever its year."""
        return self._of_year("any", self.canonical.partition("-")[2])

    def _of_year(self, year: str, day: str) -> "Value":
        return self._replace(canonical=f"{year}-{day}")


def value_of(text: str) -> Value | None:
    """Returns the value that the whole of a text is; None where it is none."""
    whole = text.strip()
    if whole in _WORDS:
        return Value("number", _WORDS[whole])
    return _moment_of(whole) or _number_alone(whole)


def _moment_of(whole: str) -> Value | None:
    """Returns the date or time that a text is."""
    matches = (pattern.fullmatch(whole) for pattern in _DATES)
    date = next((date for match in matches if match and (date := _date(match))), None)
    match = _TIME.fullmatch(whole)
    return date or (_time(match) if match else None)


def _number_alone(whole: str) -> Value | None:
    """Returns the number that a text is, but for its currency."""
    alone = _ALONE.match(whole)
    if alone is None:
        return None
    match = _NUMBER.fullmatch(alone["body"].rstrip(".,"))
    found = list(_numbers(match)) if match else []
    return found[0] if len(found) == 1 else None


def said_values(text: str) -> Iterator[Value]:
    """Yields the values that a text says; the parts of a date are no numbers."""
    if _DIGIT.search(text):
        moments, text = _moments(text)
        yield from moments
        for match in _NUMBER.finditer(text):
            yield from _numbers(match)
    for match in _COUNTED.finditer(text):
        yield Value("number", _WORDS[match[0]])


def _moments(text: str) -> tuple[list[Value], str]:
    """The dates and times that a text says, and the text without them."""
    found: list[Value] = []
    for pattern in _DATES:
        dates = {match: date for match in pattern.finditer(text) if (date := _date(match))}
        found += chain.from_iterable((date, date.of_any_year) for date in dates.values())
        text = _without([*dates], text)
    times = {match: time for match in _TIME.finditer(text) if (time := _time(match))}
    gone = [match for match in times if not _is_number_too(match)]
    return [*found, *times.values()], _without(gone, text)


def _without(matches: Sequence[re.Match[str]], text: str) -> str:
    """A text with a mark in place of each match."""
    if not matches:
        return text
    ends = [0, *(match.end() for match in matches)]
    begins = [*(match.start() for match in matches), len(text)]
    return " ; ".join([text[end:begin] for end, begin in zip(ends, begins, strict=True)])


def number_of(word: str) -> str | None:
    """Returns the one spelling of a word that is a number; None where it is none."""
    match = _NUMBER.fullmatch(word) if word[:1].isdigit() else None
    found = list(_numbers(match)) if match else []
    return found[0].canonical if len(found) == 1 else None


def _date(match: re.Match[str]) -> Value | None:
    found = match.groupdict()
    month = found.get("month")
    number = _month(month) if month else int(found["number"])
    day = int(found["day"])
    if 12 < number <= 31 and day <= 12:
        number, day = day, number
    if not (1 <= number <= 12 and 1 <= day <= 31):
        return None
    return Value("date", f"{int(found['year'] or 0)}-{number}-{day}")


def _month(name: str) -> int:
    return next(n for n, month in enumerate(MONTHS, 1) if month.startswith(name[:3]))


def _time(match: re.Match[str]) -> Value | None:
    """A time has minutes, or says that it is one or in which half of the day: else a number."""
    hour, half = int(match["hour"]), match["half"]
    minute = match["minute"] or match["dotted"]
    if (minute is None and half is match["clock"] is None) or hour > (12 if half else 23):
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return Value("time", f"{hour}:{minute or '00'}")


def _is_number_too(match: re.Match[str]) -> bool:
    """Whether a time says a number as well, as 12 Uhr and 12.30 Uhr do."""
    return match["clock"] is not None and match["minute"] is None


def _numbers(match: re.Match[str]) -> Iterator[Value]:
    percent = match["percent"] is not None
    for digits in _ungrouped(match["digits"]):
        yield Value("number", _shortest(digits), percent)


def _ungrouped(digits: str) -> list[str]:
    """Returns the numbers in digits with commas and points: 1,950.00 is one, 1,2,3 are three.

    Digits that begin with a 0, as those of a postal code, are a name.
    """
    if len(digits) > LONGEST or (digits[0] == "0" and digits[1:2].isdigit()):
        return []
    if _GROUPED.match(digits):
        return [digits.replace(",", "")]
    if _GROUPED_BY_POINTS.match(digits):
        return [digits.replace(".", "").replace(",", ".")]
    if digits.count(",") == 1 and "." not in digits:
        return [digits.replace(",", ".")]
    parts = digits.split(",")
    return [part for part in parts if part.count(".") <= 1]


def _shortest(digits: str) -> str:
    whole, _, fraction = digits.partition(".")
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
