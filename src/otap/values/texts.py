"""A text read once: its sentences, words, stems and exact parts."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, TypeVar

from otap._caching import GenerationCache, cached_property
from otap._patterns import regex
from otap.values.addresses import parse_url
from otap.values.languages import (
    MAX_READ,
    STEM,
    Language,
    find_stems,
    is_joined,
    read_languages,
    split_words,
)
from otap.values.lexicon import lexicon
from otap.values.literals import words_in_digits
from otap.values.normalization import compose, drop_invisible
from otap.values.numbers import DIGITS, number_in_prose
from otap.values.prose_facts import MAX_CACHED_TEXT

_PROHIBITIONS = str.maketrans("\u52ff\u522b\u83ab\u672a", "\u4e0d\u4e0d\u4e0d\u6ca1")  # one for all
_MARKS = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u2032": "'", "\u201c": '"', "\u201d": '"',
    "\u201e": '"', "\u00ab": '"', "\u00bb": '"', "\u2010": "-", "\u2011": "-", "\u2012": "-",
    "\u2013": "-", "\u2014": "-", "\u2212": "-", "\u2026": "...",
})  # fmt: skip
_BULLET = regex(r"(?m)^[ \t]*(?:[-*\u2022\u2013]|#{1,6})[ \t]+")
_BLANKS = regex(r"\s+")
_SENTENCES = regex(
    r"(?<=[^\d\s.]{3}\.)[\"')\]]*\s+|(?<=[!?\u2026\u06d4\u0964\u061f])[\"')\]]*\s+|"
    r"(?<=\d{3}\.)\s+(?=[^\W\d_a-z])|(?<=[:,.]\d\d\.)\s+(?=[^\W\d_a-z])|"
    r"(?<=[\u3002\uff01\uff1f])|\n+"
)
_LAST_SIGNS = " .!\u3002\u0964\u06d4,;:\u2026"
_MAIL = regex(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}")
_LINK = regex(
    r"(?:https?://|www\.)[^\s<>\"')\]]+|\b(?:[a-z0-9-]{1,63}\.){1,4}"
    r"(?:com|org|net|io|co|info|biz|app|dev|xyz|ru|cn|top|site|link|me|ly|online|shop)\b(?:/[^\s<>\"')\]]*)?"
)
_IBAN = regex(r"\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?\b")
_LETTER_GROUPS = 2  # groups at its beginning, behind which each one has a digit
_SHORTEST_IBAN = 15
_CARD = regex(r"(?<![\w+])\d(?:[ -]?\d){11,18}(?![\w])")
_BANK = regex(r"(?<![\w.,/+-])(?:\d{2}-\d{2}-\d{2}|(?!(?:19|20)\d{6}\b)\d{8,11})(?![\w-])")
_CURRENCY = (
    r"[$\u20ac\u00a3\u20b9\u00a5\u20a9\u20ba\u20bd\u20aa\u0e3f\u20ab\u20b4]|usd|eur|gbp|chf|jpy|cny|inr|sek|nok|dkk|pln|czk|huf|"
    r"brl|cad|aud|try|rub|krw|aed|sar"
)
_AFTER = (
    rf"{_CURRENCY}|euros?|dollars?|pounds?|bucks?|yen|rupees?|pesos?|reais|francs?|franken|kronor|kroner|"
    r"kr|z\u0142|k\u010d|ft|lei|lira|tl|\u0440\u0443\u0431\w*|\u0433\u0440\u043d\w*|\u5143|\u5186|\uc6d0|\u0e1a\u0e32\u0e17|\u4e07|"
    r"\u0930\u0941\u092a\u092f\u0947|\u062f\u0631\u0647\u0645|\u0631\u064a\u0627\u0644|\u06cc\u0648\u0631\u0648"
)
_DIGITS = r"(\d(?:[\d.,'\u00a0]{0,24}\d)?)"
_MONEY = regex(
    rf"(?:{_CURRENCY})\s?{_DIGITS}(k\b)?|(?<![\d.,]){_DIGITS}(k)?\s?(?:{_AFTER})(?![^\W\d_])"
)
_NUMBER = regex(r"\d(?:[\d.,'\u00a0]*\d)?")

T = TypeVar("T")


class ReadText:
    """One text, read once.

    Attributes:
        plain: the text with plain signs.
        sentences: its sentences as written, by the form that equal sentences share.
    """

    def __init__(self, text: str, language: Language | None = None) -> None:
        self.plain, self.language = tidy_text(text), language
        self.small = self.plain.casefold()
        self._results: dict[Callable[[ReadText], Any], Any] = {}
        self.sentences: dict[str, str] = {}
        for sentence in _SENTENCES.split(self.plain):
            if sentence.strip():
                self.sentences.setdefault(_form_of(sentence), sentence.strip())

    def recall(self, read: Callable[["ReadText"], T]) -> T:
        """Returns the result of a function of this text, which is called once."""
        if read not in self._results:
            self._results[read] = read(self)
        result: T = self._results[read]
        return result

    @cached_property
    def words(self) -> list[str]:
        """The words in small letters and in order; short forms are spelled out.

        Numbers in words are in digits, and polite turns of phrase are left out.
        """
        words = split_words(_spell_out(self.small[:MAX_READ]))
        numbers = self.language.numbers if self.language else {}
        return [
            str(numbers[word])
            if word in numbers
            else str(int(word))
            if word.isdecimal() and len(word) <= DIGITS
            else word
            for word in words
        ]

    @cached_property
    def pieces(self) -> list[str]:
        """The words, and each character of a script without blanks."""
        return list(explode(self.words))

    @property
    def is_question(self) -> bool:
        """Whether it contains a question mark."""
        return any(sign in self.plain for sign in "?\u061f\uff1f")

    @cached_property
    def length(self) -> int:
        """The number of words; five characters of a script without blanks count as four.

        Two syllables of Korean count as a word: their words hold a sentence's small words, too.
        """
        return sum(_count_words(word) for word in self.words)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the words with content; words with one meaning share a stem."""
        return frozenset(read_meanings(self.words, self.language))

    @cached_property
    def exact_parts(self) -> Mapping[tuple[str, str], str]:
        """The addresses, links, accounts and amounts of money: as written, by kind and form."""
        return dict(find_exact_parts(self.small[:MAX_READ]))

    @cached_property
    def numbers(self) -> frozenset[float]:
        """The numbers, also those in words."""
        small = words_in_digits(self.small[:MAX_READ])
        return frozenset(number_in_prose(number) for number in _NUMBER.findall(small))


def _count_words(word: str) -> int:
    if is_joined(word):
        return len(word) * 4 // 5
    return max(1, len(word) // 2) if word[0] >= "\uac00" else 1


def tidy_text(text: str) -> str:
    """Returns a text with plain signs: quotes, dashes, full-width letters, marks of lists."""
    if not text.isascii():
        text = compose(drop_invisible(text), "NFKC").translate(_MARKS)
    return _BULLET.sub("", text).replace("*", "").replace("`", "").replace("\u00a1", "").strip()


def _form_of(sentence: str) -> str:
    """The form that sentences share which differ in letter case, blanks and the last signs."""
    return _BLANKS.sub(" ", sentence).casefold().strip().rstrip(_LAST_SIGNS)


_read_short = lru_cache(maxsize=8192)(ReadText)
# Long texts, by their characters: a text of 1,000 characters takes about 20 kB when read.
_LONG: GenerationCache[tuple[str, Language | None], ReadText] = GenerationCache(
    1 << 20, lambda key: len(key[0])
)


def read_text(text: str, language: Language | None) -> ReadText:
    """Returns a text with its parts, which come from memory if it was read lately."""
    if len(text) <= MAX_CACHED_TEXT:
        return _read_short(text, language)
    key = text, language
    return _LONG.get(key) or _LONG.put(key, ReadText(text, language))


def _spell_out(small: str) -> str:
    """Returns a text in small letters with "not" for "n't" and the like."""
    for short, long in lexicon().short_forms:
        small = small.replace(short, long)
    if not small.isascii():
        for phrase in lexicon().polite:
            small = small.replace(phrase, " ")
    return small


def find_exact_parts(small: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yields the addresses, links, accounts and amounts: kind and form, and as written."""
    for match in _MAIL.findall(small):
        yield ("address", match.strip(".")), match
    without_mail = _MAIL.sub(" ", small)
    for match in _LINK.findall(without_mail):
        link = match.rstrip(".,;:!?")
        yield ("link", parse_url(link) or link), link
    text = _LINK.sub(" ", without_mail)
    for iban in map(_find_iban, _IBAN.findall(text)):
        if iban:
            yield ("account", iban.replace(" ", "")), iban
    text = _IBAN.sub(_drop_iban, text)
    for pattern in (_CARD, _BANK):
        for match in pattern.findall(text):
            yield ("account", match.replace(" ", "").replace("-", "")), match
        text = pattern.sub(" ", text)
    for money in _MONEY.finditer(words_in_digits(text)):
        number = number_in_prose(money[1] or money[3]) * (1000 if money[2] or money[4] else 1)
        yield ("amount", f"{number:.12g}"), money[0].strip()


def _find_iban(text: str) -> str:
    """Returns the IBAN at the beginning of some groups; empty if there is none.

    The check digits do not matter: one with a slip is an account, too. Behind the code of a bank
    each group has a digit, so that it ends before a word.
    """
    groups = text.split(" ")
    words = [k for k, group in enumerate(groups) if k and group.isalpha()]
    end = next((k for k in words if k >= _LETTER_GROUPS), len(groups))
    iban = " ".join(groups[:end])
    digits = sum(sign.isdigit() for sign in iban)
    is_long = len(iban.replace(" ", "")) >= _SHORTEST_IBAN
    return iban if is_long and 2 * digits >= _SHORTEST_IBAN else ""


def _drop_iban(match: re.Match[str]) -> str:
    return f" {match[0].removeprefix(_find_iban(match[0]))}"


def read_meanings(words: Sequence[str], language: Language | None) -> Iterator[str]:
    """Yields the stem of each word with content, one for all words with a meaning."""
    synonyms, formulas = read_synonyms()
    for stem in find_stems(list(words), language):
        if stem not in formulas:
            yield synonyms.get(stem, stem)


@cache
def read_synonyms() -> tuple[Mapping[str, str], Collection[str]]:
    """Returns the meaning of each stem with synonyms, and the stems of greetings and the like."""
    tables = lexicon()
    by_stem = {}
    for line in tables.synonyms:
        first, *_ = line
        by_stem.update({word[:STEM]: f"={first}" for word in line})
        for language in (english(), None):
            by_stem.update(dict.fromkeys(find_stems(line, language), f"={first}"))
    formulas = sorted(tables["formulas"])
    return by_stem, {*find_stems(formulas, english()), *(word[:STEM] for word in formulas)}


def english() -> Language:
    """Returns the words of English."""
    return read_languages().latin["en"]


def share(stems: frozenset[str], others: frozenset[str]) -> float:
    """The share of the shorter side's stems that both sides have; 1 if a side has none."""
    shorter = min(len(stems), len(others))
    return len(stems & others) / shorter if shorter else 1.0


def explode(words: Sequence[str]) -> Iterator[str]:
    """Yields words, and each character of a script without blanks."""
    for word in words:
        yield from word.translate(_PROHIBITIONS) if is_joined(word) else (word,)


def share_of_both(a: ReadText, b: ReadText) -> float:
    """The share of the shorter text's stems that both have; 0 if a text has none."""
    return share(a.stems, b.stems) if a.stems and b.stems else 0.0
