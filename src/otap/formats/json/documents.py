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
    path: str | os.PathLike[str], limits: Limits, parser_of: Callable[[bytes], Parser | None]
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
        if parser is not None:
            value = within(parser(text, place, limits), place, limits)
            return Document(in_utf8(name), value, digest)
        value, lines = _values(text, name, place, limits)
        return Document(in_utf8(name), value, digest, lines)


def parsed(line: bytes, place: Place, limits: Limits) -> Any:
    """Returns the JSON of one line.

    Raises:
        LimitError: if it is too deep.
        FormatError: if it is no JSON.
    """
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
        limit = f"above the limit of {limits.max_depth} (max_depth)"
        raise LimitError(f"{place}: is nested too deep, {limit}")
    if excess == "number":
        place = place_of_infinity(value, place) or place
        raise place.error("a number beyond the range of a double; write it as text")
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


def _values(
    data: bytes, name: str, place: Place, limits: Limits
) -> tuple[Any, tuple[int, ...] | None]:
    """Returns the value of the file, and the numbers of its lines where it is JSONL."""
    try:
        value = parse(data, place)
    except FormatError:
        refuse_binary(data, place)
        # JSONL is known by its name, or by a first line that is a whole JSON document.
        if not name.lower().endswith(".jsonl") and not is_json(data.lstrip().partition(b"\n")[0]):
            raise
    else:
        return within(value, place, limits), None
    lines = {n: line for n, line in enumerate(data.split(b"\n"), 1) if line.strip()}
    places = {number: Place(place.file, number) for number in lines}
    values = [parse(line, places[number]) for number, line in lines.items()]
    for value, at in zip(values, places.values(), strict=True):
        within(value, at, limits)
    return values, tuple(lines)
