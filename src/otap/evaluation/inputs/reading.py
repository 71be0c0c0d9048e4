"""A portion in, its runs out, and what could not be read."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import cast

from otap import formats
from otap.errors import FormatError, shown_path
from otap.evaluation.inputs.portion import Lines, Part, Portion
from otap.formats import Failed, TraceFile
from otap.formats.files import ALL
from otap.formats.json.documents import in_utf8
from otap.formats.json.streamed import Streamed, sha256_of
from otap.trajectory import Source, Trajectory

Read = Trajectory | Failed


class Reader:
    """Reads portions; keeps the last file of each kind, as the next portion may be of it.

    Args:
        format: the format of all files; found by itself if not given.
        reasoning: whether text that leads to no call becomes a reasoning step.
    """

    def __init__(self, format: str | None, reasoning: bool) -> None:
        self._format, self._reasoning = format, reasoning
        self._path: str | None = None
        self._file: TraceFile | None = None
        self._runs: list[Read] | None = None
        self._streamed: tuple[str, TraceFile] | None = None

    def read(self, portion: Portion) -> list[Read]:
        """Returns the runs of a portion, each as it was read, or why it could not be."""
        try:
            runs = self._lines(portion) if isinstance(portion, Lines) else self._part(portion)
            return list(runs)
        except FormatError as error:
            first = isinstance(portion, Part) and portion.part[0] == portion.skip == 0
            return [Failed(error, source_of(portion.path))] if first else []

    def _lines(self, lines: Lines) -> Iterator[Read]:
        file = self._opened(lines)
        document = replace(cast(Streamed, file.document), mark=lines.mark)
        first = lines.mark.place
        return self._each(replace(file, document=document), slice(first, first + lines.count))

    def _opened(self, lines: Lines) -> TraceFile:
        if self._streamed is None or self._streamed[0] != lines.path:
            file = formats.open_lines(lines.path, format=self._format, sha256=lines.sha256)
            if file is None:
                raise FormatError(f"{shown_path(lines.path)}: has changed while it was read")
            self._streamed = lines.path, file
        return self._streamed[1]

    def _part(self, part: Part) -> Iterator[Read]:
        self._open(part.path)
        assert self._file is not None
        k, n = part.part
        if n == 1:
            return self._some(self._each(self._file, slice(part.skip, None)), part)
        if self._file.by_item:
            total = len(self._file.document.value)
        else:
            self._runs = self._runs or list(self._each(self._file, ALL))
            total = len(self._runs)
        places = slice(max(part.skip, total * k // n), total * (k + 1) // n)
        found = self._each(self._file, places) if self._runs is None else iter(self._runs[places])
        return found if total else self._some(found, part)

    def _each(self, file: TraceFile, places: slice) -> Iterator[Read]:
        return file.each(reasoning=self._reasoning, places=places)

    def _open(self, path: str) -> None:
        if path != self._path:
            self._path = self._file = self._runs = None
            self._file = formats.open_file(path, format=self._format)
            self._path = path

    def _some(self, runs: Iterator[Read], part: Part) -> Iterator[Read]:
        """The runs of a file; that it has none at all is an error."""
        first = next(runs, None)
        if first is not None:
            return chain([first], runs)
        if part.skip:
            return iter(())
        raise FormatError(
            f"{shown_path(part.path)}: holds no run; 'otap formats FILE' shows what was read"
        )


def source_of(path: str) -> Source:
    """Returns the source of a whole file, with its digest if it can be read."""
    named = in_utf8(path)
    try:
        return Source(path=named, sha256=sha256_of(path))
    except (OSError, ValueError):
        return Source(path=named)
