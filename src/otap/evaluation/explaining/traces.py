"""The traces of results, found again: by their files, which must be what they were."""

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from otap import formats
from otap.errors import FormatError, shown_path
from otap.evaluation.results.result import Result
from otap.formats.json.filesystems import is_file, is_uri
from otap.formats.json.streamed import sha256_of
from otap.scoring.references.selection import ReferenceIndex
from otap.trajectory import Source, Trajectory

_File = tuple[str | None, str | None]  # its path and its digest


class FoundTraces:
    """The runs and references of results, read from their files; each file is read once.

    Args:
        folder: where paths are looked for that lead nowhere from the current folder.
        results: those whose runs will be asked for.
        format: the format of the runs; None: found by itself.
        reasoning: whether text that leads to no call becomes a reasoning step.
    """

    def __init__(
        self,
        folder: Path,
        results: Iterable[Result],
        format: str | None = None,
        *,
        reasoning: bool = False,
    ) -> None:
        self._folder, self._format, self._reasoning = folder, format, reasoning
        self._wanted: dict[_File, set[Source]] = defaultdict(set)
        self._problems: dict[_File, str] = {}
        self._runs: dict[Source, bytes] = {}  # packed: there may be many
        self._golds: dict[_File, ReferenceIndex] = {}
        self._references: dict[Source, Trajectory] = {}
        for result in results:
            own = [result.source] if result.source else []
            for source in (*own, *result.reference_sources):
                self._wanted[_file(source)].add(source)

    def run(self, source: Source) -> Trajectory:
        """Returns the run of a result.

        Raises:
            FormatError: if its file is gone, is another one now, or holds it no more.
        """
        if source not in self._runs:
            self._read(source)
        return Trajectory.model_validate_json(zlib.decompress(self._runs[source]))

    def references(self, run: Trajectory, sources: Sequence[Source]) -> list[Trajectory]:
        """Returns what a run was compared with, in the order in which it was.

        Args:
            run: chooses among the gold of a file that carries it for many.
            sources: where the references were read.

        Raises:
            FormatError: as :meth:`run`.
        """
        return [one for source in dict.fromkeys(sources) for one in self._of(run, source)]

    def _of(self, run: Trajectory, source: Source) -> Iterator[Trajectory]:
        if source.index is None:
            yield from self._gold(source).of_run(run).references
            return
        if source not in self._references:
            self._references[source] = self.run(source)
        yield self._references[source]

    def _gold(self, source: Source) -> ReferenceIndex:
        """The gold that a file carries."""
        name = _file(source)
        if name not in self._golds:
            self._golds[name] = ReferenceIndex(list(self._opened(source).references()))
        return self._golds[name]

    def _read(self, source: Source) -> None:
        """Reads the runs of a file that will be asked for.

        Raises:
            FormatError: if the run is not among them.
        """
        wanted = self._wanted[_file(source)]
        if source in wanted:
            for run in self._opened(source).each(reasoning=self._reasoning):
                if isinstance(run, Trajectory) and (named := _as_in(run.source, source)) in wanted:
                    self._runs[named] = zlib.compress(run.to_json().encode(), 1)
            wanted.clear()
        if source not in self._runs:
            raise FormatError(f"{shown_path(source.path)}: holds this run no more")

    def _opened(self, source: Source) -> formats.TraceFile:
        name = _file(source)
        if name not in self._problems:
            try:
                return formats.open_file(self._found(source), format=self._format)
            except FormatError as error:
                self._problems[name] = str(error)
        raise FormatError(self._problems[name])

    def _found(self, source: Source) -> str:
        """Returns the file, by its path or beside the results.

        Raises:
            FormatError: if it is not there, or has changed.
        """
        path = source.path or formats.STANDARD_INPUT
        if is_uri(path) or path == formats.STANDARD_INPUT:
            raise FormatError(f"{shown_path(path)}: no file of this machine")
        there = [name for name in (path, str(self._folder / path)) if is_file(name)]
        if not there:
            raise FormatError(f"{shown_path(path)}: is not there any more")
        for name in there:
            if sha256_of(name) == source.sha256:
                return name
        raise FormatError(f"{shown_path(path)}: has changed since")


def _file(source: Source) -> _File:
    return source.path, source.sha256


def _as_in(found: Source | None, wanted: Source) -> Source:
    """The source of a run as results name it, wherever its file lies now."""
    return wanted.model_copy(update={"index": found.index if found else None})
