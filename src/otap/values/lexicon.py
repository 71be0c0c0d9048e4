"""The word tables for comparing prose, from ``words.toml``; ``Lexicon.digest`` is their version."""

import hashlib
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files

Unit = tuple[Decimal, str]  # how many of which base unit
GroupSide = tuple[int, int]  # the index of a group, and of a side in this group

_ENDINGS = (
    ("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("d", ""),
    ("ing", ""), ("ing", "e"), ("ly", ""),
)  # fmt: skip
_PREFIX_LENGTHS = range(14, 2, -1)  # letters
_SCRIPT_LENGTHS = range(10, 0, -1)  # characters of a word in text without blanks


class Table:
    """Groups of words that exclude each other, found by a word or by its beginning.

    Args:
        lines: one group a line; bars separate the sides of a group.
    """

    def __init__(self, lines: str) -> None:
        self._words: dict[str, tuple[GroupSide, ...]] = {}
        self._prefixes: dict[str, tuple[GroupSide, ...]] = {}
        for group, line in enumerate(lines.strip().splitlines()):
            for side, words in enumerate(line.split("|")):
                for word in words.split():
                    table = self._prefixes if word.endswith("*") else self._words
                    stem = word.rstrip("*")
                    table[stem] = (*table.get(stem, ()), (group, side))

        self.groups_of = lru_cache(maxsize=20_000)(self._groups_of)

    def _groups_of(self, word: str) -> tuple[GroupSide, ...]:
        """Returns the groups and sides of a word, of its plain form, or of its beginning."""
        for form in plain_forms(word):
            if form in self._words:
                return self._words[form]
        is_korean = word[:1] >= "\uac00"  # two of its letters are a word
        for length in (*_PREFIX_LENGTHS, 2, 1) if is_korean else _PREFIX_LENGTHS:
            if word[:length] in self._prefixes:
                return self._prefixes[word[:length]]
        return ()

    def find_words(self, text: str) -> Iterator[tuple[str, tuple[GroupSide, ...]]]:
        """Yields the longest words in text without blanks, with their groups and sides."""
        for word in longest_words(text, self._words):
            yield word, self._words[word]


class Lexicon:
    """The word tables of the package.

    Args:
        source: the text of the TOML file.
    """

    def __init__(self, source: str) -> None:
        self.digest = hashlib.sha256(source.encode()).hexdigest()[:16]
        sections = tomllib.loads(source)
        self.tables = {
            name: Table(sections[name]) for name in ("answers", "opposites", "turns", "classes")
        }
        phrases = sections["idle"].strip().splitlines()
        self.idle = tuple(sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))
        self.units = read_units(sections["units"])
        self.periods = read_units(sections["periods"])
        self.frequencies = read_numbered_words(sections["frequencies"])
        self.numbers = read_numbered_words(sections["numbers"])
        self.synonyms = [line.split() for line in sections["synonyms"].strip().splitlines()]
        self.short_forms = [
            (short, f" {long.strip()}" if "'" in short[:2] else long)
            for short, _, long in (
                line.partition(" = ") for line in sections["short_forms"].strip().splitlines()
            )
        ]
        self.polite = sorted(sections["script_polite"].split(), key=len, reverse=True)
        self.script = frozenset((sections["script_idle"] + sections["script_negations"]).split())
        self._words = {name: frozenset(text.split()) for name, text in sections.items()}

    def __getitem__(self, name: str) -> frozenset[str]:
        """Returns the words of one list, by its name in the file."""
        return self._words[name]


@cache
def lexicon() -> Lexicon:
    """Returns the lexicon; the file is read once."""
    return Lexicon(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


def plain_forms(word: str) -> Iterator[str]:
    """Yields an English word and its possible base forms: stopped, stopp, stop."""
    yield word
    for ending, replacement in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            yield stem + replacement
            if stem[-1] == stem[-2]:
                yield stem[:-1]


def longest_words(
    text: str, words: "frozenset[str] | dict[str, tuple[GroupSide, ...]]"
) -> Iterator[str]:
    """Yields the words in text without blanks, from left to right, the longest first."""
    start = 0
    while start < len(text):
        length = next((n for n in _SCRIPT_LENGTHS if text[start : start + n] in words), 0)
        if length:
            yield text[start : start + length]
        start += length or 1


def read_units(lines: str) -> dict[str, Unit]:
    """Returns the size of each unit in its base unit: a week is 7 days."""
    units: dict[str, Unit] = {}
    for line in lines.strip().splitlines():
        head, _, words = line.partition("|")
        base, size = head.split()
        units.update(dict.fromkeys(words.split(), (Decimal(size), base)))
    return units


def read_numbered_words(lines: str) -> dict[str, int]:
    """Returns each word with the number at the beginning of its line."""
    rows = [line.split() for line in lines.strip().splitlines()]
    return {word: int(number) for number, *words in rows for word in words}
