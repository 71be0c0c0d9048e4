"""Files in, portions out: what one worker reads and scores at a time.

A file of lines or rows is divided by its bytes, so that none is parsed here. Of another file, which
must be read whole, several workers take a part each of its runs where there are few files.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from otap import formats
from otap.errors import FormatError
from otap.formats.json.filesystems import size_of
from otap.formats.json.streamed import Streamed

RUNS = 32  # in a portion of lines, at most
BYTES = 1 << 20  # in a portion of lines, unless one line has more
PART_BYTES = 1 << 18  # in a part of a file that is read whole
FEW = 64  # files: so many keep all workers at work as they are


@dataclass(frozen=True)
class Part:
    """Some runs of a file that is read whole.

    Args:
        path: the file.
        size: bytes of it that are taken for this part's.
        part: (k, n) is the k-th of n parts, as equal as can be.
        skip: how many runs at the beginning of the file are left out.
    """

    path: str
    size: int
    part: tuple[int, int] = (0, 1)
    skip: int = 0


@dataclass(frozen=True)
class Lines:
    """Neighbouring lines, or rows, of a file of which each is a run.

    Args:
        path: the file.
        size: bytes of the lines.
        sha256: digest of the file.
        mark: where the first of them begins.
        count: how many they are.
    """

    path: str
    size: int
    sha256: str
    mark: formats.Mark
    count: int


Portion = Part | Lines


@dataclass(frozen=True)
class Begun:
    """How far a file has been read: so many of its runs are done."""

    file: int = 0
    runs: int = 0


def portions(
    files: Sequence[str],
    format: str | None = None,
    begun: Begun | None = None,
    *,
    of: int | None = None,
) -> Iterator[Portion]:
    """Yields the portions of files, in their order.

    Args:
        files: trace files.
        format: their format; found by itself if not given.
        begun: what is done already.
        of: how many files there are in all; None: these.
    """
    begun, few = begun or Begun(), (len(files) if of is None else of) < FEW
    for place in range(begun.file, len(files)):
        skip = begun.runs if place == begun.file else 0
        lines = formats.open_lines(files[place], format=format)
        if lines is not None:
            yield from _of_lines(files[place], lines, skip)
        else:
            yield from _parts(files[place], skip, few=few)


def _parts(path: str, skip: int, *, few: bool) -> Iterator[Part]:
    size = size_of(path)
    count = max(1, min(size // PART_BYTES, FEW)) if few else 1
    for k in range(count):
        yield Part(path, size // count, (k, count), skip)


def _of_lines(path: str, file: formats.TraceFile, skip: int) -> Iterator[Portion]:
    document = file.document
    assert isinstance(document, Streamed)
    try:
        for first, count, size in _grouped(document.marks(), skip):
            yield Lines(path, size, document.sha256, first, count)
            skip = first.place + count
    except FormatError:  # it cannot be read any more: whoever is to read the rest will say so
        yield Part(path, 0, skip=skip)


def _grouped(
    marks: Iterable[tuple[formats.Mark, int]], skip: int
) -> Iterator[tuple[formats.Mark, int, int]]:
    """Neighbouring lines: where they begin, how many they are, and how long."""
    first, count, size = formats.BEGINNING, 0, 0
    for mark, length in marks:
        if mark.place < skip:
            continue
        if count == RUNS or (count and size + length > BYTES):
            yield first, count, size
            count = size = 0
        first = first if count else mark
        count, size = count + 1, size + length
    if count:
        yield first, count, size
