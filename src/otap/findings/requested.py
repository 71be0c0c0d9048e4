"""Looks and statements that the user asked for, and that the run left out.

A look-up that only the reference makes, or a statement that only its texts make, can be a courtesy.
It is none if the request has one of its words, and no call or message of the run has it. Of a
look-up, no result may have the word either, because another call can show the same; messages do
not count there, because they may claim a look that never was.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from otap._patterns import regex
from otap.run.names import split_name
from otap.run.run import Run
from otap.run.words import READING
from otap.trajectory import Step
from otap.values.languages import Language, find_stems, identify_language, split_words

MAX_TEXT = 100_000  # characters of one side of a run in which words are looked for
_FIGURE = regex(r"\d+(?:[.,:/-]\d+)*")
# Verbs of looking that name no aim. "check" and the like do: a user who asks for a check wants it.
_CHECKING = frozenset({"check", "verify", "validate", "compare", "inspect"})
_LOOKING = READING - _CHECKING


class LeftOut:
    """The words of the request that a run has nowhere.

    Args:
        run: the run.
        reference: the reference; of its request, the words count that the run's has too.
    """

    def __init__(self, run: Run, reference: Run) -> None:
        requests = [side.scored.request for side in (run, reference)]
        text = "\n".join(requests[1])[:MAX_TEXT]
        self._language = identify_language(text)
        words = self._read([text])
        if requests[0]:
            words &= self._read(requests[0])
        steps = run.flat.trajectory.steps
        uncalled = words - self._read(_list_calls(steps))
        self._unsaid = uncalled - self._read(_limit(run.messages or ()))
        self._unobserved = uncalled and uncalled - self._read(_list_results(steps))

    def is_lookup(self, step: Step) -> bool:
        """Returns whether the request names the aim of a look-up of the reference."""
        words = [word for word in split_name(step.tool or "") if word not in _LOOKING]
        return not self._unobserved.isdisjoint(self._stem(words))

    def is_statement(self, statement: str, text: str) -> bool:
        """Returns whether the request has a word of a statement that a text leaves out.

        A text that has all figures of the statement says it in other words.
        """
        figures, others = (frozenset(_FIGURE.findall(side)) for side in (statement, text))
        if figures and figures <= others:
            return False
        return not self._unsaid.isdisjoint(self._stem(split_words(statement)))

    def _read(self, texts: Iterable[str]) -> frozenset[str]:
        return frozenset(stem for text in texts for stem in self._stem(split_words(text)))

    def _stem(self, words: Sequence[str]) -> Iterator[str]:
        language: Language | None = self._language
        return find_stems(list(words), language) if language else iter(())


def _list_calls(steps: Sequence[Step]) -> Iterator[str]:
    """The names and arguments of the calls, at most MAX_TEXT characters of the latter."""
    for step in steps:
        yield " ".join(split_name(step.tool or ""))
    yield from _limit(text for step in steps for text in _list_texts(step.arguments))


def _list_results(steps: Sequence[Step]) -> Iterator[str]:
    yield from _limit(text for step in steps for text in _list_texts(step.effect))


def _limit(texts: Iterable[str]) -> Iterator[str]:
    """Yields texts until they have MAX_TEXT characters, with blanks between the words of names."""
    left = MAX_TEXT
    for text in texts:
        if left <= 0:
            return
        yield text[:left].replace("_", " ")
        left -= len(text)


def _list_texts(data: JsonValue | Mapping[str, JsonValue]) -> Iterator[str]:
    """The keys and texts of some data."""
    stack: list[object] = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            stack += [*value.keys(), *value.values()]
        elif isinstance(value, Sequence):
            stack += value
