"""A file of which one item at a time is in memory: any number of runs takes the memory of one."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, cast

from otap.formats.json.documents import Document, in_utf8
from otap.formats.json.filesystems import opened
from otap.formats.json.places import Place
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
