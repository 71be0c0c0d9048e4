"""Exact tests, held to what can be counted."""

from itertools import permutations

import pytest

from otap.learning.rules.chance import Stratum, at_least, least_share, none_good


def test_binomial_tail() -> None:
    """Of twelve coins that all fall on one side, one in 4,096; of none, always."""
    assert at_least(12, 12, 0.5) == pytest.approx(1 / 4096)
    assert at_least(1, 2, 0.1) == pytest.approx(0.19)
    assert at_least(0, 5, 0.5) == 1.0


def test_lower_bound_of_a_share() -> None:
    """The share at which so many successes are as improbable as the level says."""
    bound = least_share(9, 12, 0.01)
    assert at_least(9, 12, bound) == pytest.approx(0.01)
    assert least_share(0, 12, 0.01) == 0.0


def test_outcomes_permuted_within_tasks() -> None:
    """By hand: of five runs with two good ones, both with the trait are bad in 3 of 10 orders."""
    outcomes = list(permutations([True, True, False, False, False]))
    share = sum(not (one[0] or one[1]) for one in outcomes) / len(outcomes)
    assert none_good([Stratum(5, 2, 2)]) == pytest.approx(share)
    assert none_good([Stratum(5, 2, 2), Stratum(4, 2, 1)]) == pytest.approx(share / 2)


def test_a_task_with_one_outcome_says_nothing() -> None:
    """Nor does one where nobody has the trait; a good run with it ends the matter."""
    assert none_good([Stratum(3, 0, 2), Stratum(3, 2, 0)]) == 1.0
    assert none_good([Stratum(3, 2, 2)]) == 1.0
