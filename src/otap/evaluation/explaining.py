"""Results explained anew: their traces are found again, and scored as they were.

``FoundTraces`` finds what a result was made of, ``Explainer`` scores it again and holds the score
to what the result says, ``Line`` is a result of a whole file.
"""

import math
import os
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from otap import formats
from otap._caching import cached_property
from otap.alignment import Alignment
from otap.config.file import load_config
from otap.errors import FormatError, OtapError, shown, shown_path
from otap.evaluation.results.files import read_lines
from otap.evaluation.results.result import Result, list_differences, parse_result
from otap.formats.json.lines import sha256_of
from otap.formats.json.streams import is_file, is_uri
from otap.scoring import PRESETS, Explanation, Scorer, Traces
from otap.scoring.result import ReferenceScore
from otap.scoring.selection import ReferenceIndex
from otap.trajectory import Source, Trajectory


class Told(Result):
    """A result with its alignment, what each reference says, and its traces if it carries them."""

    alignment: Alignment = Alignment()
    references: Sequence[ReferenceScore] = ()
    traces: Traces | None = Field(None, repr=False)

    @property
    def best_loss(self) -> float | None:
        """The loss against the best reference alone."""
        return min((one.loss for one in self.references if one.loss is not None), default=None)


@dataclass(frozen=True)
class Line:
    """A result of a file.

    Attributes:
        number: of its line, from 1.
        result: what many runs are asked for.
        packed: the whole line, compressed.
    """

    number: int
    result: Result
    packed: bytes = field(repr=False)

    def told(self) -> Told:
        """Returns all that the line says."""
        return parse_result(zlib.decompress(self.packed), f"line {self.number}", Told)


def read_packed(path: str | os.PathLike[str]) -> list[Line]:
    """Returns the results of one evaluation, in the order of their file: at least one.

    Raises:
        FormatError: if it cannot be read, holds something else, or nothing.
    """
    found = enumerate(read_lines(path), 1)
    lines = [Line(n, result, zlib.compress(line, 1)) for n, (result, line) in found]
    if not lines:
        raise FormatError(f"{shown_path(path)}: holds no result; otap evaluate makes such files")
    return lines


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
            for source in (result.source, *result.reference_sources):
                if source is not None:
                    self._wanted[source.path, source.sha256].add(source)

    def run(self, source: Source) -> Trajectory:
        """Returns the run of a result.

        Raises:
            FormatError: if its file is gone, is another one now, or holds it no more.
        """
        wanted = self._wanted[source.path, source.sha256]
        if source not in self._runs and source in wanted:
            for run in self._open_source(source).runs_or_failures(reasoning=self._reasoning):
                # Its source as results name it, wherever the file lies now.
                place = {"index": run.source.index if run.source else None}
                named = source.model_copy(update=place)
                if isinstance(run, Trajectory) and named in wanted:
                    self._runs[named] = zlib.compress(run.to_json().encode(), 1)
            wanted.clear()
        if source not in self._runs:
            raise FormatError(f"{shown_path(source.path)}: holds this run no more")
        return Trajectory.model_validate_json(zlib.decompress(self._runs[source]))

    def references(self, run: Trajectory, sources: Sequence[Source]) -> list[Trajectory]:
        """Returns what a run was compared with, in the order in which it was.

        Args:
            run: chooses among the gold of a file that carries it for many.
            sources: where the references were read.

        Raises:
            FormatError: as :meth:`run`.
        """
        found: list[Trajectory] = []
        for source in dict.fromkeys(sources):
            if source.index is None:
                found += self._gold(source).of_run(run).references
                continue
            if source not in self._references:
                self._references[source] = self.run(source)
            found.append(self._references[source])
        return found

    def _gold(self, source: Source) -> ReferenceIndex:
        """The gold that a file carries."""
        name = source.path, source.sha256
        if name not in self._golds:
            self._golds[name] = ReferenceIndex(list(self._open_source(source).references()))
        return self._golds[name]

    def _open_source(self, source: Source) -> formats.TraceFile:
        name = source.path, source.sha256
        if name not in self._problems:
            try:
                return formats.open_file(self._find_file(source), format=self._format)
            except FormatError as error:
                self._problems[name] = str(error)
        raise FormatError(self._problems[name])

    def _find_file(self, source: Source) -> str:
        """Returns the file, by its path or beside the results.

        Raises:
            FormatError: if it is not there, or has changed.
        """
        path = source.path or formats.STANDARD_INPUT
        if is_uri(path) or path == formats.STANDARD_INPUT:
            raise FormatError(f"{shown_path(path)}: no file of this machine")
        there = list(filter(is_file, (path, str(self._folder / path))))
        if not there:
            raise FormatError(f"{shown_path(path)}: is not there any more")
        for name in there:
            if sha256_of(name) == source.sha256:
                return name
        raise FormatError(f"{shown_path(path)}: has changed since")


TOLERANCE = 1e-4  # of the loss: long runs are compared in single precision
# Settings that a signature says in the clear; the rest of them are those of the settings file.
_SAID = ("preset", "dependencies", "reference", "only_changes")


@dataclass(frozen=True)
class Unexplained:
    """Why there are no steps of a result: one sentence, and one that holds for many."""

    why: str
    kind: str


class Explainer:
    """Explains the results of one file.

    Args:
        signature: how the numbers of the file were made.
        traces: finds what they were made of.
        settings: the file of settings; None: as every command finds it.
    """

    def __init__(
        self, signature: Mapping[str, Any], traces: FoundTraces, settings: Path | None = None
    ) -> None:
        self._signature, self._traces, self._settings = signature, traces, settings

    def explain(self, told: Told) -> Explanation | Unexplained:
        """Returns what a score was read off, or why that is not known any more."""
        if self._unlike:
            why = f"scored with other settings or another version of OTAP ({self._unlike})"
            return Unexplained(f"it was {why}", why)
        try:
            found = self._scorer.explain(*self._sides(told))
        except OtapError as error:
            return Unexplained(str(error), "their traces are gone or have changed")
        wanted = told.loss if told.traces is None else told.best_loss
        if wanted is None or not math.isclose(found.score.loss, wanted, abs_tol=TOLERANCE):
            return Unexplained(
                "scored again it gives another number; the way in which it was read has changed",
                "scored again they give another number",
            )
        return found

    def _sides(self, told: Told) -> tuple[Trajectory, list[Trajectory]]:
        if told.traces is not None:
            return told.traces.run, [told.traces.reference]
        if told.source is None:
            raise OtapError("the result does not say where its run was read")
        run = self._traces.run(told.source)
        return run, self._traces.references(run, told.reference_sources)

    @cached_property
    def _scorer(self) -> Scorer:
        """Scores as the results were scored, as far as that can be known.

        Raises:
            OtapError: for settings that cannot be had.
        """
        said = {name: self._signature.get(name) for name in _SAID}
        said["preset"] = said["preset"] if said["preset"] in PRESETS else None  # else: custom
        return Scorer(load_config(self._settings, said).config)

    @cached_property
    def _unlike(self) -> str:
        """What is unlike in how numbers were made; empty: nothing."""
        try:
            now = self._scorer.signature.model_dump(mode="json")
        except OtapError as error:
            return shown(error, 200)
        return list_differences(self._signature, now)
