"""What of a text is held exact."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from otap._caching import cached_property
from otap._patterns import regex
from otap.values.lexicon import Place, lexicon, longest_words
from otap.values.literals import SCRIPT, find_amounts, find_identifiers
from otap.values.parameters import GERMAN, TITLE
from otap.values.spelling import compose

LONGEST = 30_000  # characters that are read; what comes after is held to nothing
LONGEST_CACHED = 2_000  # characters; what is read of longer texts is not kept for long
_SCRIPT = regex(f"[{SCRIPT}]+")
_TOKEN = regex(
    rf"[{SCRIPT}]|[^\W{SCRIPT}]+(?:[.,:/@'&+-][^\W{SCRIPT}]+)*'?|->|=>|[,、]|[.!?;\n。]+|[$€£]"
)
_END = regex(r"[.!?;\n。]+\Z")
_SENTENCE = regex(r"[^.!?\n。]*(?:[.!?](?!\s|\Z)[^.!?\n。]*)*[.!?\n。]*\s*")
_SNAKE = regex(r"\b[^\W_]+(?:_[^\W_]+)+\b")
_CAPITAL = regex(rf"[^\W\d_{SCRIPT}][^\W\d_{SCRIPT}'-]*")
_LISTED = regex(r"^ ?\d{1,2}[.)]\s", re.MULTILINE)
_NOT = regex(r"n't\b|\bne\b|\bn'(?!t)|\bkein(?:e[nmrs]?)?\b")
_BLANKS = regex(r"\s+")
_DIGITS = regex(r"\d+")


_TABLES = ("opposites", "turns", "classes")
_NEGATING = ("un", "non", "dis", "in", "im", "ir", "il")  # first syllables


class Marks:
    """What is read out of a text: each part once, when it is first asked for.

    Args:
        text: in normal spelling.

    Attributes:
        asks: whether it is a question.
        words: in small letters and in order, with commas and ends of sentences.
    """

    def __init__(self, text: str) -> None:
        self.text, self._small = text, text.lower()
        self.asks = "?" in text
        self.words = tuple(_split_words(self._small))

    @cached_property
    def _words_alone(self) -> list[str]:
        """The words without signs."""
        return [word for word in self.words if word[0] not in ",、.!?;\n。"]

    @cached_property
    def content(self) -> frozenset[str]:
        """The different words, without those that a sentence may have or lack."""
        return frozenset(word for word in {*self._words_alone} if not _is_plain(word))

    @cached_property
    def pieces(self) -> Mapping[str, Mapping[str, str]]:
        """What is exact, by its kind: numbers, dates, names, codes, addresses."""
        found: dict[str, dict[str, str]] = {}
        for kind, piece, shown in _pieces(self.text, self._words_alone):
            found.setdefault(kind, {}).setdefault(piece, shown)
        return found

    @cached_property
    def loose(self) -> frozenset[str]:
        """Every number and word of the text, whatever it is part of."""
        numbers = (number.lstrip("0") for number in _DIGITS.findall(self.text))
        return frozenset([*self._words_alone, *numbers])

    @cached_property
    def negations(self) -> int:
        """How often it says no; in the words that only stress it, at most once."""
        known, kept = lexicon(), self._without_idle[0]
        small = self._without_idle[1]
        strong = sum(w in known["negations"] and w not in known["concord"] for w in kept)
        strong += len(_NOT.findall(small)) + sum(map(_script_negations, _SCRIPT.findall(small)))
        return strong or int(not known["concord"].isdisjoint(kept))

    @cached_property
    def hedged(self) -> bool:
        """Whether it says no in words that are no negations."""
        known, (kept, small) = lexicon(), self._without_idle
        signs = known["script_hedges"]
        return not known["hedges"].isdisjoint(kept) or any(sign in small for sign in signs)

    @cached_property
    def _without_idle(self) -> tuple[list[str], str]:
        """Its words without phrases that look like negations, and all of it without these."""
        small = self._small
        for phrase in lexicon().idle:
            small = small.replace(phrase, " ")
        return [word.strip("'") for word in _TOKEN.findall(small)], small

    @cached_property
    def prefixed(self) -> Mapping[str, str]:
        """The words that are negations by their first syllable, by what they negate."""
        found = ((negated_by_prefix(word), word) for word in sorted(self.content))
        return {stem: word for stem, word in found if stem}

    @cached_property
    def places(self) -> Mapping[str, Mapping[Place, str]]:
        """The words that have opposites, by table and place."""
        return {name: _places(name, self._small, self._words_alone) for name in _TABLES}

    @cached_property
    def sentences(self) -> list[str]:
        """Its sentences."""
        return [one.strip() for one in _SENTENCE.findall(self.text) if one.strip()]

    @cached_property
    def roles(self) -> Mapping[str, str]:
        """What stands behind each word of direction, where it occurs once and names something."""
        known = lexicon()
        idle = known["plain"] | known["roles"]
        return {
            role: word
            for role, word in pairwise(self.words)
            if role in known["roles"] and self.counted[role] == 1 and word not in idle
        }

    @cached_property
    def asserted(self) -> frozenset[str]:
        """Its different words, without negations."""
        known = lexicon()["negations"] | {",", "."}
        return frozenset(word for word in {*self.words} - known if not word.endswith("n't"))

    @cached_property
    def counted(self) -> Mapping[str, int]:
        """How often it has each word."""
        return Counter(self.words)


def read_marks(text: str) -> Marks:
    """Returns what of a text is held exact; of a short one from memory."""
    return _read_short(text) if len(text) <= LONGEST_CACHED else _read_long(text[:LONGEST])


def _read(text: str) -> Marks:
    return Marks(normalize_prose(text))


_read_short = lru_cache(maxsize=4096)(_read)
_read_long = lru_cache(maxsize=64)(_read)


def _blank(match: re.Match[str]) -> str:
    return "\n" if "\n" in match[0] else " "


def _is_plain(word: str) -> bool:
    """Whether a sentence may have or lack a word; most Hiragana signs are endings."""
    return word in lexicon()["plain"] or (len(word) == 1 and "\u3040" <= word <= "\u309f")


def normalize_prose(text: str) -> str:
    """Returns a text in one spelling: full-width digits are digits, and an umlaut is one letter."""
    text = _BLANKS.sub(_blank, text if text.isascii() else compose(text, "NFKC"))
    return text.replace("\u2019", "'").replace("\u2018", "'").replace("\u2032", "'").strip()


def _split_words(small: str) -> list[str]:
    found = [_END.sub(".", token).removesuffix("'s") for token in _TOKEN.findall(small)]
    while found and found[-1] == ".":
        found.pop()
    return found


def _places(name: str, small: str, words: list[str]) -> dict[Place, str]:
    table = lexicon().tables[name]
    found: dict[Place, str] = {}
    for word in dict.fromkeys(words):
        for place in table.places(word):
            found.setdefault(place, word)
    for run in dict.fromkeys(_SCRIPT.findall(small)):
        for word, places in table.within(run):
            for place in places:
                found.setdefault(place, word)
    return found


@lru_cache(maxsize=20_000)
def negated_by_prefix(word: str) -> str | None:
    """Returns the word that another is the negation of, by its first syllable."""
    for syllable in _NEGATING:
        stem = word.removeprefix(syllable).removeprefix("-")
        if stem != word and len(stem) > 3 and stem not in lexicon()["not_prefixed"]:
            return stem
    return None


def _script_negations(run: str) -> int:
    known = lexicon()
    return sum(word in known["script_negations"] for word in longest_words(run, known.script))


def _pieces(text: str, words: list[str]) -> Iterator[tuple[str, str, str]]:
    """Each exact piece: its kind, its one spelling, and how it is shown."""
    text = _LISTED.sub(" ", text) if _DIGITS.search(text) else text
    identifiers, text = find_identifiers(text)
    yield from identifiers
    for name in _find_names(text, words):
        yield "name", name.lower(), name
    for name in _SNAKE.findall(text):
        yield "code", name.lower(), name
    yield from find_amounts(text.lower())


def _find_names(text: str, words: list[str]) -> Iterator[str]:
    """Words with capitals that no sentence begins with; none where capitals name nothing."""
    known = lexicon()
    found = list(_CAPITAL.finditer(text))
    capitals_name = _capitals_name([match[0] for match in found], words)
    loud = text.isupper()
    before = ""
    for match in found:
        word = match[0].removesuffix("'s")
        opens = _opens(text, match.start())
        shouts = word.isupper() and len(word) > 1 and not loud
        may = before in known["titles"] or (not opens and (shouts or capitals_name))
        if may and not _names_nothing(word):
            yield word
        before = word.lower()


def _capitals_name(found: list[str], words: list[str]) -> bool:
    """Whether capitals name something: in German and in titles they do not."""
    german = sum(word in lexicon()["german"] for word in words) * GERMAN > len(words)
    long = [word for word in found if len(word) > 3]
    return not german and sum(word[0].isupper() for word in long) <= len(long) * TITLE


def _names_nothing(word: str) -> bool:
    small = word.lower()
    known = lexicon()
    lists = ("shouted", "plain", "negations", "titles")
    return (
        small[0] == word[0]
        or any(small in known[name] for name in lists)
        or any(table.places(small) for table in known.tables.values())
    )


def _opens(text: str, at: int) -> bool:
    """Whether a sentence, a line or a quotation begins at a place."""
    before = text[max(0, at - 4) : at].rstrip(" \t")
    return not before.strip() or before[-1] in ".!?;:\n\"'([{*-•“„«—>|/=。"
