import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from otap.transport.assignment import assignment


def matrices():
    rng = np.random.default_rng(0)
    for _ in range(300):
        shape = rng.integers(1, 14, 2)
        yield rng.normal(size=shape)
        yield rng.integers(0, 4, shape).astype(float)
    yield rng.random((60, 80))
    yield rng.random((90, 40))
    yield np.zeros((7, 7))


@pytest.mark.parametrize("maximize", [False, True])
def test_it_costs_what_scipy_finds(maximize):
    """The total cost is the optimum for any shape, with and without ties."""
    for cost in matrices():
        rows, columns = assignment(cost, maximize)
        expected = cost[linear_sum_assignment(cost, maximize)].sum()
        assert cost[rows, columns].sum() == pytest.approx(expected, abs=1e-10)
        assert len(set(rows)) == len(set(columns)) == len(rows) == min(cost.shape)
        assert (np.diff(rows) > 0).all()


def test_above_200_steps_scipy_does_it():
    """Long sides give the same optimum through the compiled version."""
    cost = np.random.default_rng(1).random((201, 230))
    rows, columns = assignment(cost)
    theirs = cost[linear_sum_assignment(cost)].sum()  # other pairs may cost the same
    assert cost[rows, columns].sum() == pytest.approx(theirs, rel=1e-12)


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
