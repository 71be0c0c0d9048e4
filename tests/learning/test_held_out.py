"""What changed settings are worth on tasks held out."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from otap.learning.held_out import (
    Array,
    Gain,
    calibrated,
    clustered,
    folds,
    surprises,
)
from otap.learning.parameters import INTERCEPT, SLOPE


def test_a_task_is_in_one_fold_and_each_fold_has_tasks() -> None:
    """Runs of a task are held out together; few tasks each alone, many in ten folds."""
    for count, expected in ((1, 1), (7, 7), (20, 20), (43, 10)):
        tasks = [str(k % count) for k in range(3 * count)]
        found = folds(tasks)
        assert set(found.tolist()) == set(range(expected))
        assert len({*zip(tasks, found.tolist(), strict=True)}) == count


def test_folds_depend_on_names_alone() -> None:
    """Neither the order of the runs nor how many a task has moves it to another fold."""
    tasks = [f"task {k}" for k in range(31)]
    there = dict(zip(tasks, folds(tasks).tolist(), strict=True))
    back = dict(zip(tasks[::-1] * 2, folds(tasks[::-1] * 2).tolist(), strict=True))
    assert there == back


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_the_calibration_is_the_mode_of_its_posterior(seed: int) -> None:
    """An optimiser that knows nothing of it finds the same."""
    random = np.random.default_rng(seed)
    values = random.random(30)
    good = random.random(30) < values**2
    z = (values - values.mean()) / values.std()

    def cost(at: Array) -> float:
        odds = at[0] + at[1] * z
        surprise = np.logaddexp(0, np.where(good, -odds, odds)).sum()
        return float(surprise + at[0] ** 2 / 2 / INTERCEPT**2 + at[1] ** 2 / 2 / SLOPE**2)

    found = minimize(cost, np.zeros(2), bounds=[(None, None), (0, None)])
    expected = found.x[0] + found.x[1] * z
    assert np.allclose(calibrated(values, good, values), expected, atol=1e-3)


def test_separable_outcomes_and_those_of_one_kind_stay_finite() -> None:
    """Scores that part good from bad exactly, or nothing but good runs, predict no certainty."""
    values = np.array([0.1, 0.2, 0.8, 0.9])
    for good in (values > 0.5, values > 2, values < 2):
        odds = calibrated(values, good, np.array([0.0, 1.0]))
        assert np.isfinite(odds).all() and np.abs(odds).max() < 20
    assert np.isfinite(calibrated(np.zeros(0), np.zeros(0, np.bool_), values)).all()


def test_a_score_that_is_upside_down_predicts_nothing() -> None:
    """A worse score is never taken for a better chance."""
    values = np.array([0.9, 0.8, 0.2, 0.1])
    odds = calibrated(values, values < 0.5, np.array([0.0, 1.0]))
    assert odds[0] == odds[1]


def test_what_tells_good_from_bad_surprises_less() -> None:
    """Scores that follow the outcome are worth most of the log loss of a coin."""
    random = np.random.default_rng(1)
    good = random.random(80) < 0.5
    tasks = [str(k // 4) for k in range(80)]
    told = surprises(good + 0.1 * random.random(80), good, tasks)
    blind = surprises(random.random(80), good, tasks)
    found = clustered(blind - told, tasks)
    assert found.exceeds(3) and 0.5 < found.mean < 0.8


def test_the_error_is_that_of_tasks() -> None:
    """Four equal runs of a task are as much evidence as one."""
    differences = np.array([0.3, -0.1, 0.2, 0.4])
    tasks = ["a", "b", "c", "d"]
    one, four = clustered(differences, tasks), clustered(np.repeat(differences, 4), tasks * 4)
    expected = differences.std(ddof=1) / 2
    assert math.isclose(one.standard_error, expected)
    four = clustered(np.repeat(differences, 4), [task for task in tasks for _ in range(4)])
    assert math.isclose(four.standard_error, expected) and math.isclose(four.mean, one.mean)


def test_one_task_shows_no_gain() -> None:
    """Of a single task nothing can be held out: no gain exceeds its error."""
    assert not clustered(np.ones(5), ["a"] * 5).exceeds()
    assert clustered(np.zeros(0), []) == Gain(mean=0.0, standard_error=math.inf)
