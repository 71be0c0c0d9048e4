"""What a run told its user: whether one of its texts says an answer.

Answers are compared as values are. A number, a date or a time is said in any spelling, and nothing
else will do; a name or an identifier as whole words, letter case aside; a sentence word for word,
or by another one that means nearly the same, holds the same values and names, and does not
contradict it, as two texts of an argument may (:mod:`otap.values.contradiction`).
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import nlargest

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap._patterns import regex
from otap.dependencies.content import Content, content
from otap.scoring.prepare.said_values import Value, number_of, said_values, value_of
from otap.values.contradiction import contradiction
from otap.values.marks import read_marks

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
            _plain(name) for name in read_marks(self.told[:LONGEST]).pieces.get("name", ())
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
        return asked.words.count(" ") > LONG and self._means(asked, vectors)

    def _means(self, asked: _Text, vectors: Vectors) -> bool:
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


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _known(told: str) -> _Text:
    """The text, taken apart once however many runs tell it."""
    return content(told).read(_text_of)


def _text_of(content: Content) -> _Text:
    return _text(str(content.data))


def _text(told: str) -> _Text:
    plain = _plain(told)
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
