"""What the user asked for, and the run left out.

A look-up that only the reference makes, or a statement that only its texts make, can be a courtesy.
It is none if the request has one of its words, and nothing that the run wrote or called has it. Of
a look-up, no result of the run may have the word either, because another call can show the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from otap.run.run import Run
from otap.run.words import READING
from otap.trajectory import Step
from otap.values.languages import Language, find_stems, identify_language, split_words
from otap.values.tool_names import canonical_tool

MAX_TEXT = 100_000  # characters of one side of a run in which words are looked for
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
        written = self._read(_list_written(steps, run.messages or ()))
        self._unwritten = words - written
        self._unseen = self._unwritten and self._unwritten - self._read(_list_results(steps))

    def is_lookup(self, step: Step) -> bool:
        """Returns whether the request names what a look-up of the reference looks at."""
        name = canonical_tool(step.tool or "").bare
        words = [word for word in name.split("_") if word not in _LOOKING]
        return not self._unseen.isdisjoint(self._stem(words))

    def is_statement(self, text: str) -> bool:
        """Returns whether the request has a word of a statement."""
        return not self._unwritten.isdisjoint(self._stem(split_words(text)))

    def _read(self, texts: Iterable[str]) -> frozenset[str]:
        return frozenset(stem for text in texts for stem in self._stem(split_words(text)))

    def _stem(self, words: Sequence[str]) -> Iterator[str]:
        language: Language | None = self._language
        return find_stems(list(words), language) if language else iter(())


def _list_written(steps: Sequence[Step], messages: Iterable[str]) -> Iterator[str]:
    """The names, arguments and messages of a run."""
    left = MAX_TEXT
    for step in steps:
        yield canonical_tool(step.tool or "").bare.replace("_", " ")
    for text in (*messages, *(part for step in steps for part in _list_texts(step.arguments))):
        yield text[: max(left, 0)].replace("_", " ")
        left -= len(text)


def _list_results(steps: Sequence[Step]) -> Iterator[str]:
    left = MAX_TEXT
    for step in steps:
        for text in _list_texts(step.effect):
            yield text[: max(left, 0)].replace("_", " ")
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
