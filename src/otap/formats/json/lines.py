"""A JSONL file read line by line: any number of runs takes the memory of one."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, Self, cast

from otap.errors import shown_path
from otap.formats.json.documents import BOM, Document, in_utf8, parsed
from otap.formats.json.places import Place
from otap.formats.json.streams import is_file, lines_of, opened, too_large
from otap.formats.json.syntax import is_json
from otap.formats.limits import LIMITS, Limits

LOOKED_AT = 10  # items of a file whose kind is known: the first may be the one that is broken


class Mark(NamedTuple):
    """Where an item begins: the first byte and the number from 1 of its line, and its place.

    Blank lines have no place. A row of Parquet has its place only.
    """

    offset: int
    number: int
    place: int


BEGINNING = Mark(0, 1, 0)


@dataclass(frozen=True)
class Streamed(Document, ABC):
    """A list that lies in a file; ``value`` is a list of one of its items.

    Its items are read again whenever they are asked for. An item that cannot be read is an error
    when its turn comes, and the iterator goes on behind it.
    """

    name: str = ""
    limits: Limits = LIMITS
    mark: Mark = BEGINNING  # no item before it is asked for

    @classmethod
    def of(
        cls, name: str, sample: Any, limits: Limits, sha256: str | None, mark: Mark = BEGINNING
    ) -> Self:
        """Returns a file as such a list.

        Args:
            name: the file.
            sample: one of its items.
            limits: how large an item may be, and how deep.
            sha256: its digest, if it is known.
            mark: the first item that may be asked for.
        """
        digest = sha256 or sha256_of(name)
        return cls(in_utf8(name), [sample], digest, name=name, limits=limits, mark=mark)

    @abstractmethod
    def items(self) -> Iterator[tuple[Any, Place]]:
        """Returns an iterator over each item with its place."""

    @abstractmethod
    def marks(self) -> Iterator[tuple[Mark, int]]:
        """Yields where each item begins, and about how many bytes of the file it takes."""


def sha256_of(name: str) -> str:
    """Returns the digest of a file: a pass over its bytes, at a gigabyte a second."""
    with opened(name) as file:
        return hashlib.file_digest(cast(Any, file), "sha256").hexdigest()


@dataclass(frozen=True)
class Lines(Streamed):
    """A JSONL file, of which each line that is not blank is an item."""

    def items(self) -> Iterator[tuple[Any, Place]]:
        """Returns an iterator over each line with its place."""
        stop = None if self.stop is None else self.stop - self.mark.place
        lines = _filled(self.name, self.place, self.limits, self.mark)
        return map(self._item, islice(lines, self.start - self.mark.place, stop, self.stride))

    def marks(self) -> Iterator[tuple[Mark, int]]:
        """Yields where each line that is not blank begins, and how long it is."""
        for mark, line in _filled(self.name, self.place, self.limits, self.mark):
            yield mark, len(line)

    def _item(self, marked: tuple[Mark, bytes]) -> tuple[Any, Place]:
        mark, line = marked
        place = Place(self.place.file, mark.number)
        if len(line) > self.limits.max_bytes:
            raise too_large(place, len(line), self.limits)
        return parsed(line, place, self.limits), place


def sample_of(name: str, limits: Limits) -> Any:
    """Returns an object that is one of several lines of a file, or nothing where it has no lines.

    Raises:
        FormatError: if the file cannot be read, or the line holds what we do not allow.
    """
    place = Place(shown_path(name))
    if not is_file(name):
        return None
    looked_at = LOOKED_AT if name.lower().endswith(".jsonl") else 1
    lines = list(islice(_filled(name, place, limits), looked_at + 1))
    if len(lines) < 2:
        return None
    found = next((line for _, line in lines[:looked_at] if _is_object(line)), None)
    return None if found is None else parsed(found, place, limits)


def _filled(
    name: str, place: Place, limits: Limits, first: Mark = BEGINNING
) -> Iterator[tuple[Mark, bytes]]:
    """Yields each line that is not blank, and where it begins."""
    filled = first.place
    for number, (offset, line) in enumerate(
        lines_of(name, place, limits, first.offset), first.number
    ):
        text = line.removeprefix(BOM) if number == 1 else line
        if text.strip():
            yield Mark(offset, number, filled), text.removesuffix(b"\n")
            filled += 1


def _is_object(line: bytes) -> bool:
    """Says whether a line is a whole object; one of a document over several lines is indented."""
    return line.startswith(b"{") and line.rstrip().endswith(b"}") and is_json(line)
