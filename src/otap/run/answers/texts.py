"""Texts as answers are looked for in them: values in canonical form, and words, with positions."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from otap._caching import GenerationCache, cached_property
from otap._patterns import regex
from otap.run.answers.words import word_list
from otap.values.literals import (
    Literal,
    find_amounts,
    find_identifiers,
    match_literal,
    words_in_digits,
)
from otap.values.normalization import compose
from otap.values.numbers import number_in_prose, parse_number
from otap.values.prose_facts import read_prose_facts

_SINGLE_VALUES = frozenset(("number", "moment", "quantity"))  # kinds that can be a whole answer
_MOMENTS = frozenset(("date", "time"))
_ORDINALS = ("st", "nd", "rd", "th")

MAX_VALUES = 200  # a text with more values is a list of guesses, and gives none
MAX_SENTENCE = 1_000  # characters of a sentence that are compared by meaning
KeyedValue = tuple[str, str]  # the kind of a value, and its canonical form

_WORD = regex(r"\w+(?:[.,:/@'\u2019_-]\w+)*")
_SENTENCE = regex(r"(?<=[.!?])\s+|\n+")
# A yes or no at the beginning of a sentence, also after one word and a comma: "Sorry, no."
_OPENING = regex(
    r"(?:^|[.!?\n\u3002\uff01\uff1f])[ \t]*+(?:[^\W\d_]{1,15}, )?(\w{1,6})"
    r"(?= ?(?:[,.!;:\u2013\u2014\u3001\u3002\uff0c\uff01\n]|$))"
)
# Scripts that are written without blanks: Thai, Lao, kana, Chinese.
_UNSPACED = regex("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_DAY_OR_NUMBER = regex(r"\d{1,2}\.\d{1,2}\.\Z")  # 6.4. is the 6th of April, or ends a sentence
_DIGIT = regex(r"\d")
_LIST_END = regex(r"[.)](?:\s|\Z)")
_CONTEXT = 40  # characters before a number that show whether it begins a line


@dataclass(frozen=True)
class Text:
    """A text, its normalized form, and its words, separated and enclosed by blanks."""

    original: str
    normalized: str
    words: str
    spans: Sequence[tuple[int, int]]  # of the words in the normalized form

    @cached_property
    def digits(self) -> str:
        """The normalized form with its number words as digits."""
        return words_in_digits(self.normalized)

    @cached_property
    def literals(self) -> Sequence[Literal]:
        """The numbers, amounts, dates and times in it; ordinals do not answer "how many"."""
        return [
            literal
            for literal in find_amounts(find_identifiers(self.digits)[1])
            if literal.kind != "number" or literal.text[-2:] not in _ORDINALS
        ]

    @cached_property
    def values(self) -> frozenset[KeyedValue]:
        """The values in it: 20 May 2024 is also 20 May, and 10 % and 10 weeks are also 10.

        A text with very many values is a list of guesses, and gives none.
        """
        forms = {form for literal in self.literals for form in list_forms(literal)}
        return frozenset(forms) if len(forms) <= MAX_VALUES else frozenset()

    @cached_property
    def whole_values(self) -> Sequence[Literal]:
        """The values that the text consists of; empty if it has other words."""
        text = words_in_digits(self.normalized.strip().rstrip("."))
        kind, canonical = match_literal(text) or ("", "")
        if kind == "number":
            return [Literal(kind, f"{abs(float(canonical)):.12g}", text)]
        is_moment = {literal.kind in _MOMENTS for literal in self.literals} == {kind == "moment"}
        return self.literals if kind in _SINGLE_VALUES and is_moment else ()

    def has_values(self, literals: Sequence[Literal]) -> bool:
        """Returns whether it mentions all of some values."""
        return not any(self.values.isdisjoint(accepted_forms(value)) for value in literals)

    @cached_property
    def placed_literals(self) -> Sequence[tuple[int, int, Literal]]:
        """The literals with their positions in ``digits``, in order; none in a list of guesses."""
        if not self.values:
            return ()
        literals = {literal.text: literal for literal in self.literals}
        # An identifier hides the numbers in it.
        identifiers = dict.fromkeys(name.text for name in find_identifiers(self.digits)[0])
        hiding = [text for text in identifiers if _DIGIT.search(text)][:MAX_VALUES]
        texts = sorted({*literals, *hiding}, key=lambda text: (-len(text), text))
        pattern = re.compile(rf"(?<!\d)(?:{'|'.join(re.escape(text) for text in texts)})(?!\d)")
        return [
            (match.start(), match.end(), literals[match[0]])
            for match in pattern.finditer(self.digits)
            if match[0] in literals
        ]

    def is_list_number(self, start: int, end: int) -> bool:
        """Whether a number only counts the items of a list: it begins a line, with a point."""
        before = self.digits[max(0, start - _CONTEXT) : start]
        is_first = start < _CONTEXT or "\n" in before
        line = before.rpartition("\n")[2].strip(" \t*#(")
        return is_first and not line and _LIST_END.match(self.digits, end) is not None

    @cached_property
    def openings(self) -> Sequence[bool]:
        """For each sentence that begins with a yes or a no whether it is a yes."""
        sides = (read_side(word) for word in _OPENING.findall(self.normalized))
        return [side for side in sides if side is not None]

    @property
    def is_name(self) -> bool:
        """Whether it is a name or a code: it has a capital or a digit."""
        return any(sign.isupper() or sign.isdigit() for sign in self.original)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words, each once."""
        return frozenset(self.words.split())

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in it, without German nouns."""
        names = read_prose_facts(self.original[:MAX_SENTENCE]).entities.get("name", ())
        return frozenset(fold_text(name) for name in names)

    @cached_property
    def sentences(self) -> "tuple[Text, ...]":
        """The sentences; the end of a line ends a sentence."""
        return tuple(read_text(part) for part in _SENTENCE.split(self.original) if part)

    @cached_property
    def _word_starts(self) -> list[int]:
        """The index in ``words`` at which each word begins."""
        return list(accumulate((len(word) + 1 for word in self.words.split()), initial=1))

    def find_phrase(self, phrase: "Text") -> Iterator[tuple[int, int]]:
        """Yields the spans in the normalized form where another text occurs as whole words."""
        if _UNSPACED.search(phrase.normalized):
            plain = phrase.normalized.strip()
            start = self.normalized.find(plain)
            while start >= 0:
                yield start, start + len(plain)
                start = self.normalized.find(plain, start + len(plain))
            return
        if not phrase.spans:  # signs only
            return
        start = self.words.find(phrase.words)
        while start >= 0:
            first = bisect_right(self._word_starts, start + 1) - 1
            yield self.spans[first][0], self.spans[first + len(phrase.spans) - 1][1]
            start = self.words.find(phrase.words, start + 1)


# Texts that were read. Without this cache scores with answers take a fifth longer.
_TEXTS: GenerationCache[str, Text] = GenerationCache(1 << 18, lambda text: len(text) + 50)


def read_text(text: str) -> Text:
    """Returns a text with its normalized form and its words."""
    return _TEXTS.get(text) or _TEXTS.put(text, _read_text(text))


def _read_text(text: str) -> Text:
    normalized = fold_text(text)
    matches = list(_WORD.finditer(normalized))
    words = [(match[0][0].isdigit() and parse_number(match[0])) or match[0] for match in matches]
    return Text(text, normalized, f" {' '.join(words)} ", [match.span() for match in matches])


def fold_text(text: str) -> str:
    """Returns a text in small letters, with plain apostrophes."""
    folded = (text if text.isascii() else compose(text, "NFKC")).casefold()
    return folded.replace("\u2019", "'")


def read_side(word: str) -> bool | None:
    """Returns True for a yes, False for a no, None for another word."""
    return True if word in word_list("yes") else False if word in word_list("no") else None


def list_forms(literal: Literal) -> Iterator[KeyedValue]:
    """Yields the forms of a literal, by kind: a date also its day in any year."""
    yield literal[:2]
    if literal.kind == "date":
        yield "day", literal.canonical[-6:]
    number = literal.text.split()[0]
    if _DAY_OR_NUMBER.match(number):
        yield "number", f"{float(number[:-1]):.12g}"
    if number.replace(",", "").replace(".", "").isdigit():
        yield "number", f"{number_in_prose(number):.12g}"


def accepted_forms(literal: Literal) -> Sequence[KeyedValue]:
    """Returns the forms that answer a literal: for a date its day, without a year any year."""
    kind, canonical, _ = literal
    if kind != "date":
        return [(kind, canonical)]
    if canonical[0] == "-":
        return [("day", canonical)]
    return [(kind, canonical), (kind, canonical[-6:])]
