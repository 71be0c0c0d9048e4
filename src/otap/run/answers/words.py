"""The words by which messages deny, doubt or correct a statement, from ``words.toml``."""

import re
import tomllib
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
def markers() -> tuple[re.Pattern[str], dict[str, str]]:
    """Returns the pattern of all phrases that correct a statement, and the list of each phrase."""
    spoken = {phrase: name for name in MARKERS for phrase in phrase_list(name)}
    script = {
        word: name for name in ("corrections", "apologies") for word in word_list(f"script_{name}")
    }
    by_words, by_script = (
        "|".join(re.escape(phrase) for phrase in sorted(table, key=lambda text: (-len(text), text)))
        for table in (spoken, script)
    )
    return re.compile(rf"\b(?:{by_words})\b|(?:{by_script})"), spoken | script


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
