"""Tells languages apart by their function words, and finds their content words and negations.

The words stand in ``languages.toml``. Languages in Latin letters are known by their function words.
Other scripts are known by their letters, and languages that share a script share its negations.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from otap._patterns import regex
from otap.values.lexicon import lexicon
from otap.values.normalization import compose, fold_word

SCOPES = ("only", "except", "all", "some", "must", "may")
_WITH_NUMBERS = ("en", "de", "es", "fr")  # the numbers of these are in words.toml
# Texts of fewer words may have no function word at all: labels, headlines.
FEWEST_WORDS = 8
# A text is in a language if at least one in this many words is one of its function words.
FUNCTION_WORDS = 12
STEM, KOREAN_STEM = 5, 2  # the letters by which two inflections of a word are equal
PREFIXED = 4  # the fewest letters of a word that a prefix negates
MAX_WORD = 60  # characters of a word whose form may negate
MAX_READ = 40_000  # characters of one text in which words are looked for

_SEPARATORS = (
    r"\s!-/:-@\[-`{-~\u00a1-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u2010-\u206f\u3000-\u3004\u3006-\u303f"
    r"\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965"
    r"\u0589\u05be\u05c0\u05c3\u05f3\u05f4\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
)
_TOKEN = regex(rf"[^{_SEPARATORS}]+(?:['\u2019][^{_SEPARATORS}]+)*")
_LATIN = regex(r"[A-Za-z\u00aa-\u024f\u1e00-\u1eff]")
_HAN = regex(r"[\u3400-\u9fff\uf900-\ufaff\u3005]+")
_KATAKANA = regex(r"[\u30a1-\u30fa\u30fc]{2,}")
_HIRAGANA = regex(r"[\u3041-\u309f]+")
# Thai, Lao, Burmese and Khmer write no blanks between words either.
_JOINED = regex(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+")
_ALL_JOINED = regex(
    r"[\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)
_HANGUL = regex(r"[\uac00-\ud7af]")
_ELISION = regex(r"^[^\W\d_]{1,2}['\u2019]")
_ENDING = regex(r"(?<=[a-z]{3})(?:ing|ed|es|s|e)$")
_GE = regex(r"^(ab|an|auf|aus|bei|ein|mit|nach|vor|zu|zuruck|)ge([^\W\d_]{4,}(?:t|en))$")
_UMLAUT = regex(r"([aou])e")
_ARABIC_ARTICLE = regex(r"^(?:\u0648|\u0628|\u0641)?(?:\u0627\u0644|\u0644\u0644)")


@dataclass(frozen=True, eq=False)
class Language:
    """The words of a language, or of all languages of a script.

    Attributes:
        name: its code, or the name of the script.
        letters: the letters that few other languages have.
        words: the function words.
        negations: the words that negate.
        pattern: the form of a negated word; None: no form of a word negates.
        prefixes: the beginnings that negate a word.
        numbers: the numbers in words, from two on.
        scope: the scope that a word gives a statement: only, except, all, some, must, may.
        conditions: the words behind which a condition stands: from then on, and until then.
    """

    name: str
    letters: frozenset[str]
    words: frozenset[str]
    negations: frozenset[str]
    pattern: re.Pattern[str] | None
    prefixes: tuple[str, ...]
    numbers: Mapping[str, int]
    scope: Mapping[str, str]
    conditions: tuple[frozenset[str], frozenset[str]]


class Languages(NamedTuple):
    """All languages with words: those in Latin letters by name, the others with their letters."""

    latin: dict[str, Language]
    scripts: list[tuple[re.Pattern[str], Language]]


def read_source() -> str:
    """Returns the text of the file with the languages."""
    return files(__package__).joinpath("languages.toml").read_text(encoding="utf-8")


@cache
def read_languages() -> Languages:
    """Returns the languages; the file is read once."""
    sections = tomllib.loads(read_source())
    scripts = sections.pop("scripts")
    return Languages(
        {name: _read_language(name, entry) for name, entry in sections.items()},
        [
            (regex(f"[{entry['letters']}]"), _read_language(name, entry))
            for name, entry in scripts.items()
        ],
    )


def _read_language(name: str, entry: dict[str, str]) -> Language:
    from_then, _, until_then = entry.get("conditions", "").partition("|")
    patterns = "|".join(part.strip() for part in re.split(r"\s\|\s", entry.get("patterns", "")))
    return Language(
        name=name,
        letters=frozenset(entry["letters"] if len(name) == 2 and "letters" in entry else ""),
        words=frozenset(
            fold_word(word) for word in (entry["words"] + " " + entry.get("polite", "")).split()
        ),
        negations=frozenset(entry["negations"].split()),
        pattern=regex(f"(?:{patterns})") if patterns else None,
        prefixes=tuple(entry.get("prefixes", "").split()),
        numbers=(lexicon().numbers if name in _WITH_NUMBERS else {})
        | {
            word: number
            for number, words in enumerate(entry.get("numbers", "").split(), start=2)
            for word in words.split("/")
        },
        scope={
            word: side
            for side, words in zip(SCOPES, entry.get("scope", "").split("|"), strict=False)
            for word in words.split()
        },
        conditions=(frozenset(from_then.split()), frozenset(until_then.split())),
    )


def split_words(text: str) -> list[str]:
    """Returns the words of a text in small letters; text without blanks stays in one piece."""
    return _TOKEN.findall(text.casefold())


@lru_cache(maxsize=4096)
def identify_language(text: str) -> Language | None:
    """Returns the language of a text, or None if it is in no listed language.

    A short text in Latin letters without a function word may be in any of these languages.
    """
    languages, sample = read_languages(), text[:MAX_READ]
    letters = sum(character.isalpha() for character in sample)
    if not letters:
        return _any_latin()
    if 2 * len(_LATIN.findall(sample)) >= letters:
        return _identify_latin(split_words(sample))
    counts = [(len(pattern.findall(sample)), language) for pattern, language in languages.scripts]
    count, language = max(counts, key=lambda pair: pair[0])
    return language if 2 * count >= letters else None


def _identify_latin(words: list[str]) -> Language | None:
    words = [word for word in words if not word.isdecimal()]
    hits = dict.fromkeys(read_languages().latin, 0)
    by_word, by_letter = _index_latin()
    for word in words:
        for name in by_word.get(fold_word(word), ()):
            hits[name] += 1
        if not word.isascii():
            for name in {name for letter in {*word} for name in by_letter.get(letter, ())}:
                hits[name] += 1
    name = max(hits, key=lambda name: hits[name])
    if hits[name] * FUNCTION_WORDS >= len(words) and hits[name]:
        return read_languages().latin[name]
    is_long = len(words) >= FEWEST_WORDS or (
        len(words) * 2 >= FEWEST_WORDS and not all(word.isascii() for word in words)
    )
    return None if is_long else _any_latin()


@cache
def _index_latin() -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
    """Returns the languages in Latin letters by their function words, and by their letters."""
    by_word: dict[str, list[str]] = {}
    by_letter: dict[str, list[str]] = {}
    for name, language in read_languages().latin.items():
        for word in language.words:
            by_word.setdefault(word, []).append(name)
        for letter in language.letters:
            by_letter.setdefault(letter, []).append(name)
    return by_word, by_letter


@cache
def _any_latin() -> Language:
    """What all languages in Latin letters know together, without very short words."""
    languages = read_languages().latin.values()
    negations = frozenset().union(*(language.negations for language in languages))
    return Language(
        name="",
        letters=frozenset(),
        words=read_languages().latin["en"].words,
        negations=frozenset(word for word in negations if len(word) > 2) - {"sin", "hiç", "cap"},
        pattern=None,
        prefixes=(),
        numbers=read_languages().latin["en"].numbers,
        scope=read_languages().latin["en"].scope,
        conditions=read_languages().latin["en"].conditions,
    )


def find_stems(words: list[str], language: Language | None) -> Iterator[str]:
    """Yields the stems of the words that carry content, in their order.

    Text without blanks is cut into pairs of characters, Thai and the like into triples.
    """
    for word in words:
        if is_joined(word):
            yield from _cut_joined(word)
        else:
            stem = (_find_stem if len(word) > MAX_WORD else _find_short_stem)(word, language)
            if stem is not None:
                yield stem


def _find_stem(word: str, language: Language | None) -> str | None:
    """Returns the stem of a word; None if it carries no content."""
    name = language.name if language else None
    bare = fold_word(_ELISION.sub("", word))
    if name == "de":
        bare = _UMLAUT.sub(r"\1", _GE.sub(r"\1\2", bare))
    if bare.isdigit() or len(bare) < 2:
        return None
    if language and any(
        form in words for words in (language.words, language.negations) for form in (bare, word)
    ):
        return None
    return _stem_of(_ENDING.sub("", bare) if name in ("en", "") else bare)


_find_short_stem = lru_cache(maxsize=20_000)(_find_stem)


def is_joined(word: str) -> bool:
    """Returns whether a word has characters of a script without blanks between words."""
    return not word.isascii() and _ALL_JOINED.search(word) is not None


@lru_cache(maxsize=20_000)
def _stem_of(word: str) -> str:
    if word.isascii():
        return word[:STEM]
    word = compose(word, "NFC")
    if _HANGUL.search(word):
        return word[:KOREAN_STEM]
    return _ARABIC_ARTICLE.sub("", word)[:STEM] or word


def _cut_joined(word: str) -> Iterator[str]:
    has_content = False
    for run in _HAN.findall(word):
        has_content = True
        yield from (run[k : k + 2] for k in range(max(1, len(run) - 1)))
    for run in _KATAKANA.findall(word):
        has_content = True
        yield run[:STEM]
    for run in _JOINED.findall(word):
        has_content = True
        yield from (run[k : k + 3] for k in range(max(1, len(run) - 2)))
    for part in split_words(_ALL_JOINED.sub(" ", word)):
        if len(part) > 1 and not part.isdigit():
            has_content = True
            yield part[:STEM]
    if not has_content:
        for run in _HIRAGANA.findall(word):
            yield from (run[k : k + 2] for k in range(max(1, len(run) - 1)))


def find_negated_stems(words: list[str], language: Language) -> Iterator[str]:
    """Yields the stem of the word with content behind each word that negates."""
    idle = language.words | language.negations
    for index, word in enumerate(words):
        if word in language.negations:
            behind = (
                stem
                for other in words[index + 1 : index + 6]
                if other not in idle
                for stem in find_stems([other], language)
            )
            stem = next(behind, None)
            if stem is not None:
                yield stem


def count_negations(text: str, words: list[str], language: Language) -> int:
    """Returns how many words of a text negate.

    Args:
        text: the text in small letters.
        words: its words.
        language: its language.
    """
    count = sum(word in language.negations for word in words)
    if language.pattern is None:
        return count
    if language.name == "thai":
        return count + len(language.pattern.findall(text))
    others = [word for word in words if len(word) <= MAX_WORD and word not in language.negations]
    return count + sum(language.pattern.fullmatch(word) is not None for word in others)


def find_prefixed(words: frozenset[str], others: frozenset[str], language: Language) -> str | None:
    """Returns a word that one text negates by a prefix and the other text has without it."""
    for prefix in language.prefixes:
        for word in sorted(words - others):
            bare = word.removeprefix(prefix)
            if bare != word and len(bare) >= PREFIXED and bare in others and bare not in words:
                return word
    return None
