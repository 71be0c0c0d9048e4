"""From a file to its JSON, with the place of each part and within limits."""

import gc
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from otap.errors import FormatError, LimitError, shown_path
from otap.formats.json.places import Place
from otap.formats.json.streams import read_bytes
from otap.formats.json.syntax import excess_in, is_json, parse, place_of_infinity, refuse_binary
from otap.formats.limits import Limits

Parser = Callable[[bytes, Place, Limits], Any]
"""Makes JSON of a file that is none."""

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Document:
    """The JSON of one file. The lines of a JSONL file are the items of a list.

    Of a list, ``items`` are those at ``start`` and every ``stride`` from there on, before ``stop``.
    """

    path: str
    value: Any
    sha256: str
    lines: tuple[int, ...] | None = None
    start: int = 0
    stop: int | None = None
    stride: int = 1

    @property
    def place(self) -> Place:
        """The place of the whole value."""
        return Place(shown_path(self.path))

    def items(self) -> Iterator[tuple[Any, Place]]:
        """Returns each item of a list with its place; a value that is no list is its only item."""
        if not isinstance(self.value, list):
            yield self.value, self.place
            return
        whole = self.place
        for index in range(len(self.value))[self.start : self.stop : self.stride]:
            place = whole[index] if self.lines is None else Place(whole.file, self.lines[index])
            yield self.value[index], place


def first_of(value: Any) -> Any:
    """Returns the first item of a list, by which a format is known; any other value itself.

    An empty list is returned as it is: no format knows it.
    """
    return value[0] if isinstance(value, list) and value else value


def load_document(
    path: str | os.PathLike[str],
    limits: Limits,
    parser_of: Callable[[bytes], Parser | None],
) -> Document:
    """Reads one file of JSON, of JSONL, or of what has a parser; ``-`` is standard input.

    Args:
        path: the file.
        limits: how large and how deep it may be.
        parser_of: returns the parser of a file that is no JSON, by its bytes.

    Raises:
        LimitError: if the file is too large or too deep.
        FormatError: if it cannot be read, or holds no JSON.
    """
    name = os.fsdecode(path)
    place = Place(shown_path(name))
    data = read_bytes(name, place, limits)
    digest = hashlib.sha256(data).hexdigest()
    with collection_paused():
        parser, text = parser_of(data), data.removeprefix(BOM)
        lines = None
        if parser is None:
            value, lines = _values(text, name, place)
        else:
            value = parser(text, place, limits)
        document = Document(in_utf8(name), value, digest, lines)
        _refuse_excess(document, limits)
    return document


def parsed(line: bytes, place: Place, limits: Limits) -> Any:
    """Returns the JSON of one line.

    Raises:
        LimitError: if it is too deep.
        FormatError: if it is no JSON.
    """
    with collection_paused():
        try:
            value = parse(line, place)
        except FormatError:
            refuse_binary(line, place)
            raise
        return within(value, place, limits)


def within(value: Any, place: Place, limits: Limits) -> Any:
    """Returns a value that stands by itself.

    Raises:
        LimitError: if it is too deep.
        FormatError: if a number in it is too large.
    """
    excess = excess_in(value, limits.max_depth)
    if excess == "depth":
        raise _too_deep(place, limits)
    if excess == "number":
        raise _too_large(place_of_infinity(value, place) or place)
    return value


def in_utf8(name: str) -> str:
    """A path as records hold it: bytes of it that are no text are spelled in hexadecimal."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


@contextmanager
def collection_paused() -> Iterator[None]:
    """Reading makes many objects and no cycles; the collector would triple its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _values(data: bytes, name: str, place: Place) -> tuple[Any, tuple[int, ...] | None]:
    """Returns the value of the file, and the numbers of its lines where it is JSONL."""
    try:
        return parse(data, place), None
    except FormatError:
        refuse_binary(data, place)
        if not _has_lines(data, name):
            raise
    numbered = [(n, line) for n, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    values = [parse(line, Place(place.file, number)) for number, line in numbered]
    return values, tuple(number for number, _ in numbered)


def _has_lines(data: bytes, name: str) -> bool:
    """JSONL is known by its name, or by a first line that is a whole JSON document."""
    first, _, _ = data.lstrip().partition(b"\n")
    return name.lower().endswith(".jsonl") or is_json(first)


def _refuse_excess(document: Document, limits: Limits) -> None:
    """Refuses what the parser lets through and we do not."""
    levels = limits.max_depth + (document.lines is not None)  # the list of lines is no level
    excess = excess_in(document.value, levels)
    if excess == "depth":
        raise _too_deep(document.place, limits)
    if excess == "number":
        places = (place_of_infinity(item, place) for item, place in document.items())
        raise _too_large(next((place for place in places if place), document.place))


def _too_deep(place: Place, limits: Limits) -> LimitError:
    return LimitError(
        f"{place}: is nested too deep, above the limit of {limits.max_depth} (max_depth)"
    )


def _too_large(place: Place) -> FormatError:
    return place.error("a number beyond the range of a double; write it as text")
