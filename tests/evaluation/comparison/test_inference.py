"""Intervals and tests of a mean over tasks: by hand, against scipy, and by simulation."""

import os
from itertools import product
from math import inf, sqrt
from statistics import fmean

import numpy as np
import pytest
from scipy import stats

from otap.evaluation.comparison.inference import (
    DRAWS,
    Estimate,
    estimate,
    holm,
    sign_flip_test,
    sign_test,
)

SIMS = 4000 if os.environ.get("OTAP_LONG") == "1" else 400


def test_where_tails_are_light_the_interval_is_that_of_student() -> None:
    """Of numbers without heavy tails it is scipy's t interval."""
    values = np.linspace(-0.3, 0.4, 12)
    found = estimate(values)
    low, high = stats.t.interval(0.95, 11, values.mean(), values.std(ddof=1) / sqrt(12))
    assert found.freedom == 11
    assert (found.mean - found.half_width, found.mean + found.half_width) == pytest.approx(
        (low, high)
    )


def test_heavy_tails_take_degrees_of_freedom() -> None:
    """Satterthwaite's, by the unbiased excess kurtosis; where one task made it all about two."""
    values = np.array([-0.9, -0.4, *[0.0] * 8, 0.1, 0.02])
    excess = stats.kurtosis(values, bias=False)
    assert estimate(values).freedom == pytest.approx(2 / (2 / 11 + excess / 12))
    assert 1 < estimate([0.0] * 99 + [-0.5]).freedom < 3


def test_few_tasks() -> None:
    """One task says nothing of others; where nothing moved there is no doubt to measure."""
    assert estimate([0.2]).half_width == inf
    assert estimate([0.0]).half_width == 0
    assert estimate([0.0] * 3).half_width == 0
    assert estimate([0.1, 0.3]).freedom == 1
    assert estimate([0.1, 0.3]).detectable is None


def test_signs_of_few_tasks_are_all_tried() -> None:
    """The share of all signs whose sum is as far from 0 as the observed; zeros change nothing."""
    values = [-0.5, -0.25, 0.125, -0.75]
    sums = [
        sum(s * v for s, v in zip(signs, values, strict=True))
        for signs in product((1, -1), repeat=4)
    ]
    share = fmean(abs(one) >= abs(sum(values)) - 1e-9 for one in sums)
    assert sign_flip_test(values) == share
    assert sign_flip_test([0.0, *values, 0.0]) == share
    assert sign_flip_test([0.0, 0.0]) == 1
    assert sign_flip_test([-0.1] * 6) == 2 / 64


def test_the_test_is_that_of_scipy() -> None:
    """Exact for few tasks; for many both draw, and agree to what they draw."""
    random = np.random.default_rng(3)
    for tasks, tolerance in ((9, 1e-12), (40, 0.02)):
        values = random.normal(-0.1, 0.3, tasks)
        other = stats.permutation_test(
            (values,), np.mean, permutation_type="samples", n_resamples=9999,
            random_state=np.random.default_rng(0),
        )  # fmt: skip
        assert sign_flip_test(values) == pytest.approx(other.pvalue, abs=tolerance)


def test_no_order_of_tasks_changes_a_number() -> None:
    """Estimate and test are the same bits for every order."""
    values = np.random.default_rng(0).normal(0.02, 0.2, 50)
    mixed = np.random.default_rng(1).permutation(values)
    assert estimate(values) == estimate(mixed)
    assert sign_flip_test(values) == sign_flip_test(mixed) >= 1 / (1 + DRAWS)


def test_holm_by_hand() -> None:
    """The smallest is multiplied by how many there are, the next by one less; never decreasing."""
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.9, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_sign_test_is_the_binomial() -> None:
    """Of tasks that changed, half each way by chance."""
    for came, went in ((5, 1), (0, 0), (12, 12), (2, 21)):
        known = stats.binomtest(came, came + went).pvalue if came + went else 1.0
        assert sign_test(came, went) == pytest.approx(known)


def test_what_is_detectable_and_how_many_tasks_tell() -> None:
    """The formulas, at the normal limit: 2.80 errors are shown, 3.24 tell either way."""
    found = Estimate(10_000, 9_000, 0.0, 0.01, 9_999.0)
    assert found.detectable == pytest.approx(0.02802, abs=1e-4)
    assert found.tasks_for(0.05) == pytest.approx(10_000 * (0.01 * 3.2415 / 0.05) ** 2, rel=1e-3)
    assert found.tasks_for(0.0) is None


@pytest.mark.parametrize("tasks", [10, 25, 100])
def test_coverage_in_skewed_worlds_with_ties(tasks: int) -> None:
    """Scores of which many are 1: the interval holds the true difference, worse is rare."""
    random = np.random.default_rng(tasks)
    held = wrong = 0
    for _ in range(SIMS):
        chance, other = random.beta(4, 2, tasks), random.beta(5, 3, tasks)
        values = _runs(chance * 0.8, other, random) - _runs(chance, other, random)
        found = estimate(values)
        held += abs(found.mean - _TRUE) <= found.half_width
        same = estimate(_runs(chance, other, random) - _runs(chance, other, random))
        wrong += same.mean + same.half_width < 0
    assert 0.91 <= held / SIMS <= 0.99
    assert wrong / SIMS <= 0.05


_TRUE = -0.2 * (4 / 6) * (1 - 5 / 8)  # a fifth of the ones becomes another score


def _runs(chance: np.ndarray, other: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The mean of two runs a task."""
    scores = [
        np.where(random.random(len(chance)) < chance, 1.0, random.beta(8 * other, 8 * (1 - other)))
        for _ in range(2)
    ]
    return np.mean(scores, axis=0)


def test_a_difference_of_the_detectable_size_is_found() -> None:
    """In about four cases of five, by interval and test together."""
    random = np.random.default_rng(5)
    size = Estimate(25, 25, 0.0, 0.2 / 5, 22.0).detectable
    assert size is not None
    draws = random.normal(-size, 0.2, (SIMS, 25))
    found = [estimate(d) for d in draws]
    shown = [one.mean + one.half_width < 0 for one in found]
    assert 0.72 <= fmean(shown) <= 0.87
