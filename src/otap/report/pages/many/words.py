"""The words that rows are filtered by, numbered: a row holds numbers and no foreign text twice."""

from collections.abc import Sequence
from dataclasses import dataclass, field


class Numbered:
    """Words, each with a number in the order in which they came."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, word: str) -> int:
        """Returns the number of a word, which is learned if it is new."""
        return self._numbers.setdefault(word, len(self._numbers))

    @property
    def all(self) -> Sequence[str]:
        """The words by their numbers."""
        return list(self._numbers)


@dataclass
class Words:
    """The tasks, the kinds of findings and the tools of a page."""

    tasks: Numbered = field(default_factory=Numbered)
    kinds: Numbered = field(default_factory=Numbered)
    tools: Numbered = field(default_factory=Numbered)
