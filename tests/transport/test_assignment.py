import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from otap.transport.assignment import assignment, plain_assignment
from otap.transport.core import native


def matrices():
    rng = np.random.default_rng(0)
    for _ in range(300):
        shape = rng.integers(1, 14, 2)
        yield rng.normal(size=shape)
        yield rng.integers(0, 4, shape).astype(float)
    yield rng.random((60, 80))
    yield rng.random((90, 40))
    yield np.zeros((7, 7))


def long_matrices():
    rng = np.random.default_rng(1)
    for shape in ((201, 230), (260, 203), (220, 220), (3, 300)):
        yield rng.random(shape)
        yield rng.integers(0, 4, shape).astype(float)
        yield np.maximum(rng.normal(size=shape) - 1, 0)  # most are 0, as in a coupling
        yield np.zeros(shape)
    yield np.outer(np.arange(210.0), np.arange(210.0))


@pytest.mark.parametrize("maximize", [False, True])
def test_it_costs_what_scipy_finds(maximize):
    """The total cost is the optimum for any shape, with and without ties."""
    for cost in matrices():
        rows, columns = assignment(cost, maximize)
        expected = cost[linear_sum_assignment(cost, maximize)].sum()
        assert cost[rows, columns].sum() == pytest.approx(expected, abs=1e-10)
        assert len(set(rows)) == len(set(columns)) == len(rows) == min(cost.shape)
        assert (np.diff(rows) > 0).all()


@pytest.mark.parametrize("maximize", [False, True])
def test_above_200_the_choice_is_that_of_scipy(maximize):
    """Among assignments with the lowest cost too; both solvers give the same pairs."""
    for cost in long_matrices():
        pairs = assignment(cost, maximize)
        assert np.array_equal(pairs, linear_sum_assignment(cost, maximize))


def test_plain_pairs_are_those_of_scipy():
    """Of any shape, with ties and without."""
    for cost in [*matrices(), *long_matrices()]:
        columns = plain_assignment(cost)
        rows = np.flatnonzero(columns >= 0)
        assert np.array_equal((rows, columns[rows]), linear_sum_assignment(cost))


@pytest.mark.skipif(native() is None, reason="no native core was built")
def test_the_core_pairs_as_numpy_does():
    """Short and long, where paths end at the first free column."""
    for cost in [*matrices(), *long_matrices()]:
        columns = np.array(native().long_assignment(np.ascontiguousarray(cost)))
        assert np.array_equal(columns, plain_assignment(cost))


def test_nothing_to_pair():
    """Without rows or columns there are no pairs."""
    for shape in ((0, 0), (0, 3), (3, 0)):
        rows, columns = assignment(np.zeros(shape))
        assert len(rows) == len(columns) == 0
        assert (plain_assignment(np.zeros(shape)) == -1).all()


def test_ties_are_broken_the_same_way_every_time():
    """Equal costs give equal pairs, call after call."""
    cost = np.zeros((5, 8))
    assert all(np.array_equal(assignment(cost), assignment(cost)) for _ in range(3))


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("shape", [(1, 1), (3, 8), (8, 3), (8, 8)])
def test_where_all_pairs_cost_the_same_they_are_paired_in_order(shape, value):
    """Lists of arguments rely on it: they ask for no assignment there."""
    rows, columns = assignment(np.full(shape, value))
    assert rows.tolist() == columns.tolist() == list(range(min(shape)))
    assert plain_assignment(np.full(shape, value))[rows].tolist() == columns.tolist()
