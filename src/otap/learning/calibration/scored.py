"""Scored runs whose outcome is known: what a calibration looks at."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from otap.alignment import SEVERITIES, Severity
from otap.learning.calibration.calibration import On
from otap.learning.calibration.conformal import Array
from otap.learning.runs import Case, Scores
from otap.scoring import Config, Scorer
from otap.trajectory import Step, Trajectory


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
            return float(rank(self.severity))
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


def rank(severity: Severity | None) -> int:
    """Returns the place of a severity among all of them, the worst first; no finding is last."""
    return len(SEVERITIES) if severity is None else SEVERITIES.index(severity)


def scored_cases(scores: Scores, config: Config) -> Sampled:
    """Returns the runs of a sample with their scores.

    Raises:
        OtapError: if one cannot be scored.
    """
    sample = scores.sample
    found = scores.of(config)
    runs = [
        Scored(
            case.task, case.good, one.score, one.skill, one.severity, is_copy(case), one.converged
        )
        for case, one in zip(sample.cases, found, strict=True)
    ]
    signature = Scorer(config).signature.model_dump(mode="json")
    return Sampled(runs, sample.unlabelled, sample.unmatched, sample.of_runs, signature)


def grouped(runs: Iterable[Scored], on: On) -> list[Array]:
    """Returns the values of runs by task; runs without one are left out."""
    found: dict[str, list[float]] = {}
    for run in runs:
        value = run.value(on)
        if value is not None:
            found.setdefault(run.task, []).append(value)
    return [np.array(found[task]) for task in sorted(found)]


def is_copy(case: Case) -> bool:
    """Whether a run does what one of its references does: it may be that reference itself.

    Doing nothing is no copy of doing nothing.
    """
    said = content(case.run)
    return bool(said) and any(content(one) == said for one in case.references)


def content(run: Trajectory) -> list[Any]:
    """Returns what the steps of a run say, without their names and times."""
    return [_of_step(step) for step in run.steps]


def _of_step(step: Step) -> tuple[Any, ...]:
    inside = [_of_step(one) for one in step.substeps]
    return step.kind, step.action, step.tool, step.arguments, step.effect, step.state, inside
