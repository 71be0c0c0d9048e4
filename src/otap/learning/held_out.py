"""What changed settings are worth on tasks held out, as log loss of the outcome.

The outcome of a run is predicted by a logistic calibration [Platt1999] of its loss that was fitted
on other tasks. Runs of a task are no independent evidence, so that the standard error of a gain is
clustered by task [Liang1986].
"""

import hashlib
import math
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from otap.learning.parameters import FEW_TASKS, FOLDS, INTERCEPT, LAPSES, LEAST_LOSS, SLOPE
from otap.learning.scores import Scores
from otap.learning.setting import Record
from otap.scoring import Config

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_STEPS, _LONGEST = 50, 2.0
_SMALL = 1e-9


class Gain(Record):
    """How much less the outcome surprises under changed settings, in nats a run."""

    mean: float
    standard_error: float = Field(description="Clustered by task; infinite where there is one.")

    def exceeds(self, errors: float = 1.0) -> bool:
        """Whether it is above so many of its standard errors."""
        return self.mean > errors * self.standard_error


def gain(scores: Scores, tasks: Collection[str], config: Config, changed: Config) -> Gain:
    """Returns how much the held-out log loss of the outcome falls where settings are changed.

    Args:
        scores: of the cases, under any settings.
        tasks: those whose cases are looked at; they are held out in turn.
        config: the settings as they are.
        changed: the settings that are judged.

    Raises:
        OtapError: if a case cannot be scored.
    """
    sample = scores.sample
    places = [place for place, task in enumerate(sample.owners) if task in tasks]
    of_tasks = [sample.owners[place] for place in places]
    before, after = (
        surprises(closeness(scores.numbers(one).losses[places]), sample.good[places], of_tasks)
        for one in (config, changed)
    )
    return clustered(before - after, of_tasks)


def surprises(values: Array, good: Flags, tasks: Sequence[str]) -> Array:
    """Returns the log loss of each run's outcome, predicted from the runs of other tasks.

    Args:
        values: how near to their references the runs came, as :func:`closeness`; more is better.
        good: their outcomes.
        tasks: the task of each run.
    """
    fold = folds(tasks)
    found = np.zeros(len(values))
    for one in range(int(fold.max(initial=-1)) + 1):
        held = fold == one
        found[held] = surprise(calibrated(values[~held], good[~held], values[held]), good[held])
    return found


def folds(tasks: Sequence[str]) -> NDArray[np.intp]:
    """Returns the fold of each run: that of its task, by a digest of its name."""
    distinct = sorted(set(tasks), key=lambda task: hashlib.sha256(task.encode()).digest())
    count = len(distinct) if len(distinct) <= FEW_TASKS else FOLDS
    fold = {task: place % count for place, task in enumerate(distinct)}
    return np.array([fold[task] for task in tasks], dtype=np.intp)


def clustered(differences: Array, tasks: Sequence[str]) -> Gain:
    """Returns the mean of what runs differ by, with its standard error clustered by task."""
    if not len(differences):
        return Gain(mean=0.0, standard_error=math.inf)
    _, owner = np.unique(np.array(tasks), return_inverse=True)
    mean = float(differences.mean())
    if (count := int(owner.max()) + 1) < 2:
        return Gain(mean=mean, standard_error=math.inf)
    by_task = np.bincount(owner, differences - mean)
    error = math.sqrt(count / (count - 1) * float(by_task @ by_task)) / len(differences)
    return Gain(mean=mean, standard_error=error)


def calibrated(values: Array, good: Flags, new: Array) -> Array:
    """Returns the log odds that runs are good, by what they score.

    Args:
        values: of runs whose outcomes are known, as :func:`closeness`; more is better, never worse.
        good: these outcomes.
        new: of other runs.
    """
    center, spread = (values.mean(), values.std()) if len(values) else (0.0, 0.0)
    if len(set(good.tolist())) == 2 and spread >= _SMALL:
        intercept, slope = _fit(((values - center) / spread)[:, None], good)
        if slope > 0:
            return np.asarray(intercept + slope * (new - center) / spread)
    return np.full(new.shape, _fit(np.zeros((len(good), 0)), good)[0])


def _fit(columns: Array, good: Flags) -> Array:
    """Returns the intercept and the slopes of a logistic regression under Gaussian priors."""
    design = np.column_stack([np.ones(len(columns)), columns])
    precision = np.array([INTERCEPT**-2.0] + [SLOPE**-2.0] * columns.shape[1])
    found = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        rate = 0.5 * (1 + np.tanh(design @ found / 2))
        slope = design.T @ (good - rate) - precision * found
        bent = design.T @ (design * (rate * (1 - rate))[:, None]) + np.diag(precision)
        # Newton's method may step too far where the curve is flat.
        step = np.clip(np.linalg.solve(bent, slope), -_LONGEST, _LONGEST)
        found += step
        if np.abs(step).max() < _SMALL:
            break
    return found


def surprise(odds: Array, good: Flags) -> Array:
    """Returns the log loss of outcomes that were predicted with some log odds, lapses allowed."""
    rate = 0.5 * (1 + np.tanh(np.where(good, odds, -odds) / 2))
    return -np.log(LAPSES / 2 + (1 - LAPSES) * rate)


def closeness(losses: Array) -> Array:
    """Returns what losses are to the calibration: their orders of magnitude, less is more."""
    return np.asarray(-np.log(losses + LEAST_LOSS))
