"""Runs that were scored before: the lines of files of ``otap evaluate``."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from otap.errors import FormatError, OtapError, shown_path
from otap.evaluation import Result, read_results
from otap.learning.calibration.scored import Sampled, Scored
from otap.learning.runs import Labelled, labelled
from otap.learning.runs.sample import task_of
from otap.trajectory import Trajectory

_BEGINNING = b'{"schema_version":"otap.score/1"'
_PARQUET = b"PAR1"
_LOOKED_AT = 200  # bytes


def is_result_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file was made by ``otap evaluate``; what is no file, or no such one, is not."""
    try:
        with Path(path).open("rb") as file:
            beginning = file.read(_LOOKED_AT)
    except (OSError, ValueError):
        return False
    if beginning.startswith(_PARQUET):
        return _has_results(path)
    return beginning.replace(b" ", b"").startswith(_BEGINNING)


def _has_results(path: str | os.PathLike[str]) -> bool:
    try:
        return next(read_results(path), None) is not None
    except OtapError:
        return False


def scored_results(
    paths: Iterable[str | os.PathLike[str]],
    outcomes: Mapping[str, float | bool] | None = None,
    good_from: float | None = None,
) -> Sampled:
    """Returns the runs of result files with the scores that they have there.

    Args:
        paths: the files.
        outcomes: outcomes by the id of a run or by TASK/TRIAL, in place of the recorded ones.
        good_from: the outcome from which on a run is good; None: 1.

    Raises:
        FormatError: for what is no result file, or files that were made in different ways.
        ConfigError: as ``labelled``.
    """
    files = {os.fspath(path): list(read_results(path)) for path in paths}
    signature = _one_signature(files)
    results = [result for found in files.values() for result in found]
    runs = labelled([_as_run(result) for result in results], outcomes, good_from=good_from)
    both = zip(results, runs, strict=True)
    known = [(result, run) for result, run in both if run.good is not None]
    found = [_scored(result, run) for result, run in known if _is_scored(result)]
    return Sampled(found, len(runs) - len(known), len(known) - len(found), None, signature)


def _one_signature(files: Mapping[str, Sequence[Result]]) -> Mapping[str, Any]:
    made: dict[str, Mapping[str, Any]] = {}
    for path, results in files.items():
        if not results:
            raise FormatError(
                f"{shown_path(path)}: holds no result; otap evaluate makes such files"
            )
        made[path] = results[0].signature
    first, *others = made
    for path in others:
        if made[path] != made[first]:
            raise FormatError(
                f"{shown_path(first)} and {shown_path(path)} were not made in the same way;"
                " evaluate both with the same settings and version"
            )
    return made[first]


def _as_run(result: Result) -> Trajectory:
    """What is known of a run beside its score."""
    return Trajectory(
        id=result.id,
        task=result.task,
        trial=result.trial,
        outcome=result.outcome,
        source=result.source,
        steps=(),
    )


def _is_scored(result: Result) -> bool:
    return result.score is not None and result.understood


def _scored(result: Result, one: Labelled) -> Scored:
    """The run of a line; one without a task is its own."""
    assert result.score is not None
    return Scored(
        task_of(one.run) or one.run.name,
        bool(one.good),
        result.score,
        result.skill,
        result.severity,
        _is_own_reference(result),
        result.converged,
    )


def _is_own_reference(result: Result) -> bool:
    """Whether the run was read from where one of its references was."""
    own = result.source
    return own is not None and own.index is not None and own in result.reference_sources
