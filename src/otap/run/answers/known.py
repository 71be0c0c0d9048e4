"""The values and names that are known to be right; others compete with an answer."""

from collections.abc import Sequence

from otap._caching import cached_property
from otap.run.answers.texts import KeyedValue, Text, list_forms, read_text
from otap.values.prose_facts import read_prose_facts

MAX_TEXT = 300_000  # characters of a known text that are read
MAX_NUMBERS = 500  # known numbers whose sums and differences are known, too
MAX_PROSE = 10_000  # characters of a message whose names are read


class KnownTexts:
    """The values and names in some texts.

    Args:
        texts: those that are known to be right.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [read_text(text[:MAX_TEXT]) for text in texts]

    @cached_property
    def _values(self) -> frozenset[KeyedValue]:
        literals = [literal for text in self._texts for literal in text.literals]
        return frozenset(form for literal in literals for form in list_forms(literal))

    @cached_property
    def _numbers(self) -> frozenset[float]:
        numbers = sorted(float(number) for kind, number in self._values if kind == "number")
        return frozenset(round(number, 2) for number in numbers[:MAX_NUMBERS])

    def explains(self, kind: str, canonical: str) -> bool:
        """Returns whether a value is known, or the sum or the difference of two known numbers."""
        if (kind, canonical) in self._values:
            return True
        if kind != "number":
            return False
        number = float(canonical)
        return any(
            {round(abs(number - other), 2), round(number + other, 2)} & self._numbers
            for other in self._numbers
        )

    def find_unknown_name(self, answer: Text, texts: Sequence[Text]) -> str | None:
        """Returns a name or a code in some texts that these and the answer lack."""
        if not answer.is_name:
            return None
        for message in texts:
            entities = read_prose_facts(message.original[:MAX_PROSE]).entities
            for kind in ("name", "code"):
                for name, written in entities.get(kind, {}).items():
                    if not any(name in text.normalized for text in (answer, *self._texts)):
                        return written
        return None
