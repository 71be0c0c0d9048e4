"""Scored runs with known outcomes, from traces or from results of ``otap evaluate``."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from otap.errors import FormatError, OtapError, shown_path
from otap.evaluation import Result, read_results
from otap.evaluation.engines.local import Processes
from otap.findings import SEVERITIES, Severity
from otap.learning.calibration.calibration import On
from otap.learning.calibration.conformal import Array
from otap.learning.samples import LabelledRun, Sample, label_runs
from otap.scoring import Config, Scorer
from otap.trajectory import Trajectory

_RESULT_START = b'{"schema_version":"otap.score/1"'
_PARQUET_START = b"PAR1"
_START_BYTES = 200  # read to recognise a result file
PORTION = 250  # runs scored at once, which limits the memory that whole scores take
MIN_RUNS = 8  # runs of a process; fewer are not worth another process

_worker_sample: list[tuple[Sample, Config]] = []  # what this worker process scores


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A run with its outcome and score.

    Attributes:
        task: the name of its task.
        good: whether the outcome is good.
        score: in (0, 1].
        skill: in [0, 1]; None: undefined.
        severity: that of the worst finding; None: no finding.
        is_copy: whether the run has the same steps as one of its references.
        converged: whether the solver converged, so that the score is final.
    """

    task: str
    good: bool
    score: float
    skill: float | None
    severity: Severity | None
    is_copy: bool = False
    converged: bool = True

    def measure(self, on: On) -> float | None:
        """Returns the number that a threshold applies to; larger is better."""
        if on == "severity":
            if self.severity is None:
                return float(len(SEVERITIES))
            return float(SEVERITIES.index(self.severity))
        return self.score if on == "score" else self.skill


@dataclass(frozen=True)
class ScoredSample:
    """The runs of a calibration.

    Attributes:
        runs: the runs that have a score and an outcome.
        unlabelled: number of runs without an outcome.
        unscored: number of runs with an outcome and no score.
        own_references: whether the references are good runs of the same sample; None: unknown.
        signature: the settings and versions that made the scores.
    """

    runs: Sequence[ScoredRun]
    unlabelled: int
    unscored: int
    own_references: bool | None
    signature: Mapping[str, Any]


def score_sample(sample: Sample, config: Config, jobs: int = 1) -> ScoredSample:
    """Returns the runs of a sample with their scores.

    Args:
        sample: the runs with their outcomes and references.
        config: the settings.
        jobs: number of processes; it changes no score.

    Raises:
        OtapError: if a run cannot be scored.
    """
    runs = _score_cases(sample, config, jobs)
    signature = Scorer(config).signature.model_dump(mode="json")
    return ScoredSample(runs, sample.unlabelled, sample.unmatched, sample.own_references, signature)


def score_readable(
    sample: Sample, config: Config, jobs: int = 1
) -> tuple[Sample, ScoredSample, list[str]]:
    """Scores a sample without the runs that cannot be scored.

    Returns:
        The sample without these runs, its scores, and one line for each run left out.

    Raises:
        OtapError: if no run can be scored.
    """
    try:
        return sample, score_sample(sample, config, jobs), []
    except OtapError:
        pass
    scorer = Scorer(config)
    cases: list[LabelledRun] = []
    errors: list[OtapError] = []
    for case in sample.cases:
        try:
            scorer.score(case.run, case.references)
        except OtapError as error:
            errors.append(error)
        else:
            cases.append(case)
    if not cases:
        raise errors[0]
    sample = replace(sample, cases=tuple(cases))
    lines = [f"a run cannot be scored and is left out: {error}" for error in errors]
    return sample, score_sample(sample, config, jobs), lines


def _score_cases(sample: Sample, config: Config, jobs: int) -> list[ScoredRun]:
    count = len(sample.cases)
    jobs = min(jobs, max(1, count // MIN_RUNS))
    # Neighbours have the same references, which are then prepared once.
    size = max(1, min(PORTION, -(-count // jobs)))
    portions = [range(start, min(start + size, count)) for start in range(0, count, size)]
    if jobs == 1:
        scored = [_score_portion(sample, config, portion) for portion in portions]
    else:
        with Processes(jobs, _keep_sample, sample, config) as processes:
            scored = [future.result() for _, future in processes.map(_score_here, portions)]
    return [run for of_portion in scored for run in of_portion]


def _keep_sample(sample: Sample, config: Config) -> None:
    _worker_sample[:] = [(sample, config)]


def _score_here(portion: Sequence[int]) -> list[ScoredRun]:
    return _score_portion(*_worker_sample[0], portion)


def _score_portion(sample: Sample, config: Config, portion: Sequence[int]) -> list[ScoredRun]:
    cases = [sample.cases[index] for index in portion]
    scores = Scorer(config).score_many([(case.run, case.references) for case in cases])
    return [
        ScoredRun(
            case.task, case.good is True, score.score, score.skill, score.severity, case.is_copy,
            score.converged,
        )
        for case, score in zip(cases, scores, strict=True)
    ]  # fmt: skip


def values_by_task(runs: Iterable[ScoredRun], on: On) -> list[Array]:
    """Returns the measured values of runs by task, without runs that have none."""
    by_task: dict[str, list[float]] = {}
    for run in runs:
        number = run.measure(on)
        if number is not None:
            by_task.setdefault(run.task, []).append(number)
    return [np.array(by_task[task]) for task in sorted(by_task)]


def is_result_file(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a file that ``otap evaluate`` wrote."""
    try:
        with Path(path).open("rb") as file:
            start = file.read(_START_BYTES)
    except (OSError, ValueError):
        return False
    if not start.startswith(_PARQUET_START):
        return start.replace(b" ", b"").startswith(_RESULT_START)
    try:
        return next(read_results(path), None) is not None
    except OtapError:
        return False


def read_scored_results(
    paths: Iterable[str | os.PathLike[str]],
    outcomes: Mapping[str, float | bool] | None = None,
    good_from: float | None = None,
) -> ScoredSample:
    """Returns the runs of result files with the scores that the files record.

    Args:
        paths: the files.
        outcomes: outcomes by run id or TASK/TRIAL, which replace the recorded ones.
        good_from: minimum outcome of a good run; None: 1.

    Raises:
        FormatError: for another kind of file, or files with different signatures.
        ConfigError: as ``label_runs``.
    """
    files = {os.fspath(path): list(read_results(path)) for path in paths}
    signature = _common_signature(files)
    results = [result for of_file in files.values() for result in of_file]
    runs = label_runs([_as_run(result) for result in results], outcomes, good_from=good_from)
    labelled_runs = [
        (result, run) for result, run in zip(results, runs, strict=True) if run.good is not None
    ]
    scored = [
        # A run without a task counts as a task of its own.
        ScoredRun(
            run.task or run.run.name, bool(run.good), result.score, result.skill, result.severity,
            _is_own_reference(result), result.converged,
        )
        for result, run in labelled_runs
        if result.score is not None and result.understood
    ]  # fmt: skip
    unlabelled = len(runs) - len(labelled_runs)
    return ScoredSample(scored, unlabelled, len(labelled_runs) - len(scored), None, signature)


def _common_signature(files: Mapping[str, Sequence[Result]]) -> Mapping[str, Any]:
    """Returns the signature of all files.

    Raises:
        FormatError: if a file is empty or has another signature.
    """
    for path, results in files.items():
        if not results:
            raise FormatError(f"{shown_path(path)}: holds no result; otap evaluate writes results")
    (first_path, first_results), *other_files = files.items()
    for path, results in other_files:
        if results[0].signature != first_results[0].signature:
            raise FormatError(
                f"{shown_path(first_path)} and {shown_path(path)} have different versions or"
                " settings; score both again with the same:"
                " otap evaluate RUNS -r REFS -o FILE"
            )
    return first_results[0].signature


def _as_run(result: Result) -> Trajectory:
    """Returns the fields of a result that identify its run, without steps."""
    fields = ("id", "task", "trial", "outcome", "source")
    return Trajectory(steps=(), **{name: getattr(result, name) for name in fields})


def _is_own_reference(result: Result) -> bool:
    """Whether the run was read from the same place of a file as one of its references."""
    source = result.source
    return source is not None and source.index is not None and source in result.reference_sources
