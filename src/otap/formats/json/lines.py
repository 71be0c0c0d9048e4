"""A JSONL file read line by line: any number of runs takes the memory of one."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from otap.errors import shown_path
from otap.formats.json.documents import BOM, Document, in_utf8, parsed
from otap.formats.json.places import Place
from otap.formats.json.streams import lines_of, too_large
from otap.formats.json.syntax import is_json
from otap.formats.limits import LIMITS, Limits

_LOOKED_AT = 10  # lines of a file that is called .jsonl: the first may be the one that is broken


@dataclass(frozen=True)
class Lines(Document):
    """A JSONL file of which one line at a time is in memory; ``value`` is a list of one of them.

    Its items are read again whenever they are asked for. A line that is no JSON is an error when
    its turn comes, and the iterator goes on behind it.
    """

    name: str = ""
    limits: Limits = LIMITS

    def items(self) -> Iterator[tuple[Any, Place]]:
        """Returns an iterator over each line with its place."""
        lines = _filled(self.name, self.place, self.limits)
        return map(self._item, islice(lines, self.start, None, self.stride))

    def _item(self, numbered: tuple[int, bytes]) -> tuple[Any, Place]:
        number, line = numbered
        place = Place(self.place.file, number)
        if len(line) > self.limits.max_bytes:
            raise too_large(place, len(line), self.limits)
        return parsed(line, place, self.limits), place


def sample_of(name: str, limits: Limits) -> Any:
    """Returns an object that is one of several lines of a file, or nothing where it has no lines.

    Raises:
        FormatError: if the file cannot be read, or the line holds what we do not allow.
    """
    place = Place(shown_path(name))
    if not _is_file(name):
        return None
    looked_at = _LOOKED_AT if name.lower().endswith(".jsonl") else 1
    lines = list(islice(_filled(name, place, limits), looked_at + 1))
    if len(lines) < 2:
        return None
    found = next((line for _, line in lines[:looked_at] if _is_object(line)), None)
    return None if found is None else parsed(found, place, limits)


def streamed(name: str, sample: Any, limits: Limits) -> Lines:
    """Returns the file as a document that is read line by line.

    A run says which file it came from, by its digest: that takes a pass over the bytes before the
    first run, at a gigabyte a second.

    Args:
        name: the file.
        sample: one of its lines.
        limits: how large a line may be, and how deep.
    """
    with Path(name).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Lines(in_utf8(name), [sample], digest, name=name, limits=limits)


def _filled(name: str, place: Place, limits: Limits) -> Iterator[tuple[int, bytes]]:
    """Yields each line that is not blank, with its number."""
    for number, line in enumerate(lines_of(name, place, limits), 1):
        text = line.removeprefix(BOM) if number == 1 else line
        if text.strip():
            yield number, text.removesuffix(b"\n")


def _is_object(line: bytes) -> bool:
    """Says whether a line is a whole object; one of a document over several lines is indented."""
    return line.startswith(b"{") and line.rstrip().endswith(b"}") and is_json(line)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:  # such as a name that is too long: who opens it says so
        return False
