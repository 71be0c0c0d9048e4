"""The words by which messages deny, doubt or correct a statement, from ``words.toml``."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

MARKERS = ("corrections", "apologies", "retractions")  # lists of phrases that correct a statement


@cache
def word_list(name: str) -> frozenset[str]:
    """Returns the words of one list, by its name in the file."""
    return frozenset(_sections()[name].split())


@cache
def phrase_list(name: str) -> tuple[str, ...]:
    """Returns the lines of one list, the longest first."""
    lines = {line.strip() for line in _sections()[name].strip().splitlines()}
    return tuple(sorted(lines - {""}, key=lambda line: (-len(line), line)))


def read_source() -> str:
    """Returns the text of the file with the words."""
    return files(__package__).joinpath("words.toml").read_text(encoding="utf-8")


@cache
def _sections() -> dict[str, str]:
    return {name: str(words) for name, words in tomllib.loads(read_source()).items()}


@cache
def markers(*, is_ascii: bool) -> tuple[re.Pattern[str], dict[str, str]]:
    """Returns the pattern of all phrases that correct a statement, and the list of each phrase.

    Args:
        is_ascii: whether the text has none of a script without blanks between words.
    """
    spoken = {phrase: name for name in MARKERS for phrase in phrase_list(name)}
    script = {
        word: name for name in ("corrections", "apologies") for word in word_list(f"script_{name}")
    }
    by_words, by_script = _join_phrases(spoken), _join_phrases(script)
    pattern = rf"\b(?:{by_words})\b"
    return re.compile(pattern if is_ascii else f"{pattern}|(?:{by_script})"), spoken | script


def _join_phrases(phrases: Iterable[str]) -> str:
    """A pattern of some phrases, of two that match the longer one.

    Those with one first sign form a branch, so that a search passes most words at once.
    """
    by_sign: dict[str, list[str]] = {}
    for phrase in sorted(phrases, key=lambda text: (-len(text), text)):
        by_sign.setdefault(phrase[0], []).append(re.escape(phrase[1:]))
    return "|".join(f"{re.escape(sign)}(?:{'|'.join(rest)})" for sign, rest in by_sign.items())


@cache
def idle_words() -> frozenset[str]:
    """Returns the words of a correction that say nothing about its subject."""
    single = {word for name in MARKERS for phrase in phrase_list(name) for word in phrase.split()}
    lists = "falsehoods", "truths", "negations", "subjects"
    return frozenset(single).union(*(word_list(name) for name in lists))


def list_signs(word: str) -> frozenset[str]:
    """Returns the characters of a word without blanks that carry content: no kana, no markers."""
    for name in ("script_corrections", "script_apologies", "script_subjects"):
        for phrase in sorted(word_list(name), key=lambda text: (-len(text), text)):
            word = word.replace(phrase, " ")
    return frozenset(sign for sign in word if sign > "\u3400")
