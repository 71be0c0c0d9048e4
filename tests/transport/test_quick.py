"""Losses that are solved briefly, against those solved in full."""

import numpy as np
import pytest

from otap.transport import Problem, quick_losses, solve_batch
from otap.transport.structure import SMALL
from plans import chain, plan, twins


def plans(count):
    rng = np.random.default_rng(5)
    return [plan(rng, graded=False, spread="full", theta=0.35) for _ in range(count)]


def test_a_quick_loss_is_hardly_above_the_full_one():
    """At the weight of structure that is the default; no coupling costs less than the best."""
    problems = plans(40)
    gaps = quick_losses(problems) - [one.loss for one in solve_batch(problems)]
    assert gaps.min() > -1e-6
    assert np.median(gaps) < 1e-3
    assert gaps.mean() < 5e-3


def test_a_quick_loss_is_the_same_in_any_batch():
    """Which problems share the registers changes no bit."""
    problems = plans(7)
    together = quick_losses(problems)
    assert together.tolist() == [quick_losses([one])[0] for one in problems]


def test_one_graph_listed_twice_has_no_loss():
    """Isomorphic sides are found as in full."""
    rng = np.random.default_rng(1)
    cost = rng.random((6, 6))
    cost = np.triu(cost, 1) + np.triu(cost, 1).T
    problem = twins(chain(6), cost, rng.permutation(6))
    assert quick_losses([problem]).tolist() == [0.0]


def test_what_is_long_is_solved_in_full():
    """And no problems have no losses."""
    size = SMALL + 1
    mass = np.full(size, 1.0 / size)
    long = Problem(
        np.full((size, 1), 0.5), np.zeros((size, size)), np.zeros((1, 1)), mass, [1.0], 0
    )
    assert quick_losses([long])[0] == pytest.approx(solve_batch([long])[0].loss)
    assert quick_losses([]).tolist() == []
