"""The linearised problem: Newton, and where it would go wrong."""

import numpy as np
import pytest

import oracles
from otap.transport.plain import Linear


def linear_problem(seed, n=6, m=5, epsilon=0.05, weights=(1.0, 1.0), scale=1.0):
    rng = np.random.default_rng(seed)
    mass = np.concatenate([rng.dirichlet(np.full(n, 5.0)), rng.dirichlet(np.full(m, 5.0))])
    return Linear(scale * rng.random((n, m)), mass, np.repeat(weights, (n, m)), epsilon)


def start(linear):
    return np.zeros(len(linear.mass))


def primal(linear, S):
    sums = np.concatenate([S.sum(axis=1), S.sum(axis=0)])
    value = (linear.M * S).sum() + linear.epsilon * (S * (np.log(S) - 1)).sum()
    return value + linear.weight @ (sums * np.log(sums / linear.mass) - sums + linear.mass)


@pytest.mark.parametrize("shape", [(6, 5), (5, 6), (1, 4), (4, 1), (1, 1), (20, 30)])
@pytest.mark.parametrize("weights", [(1.0, 1.0), (0.2, 3.0)])
def test_it_is_pots_unbalanced_problem(shape, weights):
    """The coupling is POT's, given the entropy that eq. 3 has."""
    linear, n = linear_problem(1, *shape, weights=weights), shape[0]
    point, solved = linear.newton(start(linear), 1e-9)
    mu, nu = linear.mass[:n], linear.mass[n:]
    assert solved
    np.testing.assert_allclose(
        point.S, oracles.pot_linear(linear.M, mu, nu, 0.05, weights), atol=1e-9
    )


def test_pots_default_is_another_problem():
    """Regularised towards mu nu', as POT does by default, the coupling is far from ours."""
    linear = linear_problem(2)
    S = linear.newton(start(linear), 1e-9)[0].S
    mu, nu = linear.mass[:6], linear.mass[6:]
    other = oracles.pot_linear_default(linear.M, mu, nu, 0.05, (1.0, 1.0))
    assert abs(S.sum() - other.sum()) > 0.02


@pytest.mark.parametrize("epsilon", [1e-3, 1e-4, 1e-6])
def test_small_epsilon_stays_finite(epsilon):
    """The Gibbs kernel exp(-M / epsilon) is 0 at costs that plans have; the duals do not mind."""
    linear = linear_problem(3, epsilon=epsilon, scale=3.45)
    assert np.exp(-linear.M.max() / epsilon) == 0
    point, solved = linear.solve(linear.sweep(np.zeros(5)), 1e-9)
    assert solved
    wanted = linear.mass * np.exp(-point.z)
    np.testing.assert_allclose(point.S.sum(axis=1), wanted[:6], atol=1e-9)
    np.testing.assert_allclose(point.S.sum(axis=0), wanted[6:], atol=1e-9)


def test_what_newton_cannot_solve_is_solved_otherwise():
    """From potentials that overflow, the linearised problem is still solved."""
    linear = linear_problem(5, epsilon=1e-3)
    far = np.append(np.full(6, 1e4), np.zeros(5))
    with np.errstate(over="ignore", invalid="ignore"):
        assert not linear.newton(far, 1e-9)[1]
    assert linear.solve(far, 1e-9)[1]


@pytest.mark.parametrize("size", [0.3, 1.0, 30.0])
def test_duals_of_another_cost_do_no_harm(size):
    """Potentials that would give a mass of 1e300 are brought back by one Sinkhorn step."""
    linear = linear_problem(4, epsilon=0.01)
    z = linear.sweep(np.full(5, size))
    assert np.isfinite(linear.at(z).S).all()
    point, solved = linear.newton(z, 1e-9)
    assert solved
    np.testing.assert_allclose(point.S, linear.newton(start(linear), 1e-9)[0].S, atol=1e-9)


def test_a_nearly_solved_problem_is_still_stepped():
    """Meeting a loose tolerance at once is no reason to leave the coupling as it was."""
    linear = linear_problem(6)
    exact, _ = linear.newton(start(linear), 1e-9)
    near, _ = linear.newton(exact.z + 1e-3 * (np.arange(11) < 6), 0.1)
    assert abs(near.S - exact.S).max() < 1e-4


def test_a_solved_problem_is_left_alone():
    """Duals that fit to 1e-9 are returned as they came."""
    linear = linear_problem(7)
    exact, _ = linear.newton(start(linear), 1e-12)
    assert np.array_equal(exact.z, linear.newton(exact.z, 1e-6)[0].z)


@pytest.mark.parametrize("weight", [1e-3, 1e-2, 1e2, 1e4, 1e7])
def test_weights_of_any_size(weight):
    """Marginals that hardly count and marginals that are all but fixed are both solved."""
    linear = linear_problem(8, weights=(weight, weight))
    point, solved = linear.newton(start(linear), 1e-9)
    assert solved
    rng = np.random.default_rng(0)
    least = primal(linear, point.S)
    for _ in range(20):
        other = point.S * np.exp(0.01 * rng.normal(size=point.S.shape))
        assert primal(linear, other) >= least - 1e-12
