"""Which required answers a run gave its user.

Answers are compared as values are. A number, a date or a time may have any notation. A name or an
identifier must occur as whole words, in any case. A sentence must occur word for word. Another
sentence counts if it means nearly the same, holds the same values and names, and does not
contradict it (:mod:`otap.values.contradiction`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap._patterns import regex
from otap.run.roles import answers_user
from otap.run.scalars import list_nodes
from otap.trajectory import Trajectory
from otap.values.contradiction import find_text_contradiction
from otap.values.literals import (
    Literal,
    find_amounts,
    find_identifiers,
    match_literal,
    number_in_prose,
    parse_number,
    words_in_digits,
)
from otap.values.normalization import compose
from otap.values.prose_facts import read_prose_facts

_SINGLE_VALUES = frozenset(("number", "moment", "quantity"))  # kinds that can be a whole answer
_MOMENTS = frozenset(("date", "time"))
_ORDINALS = ("st", "nd", "rd", "th")

MIN_COSINE = 0.75  # sentences at least this similar mean the same
MAX_AFFIRMED = 200  # a text with more values is a list of guesses and affirms none
MAX_AFFIRMED_TOTAL = 500  # the same for all messages of a run
MIN_WORDS = 4  # only longer answers may be given in other words
MAX_SENTENCES = 64  # compare at most this many sentences by meaning: those that share most words
MAX_ANSWER_TEXT = 300_000  # search the last characters of the messages to the user
MAX_SENTENCE = 1_000  # characters of a sentence that are compared by meaning
COMPETING_FACTOR = 2.0  # numbers within this factor of the expected one count as competing answers

Vectors = Callable[[list[str]], NDArray[np.float64]]
KeyedValue = tuple[str, str]  # the kind of a value, and its canonical form

_WORD = regex(r"\w+(?:[.,:/@'\u2019_-]\w+)*")
_SENTENCE = regex(r"(?<=[.!?])\s+|\n+")
_YES_NO = ("yes", "no")
# One of them as a sentence or the beginning of one. If a text has both, the last one counts.
_OPENING = regex(r"(?:^|[.!?\n])[ \t]*+(yes|no)(?= ?(?:[,.!;:\u2013\u2014]|$))")
_NEGATIONS = frozenset(("not", "no", "never", "without", "cannot", "neither", "nor"))
# Scripts that are written without blanks: Thai, Lao, kana, Chinese.
_UNSPACED = regex("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_CONTEXT = 40  # characters that hold the two words before a position


@dataclass(frozen=True)
class _Text:
    """A text, its normalized form, and its words, separated and enclosed by blanks."""

    original: str
    normalized: str
    words: str

    @cached_property
    def literals(self) -> Sequence[Literal]:
        """The numbers, amounts, dates and times in it; ordinals do not answer "how many"."""
        literals = find_amounts(find_identifiers(self.normalized)[1])
        return [
            literal
            for literal in literals
            if literal.kind != "number" or literal.text[-2:] not in _ORDINALS
        ]

    @cached_property
    def affirmed(self) -> frozenset[KeyedValue]:
        """The affirmed values: 20 May 2024 affirms 20 May, and 10 % and 10 weeks affirm 10.

        A denied value is not affirmed, and a text with very many values affirms none.
        """
        affirmed = {form for literal in self._list_affirmed() for form in _list_forms(literal)}
        return frozenset(affirmed) if len(affirmed) <= MAX_AFFIRMED else frozenset()

    def _list_affirmed(self) -> Iterator[Literal]:
        """The values that at least once are not denied."""
        end = 0
        for literal in self.literals:
            start = self.normalized.find(literal.text, end)
            end = start + len(literal.text) if start >= 0 else end
            if start < 0 or not _is_denied(self.normalized[max(0, start - _CONTEXT) : start]):
                yield literal

    @cached_property
    def whole_values(self) -> Sequence[Literal]:
        """The values that the text consists of; empty if it has other words."""
        text = words_in_digits(self.normalized.strip().rstrip("."))
        kind, canonical = match_literal(text) or ("", "")
        if kind == "number":
            return [Literal(kind, f"{abs(float(canonical)):.12g}", text)]
        is_moment = {literal.kind in _MOMENTS for literal in self.literals} == {kind == "moment"}
        return self.literals if kind in _SINGLE_VALUES and is_moment else ()

    def affirms(self, literals: Sequence[Literal]) -> bool:
        """Returns whether it affirms all of some values."""
        return not any(self.affirmed.isdisjoint(_accepted_forms(value)) for value in literals)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(self.words.split())

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in it, without German nouns."""
        names = read_prose_facts(self.original[:MAX_SENTENCE]).entities.get("name", ())
        return frozenset(_fold_text(name) for name in names)

    @cached_property
    def sentences(self) -> "tuple[_Text, ...]":
        return tuple(_read_text(part) for part in _SENTENCE.split(self.original) if part)


class MessagesToUser:
    """The messages that the user received from a run.

    Args:
        texts: in order.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [_read_text(text) for text in _cut_beginning(texts)]
        self._answered: dict[str, bool] = {}

    def answer(self, answer: str, vectors: Vectors) -> bool:
        """Returns whether the messages give an answer; a blank one is always given.

        Args:
            answer: as the reference has it.
            vectors: returns the unit vectors of texts.
        """
        if answer not in self._answered:
            self._answered[answer] = self._give(_read_text(answer), vectors)
        return self._answered[answer]

    def find_competing_number(self, answer: str) -> str | None:
        """Returns the number that competes with a numeric answer, if one is of similar size."""
        expected = _read_text(answer).whole_values
        if [literal.kind for literal in expected] != ["number"]:
            return None
        size = float(expected[0].canonical)
        numbers = {number for kind, number in self._affirmed if kind == "number"}
        factors = {number: _size_factor(size, float(number)) for number in numbers}
        near = [number for number, factor in factors.items() if 1 < factor <= COMPETING_FACTOR]
        return min(near, key=lambda number: (factors[number], number), default=None)

    @cached_property
    def _affirmed(self) -> frozenset[KeyedValue]:
        affirmed = {form for text in self._texts for form in text.affirmed}
        return frozenset(affirmed) if len(affirmed) <= MAX_AFFIRMED_TOTAL else frozenset()

    def _give(self, answer: _Text, vectors: Vectors) -> bool:
        if answer.whole_values:
            return not any(
                self._affirmed.isdisjoint(_accepted_forms(literal))
                for literal in answer.whole_values
            )
        if not answer.vocabulary or any(_contains(text, answer) for text in self._texts):
            return True
        return answer.words.count(" ") > MIN_WORDS and self._paraphrase(answer, vectors)

    def _paraphrase(self, answer: _Text, vectors: Vectors) -> bool:
        """Whether a sentence means the same as the answer."""
        similar = self._list_similar(answer)
        if not similar:
            return False
        texts = [text.words.strip()[:MAX_SENTENCE] for text in (answer, *similar)]
        answer_vector, *sentence_vectors = vectors(texts)
        return any(
            float(answer_vector @ vector) >= MIN_COSINE and _agree(answer, sentence)
            for sentence, vector in zip(similar, sentence_vectors, strict=True)
        )

    def _list_similar(self, answer: _Text) -> list[_Text]:
        """The sentences that share most words with an answer, in texts with all its values."""
        candidates = {
            sentence.words: sentence
            for text in self._texts
            if answer.names <= text.vocabulary and text.affirms(answer.literals)
            for sentence in text.sentences
            if not answer.vocabulary.isdisjoint(sentence.vocabulary)
        }
        return nlargest(
            MAX_SENTENCES,
            candidates.values(),
            key=lambda sentence: (len(answer.vocabulary & sentence.vocabulary), sentence.words),
        )


def _list_forms(literal: Literal) -> Iterator[KeyedValue]:
    """The values that a literal affirms, by kind: a date also its day in any year."""
    yield literal[:2]
    if literal.kind == "date":
        yield "day", literal.canonical[-6:]
    number = literal.text.split()[0]
    if number.replace(",", "").replace(".", "").isdigit():
        yield "number", f"{number_in_prose(number):.12g}"


def _accepted_forms(literal: Literal) -> Sequence[KeyedValue]:
    """The forms that answer a literal: for a date its day, and without a year any year."""
    kind, canonical, _ = literal
    if kind != "date":
        return [(kind, canonical)]
    if canonical[0] == "-":
        return [("day", canonical)]
    return [(kind, canonical), (kind, canonical[-6:])]


def _cut_beginning(texts: Sequence[str]) -> Sequence[str]:
    """Returns the last texts, up to the limit: answers come towards the end."""
    remaining: list[str] = []
    budget = MAX_ANSWER_TEXT
    for text in reversed(texts):
        if budget <= 0:
            break
        remaining.append(text[-budget:])
        budget -= len(text)
    return remaining[::-1]


def _agree(answer: _Text, sentence: _Text) -> bool:
    texts = sentence.original[:MAX_SENTENCE], answer.original[:MAX_SENTENCE]
    return find_text_contradiction(*texts) is None


def _fold_text(text: str) -> str:
    return (text if text.isascii() else compose(text, "NFKC")).casefold()


def _read_text(text: str) -> _Text:
    normalized = _fold_text(text)
    words = [
        (word[0].isdigit() and parse_number(word)) or word for word in _WORD.findall(normalized)
    ]
    return _Text(text, normalized, f" {' '.join(words)} ")


def _contains(text: _Text, answer: _Text) -> bool:
    """Whether a text holds an answer as whole words, and does not deny it there."""
    if _UNSPACED.search(answer.normalized):
        return answer.normalized.strip() in text.normalized
    if answer.words.strip() in _YES_NO:
        openings = _OPENING.findall(text.normalized)
        if len({*openings}) > 1:
            return bool(openings[-1] == answer.words.strip())
    start = text.words.find(answer.words)
    while start >= 0 and _is_denied(text.words[max(0, start - _CONTEXT) : start]):
        start = text.words.find(answer.words, start + 1)
    return start >= 0


def _is_denied(context: str) -> bool:
    """Whether the words before a value deny it; "not only" does not."""
    *_, first, second = ["", "", *context.split()]
    return _is_negation(second) or (_is_negation(first) and second not in ("only", "just"))


def _is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith(("n't", "n\u2019t"))


def _size_factor(size: float, other_size: float) -> float:
    """The factor between two sizes; infinite if one of them is 0."""
    smaller, larger = sorted((size, other_size))
    return larger / smaller if smaller else float("inf")


def _list_final_thoughts(trajectory: Trajectory) -> list[str]:
    """The reasoning after the last call: the answer of a run that records no messages."""
    thoughts = takewhile(lambda step: step.kind == "reasoning", reversed(trajectory.steps))
    return [step.action for step in thoughts if step.action]


def list_messages(trajectory: Trajectory) -> list[str] | None:
    """Returns the texts that the user received, messages first; None if none are recorded."""
    calls = [
        step.arguments
        for step in trajectory.steps
        if step.status != "error" and step.tool is not None and answers_user(step.tool)
    ]
    if trajectory.messages_to_user is None and not calls:
        return _list_final_thoughts(trajectory) or None
    in_calls = [
        str(value)
        for call in calls
        for *_, value in list_nodes(call, nested=False)
        if type(value) in (str, int, float)
    ]
    return [*(trajectory.messages_to_user or ()), *in_calls]
