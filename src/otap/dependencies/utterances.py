"""The user's utterances, and which of them came before a step."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache

from otap._caching import Kept
from otap._patterns import regex
from otap.dependencies.content import SHORT
from otap.dependencies.values import is_date, is_number, tokens
from otap.trajectory import Trajectory

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_WORD = regex(r"\w+")
ROOM = 500_000  # characters of the utterances of a generation that is kept
_SOUGHT = 512  # short values whose first text is kept, of one index
_requests: "Kept[tuple[str, ...], _TextIndex]" = Kept(ROOM, lambda request: sum(map(len, request)))


class Utterances:
    """The user's utterances of one trajectory, and which of them came before each step.

    A step records in ``metadata["said"]`` how many utterances came before it; where it does not,
    all of them count as said before.

    Args:
        trajectory: its ``request`` holds the utterances.

    Attributes:
        before: how many utterances came before each step.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        index = _requests.made(trajectory.request, _TextIndex)
        self._first, self._first_short = index.find_first, index.find_first_short
        self.before: list[int] = []
        count = len(trajectory.request)
        for step in trajectory.steps:
            said = step.metadata.get("said")
            self.before.append(said if isinstance(said, int) and 0 <= said < count else count)

    def mention(self, value: str, step: int) -> bool:
        """Says whether the user had mentioned a value before a step, in these or like words.

        Whole words only, whatever their case. A date is mentioned in the ways in which people say
        dates (:meth:`_TextIndex._find_date`), a code by a word that begins with it (Denver mentions
        DEN).

        Args:
            value: in canonical spelling.
            step: position in the list of steps.
        """
        first = self._first_short if len(value) <= SHORT else self._first
        return first(value) < self.before[step]

    def mention_any(self, values: Iterable[str], step: int) -> bool:
        """Says whether the user had mentioned one of some short values before a step."""
        return min(map(self._first_short, values)) < self.before[step]


class _TextIndex:
    """Some texts, and for each word the first of them that has it.

    Args:
        request: the texts; equal ones are indexed once, while they are kept.
    """

    def __init__(self, request: Sequence[str]) -> None:
        self._texts = [text.casefold() for text in request]
        self._tokens: dict[str, int] = {}  # canonical value -> the first text that has it
        self._words: dict[str, int] = {}
        for index, text in reversed([*enumerate(self._texts)]):
            self._tokens.update(dict.fromkeys(tokens(text), index))
            self._words.update(dict.fromkeys(_WORD.findall(text), index))
        self._sorted = sorted(self._words)
        self.find_first_short = lru_cache(_SOUGHT)(self.find_first)

    def find_first(self, value: str) -> int:
        """Returns the first text that mentions a value; the number of texts if none does."""
        if is_number(value):
            return self._tokens.get(value, len(self._texts))
        first = self._find_phrase(value.casefold())
        if is_date(value):
            return min(first, self._find_date(value))
        if len(value) >= 3 and value.isalpha() and value.isupper():
            return min(first, self._find_abbreviated(value.casefold()))
        return first

    def _find_phrase(self, phrase: str) -> int:
        """Whole words only: 'rs-440' does not mention 'rs-44'."""
        nowhere = len(self._texts)
        start = max((self._words.get(word, nowhere) for word in _WORD.findall(phrase)), default=0)
        texts = range(start, nowhere)
        return next((i for i in texts if _holds_phrase(self._texts[i], phrase)), nowhere)

    def _find_date(self, date: str) -> int:
        """'May 20', '20 May', '20th of May' and '5/20' mention 2024-05-20."""
        _, month, day = map(int, date.split("-"))
        nowhere = len(self._texts)
        if not 1 <= month <= 12:
            return nowhere
        said = _day_pattern(month, day)
        return next((i for i, text in enumerate(self._texts) if said.search(text)), nowhere)

    def _find_abbreviated(self, code: str) -> int:
        """Who says Denver has mentioned DEN."""
        first = len(self._texts)
        for place in range(bisect_left(self._sorted, code), len(self._sorted)):
            word = self._sorted[place]
            if not word.startswith(code):
                break
            first = min(first, self._words[word])
        return first


@lru_cache(maxsize=1024)
def _day_pattern(month: int, day: int) -> re.Pattern[str]:
    """The ways to say a day in small letters."""
    name = MONTHS[month - 1]
    spelled = rf"(?:{name}|{name[:3]}\.?)"
    ordinal = rf"0?{day}(?:st|nd|rd|th)?"
    return re.compile(
        rf"\b{spelled}\s+(?:the\s+)?{ordinal}\b|\b{ordinal}\s+(?:of\s+)?{spelled}\b"
        rf"|\b0?{month}/0?{day}\b"
    )


def _holds_phrase(text: str, phrase: str) -> bool:
    """Whether a text has a phrase that no letter or digit continues on either side."""
    begin = text.find(phrase)
    while begin >= 0:
        end = begin + len(phrase)
        around = text[begin - 1 : begin], text[end : end + 1]
        if not any(sign.isalnum() or sign == "_" for sign in around):
            return True
        begin = text.find(phrase, begin + 1)
    return False
