"""A JSONL file read line by line: any number of runs takes the memory of one."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from otap.errors import shown_path
from otap.formats.json.documents import BOM, parsed
from otap.formats.json.filesystems import is_file
from otap.formats.json.places import Place
from otap.formats.json.streamed import BEGINNING, LOOKED_AT, Mark, Streamed
from otap.formats.json.streams import lines_of, too_large
from otap.formats.json.syntax import is_json
from otap.formats.limits import Limits


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
