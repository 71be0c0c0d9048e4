"""The values known at some point of a run, and those that can be derived from them."""

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import groupby, islice
from operator import attrgetter

from otap._patterns import regex
from otap.dependencies.content import Content, as_json, leaves_of, values_of
from otap.dependencies.numbers import MAX_CALCULATED
from otap.dependencies.values import is_date, is_number

MIN_PART = 4  # characters of the shortest value that is found inside a longer one
NEAR_DAYS = 7  # between a date and one that is derived from it
FACTORS = tuple(float(k) for k in (*range(2, 13), 100, 1000))  # small multiples, percent, mille
SEARCHED = 1_000_000_000  # characters in which parts are looked for, for one trajectory
_SEARCH = 100  # characters that a search in a short text counts for
_APART = "\0"
OPERANDS = 300  # numbers from which another is calculated: the last ones that became known
_DECIMALS = 6  # to which numbers are rounded before they are compared
_SIGN = regex(r"[\W_]+")  # punctuation, and whatever else is no letter and no digit


class KnownValues:
    """A set of values that grows with the run: what was shown or said so far.

    Three tests of membership, the fastest first: :meth:`spells` reads the raw text only,
    :meth:`holds` and :meth:`derives` the leaves of the data, which are read when first needed.
    """

    def __init__(self) -> None:
        self._raw = _Texts()
        self._unread: list[Content] = []
        self._words: set[str] = set()
        self._dates: set[date] = set()
        self._numbers: dict[float, None] = {}  # the last ones seen last
        self._squashed = _Texts()  # without signs and blanks, each leaf of data once

    def add(self, contents: Sequence[Content]) -> None:
        """Makes everything in some contents known from here on."""
        self._raw.add(", ".join([one.read(_folded) for one in contents]))
        self._unread += contents

    def spells(self, value: str) -> bool:
        """Says whether a value is a substring of a known text, whatever the case of its letters.

        Never for a value of fewer than MIN_PART characters: it would be found by accident.
        """
        folded = value.casefold()
        return len(folded) >= MIN_PART and self._raw.hold(folded)

    def holds(self, value: str) -> bool:
        """Says whether a value is known as a whole, or inside a longer one.

        Inside a longer one signs and blanks do not count: "booked hat 001" holds "HAT-001".
        """
        self._read()
        return value.casefold() in self._words or self._inside(_squashed(value))

    def derives(self, value: str) -> bool:
        """Says whether a value can be derived from known ones.

        A date from one at most NEAR_DAYS away; a number as the sum or difference of two, or as the
        product or quotient of one by one of FACTORS.
        """
        self._read()
        return any(day in self._dates for own in _date(value) for day in _around(own)) or any(
            self._calculated(number) for number in _number(value)
        )

    def _inside(self, squashed: str) -> bool:
        return len(squashed) >= MIN_PART and self._squashed.hold(squashed)

    def _read(self) -> None:
        for one in self._unread:
            self._words |= one.read(_words)
            self._dates |= one.read(_dates)
            for text in one.read(_squashed_leaves):
                self._squashed.add(text)
            for number in one.read(_numbers):
                self._numbers.pop(number, None)
                self._numbers[number] = None
        self._unread.clear()

    def _calculated(self, number: float) -> bool:
        seen, last = self._numbers, list(islice(reversed(self._numbers), OPERANDS))
        return any(
            round(number - one, _DECIMALS) in seen or round(number + one, _DECIMALS) in seen
            for one in last
        ) or any(
            round(number / one, _DECIMALS) in seen or round(number * one, _DECIMALS) in seen
            for one in FACTORS
        )


class _Texts:
    """Texts, and which strings they hold; each string is looked for in each text once.

    What looks for strings in all texts takes time in proportion to both. Once SEARCHED characters
    were searched, a string is held only if it is known to be, or is all of a text.
    """

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}
        self._new: list[str] = []
        self._blocks: list[str] = []  # texts that were added together, with _APART between them
        self._held: set[str] = set()
        self._looked: dict[str, int] = {}  # how many blocks were searched in vain
        self._left = SEARCHED

    def add(self, text: str) -> None:
        """Adds a text."""
        if text not in self._texts:
            self._texts[text] = None
            self._new.append(text)

    def hold(self, part: str) -> bool:
        """Says whether a string is a part of one of the texts."""
        if part in self._held or part in self._texts:
            return True
        if _APART in part:
            return any(part in text for text in self._texts)
        if self._new:
            self._blocks.append(_APART.join(self._new))
            self._new.clear()
        return self._search(part)

    def _search(self, part: str) -> bool:
        """Looks for a string in the blocks that were not yet searched for it."""
        for place in range(self._looked.get(part, 0), len(self._blocks)):
            if self._left <= 0:
                return False
            self._left -= len(self._blocks[place]) + _SEARCH
            self._looked[part] = place + 1
            if part in self._blocks[place]:
                self._held.add(part)
                return True
        return False


def dates_near(value: str) -> Iterator[str]:
    """Yields the dates from which a date can be derived, itself included; none for other values.

    Args:
        value: in canonical spelling; a date is YYYY-MM-DD.
    """
    return (day.isoformat() for own in _date(value) for day in _around(own))


def _around(day: date) -> Iterator[date]:
    first = max(day.toordinal() - NEAR_DAYS, date.min.toordinal())
    last = min(day.toordinal() + NEAR_DAYS, date.max.toordinal())
    return map(date.fromordinal, range(first, last + 1))


def _number(value: str) -> Iterator[float]:
    """The absolute value of a number; nothing for other values."""
    if is_number(value) and len(value) <= MAX_CALCULATED:
        yield round(abs(float(value)), _DECIMALS)


def _date(value: str) -> Iterator[date]:
    if is_date(value):
        try:
            yield date.fromisoformat(value)
        except ValueError:
            return


def _folded(content: Content) -> str:
    return as_json(content.data).casefold()


def _words(content: Content) -> frozenset[str]:
    return frozenset([value.casefold() for value in content.read(values_of)])


def _dates(content: Content) -> frozenset[date]:
    return frozenset(day for value in content.read(values_of) for day in _date(value))


def _numbers(content: Content) -> Sequence[float]:
    """The numbers of a content, in the order in which they were seen last."""
    leaves = content.read(leaves_of)
    found = dict.fromkeys(number for leaf in reversed(leaves) for number in _number(leaf.value))
    return [*reversed(found)]


def _squashed_leaves(content: Content) -> Sequence[str]:
    """The values at each path without signs and blanks, each different one once."""
    found = groupby(content.read(leaves_of), key=attrgetter("path"))
    texts = (_squashed("".join([leaf.value for leaf in leaves])) for _, leaves in found)
    return [*dict.fromkeys(texts)]


def _squashed(text: str) -> str:
    return _SIGN.sub("", text).casefold()
