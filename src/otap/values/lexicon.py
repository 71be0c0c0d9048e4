"""The words that prose is held to, from ``words.toml``; ``Lexicon.digest`` is their version."""

import hashlib
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files

Unit = tuple[Decimal, str]
Place = tuple[int, int]  # of a word: its group, and its side there

_ENDINGS = (
    ("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("d", ""),
    ("ing", ""), ("ing", "e"), ("ly", ""),
)  # fmt: skip
_BEGINNING = range(14, 2, -1)  # letters of a beginning
_SCRIPT = range(10, 0, -1)  # of a word in text without blanks


class Table:
    """Words and beginnings of words, each with the groups and sides where it stands.

    Args:
        lines: one group a line, its sides between bars.
    """

    def __init__(self, lines: str) -> None:
        self._words: dict[str, tuple[Place, ...]] = {}
        self._beginnings: dict[str, tuple[Place, ...]] = {}
        for word, place in _entries(lines):
            table = self._beginnings if word.endswith("*") else self._words
            word = word.rstrip("*")
            table[word] = (*table.get(word, ()), place)

        self.places = lru_cache(maxsize=20_000)(self._places)

    def _places(self, word: str) -> tuple[Place, ...]:
        """Where a word stands, by itself, by its plain form or by its beginning."""
        for form in plain_forms(word):
            if form in self._words:
                return self._words[form]
        for length in _BEGINNING:
            if word[:length] in self._beginnings:
                return self._beginnings[word[:length]]
        return ()

    def within(self, text: str) -> Iterator[tuple[str, tuple[Place, ...]]]:
        """Yields the longest words found in text without blanks, with their places."""
        for word in longest_words(text, self._words):
            yield word, self._words[word]


class Lexicon:
    """All that the word tables say.

    Args:
        source: the file's text.
    """

    def __init__(self, source: str) -> None:
        self.digest = hashlib.sha256(source.encode()).hexdigest()[:16]
        read = tomllib.loads(source)
        self.tables = {
            name: Table(read[name]) for name in ("answers", "opposites", "turns", "classes")
        }
        self.idle = tuple(sorted(read["idle"].strip().splitlines(), key=_longest_first))
        self.units, self.periods = read_units(read["units"]), read_units(read["periods"])
        self.frequencies = numbered(read["frequencies"])
        self.numbers, self.months = numbered(read["numbers"]), numbered(read["months"])
        self.script = frozenset((read["script_idle"] + read["script_negations"]).split())
        self._words = {name: frozenset(text.split()) for name, text in read.items()}

    def __getitem__(self, name: str) -> frozenset[str]:
        """The words of one list, by its name in the file."""
        return self._words[name]


@cache
def lexicon() -> Lexicon:
    """Returns the lexicon, read once."""
    return Lexicon(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


def plain_forms(word: str) -> Iterator[str]:
    """Yields an English word and what it may be an inflection of: stopped, stopp, stop."""
    yield word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            yield stem + instead
            if stem[-1] == stem[-2]:
                yield stem[:-1]


def longest_words(
    text: str, words: "frozenset[str] | dict[str, tuple[Place, ...]]"
) -> Iterator[str]:
    """Yields the words that text without blanks holds, from left to right, the longest first."""
    at = 0
    while at < len(text):
        length = next((n for n in _SCRIPT if text[at : at + n] in words), 0)
        if length:
            yield text[at : at + length]
        at += length or 1


def _entries(lines: str) -> Iterator[tuple[str, Place]]:
    for group, line in enumerate(lines.strip().splitlines()):
        for side, words in enumerate(line.split("|")):
            for word in words.split():
                yield word, (group, side)


def read_units(lines: str) -> dict[str, Unit]:
    """Returns how many of which base unit each word stands for: two weeks are 14 days."""
    found: dict[str, Unit] = {}
    for line in lines.strip().splitlines():
        head, _, words = line.partition("|")
        base, size = head.split()
        found.update(dict.fromkeys(words.split(), (Decimal(size), base)))
    return found


def numbered(lines: str) -> dict[str, int]:
    """Returns words, each with the number that its line begins with."""
    rows = [line.split() for line in lines.strip().splitlines()]
    return {word: int(number) for number, *words in rows for word in words}


def _longest_first(phrase: str) -> tuple[int, str]:
    return -len(phrase), phrase
