"""The messages of a run to its user, and the answers that they give.

Answers are compared as values are. A number, a date or a time may have any notation. A name or an
identifier must occur as whole words, in any case. A sentence must occur word for word. Another
sentence counts if it means nearly the same, holds the same values and names, and does not
contradict it (:mod:`otap.values.contradiction`).

An answer must be affirmed (:mod:`otap.run.answers.statements`). If the reference's own messages
give the answer, the run's statement must not say the contrary of the reference's.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap._patterns import regex
from otap.run.answers.clauses import find_vague_word
from otap.run.answers.known import KnownTexts
from otap.run.answers.statements import Doubt, Mention, Reason, Statements
from otap.run.answers.texts import (
    MAX_SENTENCE,
    KeyedValue,
    Text,
    accepted_forms,
    list_forms,
    read_side,
    read_text,
)
from otap.run.roles import answers_user
from otap.run.scalars import list_nodes
from otap.trajectory import Trajectory
from otap.values.contradiction import find_text_contradiction
from otap.values.literals import Literal
from otap.values.prose_facts import read_prose_facts
from otap.values.units import unit_of
from otap.values.wording import judge_wording

MIN_COSINE = 0.75  # sentences at least this similar mean the same
MAX_VALUES_TOTAL = 500  # messages with more values are lists of guesses, and give none
MAX_MENTIONS = 60  # mentions of an answer that are judged, the last ones
MIN_WORDS = 4  # only longer answers may be given in other words
MAX_SENTENCES = 64  # compare at most this many sentences by meaning: those that share most words
MAX_ANSWER_TEXT = 300_000  # search the last characters of the messages to the user
MAX_CLASSED = 20  # words of a statement whose months, weekdays or colours must be the reference's
COMPETING_FACTOR = 2.0  # numbers within this factor of the expected one count as competing answers

Vectors = Callable[[list[str]], NDArray[np.float64]]

_UNIT = regex(r"\s{0,2}(%|\u00b0?[^\W\d_]+(?:/[^\W\d_]+)?)")
# Contradictions with the reference's statement, except that it has other details.
_CONTRARY = frozenset(("opposite", "negated", "exchanged", "other word", "other date"))
_DOUBTFUL: Mapping[Reason, str] = {
    "denied": "denied",
    "conjecture": "a conjecture",
    "guess": "one of several",
    "question": "a question",
    "corrected": "replaced later",
    "contrary": "the contrary",
}


class _Statement(NamedTuple):
    """What messages say with an answer, and the unit behind its value."""

    text: str
    unit: str | None


class MessagesToUser:
    """The messages that the user received from a run.

    Args:
        texts: in order.

    Attributes:
        recorded: the texts.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.recorded = tuple(texts)
        self._texts = [read_text(text) for text in _cut_beginning(texts)]
        self._results: dict[tuple[str, MessagesToUser | None], bool] = {}
        self._doubts: dict[tuple[str, MessagesToUser | None], Doubt] = {}
        self._mentions: dict[int, Sequence[Mention]] = {}
        self._answer_statements: dict[str, Sequence[_Statement]] = {}

    def answer(
        self, answer: str, vectors: Vectors, reference: "MessagesToUser | None" = None
    ) -> bool:
        """Returns whether the messages give an answer; a blank one is always given.

        Args:
            answer: as the reference has it.
            vectors: returns the unit vectors of texts.
            reference: the messages of the reference. The run's statement of an answer must not be
                the contrary of theirs.
        """
        key = answer, reference
        if key not in self._results:
            self._results[key] = self._gives(read_text(answer), vectors, reference)
        return self._results[key]

    def explain_missing(
        self, answer: str, reference: "MessagesToUser | None" = None
    ) -> Doubt | None:
        """Returns why the last mention of an answer is none; None without any mention.

        Args:
            answer: an answer that :meth:`answer` did not find.
            reference: as there.
        """
        return self._doubts.get((answer, reference))

    def find_competing_number(self, answer: str) -> str | None:
        """Returns the number that competes with a numeric answer, if one is of similar size."""
        expected = read_text(answer).whole_values
        if [literal.kind for literal in expected] != ["number"]:
            return None
        size = float(expected[0].canonical)
        numbers = {number for kind, number in self._values if kind == "number"}
        factors = {number: _size_factor(size, float(number)) for number in numbers}
        near = [number for number, factor in factors.items() if 1 < factor <= COMPETING_FACTOR]
        return min(near, key=lambda number: (factors[number], number), default=None)

    def find_doubt(self, answer: str, known_texts: Sequence[str]) -> str | None:
        """Returns why an answer is not proven to be given, or None if it is.

        It is proven if the messages say it literally, apart from the notation of values; if a
        sentence that says it has no word that denies, asks or leaves anything open; if no mention
        is denied, guessed or replaced later; and if the messages state no other value of its kind,
        and no other name, that ``known_texts`` lack.

        Args:
            answer: as the reference has it.
            known_texts: the reference's messages and its other answers, and the results of the
                run's own calls.
        """
        text, references = read_text(answer), KnownTexts(known_texts)
        side = read_side(text.words.strip())
        if side is not None:
            openings = [opening for message in self._texts for opening in message.openings]
            if side in openings and (not side) not in openings:
                return None
            return f"no sentence begins with '{answer}', or another one says the contrary"
        if not text.vocabulary:
            return None
        for mentions in self._list_mentions(text):
            doubt = self._find_unproven(text, mentions, references)
            if doubt is not None:
                return doubt
        name = None if text.whole_values else references.find_unknown_name(text, self._texts)
        return name and f"the messages also name '{name}', which no known text contains"

    def find_other_statement(self, answer: str, reference: "MessagesToUser") -> str | None:
        """Returns how the messages state an answer otherwise than a reference, or None.

        The statement that says the answer last must have the content of one of the reference's.

        Args:
            answer: as the reference has it.
            reference: the messages of the reference.
        """
        text = read_text(answer)
        run_statements, others = (side._list_statements(text) for side in (self, reference))
        if not run_statements or not others:
            return None
        last = run_statements[-1]
        if any(_has_same_content(last, other) for other in others):
            return None
        return f"the run says '{last}', the reference says '{others[-1]}'"

    def _list_statements(self, answer: Text) -> list[str]:
        """The sentences that say an answer, in order."""
        statements = self._statements(answer)
        mentions = [mention for several in self._list_mentions(answer) for mention in several]
        return [statements.statement_of(mention) for mention in mentions]

    def _find_unproven(
        self, answer: Text, mentions: Sequence[Mention], references: KnownTexts
    ) -> str | None:
        if not mentions:
            return f"the messages do not say '{answer.original}' literally"
        statements = self._statements(answer)
        for mention in mentions:
            doubt = statements.find_doubt(mention, mentions, is_name=answer.is_name)
            if doubt is not None:
                return f"'{answer.original}' is {_DOUBTFUL[doubt.reason]}: '{doubt.quote}'"
        is_negative = mentions[-1].kind == "number" and statements.has_minus(mentions[-1])
        if is_negative and not answer.original.lstrip().startswith(("-", "\u2212")):
            return f"the messages say '-{answer.original}'"
        sentences = [statements.sentence_of(mention) for mention in mentions]
        if all(find_vague_word(sentence[:MAX_SENTENCE]) for sentence in sentences):
            sentence = statements.statement_of(mentions[-1])
            return f"'{answer.original}' stands only in sentences that leave it open: '{sentence}'"
        for mention in mentions[-1:] if mentions[-1].kind else ():
            for rival in statements.list_rivals(mention):
                if not references.explains(rival.kind, rival.canonical):
                    value = statements.quote(rival[:3])
                    return f"the messages also state {value}, which no known text contains"
        return None

    @cached_property
    def _values(self) -> frozenset[KeyedValue]:
        """The values of all messages; none if they are many."""
        values = frozenset(form for text in self._texts for form in text.values)
        return values if len(values) <= MAX_VALUES_TOTAL else frozenset()

    def _statements(self, answer: Text) -> Statements:
        """The statements in the form in which an answer is looked for."""
        return self._by_values if answer.whole_values else self._by_words

    @cached_property
    def _by_values(self) -> Statements:
        texts = [text.digits for text in self._texts]
        return Statements(texts, self._originals, self._place_values)

    @cached_property
    def _by_words(self) -> Statements:
        texts = [text.normalized for text in self._texts]
        return Statements(texts, self._originals, lambda _: ())

    @property
    def _originals(self) -> list[str]:
        return [text.original for text in self._texts]

    def _place_values(self, index: int) -> Sequence[Mention]:
        """The mentions of all values in a message, in order."""
        if index not in self._mentions:
            text = self._texts[index]
            self._mentions[index] = [
                Mention(
                    text=index,
                    start=start,
                    end=end,
                    kind="list" if text.is_list_number(start, end) else literal.kind,
                    canonical=literal.canonical,
                )
                for start, end, literal in text.placed_literals
            ]
        return self._mentions[index]

    def _gives(self, answer: Text, vectors: Vectors, reference: "MessagesToUser | None") -> bool:
        side = read_side(answer.words.strip())
        openings = [opening for text in self._texts for opening in text.openings]
        if side is not None and openings:
            return openings[-1] == side
        if not answer.vocabulary:
            return True
        groups = self._list_mentions(answer)
        if all(self._affirms(answer, mentions, reference) for mentions in groups):
            return True
        is_prose = not answer.whole_values and answer.words.count(" ") > MIN_WORDS
        return is_prose and self._paraphrases(answer, vectors)

    def _list_mentions(self, answer: Text) -> list[Sequence[Mention]]:
        """The last mentions of an answer in order; of each value, if it consists of some."""
        if answer.whole_values:
            return [self._list_values(literal) for literal in answer.whole_values]
        mentions = deque[Mention](maxlen=MAX_MENTIONS)
        for index, text in enumerate(self._texts):
            mentions += (Mention(index, *span) for span in text.find_phrase(answer))
        return [list(mentions)]

    def _list_values(self, literal: Literal) -> list[Mention]:
        """The last mentions of a value, in order."""
        accepted = frozenset(accepted_forms(literal))
        mentions = deque[Mention](maxlen=MAX_MENTIONS)
        for index, text in enumerate(self._texts):
            if self._values.isdisjoint(accepted) or text.values.isdisjoint(accepted):
                continue
            placed = zip(self._place_values(index), text.placed_literals, strict=True)
            mentions += (
                mention
                for mention, (_, _, value) in placed
                if not accepted.isdisjoint(list_forms(value))
            )
        return list(mentions)

    def _affirms(
        self, answer: Text, mentions: Sequence[Mention], reference: "MessagesToUser | None"
    ) -> bool:
        """Whether one of the mentions is an answer; otherwise the doubt about the last is noted."""
        statements = self._statements(answer)
        for mention in reversed(mentions):
            doubt = statements.find_doubt(mention, mentions, is_name=answer.is_name)
            if doubt is None and reference is not None:
                doubt = self._find_contrary(answer, mention, reference)
            if doubt is None:
                return True
            self._doubts.setdefault((answer.original, reference), doubt)
        return False

    def _find_contrary(
        self, answer: Text, mention: Mention, reference: "MessagesToUser"
    ) -> Doubt | None:
        """Returns the run's statement if each one of the reference says the contrary."""
        expected = reference.list_said(answer)
        statement = self._read_statement(answer, mention)
        if not expected or not all(_is_contrary(statement, other) for other in expected):
            return None
        return Doubt("contrary", statement.text, (expected[0].text,))

    def list_said(self, answer: Text) -> Sequence[_Statement]:
        """Returns the statements that mention an answer, without those that deny it."""
        if answer.original not in self._answer_statements:
            statements = self._statements(answer)
            self._answer_statements[answer.original] = [
                self._read_statement(answer, mention)
                for mentions in self._list_mentions(answer)
                for mention in mentions
                if statements.find_own_doubt(mention) is None
            ]
        return self._answer_statements[answer.original]

    def _read_statement(self, answer: Text, mention: Mention) -> _Statement:
        statements = self._statements(answer)
        unit = _read_unit(statements.text_after(mention)) if mention.kind else None
        return _Statement(statements.statement_of(mention)[:MAX_SENTENCE], unit)

    def _paraphrases(self, answer: Text, vectors: Vectors) -> bool:
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

    def _list_similar(self, answer: Text) -> list[Text]:
        """The sentences that share most words with an answer, in texts with all its values."""
        candidates = {
            sentence.words: sentence
            for text in self._texts
            if answer.names <= text.vocabulary and text.has_values(answer.literals)
            for sentence in text.sentences
            if not answer.vocabulary.isdisjoint(sentence.vocabulary)
        }
        return nlargest(
            MAX_SENTENCES,
            candidates.values(),
            key=lambda sentence: (len(answer.vocabulary & sentence.vocabulary), sentence.words),
        )


def _read_unit(after: str) -> str | None:
    """The word right after a value, if it is a unit."""
    match = _UNIT.match(after)
    unit = match[1] if match else ""
    return unit if "/" in unit or unit == "%" or unit_of(unit) else None


def _is_contrary(statement: _Statement, other: _Statement) -> bool:
    """Whether one statement says the contrary of another about the same answer."""
    units = statement.unit, other.unit
    if all(units) and units[0] != units[1]:
        sizes = [unit_of(unit) for unit in units if unit]
        if sizes[0] is None or sizes[0] != sizes[1]:
            return True
    contradiction = find_text_contradiction(statement.text, other.text)
    if contradiction is not None and contradiction.kind in _CONTRARY:
        return True
    return _has_other_class(statement.text, other.text)


def _has_other_class(text: str, other_text: str) -> bool:
    """Whether two short statements have different words of one class: another month or colour."""
    facts, other_facts = read_prose_facts(text), read_prose_facts(other_text)
    if max(len(facts.words), len(other_facts.words)) > MAX_CLASSED:
        return False
    sides, other_sides = facts.grouped_words["classes"], other_facts.grouped_words["classes"]
    groups = {group for group, _ in sides} & {group for group, _ in other_sides}
    common = {group for group, _ in sides.keys() & other_sides.keys()}
    return not groups <= common


def _agree(answer: Text, sentence: Text) -> bool:
    texts = sentence.original[:MAX_SENTENCE], answer.original[:MAX_SENTENCE]
    return find_text_contradiction(*texts) is None


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


def _has_same_content(run: str, reference: str) -> bool:
    """Whether one statement is the other in other words."""
    if find_text_contradiction(run, reference) is not None:
        return False
    wording = judge_wording(run, reference)
    return wording is None or wording.severity == "minor"


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
