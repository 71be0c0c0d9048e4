"""The user's utterances, and which of them came before a step."""

import re
from bisect import bisect_left

from otap.dependencies.values import is_date, is_number, tokens
from otap.trajectory import Trajectory

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_WORD = re.compile(r"\w+")


class Utterances:
    """The user's utterances of one trajectory, as an inverted index from words to texts.

    A step records in ``metadata["said"]`` how many utterances came before it; where it does not,
    all of them count as said before.

    Args:
        trajectory: its ``request`` holds the utterances.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        self._texts = [text.casefold() for text in trajectory.request]
        self._heard = [
            _count(step.metadata.get("said"), len(self._texts)) for step in trajectory.steps
        ]
        self._tokens: dict[str, int] = {}  # canonical value -> the first text that has it
        self._words: dict[str, int] = {}
        for index, text in enumerate(self._texts):
            for token in tokens(text):
                self._tokens.setdefault(token, index)
            for word in _WORD.findall(text):
                self._words.setdefault(word, index)
        self._sorted = sorted(self._words)
        self._first: dict[str, int] = {}

    def count_before(self, step: int) -> int:
        """Returns how many utterances came before a step, given by position."""
        return self._heard[step]

    def mention(self, value: str, step: int) -> bool:
        """Says whether the user had mentioned a value before a step, in these or like words.

        Whole words only, whatever their case. A date is mentioned in the ways in which people say
        dates (:meth:`_date`), a code by a word that begins with it (Denver mentions DEN).

        Args:
            value: in the spelling of :func:`otap.dependencies.values.canonical_value`.
            step: position in the list of steps.
        """
        if value not in self._first:
            self._first[value] = self._first_text(value)
        return self._first[value] < self._heard[step]

    def _first_text(self, value: str) -> int:
        """The first text that mentions ``value``; the number of texts if none does."""
        if is_number(value):
            return self._tokens.get(value, len(self._texts))
        ways = [self._phrase(value.casefold())]
        if is_date(value):
            ways.append(self._date(value))
        if _is_code(value):
            ways.append(self._abbreviation(value.casefold()))
        return min(ways)

    def _phrase(self, phrase: str) -> int:
        """Whole words only: 'rs-440' does not mention 'rs-44'."""
        nowhere = len(self._texts)
        start = max((self._words.get(word, nowhere) for word in _WORD.findall(phrase)), default=0)
        return self._search(rf"(?<!\w){re.escape(phrase)}(?!\w)", start)

    def _date(self, date: str) -> int:
        """'May 20', '20 May', '20th of May' and '5/20' mention 2024-05-20."""
        _, month, day = (int(part) for part in date.split("-"))
        if not 1 <= month <= 12:
            return len(self._texts)
        name = MONTHS[month - 1]
        spelled = rf"(?:{name}|{name[:3]}\.?)"
        ordinal = rf"0?{day}(?:st|nd|rd|th)?"
        return self._search(
            rf"\b{spelled}\s+(?:the\s+)?{ordinal}\b|\b{ordinal}\s+(?:of\s+)?{spelled}\b"
            rf"|\b0?{month}/0?{day}\b"
        )

    def _abbreviation(self, code: str) -> int:
        """Who says Denver has mentioned DEN."""
        first = len(self._texts)
        for place in range(bisect_left(self._sorted, code), len(self._sorted)):
            if not self._sorted[place].startswith(code):
                break
            first = min(first, self._words[self._sorted[place]])
        return first

    def _search(self, pattern: str, start: int = 0) -> int:
        nowhere = len(self._texts)
        if start == nowhere:
            return nowhere  # to compile a pattern takes longer than all the rest
        matching = re.compile(pattern)
        return next((i for i in range(start, nowhere) if matching.search(self._texts[i])), nowhere)


def _count(said: object, known: int) -> int:
    return min(said, known) if isinstance(said, int) and said >= 0 else known


def _is_code(value: str) -> bool:
    return len(value) >= 3 and value.isalpha() and value.isupper()
