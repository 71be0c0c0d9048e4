"""What a run told its user: whether one of its texts says an answer.

Answers are compared as values are. A number, a date or a time is said in any spelling, and nothing
else will do; a name or an identifier as whole words, letter case aside; a sentence word for word,
or by another one that means nearly the same, holds the same values and names, and does not
contradict it, as two texts of an argument may (:mod:`otap.values.contradiction`).
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from otap._caching import cached_property
from otap._patterns import regex
from otap.dependencies.content import MONTHS, Content, content
from otap.prepare.recognition import answers
from otap.trajectory import Trajectory
from otap.values.contradiction import contradiction
from otap.values.marks import read_marks

# The numbers, dates and times that a running text says, in one spelling each. Texts are in plain
# spelling: in normal form NFKC, without capitals.

Kind = Literal["number", "date", "time"]

LONGEST_NUMBER = 40  # characters of a number that is spelled anew; a longer one is a name
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
    date = next((date for match in matches if match and (date := _read_date(match))), None)
    match = _TIME.fullmatch(whole)
    return date or (_read_time(match) if match else None)


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
        dates = {match: date for match in pattern.finditer(text) if (date := _read_date(match))}
        found += chain.from_iterable((date, date.of_any_year) for date in dates.values())
        text = _without([*dates], text)
    times = {match: time for match in _TIME.finditer(text) if (time := _read_time(match))}
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


def _read_date(match: re.Match[str]) -> Value | None:
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


def _read_time(match: re.Match[str]) -> Value | None:
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
    if len(digits) > LONGEST_NUMBER or (digits[0] == "0" and digits[1:2].isdigit()):
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


NEAR = 0.75  # cosine from which on one sentence says another
LONG = 4  # words from which on an answer can be said in other words
SENTENCES = 64  # of a run, those that share most words with an answer, are compared by meaning
MAX_TOLD = 300_000  # characters of all that a run told in which answers are looked for, the last
LONGEST = 1_000  # characters of a sentence that are compared by meaning
OF_ITS_SIZE = 2.0  # up to this factor a number told stands beside one that was not

Vectors = Callable[[list[str]], NDArray[np.float64]]

_WORD = regex(r"\w+(?:[.,:/@'\u2019_-]\w+)*")
_SENTENCE = regex(r"(?<=[.!?])\s+|\n+")
_EITHER = ("yes", "no")
# One of them as a sentence or the beginning of one: where a text says both, the last one counts.
_OPENING = regex(r"(?:^|[.!?\n])[ \t]*+(yes|no)(?= ?(?:[,.!;:\u2013\u2014]|$))")
_DENIES = frozenset(("not", "no", "never", "without", "cannot", "neither", "nor"))
# Scripts that are written without blanks: Thai, Lao, kana, Chinese.
_UNSPACED = regex("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_BEFORE = 40  # characters in which the two words before a place are looked for


@dataclass(frozen=True)
class _Text:
    """A text as it was told and in plain spelling, and its words, each between blanks."""

    told: str
    plain: str
    words: str

    @cached_property
    def values(self) -> frozenset[Value]:
        return frozenset(said_values(self.plain))

    @cached_property
    def value(self) -> Value | None:
        """The value that the whole of it is."""
        return value_of(self.plain)

    def has(self, values: frozenset[Value]) -> bool:
        """Whether it says all of some values."""
        return all(not self.values.isdisjoint(value.ways) for value in values)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(self.words.split())

    @cached_property
    def names(self) -> frozenset[str]:
        """The words that are names; no nouns of German."""
        return frozenset(
            _fold_text(name) for name in read_marks(self.told[:LONGEST]).pieces.get("name", ())
        )

    @cached_property
    def sentences(self) -> "tuple[_Text, ...]":
        return tuple(_text(one) for one in _SENTENCE.split(self.told) if one)


class Told:
    """The texts that a run told its user.

    Args:
        texts: in order.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [_known(text) for text in _last(texts)]
        self._known: dict[str, bool] = {}

    def says(self, answer: str, vectors: Vectors) -> bool:
        """Returns whether a text says an answer; one that is blank is always said.

        Args:
            answer: as the reference has it.
            vectors: gives the unit vectors of texts.
        """
        if answer not in self._known:
            self._known[answer] = self._says(answer, vectors)
        return self._known[answer]

    def nearest(self, answer: str) -> str | None:
        """Returns the number told that is nearest to a number, where one is of its size."""
        wanted = _known(answer).value
        if wanted is None or wanted.kind != "number":
            return None
        size = float(wanted.canonical)
        said = {value.canonical for value in self._values if value.kind == "number"}
        apart = {other: _apart(size, float(other)) for other in said}
        near = [other for other, factor in apart.items() if 1 < factor <= OF_ITS_SIZE]
        return min(near, key=lambda other: (apart[other], other), default=None)

    @cached_property
    def _values(self) -> frozenset[Value]:
        return frozenset().union(*(text.values for text in self._texts))

    def _says(self, answer: str, vectors: Vectors) -> bool:
        asked = _known(answer)
        if asked.value is not None:
            return not self._values.isdisjoint(asked.value.ways)
        if not asked.vocabulary or any(_contains(text, asked) for text in self._texts):
            return True
        return asked.words.count(" ") > LONG and self._says_the_same(asked, vectors)

    def _says_the_same(self, asked: _Text, vectors: Vectors) -> bool:
        """Whether a sentence means what the answer does."""
        best = self._most_alike(asked)
        if not best:
            return False
        first, *others = vectors([text.words.strip()[:LONGEST] for text in (asked, *best)])
        return any(
            float(first @ other) >= NEAR and _agree(asked, text)
            for text, other in zip(best, others, strict=True)
        )

    def _most_alike(self, asked: _Text) -> list[_Text]:
        """The sentences that share most words with an answer, in texts with all of its values."""
        alike = {
            one.words: one
            for text in self._texts
            if asked.names <= text.vocabulary and text.has(asked.values)
            for one in text.sentences
            if not asked.vocabulary.isdisjoint(one.vocabulary)
        }
        return nlargest(
            SENTENCES,
            alike.values(),
            key=lambda one: (len(asked.vocabulary & one.vocabulary), one.words),
        )


def _last(texts: Sequence[str]) -> Sequence[str]:
    """Returns the last texts, up to the limit: what was asked for is told towards the end."""
    found: list[str] = []
    left = MAX_TOLD
    for text in reversed(texts):
        if left <= 0:
            break
        found.append(text[-left:])
        left -= len(text)
    return found[::-1]


def _agree(asked: _Text, said: _Text) -> bool:
    return contradiction(said.told[:LONGEST], asked.told[:LONGEST]) is None


def _fold_text(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _known(told: str) -> _Text:
    """The text, taken apart once however many runs tell it."""
    return content(told).read(_text_of)


def _text_of(content: Content) -> _Text:
    return _text(str(content.data))


def _text(told: str) -> _Text:
    plain = _fold_text(told)
    words = (number_of(word) or word for word in _WORD.findall(plain))
    return _Text(told, plain, f" {' '.join(words)} ")


def _contains(text: _Text, asked: _Text) -> bool:
    """Whether a text holds what is asked for as whole words, and does not deny it there."""
    if _UNSPACED.search(asked.plain):
        return asked.plain.strip() in text.plain
    if asked.words.strip() in _EITHER:
        said = _OPENING.findall(text.plain)
        if len({*said}) > 1:
            return bool(said[-1] == asked.words.strip())
    start = text.words.find(asked.words)
    while start >= 0 and _denied(text.words[max(0, start - _BEFORE) : start]):
        start = text.words.find(asked.words, start + 1)
    return start >= 0


def _denied(before: str) -> bool:
    """Whether words deny what comes after them; "not only" does not."""
    *_, first, second = ["", "", *before.split()]
    return _denies(second) or (_denies(first) and second not in ("only", "just"))


def _denies(word: str) -> bool:
    return word in _DENIES or word.endswith(("n't", "n\u2019t"))


def _apart(one: float, other: float) -> float:
    """The factor between two sizes; infinite where one of them is 0."""
    least, most = sorted((one, other))
    return most / least if least else float("inf")


def told_by(trajectory: Trajectory) -> list[str] | None:
    """Returns what a run told, messages first; None where it records neither."""
    calls = [
        step.arguments
        for step in trajectory.steps
        if step.status != "error" and step.tool is not None and answers(step.tool)
    ]
    if trajectory.told is None and not calls:
        return None
    return [*(trajectory.told or ()), *chain.from_iterable(map(_texts_of_arguments, calls))]


def _texts_of_arguments(data: JsonValue) -> Iterator[str]:
    """Yields the texts and numbers of a tree of data, in listing order."""
    waiting = [data]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(reversed(item.values()))
        elif isinstance(item, list):
            waiting.extend(reversed(item))
        elif item is not None and not isinstance(item, bool):
            yield str(item)
