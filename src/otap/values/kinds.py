"""Finds the kind of a single value, and one canonical form for equal values.

Two values at the same path are equal if their canonical forms are. Each kind has a strict pattern,
and a value that matches none stays a text. Two notations share a form if nobody would give them
different meanings at one path. Numbers, flags and names therefore need no mark of their kind.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from otap._patterns import regex
from otap.values.addresses import parse_email, parse_ip, parse_path, parse_url
from otap.values.code import parse_code, parse_patch
from otap.values.commands import parse_shell
from otap.values.identifiers import parse_identifier
from otap.values.literals import is_identifier, match_literal
from otap.values.normalization import (
    is_choice,
    is_prose,
    join_blanks,
    join_words,
    normalize,
    parse_word,
    spell_out,
    tidy_lines,
)
from otap.values.numbers import format_number
from otap.values.sql import is_sql, parse_sql


class Scalar(NamedTuple):
    """The kind of a single value, and the canonical form that it shares with equal values."""

    kind: str
    canonical: str


_FLAGS = {
    **dict.fromkeys(("true", "yes", "on", "y"), "true"),
    **dict.fromkeys(("false", "no", "off", "n"), "false"),
}  # 1 is a number
_NOTHING = frozenset(("null", "none", "nil", "undefined", "n/a"))
# The kinds that are no literals, in order of trial. Each parser returns a canonical form, or None
# for a text of another kind.
_KINDS: tuple[tuple[str, Callable[[str], str | None]], ...] = (
    ("flag", lambda text: _FLAGS.get(text.lower())),
    ("nothing", lambda text: "none" if text.lower() in _NOTHING else None),
    ("word", parse_word),
    ("ip", parse_ip),
    ("url", parse_url),
    ("email", parse_email),
    ("code", parse_patch),
    ("sql", parse_sql),
    ("shell", parse_shell),
    ("code", parse_code),
)
_FILE_NAME_KINDS = ("word", "identifier", "text", "hexadecimal", "version")
_COMMA = regex(r"(?<=\w),\s(?=\w)")
_MAX_CACHED = 2_000  # characters of a text
_MAX_PASSES = 5  # for odd texts whose canonical form is of another kind


def read_scalar(data: str | int | float | bool) -> Scalar:
    """Returns the kind and the canonical form of a single value."""
    if isinstance(data, bool):
        return Scalar("flag", "true" if data else "false")
    if isinstance(data, int | float):
        return Scalar("number", format_number(data))
    return _read_cached(data) if len(data) <= _MAX_CACHED else _read_until_stable(data)


def _read_until_stable(text: str) -> Scalar:
    """Reads a text until its canonical form no longer changes; most texts need one pass."""
    scalar = _read(text)
    if scalar.canonical == text or scalar.kind in ("code", "range"):
        return scalar
    for _ in range(_MAX_PASSES):
        next_scalar = _read(scalar.canonical)
        if next_scalar.canonical == scalar.canonical:
            break
        scalar = next_scalar
    return scalar


_read_cached = lru_cache(maxsize=32_768)(_read_until_stable)


def _read(text: str) -> Scalar:
    text = normalize(text)
    literal = match_literal(text) or parse_identifier(text)
    if literal:
        return Scalar(*literal)
    for kind, parse in _KINDS:
        canonical = parse(text)
        if canonical is not None:
            return Scalar(kind, canonical)
    return _read_path(text) or _read_other(text)


def _read_path(text: str) -> Scalar | None:
    """Reads a path; a path of a single name is read as the name if a file may have it."""
    path = parse_path(text)
    if path is None or "/" in path:
        return Scalar("path", path) if path else None
    name = _read(path)
    return name if name.kind in _FILE_NAME_KINDS else Scalar("path", f"./{path}")


def _read_other(text: str) -> Scalar:
    """Reads prose, an identifier or another text.

    In a text of one line with words and numbers only, letter case has no meaning. A statement that
    is too long to be read as one is no prose: each of its figures counts.
    """
    if is_prose(text) and not is_sql(text):
        line = join_blanks(text)
        return Scalar("prose", join_words(line) if is_choice(line) else spell_out(line.casefold()))
    if is_identifier(text):
        return Scalar("identifier", text)
    if "\n" in text:
        return Scalar("text", tidy_lines(text))
    words = join_blanks(text).split(" ")
    if not all(word.replace("-", "").isalnum() for word in words):
        return Scalar("text", _COMMA.sub(",", " ".join(words)))
    pairs = zip(["", *words], words, strict=False)
    return Scalar("text", " ".join(_fold_case(previous, word) for previous, word in pairs))


def _fold_case(previous: str, word: str) -> str:
    """Returns a word without letter case; a short unit after a number keeps it: mW, MW."""
    is_unit = len(word) < 3 and previous[-1:].isdigit()
    return word.casefold() if word.isalpha() and not is_unit else word
