"""What changed settings are worth on tasks held out, as log loss of the outcome.

The outcome of a run is predicted by a logistic calibration [Platt1999] of its loss that was fitted
on other tasks. Runs of a task are no independent evidence, so that the standard error of a gain is
clustered by task [Liang1986].
"""

import hashlib
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from otap.learning.runs import Scores
from otap.scoring import Config

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

FOLDS = 10
FEW = 20  # up to so many tasks each is held out alone
# Standard deviations of the priors of the calibration, in units of the scores' own deviation: wide
# enough to say nothing where there is data, and finite where scores part good from bad runs.
SLOPE, INTERCEPT = 1.0, 5.0
# The share of outcomes that no score can know of [Wichmann2001]: no rate is below half of it.
LAPSES = 0.1
LEAST = 0.01  # of the loss: what a call that hardly counts weighs; below it all runs are alike
_STEPS, _LONGEST = 50, 2.0
_SMALL = 1e-9


@dataclass(frozen=True)
class Gain:
    """How much less the outcome surprises under changed settings, in nats a run.

    Args:
        mean: over the runs of the held-out tasks.
        standard_error: of the mean, clustered by task; infinite where there is but one.
    """

    mean: float
    standard_error: float

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
    cases = scores.sample.cases
    places = [place for place, case in enumerate(cases) if case.task in tasks]
    good = np.array([cases[place].good for place in places], dtype=np.bool_)
    of_tasks = [cases[place].task for place in places]
    before, after = (
        surprises(_values(scores, one, places), good, of_tasks) for one in (config, changed)
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
    count = len(distinct) if len(distinct) <= FEW else FOLDS
    fold = {task: place % count for place, task in enumerate(distinct)}
    return np.array([fold[task] for task in tasks], dtype=np.intp)


def clustered(differences: Array, tasks: Sequence[str]) -> Gain:
    """Returns the mean of what runs differ by, with its standard error clustered by task."""
    if not len(differences):
        return Gain(0.0, math.inf)
    _, owner = np.unique(np.array(tasks), return_inverse=True)
    mean = float(differences.mean())
    if (count := int(owner.max()) + 1) < 2:
        return Gain(mean, math.inf)
    by_task = np.bincount(owner, differences - mean)
    error = math.sqrt(count / (count - 1) * float(by_task @ by_task)) / len(differences)
    return Gain(mean, error)


def calibrated(values: Array, good: Flags, new: Array) -> Array:
    """Returns the log odds that runs are good, by what they score.

    Args:
        values: of runs whose outcomes are known, as :func:`closeness`; more is better, never worse.
        good: these outcomes.
        new: the same of other runs.
    """
    center = float(values.mean()) if len(values) else 0.0
    spread = float(values.std()) if len(values) else 0.0
    if spread >= _SMALL and len(set(good.tolist())) == 2:
        intercept, slope = _fitted(((values - center) / spread)[:, None], good)
        if slope > 0:
            return np.asarray(intercept + slope * (new - center) / spread)
    return np.full(len(new), _fitted(np.zeros((len(values), 0)), good)[0])


def calibrated_rows(values: Array, good: Flags) -> Array:
    """Returns the log odds that runs are good by what they score, in several ways of scoring.

    Each row is :func:`calibrated` on itself; all are fitted at once.

    Args:
        values: ways of scoring by runs.
        good: the outcomes of the runs.
    """
    center, spread = values.mean(axis=1, keepdims=True), values.std(axis=1, keepdims=True)
    found = np.full(values.shape, _fitted(np.zeros((values.shape[1], 0)), good)[0])
    if len(set(good.tolist())) == 2:
        rows = np.flatnonzero(spread[:, 0] >= _SMALL)
        scaled = (values[rows] - center[rows]) / spread[rows]
        intercept, slope = _all_fitted(scaled[:, :, None], good).T[:, :, None]
        rising = slope[:, 0] > 0
        found[rows[rising]] = (intercept + slope * (values[rows] - center[rows]) / spread[rows])[
            rising
        ]
    return found


def _fitted(columns: Array, good: Flags) -> Array:
    """Returns intercept and slopes of a logistic regression at the mode of Gaussian priors."""
    return np.asarray(_all_fitted(columns[None], good)[0])


def _all_fitted(columns: Array, good: Flags) -> Array:
    """Returns the coefficients of several regressions of the same outcomes, one a row."""
    design = np.concatenate([np.ones((*columns.shape[:2], 1)), columns], axis=2)
    found = np.zeros((len(design), design.shape[2]))
    left = np.arange(len(design))
    for _ in range(_STEPS):
        step = _newton_step(design, found[left], good)
        found[left] += step
        moving = np.abs(step).max(axis=1) >= _SMALL
        if not moving.any():
            break
        if not moving.all():
            left, design = left[moving], design[moving]
    return found


def _newton_step(design: Array, found: Array, good: Flags) -> Array:
    precision = np.array([INTERCEPT**-2.0] + [SLOPE**-2.0] * (design.shape[2] - 1))
    turned = design.transpose(0, 2, 1)
    rate = 0.5 * (1 + np.tanh((design @ found[:, :, None])[:, :, 0] / 2))
    slope = (turned @ (good - rate)[:, :, None])[:, :, 0] - precision * found
    bent = turned @ (design * (rate * (1 - rate))[:, :, None]) + np.diag(precision)
    # Newton's method may step too far where the curve is flat.
    step = np.linalg.solve(bent, slope[:, :, None])[:, :, 0]
    return np.asarray(np.clip(step, -_LONGEST, _LONGEST))


def surprise(odds: Array, good: Flags) -> Array:
    """Returns the log loss of outcomes that were predicted with some log odds, lapses allowed."""
    rate = 0.5 * (1 + np.tanh(np.where(good, odds, -odds) / 2))
    return -np.log(LAPSES / 2 + (1 - LAPSES) * rate)


def _values(scores: Scores, config: Config, places: Sequence[int]) -> Array:
    return closeness(scores.numbers(config).losses[places])


def closeness(losses: Array) -> Array:
    """Returns what losses are to the calibration: their orders of magnitude, less is more."""
    return np.asarray(-np.log(losses + LEAST))
