"""Finds known values in texts, in whatever case, with whatever separators, escaped or not."""

import unicodedata
from bisect import insort
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from otap._patterns import regex
from otap.run.encodings import list_encoded, unescape

MIN_KNOWN = 4  # letters and digits; shorter values occur by chance
MAX_LENGTHS = 32  # different lengths of values that begin alike
MAX_COMPARED = 256  # letters and digits by which values are looked up
# Numbers, and words up to the next capital letter, as in sendMail2.
_WORD = regex(r"\d+|[^\W\d_]+?(?:(?<=[a-z])(?=[A-Z])|(?![^\W\d_]))")
_DIGIT = regex(r"\d")
_LEADING_SIGNS, _TRAILING_SIGNS = regex(r"[\W_]*"), regex(r"(?<![\W_])[\W_]*$")


class Occurrence(NamedTuple):
    """An occurrence of a known value in a text.

    Attributes:
        start: the index of its first character.
        end: the index after its last character.
        folded: the value, as :func:`fold` spells it.
        is_apart: whether no letter and no digit stands before or after it.
        is_word: whether no underscore does, either.
    """

    start: int
    end: int
    folded: str
    is_apart: bool
    is_word: bool


def fold(text: str) -> str:
    """Returns the letters and digits of a text in lower case, without accents and escapes."""
    return "".join(_fold_word(word) for word in _WORD.findall(unescape(text).text))


def is_distinctive(text: str) -> bool:
    """Returns whether a value occurs nowhere by chance: not a single word, which may be any."""
    words = _WORD.findall(text)
    return len(fold(text)) >= MIN_KNOWN + 2 and (len(words) > 1 or bool(_DIGIT.search(text)))


def _fold_word(word: str) -> str:
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word)
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).casefold()


class KnownValues:
    """An index of values, which finds their occurrences in a text."""

    def __init__(self) -> None:
        self._values: dict[str, list[str]] = {}  # by their first letters and digits
        self._lengths: dict[str, list[int]] = {}  # the longest first
        self._occurrences: dict[str, list[Occurrence]] = {}  # by text, for the values so far
        self._edges: dict[str, tuple[str, str]] = {}  # signs before and after, as in +49 1 or (x)

    def add(self, value: str) -> None:
        """Adds a value, unless it is too short."""
        folded = fold(value)
        lengths = self._lengths.setdefault(folded[:MIN_KNOWN], [])
        length = min(len(folded), MAX_COMPARED)
        if len(folded) < MIN_KNOWN or (len(lengths) >= MAX_LENGTHS and length not in lengths):
            return
        if length not in lengths:
            insort(lengths, length, key=lambda size: -size)
        values = self._values.setdefault(folded[:MAX_COMPARED], [])
        if folded not in values:
            self._occurrences.clear()
            values.append(folded)
            leading, trailing = _LEADING_SIGNS.match(value), _TRAILING_SIGNS.search(value)
            self._edges[folded] = (leading[0] if leading else "", trailing[0] if trailing else "")

    def forget_texts(self) -> None:
        """Forgets the texts that were searched, but not the values."""
        self._occurrences.clear()

    def find(self, text: str) -> Sequence[Occurrence]:
        """Returns the occurrences in a text, also in base64; they may overlap."""
        if not self._values:
            return ()
        if text not in self._occurrences:
            self._occurrences[text] = list(self._find_all(text))
        return self._occurrences[text]

    def _find_all(self, text: str) -> Iterator[Occurrence]:
        yield from self._find_plain(text)
        for match, decoded in list_encoded(text):
            for occurrence in self._find_plain(decoded):
                yield Occurrence(*match.span(), occurrence.folded, True, True)

    def _find_plain(self, text: str) -> Iterator[Occurrence]:
        unescaped, offsets = unescape(text)
        is_ascii = unescaped.isascii()
        starts: dict[int, int] = {}  # from the index in the folded text to the index in the text
        ends: dict[int, int] = {}
        parts: list[str] = []
        length = 0
        for word in _WORD.finditer(unescaped):
            part = word[0].lower() if is_ascii else _fold_word(word[0])
            if part:
                starts[length] = word.start()
                length += len(part)
                ends[length] = word.end()
                parts.append(part)
        folded = "".join(parts)
        for position, start in starts.items():
            for value in self._list_values(folded, position):
                end = ends.get(position + len(value))
                if end is not None:
                    occurrence = self._extend(unescaped, offsets, start, end, value)
                    yield occurrence
                    if occurrence.is_apart:
                        break  # shorter values are parts of this one

    def _extend(
        self, text: str, offsets: Sequence[int], start: int, end: int, value: str
    ) -> Occurrence:
        """Adds the signs around a value, if they are around this occurrence too."""
        leading, trailing = self._edges[value]
        first = start - len(leading) if text.endswith(leading, 0, start) else start
        last = end + len(trailing) if text.startswith(trailing, end) else end
        before, after = text[max(first - 1, 0) : first], text[last : last + 1]
        is_apart = not before.isalnum() and not after.isalnum()
        is_word = is_apart and "_" not in (before, after)
        return Occurrence(offsets[first], offsets[last], value, is_apart, is_word)

    def _list_values(self, folded: str, position: int) -> Iterator[str]:
        for length in self._lengths.get(folded[position : position + MIN_KNOWN], ()):
            for value in self._values.get(folded[position : position + length], ()):
                if len(value) == length or folded.startswith(value, position):
                    yield value
