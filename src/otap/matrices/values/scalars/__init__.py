"""Single values by kind: what each is, and one spelling for equal ones.

Two values of the same place are the same if their canonical forms are equal. Each kind is read by
a strict pattern: what is not plainly of a kind stays a text. Two forms are one where nobody would
mean two things by them in one place; so numbers, flags and names need no mark of their kind.

One module a family; the table is in the order in which kinds are tried.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple

from otap._patterns import regex
from otap.matrices.values.scalars.addresses import email, path, url
from otap.matrices.values.scalars.code import code
from otap.matrices.values.scalars.identifiers import (
    grouped,
    hexadecimal,
    identifier,
    phone,
    unmarked,
    uuid,
    version,
)
from otap.matrices.values.scalars.moments import moment
from otap.matrices.values.scalars.numbers import calculation, number, spelled
from otap.matrices.values.scalars.prose import is_prose
from otap.matrices.values.scalars.quantities import quantity
from otap.matrices.values.scalars.shell import shell
from otap.matrices.values.scalars.spelling import lines, normal, spaced
from otap.matrices.values.scalars.sql import sql
from otap.matrices.values.scalars.words import few, flag, nothing, together, word

Kind = Literal[
    "number", "calculation", "quantity", "moment", "phone", "version", "uuid", "hexadecimal",
    "flag", "nothing", "word", "url", "email", "path", "sql", "shell", "code", "prose",
    "identifier", "text",
]  # fmt: skip


class Scalar(NamedTuple):
    """A single value: its kind, and the one spelling of all that are equal to it."""

    kind: Kind
    canonical: str


# Each returns the canonical form of a text that is of its kind, None for another.
_KINDS: tuple[tuple[Kind, Callable[[str], str | None]], ...] = (
    ("number", number),
    ("moment", moment),
    ("phone", phone),
    ("quantity", quantity),
    ("calculation", calculation),
    ("version", version),
    ("uuid", uuid),
    ("hexadecimal", hexadecimal),
    ("flag", flag),
    ("nothing", nothing),
    ("word", word),
    ("url", url),
    ("email", email),
    ("sql", sql),
    ("shell", shell),
    ("code", code),
)
_BARE = ("word", "identifier", "text", "hexadecimal", "version")  # what a path of one name may be
_COMMA = regex(r"(?<=\w),\s(?=\w)")
_CACHED = 2_000  # characters of the longest text that is kept
_READINGS = 5  # of odd texts, in which what one kind leaves is another one's


def scalar(data: str | int | float | bool) -> Scalar:
    """Returns what a single value is, and its canonical form."""
    if isinstance(data, bool):
        return Scalar("flag", "true" if data else "false")
    if isinstance(data, int | float):
        return Scalar("number", spelled(data))
    return _kept(data) if len(data) <= _CACHED else _settled(data)


def _settled(text: str) -> Scalar:
    """What a text is, read until its canonical form is that of itself; most are after once."""
    found = _read(text)
    for _ in range(_READINGS if found.canonical != text else 0):
        again = _read(found.canonical)
        if again.canonical == found.canonical:
            return found
        found = again
    return found


def _read(text: str) -> Scalar:
    text = normal(text)
    for kind, read in _KINDS:
        canonical = read(text)
        if canonical is not None:
            return Scalar(kind, canonical)
    return _path(text) or _marked(text) or _rest(text)


_kept = lru_cache(maxsize=32_768)(_settled)


def _path(text: str) -> Scalar | None:
    """A path; one of a single name is what the name is, if that may be a file."""
    found = path(text)
    if found is None or "/" in found:
        return Scalar("path", found) if found else None
    named = _read(found)
    return named if named.kind in _BARE else Scalar("path", f"./{found}")


def _marked(text: str) -> Scalar | None:
    """What is a name but for the mark before it, or for what sets its parts apart."""
    name = unmarked(text) or grouped(text)
    return _read(name) if name else None


def _rest(text: str) -> Scalar:
    """Prose, an identifier, or a text that is neither."""
    if is_prose(text):
        line = spaced(text)
        return Scalar("prose", together(line) if few(line) else line.casefold())
    name = identifier(text)
    return Scalar("text", _tidy(text)) if name is None else Scalar("identifier", name)


def _tidy(text: str) -> str:
    """A text in tidy lines; of one line of words and numbers, words without letter case."""
    if "\n" in text:
        return lines(text)
    words = spaced(text).split(" ")
    if not all(one.replace("-", "").isalnum() for one in words):
        return _COMMA.sub(",", " ".join(words))
    return " ".join(map(_small, ("", *words), words))


def _small(before: str, word: str) -> str:
    """A word without letter case; a unit of one or two letters after a number keeps it: mW, MW."""
    unit = len(word) < 3 and before[-1:].isdigit()
    return word.casefold() if word.isalpha() and not unit else word
