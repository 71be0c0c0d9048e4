"""The lower bound: below every coupling's cost, and the same for one problem and many."""

import numpy as np
import pytest

from otap.transport import FORBIDDEN, Problem, objective, solve
from otap.transport.bounds import Columns, lower_bound, lower_bounds
from plans import any_problem, plan, relisted, twins


def problems():
    rng = np.random.default_rng(4)
    for _ in range(40):
        yield plan(rng, spread=str(rng.choice(["full", "weak", "flat"])))
        yield any_problem(rng, *rng.integers(1, 9, 2))


def side_by_side(problems):
    """The reference sides of some problems as columns."""
    starts = np.cumsum([0, *(p.C.shape[1] for p in problems)])[:-1]
    parts = zip(*((p.C, p.nu, p.lambda_2) for p in problems), strict=True)
    C, nu, lambda_2 = (np.concatenate(part, axis=-1) for part in parts)
    return Columns(C, starts, nu, lambda_2)


def unequal(rng, flat=False):
    """A problem without order whose sides differ in mass, with a lambda for each step."""
    n, m = rng.integers(1, 9, 2)
    base = any_problem(rng, n, m)
    a, b = rng.uniform(0.1, 1.9, 2)
    C = np.full((n, m), rng.random()) if flat else base.C
    return Problem(
        C, np.zeros((n, n)), np.zeros((m, m)), a * base.mu, b * base.nu, 0.45,
        rng.uniform(0.05, 0.5, n), rng.uniform(0.1, 0.3, m),
    )  # fmt: skip


def unshifted(problem, shift=0.0):
    """The larger one of the bounds by rows and by columns, all potentials shifted by as much."""
    M = (1 - problem.theta) * problem.C
    rows, columns = M.min(axis=1), M.min(axis=0)
    duals = (rows, (M - rows[:, None]).min(axis=0)), ((M - columns).min(axis=1), columns)
    return max(
        (problem.lambda_1 * problem.mu * (1 - np.exp(-(f + shift) / problem.lambda_1))).sum()
        + (problem.lambda_2 * problem.nu * (1 - np.exp(-(g - shift) / problem.lambda_2))).sum()
        for f, g in duals
    )


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_no_solution_costs_less(epsilon):
    """The loss without entropy is never below the bound, with epsilon at 0 or above."""
    for problem in problems():
        assert lower_bound(problem) <= solve(problem, epsilon).loss + 1e-12


def test_no_coupling_at_all_costs_less():
    """Nor does any other coupling: none at all, or one at random."""
    rng = np.random.default_rng(5)
    for problem in problems():
        for T in (np.zeros(problem.shape), rng.random(problem.shape) / problem.C.size):
            assert lower_bound(problem) <= objective(problem, T) + 1e-12


def forbidding(rng, share):
    """A problem in which a share of the pairs is forbidden."""
    problem = unequal(rng)
    C = np.where(rng.random(problem.shape) < share, FORBIDDEN, problem.C)
    sides = problem.mu, problem.nu
    return Problem(
        C, problem.D_p, problem.D_r, *sides, problem.theta, problem.lambda_1, problem.lambda_2
    )


@pytest.mark.parametrize("share", [0.3, 0.7, 0.95])
def test_forbidden_pairs_raise_it(share):
    """It is never above any coupling of the allowed pairs, and near the least one."""
    rng = np.random.default_rng(14)
    shares = []
    for _ in range(40):
        problem = forbidding(rng, share)
        bound, loss = lower_bound(problem), solve(problem).loss
        assert bound <= loss + 1e-9
        for _ in range(20):
            T = rng.random(problem.shape) * (problem.C < FORBIDDEN) * rng.choice([0.02, 0.2])
            assert bound <= objective(problem, T) + 1e-12
        shares.append(bound / loss)
    assert np.median(shares) > 0.95


def test_sides_without_an_allowed_pair_cost_their_penalties():
    """The bound is the loss: every step is idle."""
    rng = np.random.default_rng(15)
    for _ in range(20):
        problem = forbidding(rng, 1.0)
        loss = problem.lambda_1 @ problem.mu + problem.lambda_2 @ problem.nu
        assert lower_bound(problem) == pytest.approx(loss, rel=1e-14)
        assert solve(problem).loss == pytest.approx(loss, rel=1e-14)


def test_it_says_something():
    """On plans with distinct costs it is more than half of the loss."""
    rng = np.random.default_rng(6)
    shares = [lower_bound(p) / solve(p).loss for p in (plan(rng) for _ in range(50))]
    assert np.median(shares) > 0.5


def test_equal_sides_have_no_bound():
    """A run against itself costs nothing, and so does the bound."""
    rng = np.random.default_rng(7)
    C = rng.random((6, 6))
    np.fill_diagonal(C, 0.0)
    assert lower_bound(twins(np.zeros((6, 6)), C, np.arange(6))) == 0.0


def test_listing_changes_nothing():
    """The bound of a problem listed in another order is the same."""
    rng = np.random.default_rng(8)
    for problem in problems():
        n, m = problem.shape
        other = relisted(problem, rng.permutation(n), rng.permutation(m))
        assert lower_bound(other) == pytest.approx(lower_bound(problem), abs=1e-12)


def test_many_at_once_are_those_one_by_one():
    """Problems of one agent side have the bounds that each has alone, its masses its own or not."""
    rng = np.random.default_rng(9)
    first = any_problem(rng, 5, 4)
    others = [any_problem(rng, 5, int(m)) for m in rng.integers(1, 9, 20)]
    own = [np.stack([getattr(p, name) for p in others], axis=1) for name in ("mu", "lambda_1")]
    for mu, lambda_1 in ((first.mu, first.lambda_1), (first.mu, 0.3), own, (own[0], 0.3)):
        found = lower_bounds(side_by_side(others), mu, lambda_1, first.theta)
        for k, (bound, p) in enumerate(zip(found, others, strict=True)):
            of_p = [x[:, k] if np.ndim(x) == 2 else x for x in (mu, lambda_1)]
            alone = lower_bounds(side_by_side([p]), *of_p, first.theta)[0]
            assert bound == pytest.approx(alone, abs=1e-14)


def test_flat_costs_leave_nothing_open():
    """Where every pair costs the same and order does not count, the bound is the loss."""
    rng = np.random.default_rng(10)
    for _ in range(40):
        problem = unequal(rng, flat=True)
        assert lower_bound(problem) == pytest.approx(solve(problem).loss, rel=1e-3)


def test_unequal_masses_are_charged():
    """The best shift only raises a bound, never above the loss, and by far if masses differ."""
    rng = np.random.default_rng(11)
    shares = []
    for problem in [*problems(), *(unequal(rng) for _ in range(80))]:
        bound, loss = lower_bound(problem), solve(problem).loss
        assert unshifted(problem) - 1e-15 <= bound <= loss + 1e-9
        shares.append((unshifted(problem) / loss, bound / loss))
    before, after = np.median(shares[-80:], axis=0)
    assert before < 0.9 < 0.95 < after


@pytest.mark.parametrize("a", [0.2, 1.0, 1.7])
@pytest.mark.parametrize("lambda_1, lambda_2", [(0.15, 0.15), (0.02, 0.3), (1.0, 0.1)])
def test_one_lambda_a_side_has_the_best_shift_in_closed_form(a, lambda_1, lambda_2):
    """No shift on a fine grid proves more."""
    rng = np.random.default_rng(12)
    C = rng.random((4, 3))
    problem = Problem(
        C, np.zeros((4, 4)), np.zeros((3, 3)), np.full(4, a / 4), np.full(3, (2 - a) / 3), 0.45,
        lambda_1, lambda_2,
    )  # fmt: skip
    grid = [unshifted(problem, d) for d in np.linspace(-1, 1, 2001)]
    assert max(grid) <= lower_bound(problem) + 1e-12
    assert lower_bound(problem) <= max(grid) + 1e-4


@pytest.mark.parametrize("weight", [1e-308, 1e-4, 1e4])
def test_a_lambda_of_any_size_has_a_bound(weight):
    """Where a shift is lost to underflow the bound stands without it."""
    rng = np.random.default_rng(13)
    for _ in range(10):
        problem = any_problem(rng, 4, 3)
        columns = side_by_side([problem])._replace(lambda_2=np.full(3, weight))
        bound = lower_bounds(columns, problem.mu, weight, problem.theta)[0]
        assert 0 <= bound <= weight * (problem.mu.sum() + problem.nu.sum()) * (1 + 1e-12)
