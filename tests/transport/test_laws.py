"""What holds for every problem: identity, relisting, batches, certificates."""

import os
from dataclasses import replace

import numpy as np
import pytest

import oracles
from otap.transport import Problem, solve, solve_batch
from otap.transport.objective import terms
from plans import any_problem, chain, dag, plan, relisted, structure, twins

LONG = os.environ.get("OTAP_LONG") == "1"
COUNT = 200 if LONG else 12


@pytest.mark.parametrize("n", [1, 2, 3, 10, 50, 200, *([1000] if LONG else [])])
def test_a_run_against_itself_loses_nothing(n):
    """Two equal sides have loss 0, exactly, at any length."""
    rng = np.random.default_rng(n)
    D = chain(n) if n > 100 else dag(rng, n, "skip")
    C = rng.random((n, n))
    np.fill_diagonal(C, 0.0)
    found = solve(twins(D, C, np.arange(n)))
    assert found.loss == 0.0
    assert found.converged
    assert sum(found.terms) == 0.0
    assert np.array_equal(found.T.sum(axis=1), found.problem.mu)


@pytest.mark.parametrize("kind", ["chain", "forest", "skip", "sparse"])
@pytest.mark.parametrize("n", [2, 5, 12, 50])
@pytest.mark.parametrize("steps", ["distinct", "three kinds", "one kind"])
def test_a_run_listed_in_another_order_loses_nothing(kind, n, steps):
    """Isomorphic copies have loss 0, even where only structure tells the steps apart."""
    rng = np.random.default_rng(n)
    kinds = {
        "distinct": np.arange(n),
        "three kinds": np.arange(n) % 3,
        "one kind": 0 * np.arange(n),
    }
    C = 0.7 * (kinds[steps][:, None] != kinds[steps][None, :])
    for _ in range(3):
        found = solve(twins(dag(rng, n, kind), C, rng.permutation(n)))
        assert found.loss == 0.0
        assert found.converged


def test_branches_that_are_alike_do_not_blur():
    """Six equal branches of three steps, with one step changed: the rest still pairs one to one."""
    n, branches = 18, 6
    edges = [(3 * b + k, 3 * b + k + 1) for b in range(branches) for k in range(2)]
    D = structure(edges, n)
    C = 0.7 * ((np.arange(n) % 3)[:, None] != (np.arange(n) % 3)[None, :])
    C[4] = 0.5
    order = np.random.default_rng(0).permutation(n)
    found = solve(twins(D, C, order))
    assert 0.01 < found.loss < 0.65 * 0.5 / n
    paired = found.T.max(axis=1) / found.T.sum(axis=1)
    assert np.delete(paired, 4).min() > 0.9


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_relisting_the_steps_relists_the_coupling(epsilon):
    """Another order of the steps changes neither the loss nor who stands for whom."""
    rng = np.random.default_rng(1)
    for _ in range(COUNT):
        problem = plan(rng, graded=bool(rng.integers(2)))
        agent, reference = map(rng.permutation, problem.shape)
        first, second = solve_batch(
            [problem, relisted(problem, agent, reference)], epsilon, tolerance=1e-10
        )
        assert second.loss == pytest.approx(first.loss, abs=1e-9)
        if epsilon:
            np.testing.assert_allclose(second.T, first.T[np.ix_(agent, reference)], atol=1e-8)


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.05])
def test_a_converged_coupling_certifies_itself(epsilon):
    """The scaling identity (first order in the scale of T) holds wherever a descent converged."""
    rng = np.random.default_rng(2)
    problems = [plan(rng, graded=bool(k % 2)) for k in range(COUNT)]
    problems += [any_problem(rng, 6, 4) for _ in range(COUNT)]
    solutions = solve_batch(problems, epsilon)
    assert all(found.converged for found in solutions[:COUNT])
    # Structure that no graph has can need more than 100 steps; then it is said.
    assert sum(not found.converged for found in solutions) <= 0.01 * len(solutions)
    assert all(found.residual < 5e-6 for found in solutions if found.converged)


def test_an_unfinished_coupling_does_not_certify_itself():
    """Far from the optimum the certificate is far from 0."""
    rng = np.random.default_rng(3)
    found = solve(plan(rng, (8, 8)), epsilon=0.05)
    worse = replace(found, T=found.T * 0.9, terms=terms(found.problem, found.T * 0.9))
    assert worse.residual > 1e-3


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_a_batch_is_its_members_alone(epsilon):
    """Each problem has the same bits alone, in a batch, and in a batch in another order."""
    rng = np.random.default_rng(4)
    problems = [
        plan(rng, spread=str(rng.choice(["full", "flat"])), theta=float(rng.choice([0.35, 0.7])))
        for _ in range(COUNT)
    ]
    problems += [plan(rng, (6, 6)) for _ in range(COUNT)]
    order = rng.permutation(len(problems))
    together = solve_batch(problems, epsilon)
    turned = solve_batch([problems[k] for k in order], epsilon)
    for k, problem in enumerate(problems):
        assert np.array_equal(solve(problem, epsilon).T, together[k].T)
        assert together[k].problem is problem
    for place, k in enumerate(order):
        assert np.array_equal(turned[place].T, together[k].T)


def test_the_same_problem_has_the_same_bits_twice():
    """Nothing is random from one call to the next."""
    rng = np.random.default_rng(5)
    problem = plan(rng, spread="flat", theta=0.9)
    assert np.array_equal(solve(problem).T, solve(problem).T)


def test_an_empty_batch_is_empty():
    """No problems, no solutions."""
    assert len(solve_batch([])) == 0


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1), (2, 1), (2, 9)])
@pytest.mark.parametrize("theta", [0.0, 0.35, 1.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_sides_of_any_length(shape, theta, epsilon):
    """One step a side is enough, at either end of theta, and the loss stays in its bounds."""
    rng = np.random.default_rng(6)
    for _ in range(5):
        found = solve(plan(rng, shape, theta=theta), epsilon)
        assert found.converged
        assert 0 <= found.loss <= 2.0 + 0.1 * (epsilon > 0)
        assert found.residual < 1e-5


def test_one_pair_has_a_closed_form():
    """A single pair carries exp(-C (1 - theta) / (lambda_1 + lambda_2)) and loses the rest."""
    problem = Problem([[0.8]], [[0.0]], [[0.0]], [1.0], [1.0], 0.35, 1.0, 1.0)
    mass = np.exp(-0.65 * 0.8 / 2)
    assert solve(problem).mass == pytest.approx(mass, abs=1e-12)
    assert solve(problem).loss == pytest.approx(2 * (1 - mass), abs=1e-12)


@pytest.mark.parametrize("weight", [1e-3, 1e-2, 0.1, 10.0, 1e3, 1e5])
@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_penalties_of_any_size(weight, epsilon):
    """Where mass is free nearly all is dropped, where it is dear nearly none is."""
    rng = np.random.default_rng(7)
    for found in solve_batch([plan(rng, (6, 5), weights=weight) for _ in range(5)], epsilon):
        assert found.converged
        assert np.isfinite(found.T).all()
        assert found.loss <= 2 * weight + epsilon
        if weight > 100:
            np.testing.assert_allclose(found.T.sum(axis=1), found.problem.mu, rtol=1e-2)


def test_a_weight_may_differ_from_step_to_step():
    """A step whose penalty is higher keeps more of its mass, and equal sides still lose nothing."""
    rng = np.random.default_rng(8)
    base = plan(rng, (6, 6))
    fields = [base.C, base.D_p, base.D_r, base.mu, base.nu, base.theta]
    heavy = np.ones(6)
    heavy[2] = 4.0
    plain, weighted = solve_batch([Problem(*fields, 1.0, 1.0), Problem(*fields, 1.0, heavy)])
    gap = [abs(s.T.sum(axis=0)[2] - base.nu[2]) for s in (plain, weighted)]
    assert gap[1] < gap[0]
    D = base.D_p
    same = Problem(1 - np.eye(6), D, D, base.mu, base.nu, 0.35, 1.0, heavy)
    assert solve(same).loss == 0.0


@pytest.mark.parametrize("cost", [0.0, 1.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_costs_that_say_nothing(cost, epsilon):
    """With every cost alike only structure counts, and a solution is still found."""
    rng = np.random.default_rng(9)
    for kind in ("chain", "skip"):
        D_p, D_r = dag(rng, 7, kind), dag(rng, 6, kind)
        mu, nu = np.full(7, 1 / 7), np.full(6, 1 / 6)
        found = solve(Problem(np.full((7, 6), cost), D_p, D_r, mu, nu, 0.35), epsilon)
        assert found.converged
        assert 0 < found.loss < 1


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_unconverged_says_so(epsilon):
    """One linearisation is not enough, and the solution does not claim that it was."""
    problem = plan(np.random.default_rng(10), (8, 8))
    found = solve(problem, epsilon, max_outer=1)
    assert not found.converged
    assert found.iterations == 1
    assert solve(problem, epsilon).iterations <= 100


@pytest.mark.parametrize("wrong", [{"epsilon": -1.0}, {"max_outer": 0}, {"tolerance": 0.0}])
def test_settings_out_of_range_are_refused(wrong):
    """A setting that makes no sense is a ValueError."""
    with pytest.raises(ValueError, match="epsilon must be"):
        solve(plan(np.random.default_rng(0), (3, 3)), **wrong)


def test_with_marginals_held_it_is_pots_fused_gromov_wasserstein():
    """At large lambda the coupling is POT's balanced one, structure taken as antisymmetric."""
    rng = np.random.default_rng(12)
    for _ in range(8):
        problem = plan(rng, (6, 5), weights=1e7)
        found = solve(problem, epsilon=0.05, tolerance=1e-9)
        assert abs(found.T - oracles.pot_balanced(problem, 0.05)).sum() < 2e-4


def test_a_shorter_run_has_mass_at_most_1():
    """Without entropy the mass is at most that of the sides; with it, it can be more."""
    rng = np.random.default_rng(13)
    for found in solve_batch([plan(rng) for _ in range(COUNT)]):
        assert 0.5 < found.mass <= 1 + 1e-6


def test_long_sides_are_solved():
    """300 steps against 280 converge and certify themselves, within seconds."""
    rng = np.random.default_rng(14)
    found = solve(plan(rng, (300, 280)))
    assert found.converged
    assert found.residual < 1e-5
