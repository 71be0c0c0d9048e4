import numpy as np
import pytest

import oracles
from otap.transport import objective
from otap.transport.objective import entropy, gradient, kl, structure, terms
from plans import any_problem, plan


def couplings(seed, count=20):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n, m = rng.integers(1, 8, 2)
        yield any_problem(rng, n, m), rng.dirichlet(np.ones(n * m)).reshape(n, m)


def test_terms_are_eq_3_as_it_is_written():
    """The factorised terms equal four nested loops."""
    for problem, T in couplings(0):
        np.testing.assert_allclose(terms(problem, T), oracles.loss_terms(problem, T), atol=1e-12)


def test_a_sparse_coupling_has_the_same_terms():
    """Pair by pair and factorised, the structure term is the same, and never negative."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        problem = any_problem(rng, 6, 4)
        T = np.zeros((6, 4))
        T[rng.permutation(6)[:4], np.arange(4)] = rng.random(4)
        expected = oracles.loss_terms(problem, T)
        np.testing.assert_allclose(terms(problem, T), expected, atol=1e-12)
        factorised = (gradient(problem, T) - (1 - problem.theta) * problem.C) * T / 2
        np.testing.assert_allclose(factorised.sum(), expected[1], atol=1e-12)


def test_the_gradient_is_that_of_the_terms_with_its_factor_2():
    """Central differences of the node and structure term agree."""
    for problem, T in couplings(3, 10):
        numeric, step = np.empty_like(T), 1e-5
        for index in np.ndindex(T.shape):
            shift = np.zeros_like(T)
            shift[index] = step
            up, down = terms(problem, T + shift), terms(problem, T - shift)
            numeric[index] = (up.node + up.structure - down.node - down.structure) / (2 * step)
        np.testing.assert_allclose(gradient(problem, T), numeric, atol=1e-9)


def test_the_gradient_is_the_full_contraction():
    """The factorised gradient equals the sum over the tensor of squared differences."""
    for problem, T in couplings(4):
        gap = (problem.D_p[:, None, :, None] - problem.D_r[None, :, None, :]) ** 2
        whole = (1 - problem.theta) * problem.C + 2 * problem.theta * np.einsum("ijkl,kl", gap, T)
        np.testing.assert_allclose(gradient(problem, T), whole, atol=1e-13)


def test_the_objective_adds_the_entropy_term():
    """At a positive epsilon the objective has the counting entropy, whose gradient is log T."""
    for problem, T in couplings(5, 5):
        expected = terms(problem, T).loss + 0.05 * (T * (np.log(T) - 1)).sum()
        assert objective(problem, T, 0.05) == pytest.approx(expected, abs=1e-14)
        assert objective(problem, T) == terms(problem, T).loss


def test_empty_entries_cost_what_the_limit_says():
    """Zeros in T are the limits of small numbers: no entropy, and kl(0 | b) = b."""
    assert entropy(np.zeros((2, 2))) == 0
    assert kl(np.array([0.0, 0.5]), np.array([0.5, 0.5])).tolist() == [0.5, 0.0]


def test_no_term_is_negative():
    """At a perfect match every term is 0 and none falls below by rounding."""
    rng = np.random.default_rng(6)
    D = plan(rng, (30, 30)).D_p
    T = np.diag(np.full(30, 1 / 30)) + 1e-18
    assert structure(D, D, T) >= 0
    assert (kl(np.linspace(0.1, 0.1 + 1e-12, 999), np.full(999, 0.1)) >= 0).all()
