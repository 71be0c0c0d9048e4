"""Single values by kind: what each is, and one spelling for equal ones.

Two values of the same place are the same if their canonical forms are equal. Each kind is read by
a strict pattern: what is not plainly of a kind stays a text. Two forms are one where nobody would
mean two things by them in one place; so numbers, flags and names need no mark of their kind.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from otap._patterns import regex
from otap.values.addresses import parse_email, parse_path, parse_url
from otap.values.code import parse_code
from otap.values.commands import parse_shell, parse_sql
from otap.values.literals import format_number, is_identifier, match_literal
from otap.values.spelling import (
    is_choice,
    is_prose,
    join_blanks,
    join_words,
    normalize,
    parse_word,
    tidy_lines,
)


class Scalar(NamedTuple):
    """A single value: its kind, and the one spelling of all that are equal to it."""

    kind: str
    canonical: str


_FLAGS = {
    **dict.fromkeys(("true", "yes", "on", "y"), "true"),
    **dict.fromkeys(("false", "no", "off", "n"), "false"),
}  # 1 is a number
_NOTHING = frozenset(("null", "none", "nil", "undefined", "n/a"))
# What is no literal, in the order in which it is tried: each returns the canonical form of a text
# that is of its kind, None for another.
_KINDS: tuple[tuple[str, Callable[[str], str | None]], ...] = (
    ("flag", lambda text: _FLAGS.get(text.lower())),
    ("nothing", lambda text: "none" if text.lower() in _NOTHING else None),
    ("word", parse_word),
    ("url", parse_url),
    ("email", parse_email),
    ("sql", parse_sql),
    ("shell", parse_shell),
    ("code", parse_code),
)
_BARE = ("word", "identifier", "text", "hexadecimal", "version")  # what a path of one name may be
_COMMA = regex(r"(?<=\w),\s(?=\w)")
_CACHED = 2_000  # characters of the longest text that is kept
_READINGS = 5  # of odd texts, in which what one kind leaves is another one's


def read_scalar(data: str | int | float | bool) -> Scalar:
    """Returns what a single value is, and its canonical form."""
    if isinstance(data, bool):
        return Scalar("flag", "true" if data else "false")
    if isinstance(data, int | float):
        return Scalar("number", format_number(data))
    return _cached(data) if len(data) <= _CACHED else _read_settled(data)


def _read_settled(text: str) -> Scalar:
    """What a text is, read until its canonical form is that of itself; most are after once."""
    found = _read(text)
    is_settled = found.canonical == text or found.kind == "code"
    for _ in range(0 if is_settled else _READINGS):
        again = _read(found.canonical)
        if again.canonical == found.canonical:
            return found
        found = again
    return found


_cached = lru_cache(maxsize=32_768)(_read_settled)


def _read(text: str) -> Scalar:
    text = normalize(text)
    literal = match_literal(text)
    if literal:
        return Scalar(*literal)
    for kind, parse in _KINDS:
        canonical = parse(text)
        if canonical is not None:
            return Scalar(kind, canonical)
    return _read_path(text) or _read_rest(text)


def _read_path(text: str) -> Scalar | None:
    """A path; one of a single name is what the name is, if that may be a file."""
    found = parse_path(text)
    if found is None or "/" in found:
        return Scalar("path", found) if found else None
    named = _read(found)
    return named if named.kind in _BARE else Scalar("path", f"./{found}")


def _read_rest(text: str) -> Scalar:
    """Prose, an identifier, or a text that is neither, in tidy lines.

    A text of one line of words and numbers has its words without letter case.
    """
    if is_prose(text):
        line = join_blanks(text)
        return Scalar("prose", join_words(line) if is_choice(line) else line.casefold())
    if is_identifier(text):
        return Scalar("identifier", text)
    if "\n" in text:
        return Scalar("text", tidy_lines(text))
    words = join_blanks(text).split(" ")
    if not all(one.replace("-", "").isalnum() for one in words):
        return Scalar("text", _COMMA.sub(",", " ".join(words)))
    return Scalar("text", " ".join(map(_without_case, ("", *words), words)))


def _without_case(before: str, word: str) -> str:
    """A word without letter case; a unit of one or two letters after a number keeps it: mW, MW."""
    is_unit = len(word) < 3 and before[-1:].isdigit()
    return word.casefold() if word.isalpha() and not is_unit else word
