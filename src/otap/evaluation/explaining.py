"""Explains the results of a file: finds their traces, and scores these again.

``TraceFinder`` finds the traces of results. ``Explainer`` scores them again, and checks that the
score is the one in the result. ``Line`` is a result with its whole line.
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
from otap.config.file import load_config
from otap.errors import FormatError, OtapError, shown, shown_path
from otap.evaluation.results.result_files import read_lines
from otap.evaluation.results.run_result import Result, list_differences, parse_result
from otap.formats.json.lines import sha256_of
from otap.formats.json.streams import is_file, is_uri
from otap.scoring import PRESETS, Explanation, Scorer, Traces
from otap.scoring.alignment import Alignment
from otap.scoring.explanation import EXPLAINED
from otap.scoring.result import ReferenceScore
from otap.scoring.selection import ReferenceIndex
from otap.trajectory import Source, Trajectory


class FullResult(Result):
    """A result with its alignment, the scores of its references, and its traces if embedded."""

    alignment: Alignment = Alignment()
    references: Sequence[ReferenceScore] = ()
    traces: Traces | None = Field(None, repr=False)

    @property
    def best_loss(self) -> float | None:
        """The loss against the best reference alone."""
        losses = [reference.loss for reference in self.references if reference.loss is not None]
        return min(losses, default=None)


@dataclass(frozen=True)
class ResultLine:
    """A result of a file.

    Attributes:
        number: the line number, from 1.
        result: the fields that many runs need.
        packed: the whole line, compressed.
    """

    number: int
    result: Result
    packed: bytes = field(repr=False)

    def full_result(self) -> FullResult:
        """Parses the whole line."""
        return parse_result(zlib.decompress(self.packed), f"line {self.number}", FullResult)


def read_packed(path: str | os.PathLike[str]) -> list[ResultLine]:
    """Returns the results of one evaluation in their order, at least one.

    Raises:
        FormatError: if the file cannot be read, is empty, or is no result file.
    """
    lines = [
        ResultLine(number, result, zlib.compress(line, 1))
        for number, (result, line) in enumerate(read_lines(path), 1)
    ]
    if not lines:
        raise FormatError(f"{shown_path(path)}: holds no result; otap evaluate makes such files")
    return lines


_File = tuple[str | None, str | None]  # path and digest


class TraceFinder:
    """Finds the runs and references of results in their files; reads each file once.

    Args:
        folder: relative paths that do not exist in the current folder are looked up here.
        results: the results whose runs will be requested.
        format: the format of the runs; None to detect it.
        reasoning: whether text without a call becomes a reasoning step.
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
        self._requested: dict[_File, set[Source]] = defaultdict(set)
        self._problems: dict[_File, str] = {}
        self._runs: dict[Source, bytes] = {}  # compressed: there may be many
        self._golds: dict[_File, ReferenceIndex] = {}
        self._references: dict[Source, Trajectory] = {}
        for result in results:
            for source in (result.source, *result.reference_sources):
                if source is not None:
                    self._requested[source.path, source.sha256].add(source)

    def run(self, source: Source) -> Trajectory:
        """Returns the run of a result.

        Raises:
            FormatError: if the file is gone, has changed, or does not have this run.
        """
        requested = self._requested[source.path, source.sha256]
        if source not in self._runs and source in requested:
            for run in self._open_source(source).runs_or_failures(reasoning=self._reasoning):
                # Use the path that is in the results, even if the file is now elsewhere.
                index = run.source.index if run.source else None
                run_source = source.model_copy(update={"index": index})
                if isinstance(run, Trajectory) and run_source in requested:
                    self._runs[run_source] = zlib.compress(run.to_json().encode(), 1)
            requested.clear()
        if source not in self._runs:
            raise FormatError(f"{shown_path(source.path)}: does not have this run any more")
        return Trajectory.model_validate_json(zlib.decompress(self._runs[source]))

    def references(self, run: Trajectory, sources: Sequence[Source]) -> list[Trajectory]:
        """Returns the references of a run, in the order of its comparison.

        Args:
            run: selects its references from a file with gold references of many runs.
            sources: where the references were read.

        Raises:
            FormatError: as :meth:`run`.
        """
        references: list[Trajectory] = []
        for source in dict.fromkeys(sources):
            if source.index is None:
                references += self._gold(source).of_run(run).references
                continue
            if source not in self._references:
                self._references[source] = self.run(source)
            references.append(self._references[source])
        return references

    def _gold(self, source: Source) -> ReferenceIndex:
        """Returns the gold references in a file of runs."""
        file = source.path, source.sha256
        if file not in self._golds:
            self._golds[file] = ReferenceIndex(list(self._open_source(source).references()))
        return self._golds[file]

    def _open_source(self, source: Source) -> formats.TraceFile:
        file = source.path, source.sha256
        if file not in self._problems:
            try:
                return formats.open_file(self._find_file(source), format=self._format)
            except FormatError as error:
                self._problems[file] = str(error)
        raise FormatError(self._problems[file])

    def _find_file(self, source: Source) -> str:
        """Returns the path of the file, as recorded or in the folder.

        Raises:
            FormatError: if the file is gone, or has changed.
        """
        path = source.path or formats.STANDARD_INPUT
        if is_uri(path) or path == formats.STANDARD_INPUT:
            raise FormatError(f"{shown_path(path)}: is not a file on this machine")
        files = [file for file in (path, str(self._folder / path)) if is_file(file)]
        if not files:
            raise FormatError(f"{shown_path(path)}: is not there any more")
        for file in files:
            if sha256_of(file) == source.sha256:
                return file
        raise FormatError(f"{shown_path(path)}: has changed since")


TOLERANCE = 1e-4  # of the loss: long runs are compared in single precision
# Settings that a signature has in the clear. The settings file has the others.
_SIGNED_SETTINGS = ("preset", "dependencies", "reference", "only_changes")


@dataclass(frozen=True)
class Unexplained:
    """Why a result has no steps: a sentence about it, and one that fits several results."""

    why: str
    kind: str


class Explainer:
    """Explains the results of one file.

    Args:
        signature: the signature of the file.
        traces: finds the traces of results.
        settings: the settings file; None to look for it as every command does.
    """

    def __init__(
        self, signature: Mapping[str, Any], traces: TraceFinder, settings: Path | None = None
    ) -> None:
        self._signature, self._traces, self._settings = signature, traces, settings

    def explain(self, result: FullResult, most: int = EXPLAINED) -> Explanation | Unexplained:
        """Returns the explanation of a score, or why there is none.

        Args:
            result: the result.
            most: the maximum number of references that are explained, the nearest first.
        """
        if self._differences:
            why = f"scored with other settings or another version of OTAP ({self._differences})"
            return Unexplained(f"it was {why}", why)
        try:
            explanation = self._scorer.explain(*self._find_sides(result), most)
        except OtapError as error:
            return Unexplained(str(error), "their traces are gone or have changed")
        loss = result.loss if result.traces is None else result.best_loss
        if loss is None or not math.isclose(explanation.score.loss, loss, abs_tol=TOLERANCE):
            return Unexplained(
                "scoring it again gives another score; it is read with other options now",
                "scoring them again gives another score",
            )
        return explanation

    def _find_sides(self, result: FullResult) -> tuple[Trajectory, list[Trajectory]]:
        if result.traces is not None:
            return result.traces.run, [result.traces.reference]
        if result.source is None:
            raise OtapError("the result does not say where its run was read")
        run = self._traces.run(result.source)
        return run, self._traces.references(run, result.reference_sources)

    @cached_property
    def _scorer(self) -> Scorer:
        """A scorer with the settings of the results, as far as these are known.

        Raises:
            OtapError: if the settings cannot be loaded.
        """
        settings = {name: self._signature.get(name) for name in _SIGNED_SETTINGS}
        if settings["preset"] not in PRESETS:  # a custom one
            settings["preset"] = None
        return Scorer(load_config(self._settings, settings).config)

    @cached_property
    def _differences(self) -> str:
        """The differences of the signatures of file and scorer; empty if there are none."""
        try:
            signature = self._scorer.signature.model_dump(mode="json")
        except OtapError as error:
            return shown(error, 200)
        return list_differences(self._signature, signature)
