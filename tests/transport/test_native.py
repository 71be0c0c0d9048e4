"""The native core against the NumPy solver, for up to a hundred steps."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from otap.transport import Problem, objective, solve, solve_batch
from otap.transport.core import native
from otap.transport.native.short import solve_short
from otap.transport.objective import terms
from otap.transport.plain import solve_plainly
from otap.transport.structure import SMALL
from plans import any_problem, chain, plan, twins

LONG = os.environ.get("OTAP_LONG") == "1"
LIMITS = {"max_outer": 100, "tolerance": 1e-6}
CORE_ALONE = (
    os.environ.get("OTAP_SANITIZE") == "1"
)  # wrong addresses are looked for, not wrong numbers
MAYBE_ALIKE = 2  # the last status of batch.hpp at which there is a solution

pytestmark = pytest.mark.skipif(native() is None, reason="no native core was built")


def both(problems, epsilon):
    """The solutions of both; the NumPy solver is asked only where the core did not give up."""
    found = solve_short(problems, epsilon, threads=1, **LIMITS)
    solved = np.flatnonzero(found.counts[:, 0] <= MAYBE_ALIKE)
    if CORE_ALONE:
        return [(found.solution(k), found.solution(k)) for k in solved]
    return [(found.solution(k), solve_plainly(problems[k], epsilon, **LIMITS)) for k in solved]


def assert_agreement(problems, epsilon, unsolved=0):
    pairs = both(problems, epsilon)
    assert len(problems) - len(pairs) <= unsolved
    for ours, theirs in pairs:
        if theirs.starts == 0:  # one graph listed twice: solver.py asks for that, not the core
            continue
        # NumPy tries more starts at an entropy weight, and may find less.
        assert theirs.loss < ours.loss + 1e-9
        assert theirs.loss > ours.loss - 1e-9 or theirs.starts > ours.starts


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
@pytest.mark.parametrize("graded", [True, False])
def test_both_solvers_find_the_same_loss(epsilon, graded):
    """1e-9 in the loss over plans of 5 to 12 steps, of every kind."""
    rng = np.random.default_rng(11)
    spreads, thetas = ("full", "weak", "flat"), (0.35, 0.7, 0.9)
    problems = [
        plan(rng, graded=graded, spread=str(rng.choice(spreads)), theta=float(rng.choice(thetas)))
        for _ in range(400 if LONG else 24)
    ]
    assert_agreement(problems, epsilon)


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
@pytest.mark.parametrize(
    "shape", [(16, 16), (17, 17), (16, 17), (3, 40), (40, 3), (30, 50), (100, 60)]
)
def test_where_the_kernel_changes_the_numbers_do_not(epsilon, shape):
    """1e-9 on both sides of the size from which a problem has the registers to itself."""
    rng = np.random.default_rng(5)
    assert_agreement([plan(rng, shape), any_problem(rng, *shape)], epsilon)


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_the_coupling_is_the_same_where_the_optimum_is_one(epsilon):
    """Both couplings agree to 1e-6 where one side is graded and costs are distinct."""
    rng = np.random.default_rng(2)
    for ours, theirs in both([plan(rng, graded=True) for _ in range(40)], epsilon):
        assert abs(ours.T - theirs.T).sum() < 1e-6


def test_the_parts_of_the_loss_are_those_of_the_definition():
    """What the core says of its coupling is what objective.py says of it."""
    rng = np.random.default_rng(3)
    problems = [plan(rng) for _ in range(30)] + [plan(rng, (40, 30)), any_problem(rng, 7, 9)]
    for epsilon in (0.0, 0.05):
        found = solve_short(problems, epsilon, threads=1, **LIMITS)
        for k, problem in enumerate(problems):
            solution = found.solution(k)
            assert np.allclose(solution.terms, terms(problem, solution.T), rtol=0, atol=1e-12)


WEIGHTS = st.sampled_from([0.01, 0.1, 1.0, 10.0, 100.0])
SIZES = st.integers(1, 9) | st.sampled_from([17, 20])


@st.composite
def degenerate(draw):
    """Problems at the edge of what is allowed."""
    n, m = draw(SIZES), draw(SIZES)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    costs = draw(st.sampled_from(["equal", "zero", "random", "few"]))
    C = {
        "equal": np.full((n, m), 0.5),
        "zero": np.zeros((n, m)),
        "random": rng.random((n, m)),
        "few": rng.integers(0, 3, (n, m)) / 2.0,
    }[costs]
    sides = [structure_of(draw, rng, size) for size in (n, m)]
    mass = [rng.dirichlet(np.ones(size)) + draw(st.sampled_from([1e-12, 1e-3])) for size in (n, m)]
    theta = draw(st.sampled_from([0.0, 0.35, 0.9, 1.0]))
    return Problem(C, *sides, *mass, theta, draw(WEIGHTS), draw(WEIGHTS))


def structure_of(draw, rng, size):
    kind = draw(st.sampled_from(["none", "chain", "random", "signs"]))
    if kind == "none":
        return np.zeros((size, size))
    if kind == "chain":
        return chain(size)
    D = rng.normal(size=(size, size)) if kind == "random" else rng.integers(-1, 2, (size, size))
    upper = np.triu(D, 1)
    return upper - upper.T


def test_a_step_can_lose_all_its_mass() -> None:
    """A column that is 0 at both ends of a move, as lambda .01 leaves it, has no slope there.

    Found by the test below; the numbers are hypothesis's.
    """
    C = [
        [0.5, 1, 0], [1, 0.5, 0.5], [1, 0.5, 0.5], [1, 0.5, 0], [0.5, 0.5, 1], [1, 0, 1],
        [0, 0, 0.5], [1, 0, 0.5], [1, 0, 0], [1, 0.5, 1], [0, 0, 0.5], [0.5, 0.5, 0],
        [0, 0, 0.5], [0.5, 0, 1], [1, 0, 1], [1, 1, 1], [0.5, 0.5, 0.5],
    ]  # fmt: skip
    mu = [
        2.40624483e-01, 2.15783642e-02, 2.53000543e-02, 2.79581707e-02, 9.39230170e-02,
        3.09137354e-02, 5.66727145e-02, 7.31182958e-02, 3.09156200e-04, 1.36671260e-01,
        3.78438378e-02, 1.78761433e-02, 1.97484843e-02, 1.66147323e-01, 8.09167628e-04,
        4.18344046e-03, 4.63223529e-02,
    ]  # fmt: skip
    nu = [9.72900957e-02, 7.42805056e-01, 1.59904848e-01]
    chain = np.subtract.outer(-np.arange(17), -np.arange(17)) / 16
    upper = np.array([[0, -0.11693983, 0.44287619], [0, 0, -2.65262621], [0, 0, 0]])
    problem = Problem(C, chain, upper - upper.T, mu, nu, 0.9, 0.01, 0.01)
    ours, theirs = solve(problem), solve_plainly(problem, 0.0, **LIMITS)
    assert abs(ours.loss - theirs.loss) < 1e-9


@settings(max_examples=1000 if LONG else 10, deadline=None)
@given(degenerate(), st.sampled_from([0.0, 1e-4, 1e-2, 1.0, 10.0]))
def test_degenerate_problems(problem, epsilon):
    """Where both converge on problems at the edge they agree, and nothing is lost elsewhere."""
    found = solve(problem, epsilon)
    assert np.isfinite(found.loss)
    assert found.loss >= 0
    if not found.converged or CORE_ALONE:
        return
    theirs = solve_plainly(problem, epsilon, **LIMITS)
    if theirs.converged:
        mine = objective(problem, found.T, epsilon)
        other = objective(problem, theirs.T, epsilon)
        assert other <= mine + 1e-7 * (1 + abs(mine))
        assert other >= mine - 1e-7 * (1 + abs(mine)) or theirs.starts > found.starts


def test_no_mass_but_what_cannot_be_told_from_none():
    """A side whose mass is almost nothing costs what the other side leaves unmatched."""
    problem = Problem(np.full((3, 2), 0.5), np.zeros((3, 3)), np.zeros((2, 2)), [1e-30] * 3,
                      [0.5, 0.5], 0.35)  # fmt: skip
    assert solve(problem, max_outer=10).loss == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_threads_and_company_change_no_bit(epsilon):
    """One by one, in a batch, shuffled, or with four threads: the same bits."""
    rng = np.random.default_rng(8)
    problems = [plan(rng, spread=str(rng.choice(["full", "flat"]))) for _ in range(60)]
    problems += [plan(rng, (30, 25)), plan(rng, (25, 30))]
    alone = [solve(problem, epsilon, threads=1) for problem in problems]
    order = rng.permutation(len(problems))
    shuffled = solve_batch([problems[k] for k in order], epsilon, threads=4)
    for place, k in enumerate(order):
        assert np.array_equal(alone[k].T, shuffled[place].T)
        assert alone[k].terms == shuffled[place].terms
        assert alone[k].iterations == shuffled[place].iterations


@pytest.mark.parametrize("n", [1, 6, 40, SMALL])
def test_a_relabelled_copy_loses_nothing(n):
    """One graph listed twice costs exactly 0, whichever core looks at it."""
    rng = np.random.default_rng(n)
    C = rng.random((n, n))
    np.fill_diagonal(C, 0.0)
    assert solve(twins(chain(n), C, rng.permutation(n))).loss == 0.0


def test_the_assignment_is_an_optimum():
    """Any shape, with ties and without, costs what scipy finds."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        shape = rng.integers(1, 14, 2)
        for cost in (rng.normal(size=shape), rng.integers(0, 4, shape).astype(float)):
            columns = np.array(native().assignment(cost))
            rows = np.flatnonzero(columns >= 0)
            assert len(rows) == min(shape)
            assert len(set(columns[rows])) == len(rows)
            best = cost[linear_sum_assignment(cost)].sum()
            assert cost[rows, columns[rows]].sum() == pytest.approx(best, abs=1e-10)


def test_a_packed_problem_is_checked():
    """The core believes no array that is not what it says."""

    class Broken:
        packed = np.array([3.0, 3.0, 0.5])

    with pytest.raises(ValueError, match="as many numbers as its shape says"):
        native().solve([Broken()], [0.05], [0.05], False, 10, 10, 1e-6, 1, print)
