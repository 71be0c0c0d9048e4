"""Scored runs whose outcome is known: of cases that are scored, or lines of ``otap evaluate``."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from otap.alignment import SEVERITIES, Severity
from otap.errors import FormatError, OtapError, shown_path
from otap.evaluation import Result, read_results
from otap.learning.calibration.calibration import On
from otap.learning.calibration.conformal import Array
from otap.learning.processes import Processes
from otap.learning.runs import LabelledRun, Sample, labelled
from otap.scoring import Config, Scorer
from otap.trajectory import Trajectory

_BEGINNING = b'{"schema_version":"otap.score/1"'
_PARQUET = b"PAR1"
_LOOKED_AT = 200  # bytes
PORTION = 250  # cases scored at once, which bounds the memory that whole scores take

_worker_sample: list[Sample] = []  # the sample that this worker process scores


@dataclass(frozen=True, slots=True)
class Scored:
    """One run: its task, whether it was good, and what it scored.

    Args:
        task: what tells it from runs of other tasks.
        good: how it ended.
        score: in (0, 1].
        skill: in [0, 1]; None: it has none.
        severity: of its worst finding; None: there is none.
        copied: whether it does what one of its references does, step by step.
        final: whether its score is: the solver converged.
    """

    task: str
    good: bool
    score: float
    skill: float | None
    severity: Severity | None
    copied: bool = False
    final: bool = True

    def value(self, on: On) -> float | None:
        """Returns the number that a threshold is put on, larger being better."""
        if on == "severity":
            worst = self.severity
            return float(len(SEVERITIES) if worst is None else SEVERITIES.index(worst))
        return self.score if on == "score" else self.skill


@dataclass(frozen=True)
class Sampled:
    """The runs of a calibration, and what could not be used.

    Args:
        runs: those that have a score and an outcome.
        unlabelled: how many have no outcome.
        unscored: how many have one, and no score.
        own_references: whether of each task a good run is the reference; None: that is not known.
        signature: how the numbers were made.
    """

    runs: Sequence[Scored]
    unlabelled: int
    unscored: int
    own_references: bool | None
    signature: Mapping[str, Any]


def score_sample(sample: Sample, config: Config, jobs: int = 1) -> Sampled:
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
    return Sampled(runs, sample.unlabelled, sample.unmatched, sample.of_runs, signature)


def score_readable(
    sample: Sample, config: Config, jobs: int = 1
) -> tuple[Sample, Sampled, list[str]]:
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


def _score_cases(sample: Sample, config: Config, jobs: int) -> list[Scored]:
    count = len(sample.cases)
    jobs = min(jobs, max(1, count // 8))
    # Neighbours share their references, which are then prepared once.
    size = max(1, min(PORTION, -(-count // jobs)))
    parts = [range(start, min(start + size, count)) for start in range(0, count, size)]
    if jobs == 1:
        portions = [_score_part(config, part, sample) for part in parts]
    else:
        with Processes(jobs, _keep_sample, sample) as processes:
            portions = list(processes.map(_score_part, [config] * len(parts), parts))
    return [run for portion in portions for run in portion]


def _keep_sample(sample: Sample) -> None:
    _worker_sample[:] = [sample]


def _score_part(
    config: Config, places: Sequence[int], sample: Sample | None = None
) -> list[Scored]:
    """Scores some cases of a sample; None: of the sample of this worker process."""
    cases = [(sample or _worker_sample[0]).cases[place] for place in places]
    scores = Scorer(config).score_many([(case.run, case.references) for case in cases])
    return [
        Scored(
            case.task, case.good is True, score.score, score.skill, score.severity, case.is_copy,
            score.converged,
        )
        for case, score in zip(cases, scores, strict=True)
    ]  # fmt: skip


def grouped(runs: Iterable[Scored], on: On) -> list[Array]:
    """Returns the values of runs by task; runs without one are left out."""
    found: dict[str, list[float]] = {}
    for run in runs:
        value = run.value(on)
        if value is not None:
            found.setdefault(run.task, []).append(value)
    return [np.array(found[task]) for task in sorted(found)]


def is_result_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file was made by ``otap evaluate``; what is no file, or no such one, is not."""
    try:
        with Path(path).open("rb") as file:
            beginning = file.read(_LOOKED_AT)
    except (OSError, ValueError):
        return False
    if not beginning.startswith(_PARQUET):
        return beginning.replace(b" ", b"").startswith(_BEGINNING)
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
    pairs = zip(results, runs, strict=True)
    known = [(result, run) for result, run in pairs if run.good is not None]
    found = [
        # A run without a task is a task of its own.
        Scored(
            run.task or run.run.name, bool(run.good), result.score, result.skill, result.severity,
            _is_own_reference(result), result.converged,
        )
        for result, run in known
        if result.score is not None and result.understood
    ]  # fmt: skip
    return Sampled(found, len(runs) - len(known), len(known) - len(found), None, signature)


def _one_signature(files: Mapping[str, Sequence[Result]]) -> Mapping[str, Any]:
    for path, results in files.items():
        if not results:
            raise FormatError(
                f"{shown_path(path)}: holds no result; otap evaluate makes such files"
            )
    (first, results), *others = files.items()
    for path, others_results in others:
        if others_results[0].signature != results[0].signature:
            raise FormatError(
                f"{shown_path(first)} and {shown_path(path)} were not made in the same way;"
                " make both anew with the same version and settings:"
                " otap evaluate RUNS -r REFS -o FILE"
            )
    return results[0].signature


def _as_run(result: Result) -> Trajectory:
    """What is known of a run beside its score."""
    fields = ("id", "task", "trial", "outcome", "source")
    return Trajectory(steps=(), **{name: getattr(result, name) for name in fields})


def _is_own_reference(result: Result) -> bool:
    """Whether the run was read from where one of its references was."""
    own = result.source
    return own is not None and own.index is not None and own in result.reference_sources
