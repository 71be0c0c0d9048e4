"""What a run told its user: whether one of its texts says an answer.

Answers are compared as values are. A number, a date or a time is said in any spelling, and nothing
else will do; a name or an identifier as whole words, letter case aside; a sentence word for word,
or by another one that means nearly the same, holds the same values and names, and does not
contradict it, as two texts of an argument may (:mod:`otap.values.contradiction`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import chain, takewhile

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap._patterns import regex
from otap.dependencies.content import Content, content, list_nodes
from otap.prepare.recognition import answers
from otap.trajectory import Trajectory
from otap.values.contradiction import contradiction
from otap.values.literals import (
    Literal,
    find_amounts,
    find_identifiers,
    match_literal,
    number_in_prose,
    parse_number,
    words_in_digits,
)
from otap.values.marks import read_marks
from otap.values.spelling import compose

_WHOLE = frozenset(("number", "moment", "quantity"))  # what an answer can be all of
_MOMENTS = frozenset(("date", "time"))
_ORDINALS = ("st", "nd", "rd", "th")

NEAR = 0.75  # cosine from which on one sentence says another
AFFIRMED = 200  # values that a text can say: who lists more says none of them
TOLD_IN_ALL = 500  # the same of all texts of a run
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
    def values(self) -> Sequence[Literal]:
        """The numbers, amounts, dates and times in it; ordinals are no answer to how many."""
        found = find_amounts(find_identifiers(self.plain)[1])
        return [one for one in found if one.kind != "number" or one.shown[-2:] not in _ORDINALS]

    @cached_property
    def says(self) -> frozenset[tuple[str, str]]:
        """What these say: 20 May 2024 says 20 May, and 10 % and 10 weeks say 10.

        What the text denies it does not say, and among very many it says none.
        """
        affirmed = self._affirmed()
        said = frozenset(chain.from_iterable(map(_spellings_said, affirmed)))
        return said if len(said) <= AFFIRMED else frozenset()

    def _affirmed(self) -> Iterator[Literal]:
        """The values of which one place at least is no denial."""
        end = 0
        for value in self.values:
            start = self.plain.find(value.shown, end)
            end = start + len(value.shown) if start >= 0 else end
            if start < 0 or not _denied(self.plain[max(0, start - _BEFORE) : start]):
                yield value

    @cached_property
    def value(self) -> Sequence[Literal]:
        """The values that the whole of it is; nothing where it is more, or none."""
        text = words_in_digits(self.plain.strip().rstrip("."))
        kind, spelling = match_literal(text) or ("", "")
        if kind == "number":
            return [Literal(kind, f"{abs(float(spelling)):.12g}", text)]
        is_moment = {kind in _MOMENTS for kind, _, _ in self.values} == {kind == "moment"}
        return self.values if kind in _WHOLE and is_moment else ()

    def has(self, values: Sequence[Literal]) -> bool:
        """Whether it says all of some values."""
        return not any(self.says.isdisjoint(_ways_to_say(value)) for value in values)

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
        if [value.kind for value in wanted] != ["number"]:
            return None
        size = float(wanted[0].spelling)
        said = {spelling for kind, spelling in self._values if kind == "number"}
        apart = {other: _apart(size, float(other)) for other in said}
        near = [other for other, factor in apart.items() if 1 < factor <= OF_ITS_SIZE]
        return min(near, key=lambda other: (apart[other], other), default=None)

    @cached_property
    def _values(self) -> frozenset[tuple[str, str]]:
        said = frozenset[tuple[str, str]]().union(*(text.says for text in self._texts))
        return said if len(said) <= TOLD_IN_ALL else frozenset()

    def _says(self, answer: str, vectors: Vectors) -> bool:
        asked = _known(answer)
        if asked.value:
            return not any(self._values.isdisjoint(_ways_to_say(one)) for one in asked.value)
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


def _spellings_said(value: Literal) -> Iterator[tuple[str, str]]:
    """What a value that was told says, by kind: a date also whatever its year."""
    yield value[:2]
    if value.kind == "date":
        yield "day", value.spelling[-6:]
    number = value.shown.split()[0]
    if number.replace(",", "").replace(".", "").isdigit():
        yield "number", f"{number_in_prose(number):.12g}"


def _ways_to_say(value: Literal) -> Sequence[tuple[str, str]]:
    """What says a value, by kind: a date is said by its day, and one of no year by any."""
    kind, spelling, _ = value
    if kind != "date":
        return [(kind, spelling)]
    return [("day", spelling)] if spelling[0] == "-" else [(kind, spelling), (kind, spelling[-6:])]


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
    return (text if text.isascii() else compose(text, "NFKC")).casefold()


def _known(told: str) -> _Text:
    """The text, taken apart once however many runs tell it."""
    return content(told).read(_text_of)


def _text_of(content: Content) -> _Text:
    return _text(str(content.data))


def _text(told: str) -> _Text:
    plain = _fold_text(told)
    words = ((word[0].isdigit() and parse_number(word)) or word for word in _WORD.findall(plain))
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


def _last_thoughts(trajectory: Trajectory) -> list[str]:
    """What a run says behind its last call, where it records no messages: its answer."""
    behind = takewhile(lambda step: step.kind == "reasoning", reversed(trajectory.steps))
    return [step.action for step in behind if step.action]


def told_by(trajectory: Trajectory) -> list[str] | None:
    """Returns what a run told, messages first; None where it records neither."""
    calls = [
        step.arguments
        for step in trajectory.steps
        if step.status != "error" and step.tool is not None and answers(step.tool)
    ]
    if trajectory.told is None and not calls:
        return _last_thoughts(trajectory) or None
    nodes = chain.from_iterable(list_nodes(call, nested=False) for call in calls)
    spoken = [str(value) for *_, value in nodes if type(value) in (str, int, float)]
    return [*(trajectory.told or ()), *spoken]
