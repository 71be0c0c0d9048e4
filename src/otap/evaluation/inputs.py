"""Lists the files of runs to score, divides them into portions, and reads the portions.

A file of lines or rows is divided by bytes, without parsing it. Any other file must be read as a
whole: if there are few files, several workers each take a part of its runs.
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


def input_files(names: Iterable[str], exclude: Collection[Path] = ()) -> list[str]:
    """Returns the trace files in the order of the names; those of a folder are sorted by name.

    Args:
        names: files, folders, and shell patterns.
        exclude: files to leave out, such as the output.

    Raises:
        ConfigError: if a name matches nothing, or is standard input.
        FormatError: if a folder has no trace file.
    """
    files = [file for name in names for path in _expand(name) for file in formats.trace_files(path)]
    excluded = [path for path in exclude if path.exists()]
    return [file for file in files if not any(_is_same(file, path) for path in excluded)]


def _expand(name: str) -> Iterator[str]:
    """Yields the paths that a name or pattern matches."""
    if name == formats.STANDARD_INPUT:
        raise ConfigError("- is standard input, which cannot be resumed; give a file instead")
    if is_uri(name) or os.path.lexists(name):
        yield name
        return
    pattern = Path(name)
    folder = Path(pattern.anchor)
    try:
        matches = sorted(str(path) for path in folder.glob(str(pattern.relative_to(folder))))
    except OSError as error:  # the name is too long
        raise ConfigError(f"{shown_path(name)}: cannot be read ({error.strerror})") from None
    if not matches:
        raise ConfigError(f"{shown_path(name)}: no such file or folder, and it matches none")
    yield from matches


def _is_same(file: str, path: Path) -> bool:
    try:
        return path.samefile(file)
    except OSError:
        return False


RUNS = 32  # the most runs in a portion of lines
BYTES = 1 << 20  # the most bytes in a portion of lines, unless one line is longer
PART_BYTES = 1 << 18  # the least bytes in a part of a file that is read as a whole
MANY_FILES = 64  # this many files keep all workers busy without being divided


@dataclass(frozen=True)
class Part:
    """Some runs of a file that is read as a whole.

    Args:
        path: the file.
        size: the bytes of the file that count as this part's.
        part: (k, n) is the k-th of n parts with equal numbers of runs, up to rounding.
        skip: the number of runs to leave out at the beginning of the file.
    """

    path: str
    size: int
    part: tuple[int, int] = (0, 1)
    skip: int = 0

    @property
    def begins_file_or_line(self) -> bool:
        """Whether an error in place of its runs belongs to the whole file."""
        return self.part[0] == self.skip == 0

    @property
    def unread_source(self) -> Source:
        """The source of an error in place of its runs."""
        return source_of(self.path)


@dataclass(frozen=True)
class LineRange:
    """Consecutive lines, or rows, of a file with one run a line.

    Args:
        path: the file.
        size: the bytes of the lines.
        sha256: the digest of the file.
        mark: the beginning of the first line.
        count: the number of lines.
        skip: the number of lines between the mark and the first line.
    """

    path: str
    size: int
    sha256: str
    mark: formats.Mark
    count: int
    skip: int = 0

    @property
    def begins_file_or_line(self) -> bool:
        """Whether an error in place of its runs has a line of its own."""
        return self.count == 1

    @property
    def unread_source(self) -> Source:
        """The source of an error in place of its runs."""
        index = self.mark.item_index + self.skip
        return Source(path=in_utf8(self.path), index=index, sha256=self.sha256)


Portion = Part | LineRange


@dataclass(frozen=True)
class Checkpoint:
    """Where to resume: the index of the file, and the number of its runs that are finished."""

    file: int = 0
    runs: int = 0


def portions(
    files: Sequence[str],
    format: str | None = None,
    checkpoint: Checkpoint | None = None,
    *,
    total: int | None = None,
) -> Iterator[Portion]:
    """Yields the portions of files in their order.

    Args:
        files: trace files.
        format: their format; None to detect it.
        checkpoint: where to resume.
        total: the number of all files; None if ``files`` are all.
    """
    checkpoint = checkpoint or Checkpoint()
    is_divided = (total or len(files)) < MANY_FILES
    for index in range(checkpoint.file, len(files)):
        path = files[index]
        skip = checkpoint.runs if index == checkpoint.file else 0
        lines = formats.open_lines(path, format=format)
        if lines is not None:
            yield from _divide_lines(path, cast(Streamed, lines.document), skip)
            continue
        size = size_of(path)
        count = max(1, min(size // PART_BYTES, MANY_FILES)) if is_divided else 1
        yield from (Part(path, size // count, (k, count), skip) for k in range(count))


def _divide_lines(path: str, document: Streamed, skip: int) -> Iterator[Portion]:
    """Yields portions of lines up to a line that cannot be read.

    The last portion is then the remaining part of the file: reading it reports the error.
    """
    first, count, size = formats.BEGINNING, 0, 0
    finished = skip
    try:
        for mark, length in document.marks():
            if mark.item_index < skip:
                continue
            if count == RUNS or (count and size + length > BYTES):
                yield LineRange(path, size, document.sha256, first, count)
                finished, count, size = first.item_index + count, 0, 0
            first = first if count else mark
            count, size = count + 1, size + length
        if count:
            yield LineRange(path, size, document.sha256, first, count)
    except FormatError:
        yield Part(path, 0, skip=finished)


def halve(portion: Portion) -> tuple[Portion, Portion]:
    """Returns the two halves of a portion, in order."""
    first_size = portion.size // 2
    if isinstance(portion, LineRange):
        middle = portion.count // 2
        rest = portion.count - middle
        return (
            replace(portion, size=first_size, count=middle),
            replace(
                portion, size=portion.size - first_size, count=rest, skip=portion.skip + middle
            ),
        )
    k, n = portion.part
    return (
        replace(portion, size=first_size, part=(2 * k, 2 * n)),
        replace(portion, size=portion.size - first_size, part=(2 * k + 1, 2 * n)),
    )


Read = Trajectory | Failed


class Reader:
    """Reads portions. Keeps the last file, because the next portion is mostly of the same file.

    Args:
        format: the format of all files; None to detect it.
        reasoning: whether text without a call becomes a reasoning step.
    """

    def __init__(self, format: str | None, reasoning: bool) -> None:
        self._format, self._reasoning = format, reasoning
        self._opened: tuple[str, str | None, TraceFile] | None = None
        self._runs: list[Read] = []  # of the opened file, if it cannot be read in parts

    def read(self, portion: Portion) -> list[Read]:
        """Returns the runs of a portion; a run that cannot be read is its error."""
        try:
            return self._lines(portion) if isinstance(portion, LineRange) else self._part(portion)
        except FormatError as error:
            is_first = isinstance(portion, Part) and portion.begins_file_or_line
            return [Failed(error, portion.unread_source)] if is_first else []

    def count_runs(self, portion: Portion) -> int:
        """Returns the number of runs in a portion.

        Raises:
            FormatError: if the file cannot be read.
        """
        if isinstance(portion, LineRange):
            return portion.count
        file = self._open(portion.path)
        total = len(file.document.value) if file.by_item else len(self._list_runs(file))
        k, n = portion.part
        return max(0, total * (k + 1) // n - max(portion.skip, total * k // n))

    def _lines(self, lines: LineRange) -> list[Read]:
        file = self._open(lines.path, lines.sha256)
        document = replace(cast(Streamed, file.document), mark=lines.mark)
        first = lines.mark.item_index + lines.skip
        return self._list_runs(replace(file, document=document), first, first + lines.count)

    def _part(self, part: Part) -> list[Read]:
        file = self._open(part.path)
        k, n = part.part
        if n == 1:
            runs = self._list_runs(file, part.skip)
            total = part.skip + len(runs)
        elif file.by_item:
            total = len(file.document.value)
            runs = self._list_runs(file, max(part.skip, total * k // n), total * (k + 1) // n)
        else:
            self._runs = self._runs or self._list_runs(file)
            total = len(self._runs)
            runs = self._runs[max(part.skip, total * k // n) : total * (k + 1) // n]
        if not total and not part.skip:
            raise FormatError(
                f"{shown_path(part.path)}: holds no run; 'otap formats FILE' shows what was read"
            )
        return runs

    def _list_runs(self, file: TraceFile, first: int = 0, end: int | None = None) -> list[Read]:
        return list(file.runs_or_failures(reasoning=self._reasoning, indices=slice(first, end)))

    def _open(self, path: str, sha256: str | None = None) -> TraceFile:
        """Opens a file of lines, which has a digest, or a file that is read as a whole."""
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
    """Returns the source of a whole file, with its digest if the file can be read."""
    name = in_utf8(path)
    try:
        return Source(path=name, sha256=sha256_of(path))
    except (OSError, ValueError):
        return Source(path=name)
