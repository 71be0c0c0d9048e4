"""Reads a JSONL file line by line, to keep one run in memory at a time."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, Self, cast

from otap.errors import shown_path
from otap.formats.json.documents import BOM, Document, in_utf8, parse_line
from otap.formats.json.paths import JsonPath
from otap.formats.json.streams import is_file, open_bytes, read_lines, too_large
from otap.formats.json.syntax import is_json
from otap.formats.limits import LIMITS, Limits

MAX_SAMPLED_ITEMS = 10  # searched for a readable one: the first item may be broken


class Mark(NamedTuple):
    """The position of an item in a file. A row of a Parquet file has an index only.

    Attributes:
        offset: the byte offset of its line.
        line_number: the number of its line, from 1.
        item_index: its index, from 0. Blank lines do not count.
    """

    offset: int
    line_number: int
    item_index: int


BEGINNING = Mark(0, 1, 0)


@dataclass(frozen=True)
class Streamed(Document, ABC):
    """A list that stays in its file; ``value`` is a list of one sample item.

    Each call of ``items`` reads the file again. An unreadable item raises an error when it is
    reached, and the iterator continues after it.
    """

    name: str = ""
    limits: Limits = LIMITS
    mark: Mark = BEGINNING  # earlier items are never read

    @classmethod
    def of(cls, name: str, sample: Any, limits: Limits, sha256: str | None) -> Self:
        """Returns a file as a streamed list.

        Args:
            name: the file.
            sample: one of its items.
            limits: the maximum size and depth of an item.
            sha256: the digest of the file; computed if None.
        """
        digest = sha256 or sha256_of(name)
        return cls(in_utf8(name), [sample], digest, name=name, limits=limits)

    @abstractmethod
    def items(self) -> Iterator[tuple[Any, JsonPath]]:
        """Returns an iterator over each item with its path."""

    @abstractmethod
    def marks(self) -> Iterator[tuple[Mark, int]]:
        """Yields the mark of each item, and its approximate size in the file, in bytes."""


def sha256_of(name: str) -> str:
    """Returns the digest of a file. Reads the whole file, at about a gigabyte per second."""
    with open_bytes(name) as file:
        return hashlib.file_digest(cast(Any, file), "sha256").hexdigest()


@dataclass(frozen=True)
class JsonLines(Streamed):
    """A JSONL file. Each line that is not blank is an item."""

    def items(self) -> Iterator[tuple[Any, JsonPath]]:
        """Returns an iterator over each line with its path."""
        stop = None if self.stop is None else self.stop - self.mark.item_index
        lines = _lines_with_text(self.name, self.root, self.limits, self.mark)
        selected = islice(lines, self.start - self.mark.item_index, stop, self.stride)
        return map(self._parse_item, selected)  # unlike a generator it continues after an error

    def marks(self) -> Iterator[tuple[Mark, int]]:
        """Yields the mark of each line that is not blank, and its length in bytes."""
        for mark, line in _lines_with_text(self.name, self.root, self.limits, self.mark):
            yield mark, len(line)

    def _parse_item(self, marked_line: tuple[Mark, bytes]) -> tuple[Any, JsonPath]:
        mark, line = marked_line
        path = JsonPath(self.root.file, mark.line_number)
        if len(line) > self.limits.max_bytes:
            raise too_large(path, len(line), self.limits)
        return parse_line(line, path, self.limits), path


def sample_of(name: str, limits: Limits) -> Any:
    """Returns one object of a file that has several lines, or None if it is no such file.

    Raises:
        FormatError: if the file cannot be read, or the line is beyond the limits.
    """
    path = JsonPath(shown_path(name))
    if not is_file(name):
        return None
    count = MAX_SAMPLED_ITEMS if name.lower().endswith(".jsonl") else 1
    lines = list(islice(_lines_with_text(name, path, limits), count + 1))
    if len(lines) < 2:
        return None
    for _, line in lines[:count]:
        # A complete object in one line; a document over several lines is indented.
        if line.startswith(b"{") and line.rstrip().endswith(b"}") and is_json(line):
            return parse_line(line, path, limits)
    return None


def _lines_with_text(
    name: str, path: JsonPath, limits: Limits, first: Mark = BEGINNING
) -> Iterator[tuple[Mark, bytes]]:
    """Yields each line that is not blank with its mark, from the first mark on."""
    item_index = first.item_index
    lines = read_lines(name, path, limits, first.offset)
    for line_number, (offset, line) in enumerate(lines, first.line_number):
        text = line.removeprefix(BOM) if line_number == 1 else line
        if text.strip():
            yield Mark(offset, line_number, item_index), text.removesuffix(b"\n")
            item_index += 1
