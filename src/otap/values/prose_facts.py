"""The facts in a text that two texts must agree on: numbers, names, negations, opposites."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from otap._caching import cached_property
from otap._patterns import regex
from otap.values.lexicon import GroupSide, lexicon, longest_words
from otap.values.literals import SCRIPT, find_amounts, find_identifiers
from otap.values.normalization import compose, drop_invisible

# A text is German, where nouns have capitals, if more than one in this many words is.
GERMAN_WORDS = 8
# In a title more than this share of the long words have capitals; none of them marks a name.
TITLE_SHARE = 0.8

MAX_TEXT = 30_000  # characters; the rest of a longer text is not read
MAX_CACHED_TEXT = 2_000  # characters; few longer texts stay in memory
_SCRIPT = regex(f"[{SCRIPT}]+")
_TOKEN = regex(
    rf"[{SCRIPT}]|[^\W{SCRIPT}]+(?:[.,:/@'&+-][^\W{SCRIPT}]+)*'?|->|=>|[,、]|[.!?;\n。]+|[$€£]"
)
_END = regex(r"[.!?;\n。]+\Z")
_SENTENCE = regex(r"[^.!?\n。]*(?:[.!?](?!\s|\Z)[^.!?\n。]*)*[.!?\n。]*\s*")
_SNAKE = regex(r"\b[^\W_]+(?:_[^\W_]+)+\b")
_CAPITAL = regex(rf"[^\W\d_{SCRIPT}][^\W\d_{SCRIPT}'-]*")
_LIST_NUMBER = regex(r"^ ?\d{1,2}[.)]\s", re.MULTILINE)
_NOT = regex(r"n't\b|\bne\b|\bn'(?!t)|\bkein(?:e[nmrs]?)?\b")
_BLANKS = regex(r"\s+")
_DIGITS = regex(r"\d+")


_TABLES = ("opposites", "turns", "classes")
_NEGATING_PREFIXES = ("un", "non", "dis", "in", "im", "ir", "il")


class ProseFacts:
    """The facts of a text; each property is computed once, on first use.

    Args:
        text: a text from ``normalize_prose``.

    Attributes:
        is_question: whether the text contains a question mark.
        words: the words in small letters and in order, with commas and ends of sentences.
    """

    def __init__(self, text: str) -> None:
        self.text, self._small = text, text.lower()
        self.is_question = "?" in text
        words = [_END.sub(".", token).removesuffix("'s") for token in _TOKEN.findall(self._small)]
        while words and words[-1] == ".":
            words.pop()
        self.words = tuple(words)

    @cached_property
    def _bare_words(self) -> list[str]:
        """The words without punctuation."""
        return [word for word in self.words if word[0] not in ",、.!?;\n。"]

    @cached_property
    def content_words(self) -> frozenset[str]:
        """The distinct words that carry content: no articles, fillers and the like."""
        return frozenset(word for word in {*self._bare_words} if not _is_plain(word))

    @cached_property
    def entities(self) -> Mapping[str, Mapping[str, str]]:
        """The numbers, dates, names, codes and addresses.

        By kind, each maps the canonical form to the surface form in the text.
        """
        by_kind: dict[str, dict[str, str]] = {}
        for kind, canonical, surface_form in _find_entities(self.text, self._bare_words):
            by_kind.setdefault(kind, {}).setdefault(canonical, surface_form)
        return by_kind

    @cached_property
    def fragments(self) -> frozenset[str]:
        """Every number and word of the text, also as a part of a larger entity."""
        numbers = (number.lstrip("0") for number in _DIGITS.findall(self.text))
        return frozenset([*self._bare_words, *numbers])

    @cached_property
    def negation_count(self) -> int:
        """The number of negations; words that only stress a negation count at most once."""
        tables = lexicon()
        words, small = self._without_idle_phrases
        strong = sum(
            word in tables["negations"] and word not in tables["concord"] for word in words
        )
        strong += len(_NOT.findall(small))
        for run in _SCRIPT.findall(small):
            script_words = longest_words(run, tables.script)
            strong += sum(word in tables["script_negations"] for word in script_words)
        return strong or int(not tables["concord"].isdisjoint(words))

    @cached_property
    def denials(self) -> Counter[tuple[str, str]]:
        """How often each negation stands before each word with content, at most three words on."""
        tables = lexicon()
        words, _ = self._without_idle_phrases
        return Counter(
            (word, next((w for w in words[k + 1 : k + 4] if w in self.content_words), ""))
            for k, word in enumerate(words)
            if word in tables["negations"] and word not in tables["concord"]
        )

    @cached_property
    def hedges(self) -> frozenset[str]:
        """The words and signs that weaken or deny without a negation."""
        tables = lexicon()
        words, small = self._without_idle_phrases
        signs = {sign for sign in tables["script_hedges"] if sign in small}
        return tables["hedges"].intersection(words) | signs

    @property
    def is_hedged(self) -> bool:
        """Whether the text weakens or denies without a negation."""
        return bool(self.hedges)

    @cached_property
    def _without_idle_phrases(self) -> tuple[list[str], str]:
        """The words and the text without phrases that only look like negations."""
        small = self._small
        for phrase in lexicon().idle:
            small = small.replace(phrase, " ")
        return [word.strip("'") for word in _TOKEN.findall(small)], small

    @cached_property
    def negated_stems(self) -> Mapping[str, str]:
        """The words with a negating prefix, by their stem: unlocked by locked."""
        words_by_stem = {}
        for word in sorted(self.content_words):
            stem = negated_by_prefix(word)
            if stem:
                words_by_stem[stem] = word
        return words_by_stem

    @cached_property
    def grouped_words(self) -> Mapping[str, Mapping[GroupSide, str]]:
        """The words that have opposites, by table, group and side."""
        return {name: self._read_table(name) for name in _TABLES}

    def _read_table(self, name: str) -> dict[GroupSide, str]:
        table = lexicon().tables[name]
        words_by_side: dict[GroupSide, str] = {}
        for word in dict.fromkeys(self._bare_words):
            for side in table.groups_of(word):
                words_by_side.setdefault(side, word)
        for run in dict.fromkeys(_SCRIPT.findall(self._small)):
            for word, sides in table.find_words(run):
                for side in sides:
                    words_by_side.setdefault(side, word)
        return words_by_side

    @cached_property
    def sentences(self) -> list[str]:
        """The sentences; the end of a line ends a sentence."""
        return [sentence.strip() for sentence in _SENTENCE.findall(self.text) if sentence.strip()]

    @cached_property
    def roles(self) -> Mapping[str, str]:
        """The word after each word of direction that occurs once: after "to", "from", "by"."""
        tables = lexicon()
        idle = tables["plain"] | tables["roles"]
        return {
            role: word
            for role, word in pairwise(self.words)
            if role in tables["roles"] and self.word_counts[role] == 1 and word not in idle
        }

    @cached_property
    def affirmed_words(self) -> frozenset[str]:
        """The distinct words without negations and punctuation."""
        ignored = lexicon()["negations"] | {",", "."}
        return frozenset(word for word in {*self.words} - ignored if not word.endswith("n't"))

    @cached_property
    def word_counts(self) -> Mapping[str, int]:
        """How often each word occurs."""
        return Counter(self.words)


def read_prose_facts(text: str) -> ProseFacts:
    """Returns the facts of a text; those of recent short texts come from memory."""
    return _read_short(text) if len(text) <= MAX_CACHED_TEXT else _read_long(text[:MAX_TEXT])


def _read(text: str) -> ProseFacts:
    return ProseFacts(normalize_prose(text))


_read_short = lru_cache(maxsize=4096)(_read)
_read_long = lru_cache(maxsize=64)(_read)


def _blank(match: re.Match[str]) -> str:
    return "\n" if "\n" in match[0] else " "


def _is_plain(word: str) -> bool:
    """Whether a word carries no content; a single Hiragana character is mostly an ending."""
    return word in lexicon()["plain"] or (len(word) == 1 and "\u3040" <= word <= "\u309f")


def normalize_prose(text: str) -> str:
    """Returns a text with plain digits, letters, blanks and apostrophes."""
    text = _BLANKS.sub(_blank, text if text.isascii() else compose(drop_invisible(text), "NFKC"))
    return text.replace("\u2019", "'").replace("\u2018", "'").replace("\u2032", "'").strip()


@lru_cache(maxsize=20_000)
def negated_by_prefix(word: str) -> str | None:
    """Returns the word that a negating prefix negates, or None: locked for unlocked."""
    for prefix in _NEGATING_PREFIXES:
        stem = word.removeprefix(prefix).removeprefix("-")
        if stem != word and len(stem) > 3 and stem not in lexicon()["not_prefixed"]:
            return stem
    return None


def _find_entities(text: str, words: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yields the entities of a text: the kind, the canonical form and the surface form."""
    text = _LIST_NUMBER.sub(" ", text) if _DIGITS.search(text) else text
    identifiers, text = find_identifiers(text)
    yield from identifiers
    for name in _find_names(text, words):
        yield "name", name.lower(), name
    for name in _SNAKE.findall(text):
        yield "code", name.lower(), name
    yield from find_amounts(text.lower())


def _find_names(text: str, words: list[str]) -> Iterator[str]:
    """Yields the capitalised words that are names.

    The first word of a sentence is none, nor is any where capitals have another meaning.
    """
    matches = list(_CAPITAL.finditer(text))
    capitals_name = _capitals_mark_names([match[0] for match in matches], words)
    is_all_capitals = text.isupper()
    previous = ""
    for match in matches:
        word = match[0].removesuffix("'s")
        if word[0].islower():
            previous = word.lower()
            continue
        is_capitalised = word.isupper() and len(word) > 1 and not is_all_capitals
        is_candidate = previous in lexicon()["titles"] or (
            not _starts_sentence(text, match.start()) and (is_capitalised or capitals_name)
        )
        if is_candidate and not _is_common_word(word):
            yield word
        previous = word.lower()


def _capitals_mark_names(capitals: list[str], words: list[str]) -> bool:
    """Whether capitals mark names: in German and in titles they do not."""
    german_words = sum(word in lexicon()["german"] for word in words)
    is_german = german_words * GERMAN_WORDS > len(words)
    long_words = [word for word in capitals if len(word) > 3]
    capitalised = sum(word[0].isupper() for word in long_words)
    return not is_german and capitalised <= len(long_words) * TITLE_SHARE


def _is_common_word(word: str) -> bool:
    small = word.lower()
    tables = lexicon()
    return (
        small[0] == word[0]
        or any(small in tables[name] for name in ("shouted", "plain", "negations", "titles"))
        or any(table.groups_of(small) for table in tables.tables.values())
    )


def _starts_sentence(text: str, start: int) -> bool:
    """Whether a sentence, a line or a quotation begins at an index."""
    before = text[max(0, start - 4) : start].rstrip(" \t")
    return not before.strip() or before[-1] in ".!?;:\n\"'([{*-•“„«—>|/=。"
