"""The runs that are to be scored: which files, in which portions, and how these are read.

A file of lines or rows is divided by its bytes, so that none is parsed here. Of another file, which
must be read whole, several workers take a part each of its runs where there are few files.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from otap import formats
from otap.errors import ConfigError, FormatError, shown_path
from otap.formats import Failed, TraceFile
from otap.formats.json.documents import in_utf8
from otap.formats.json.lines import Streamed, sha256_of
from otap.formats.json.streams import is_uri, size_of
from otap.trajectory import Source, Trajectory


def input_files(names: Iterable[str], besides: Collection[Path] = ()) -> list[str]:
    """Returns the trace files in the order in which they are named, those of a folder by name.

    Args:
        names: files, folders, and patterns as shells have them.
        besides: files that are none of them, though they may lie among them: the output.

    Raises:
        ConfigError: for what names nothing, or standard input.
        FormatError: for a folder without any trace file.
    """
    found = [file for name in names for one in _named(name) for file in formats.trace_files(one)]
    others = [one for one in besides if one.exists()]
    return [file for file in found if not any(_is_same(file, other) for other in others)]


def _named(name: str) -> Iterator[str]:
    if name == formats.STANDARD_INPUT:
        raise ConfigError("- is standard input, which cannot be gone on with; give it as a file")
    if is_uri(name) or os.path.lexists(name):
        yield name
        return
    pattern = Path(name)
    folder = Path(pattern.anchor)
    try:
        matching = sorted(map(str, folder.glob(str(pattern.relative_to(folder)))))
    except OSError as error:  # a name that is too long
        raise ConfigError(f"{shown_path(name)}: cannot be read ({error.strerror})") from None
    if not matching:
        raise ConfigError(f"{shown_path(name)}: no such file or folder, nor any that it matches")
    yield from matching


def _is_same(file: str, other: Path) -> bool:
    try:
        return other.samefile(file)
    except OSError:
        return False


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
    begun, few = begun or Begun(), (of or len(files)) < FEW
    for place in range(begun.file, len(files)):
        path, skip = files[place], begun.runs if place == begun.file else 0
        lines = formats.open_lines(path, format=format)
        if lines is not None:
            yield from _divide_lines(path, cast(Streamed, lines.document), skip)
            continue
        size = size_of(path)
        count = max(1, min(size // PART_BYTES, FEW)) if few else 1
        yield from (Part(path, size // count, (k, count), skip) for k in range(count))


def _divide_lines(path: str, document: Streamed, skip: int) -> Iterator[Portion]:
    """Yields neighbouring lines, until one cannot be read: whoever reads the rest will say so."""
    first, count, size = formats.BEGINNING, 0, 0
    done = skip
    try:
        for mark, length in document.marks():
            if mark.item_index < skip:
                continue
            if count == RUNS or (count and size + length > BYTES):
                yield Lines(path, size, document.sha256, first, count)
                done, count, size = first.item_index + count, 0, 0
            first = first if count else mark
            count, size = count + 1, size + length
        if count:
            yield Lines(path, size, document.sha256, first, count)
    except FormatError:
        yield Part(path, 0, skip=done)


Read = Trajectory | Failed


class Reader:
    """Reads portions; keeps the last file, as the next portion is mostly of it.

    Args:
        format: the format of all files; found by itself if not given.
        reasoning: whether text that leads to no call becomes a reasoning step.
    """

    def __init__(self, format: str | None, reasoning: bool) -> None:
        self._format, self._reasoning = format, reasoning
        self._opened: tuple[str, str | None, TraceFile] | None = None
        self._runs: list[Read] = []  # of that file, where it cannot be read in part

    def read(self, portion: Portion) -> list[Read]:
        """Returns the runs of a portion, each as it was read, or why it could not be."""
        try:
            return self._lines(portion) if isinstance(portion, Lines) else self._part(portion)
        except FormatError as error:
            first = isinstance(portion, Part) and portion.part[0] == portion.skip == 0
            return [Failed(error, source_of(portion.path))] if first else []

    def _lines(self, lines: Lines) -> list[Read]:
        file = self._open(lines.path, lines.sha256)
        document = replace(cast(Streamed, file.document), mark=lines.mark)
        first = lines.mark.item_index
        return self._list_runs(replace(file, document=document), first, first + lines.count)

    def _part(self, part: Part) -> list[Read]:
        file = self._open(part.path)
        k, n = part.part
        if n == 1:
            found = self._list_runs(file, part.skip)
            total = part.skip + len(found)
        elif file.by_item:
            total = len(file.document.value)
            found = self._list_runs(file, max(part.skip, total * k // n), total * (k + 1) // n)
        else:
            self._runs = self._runs or self._list_runs(file)
            total = len(self._runs)
            found = self._runs[max(part.skip, total * k // n) : total * (k + 1) // n]
        if not total and not part.skip:
            raise FormatError(
                f"{shown_path(part.path)}: holds no run; 'otap formats FILE' shows what was read"
            )
        return found

    def _list_runs(self, file: TraceFile, first: int = 0, end: int | None = None) -> list[Read]:
        return list(file.runs_or_failures(reasoning=self._reasoning, indices=slice(first, end)))

    def _open(self, path: str, sha256: str | None = None) -> TraceFile:
        """Opens a file of lines, which has a digest, or one that is read whole."""
        if self._opened is None or self._opened[:2] != (path, sha256):
            self._opened, self._runs = None, []
            file = (
                formats.open_file(path, format=self._format)
                if sha256 is None
                else formats.open_lines(path, format=self._format, sha256=sha256)
            )
            if file is None:
                raise FormatError(f"{shown_path(path)}: has changed while it was read")
            self._opened = path, sha256, file
        return self._opened[2]


def source_of(path: str) -> Source:
    """Returns the source of a whole file, with its digest if it can be read."""
    named = in_utf8(path)
    try:
        return Source(path=named, sha256=sha256_of(path))
    except (OSError, ValueError):
        return Source(path=named)
