"""Long traces in single precision, against the NumPy solver in double."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_plans import KINDS, hops, long_plan

from otap.transport import Problem, contributions, parameters, solve
from otap.transport.core import native
from otap.transport.native.long import Descent, solve_long
from otap.transport.objective import kl, objective, terms
from otap.transport.plain import solve_plainly
from otap.transport.structure import Hops
from plans import node_cost

LONG = os.environ.get("OTAP_LONG") == "1"
LIMITS = {"max_outer": 100, "tolerance": 1e-6}

pytestmark = pytest.mark.skipif(native() is None, reason="no native core was built")


def ours(problem, epsilon, threads=1):
    """The solution that must be there."""
    found = solve_long(problem, epsilon, threads=threads, **LIMITS)
    assert found is not None
    return found


def assert_agreement(problem, epsilon):
    """The loss of the NumPy solver to 1e-5, and terms that are those of the coupling."""
    found = ours(problem, epsilon)
    expected = solve_plainly(problem, epsilon, **LIMITS)
    assert found.converged
    assert found.precision == "single"
    assert found.T.dtype == np.float32
    assert found.loss == pytest.approx(expected.loss, abs=1e-5)
    assert found.epsilon == expected.epsilon
    parts = terms(problem, found.T.astype(np.float64))
    np.testing.assert_allclose(found.terms, parts, atol=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
@pytest.mark.parametrize("kind", KINDS)
def test_both_solvers_find_the_same_loss(kind, epsilon):
    """Over graded structures, forests, skips, and none, on sides of unequal length."""
    rng = np.random.default_rng(3)
    assert_agreement(long_plan(rng, 130, 104, kind, kind), epsilon)
    assert_agreement(long_plan(rng, 103, 128, kind, "layers"), epsilon)


@pytest.mark.parametrize("kind", ["layers", "tree", "window"])
@pytest.mark.parametrize("shape", [(300, 280), (270, 400)] if LONG else [(270, 260)])
def test_factors_of_the_structure_do(shape, kind):
    """Beyond 256 steps a structure is worked with by its factors; the terms do without them."""
    problem = long_plan(np.random.default_rng(4), *shape, kind, kind)
    assert_agreement(problem, 0.05)
    assert ours(problem, 0.05).structure_error < 5e-3


@pytest.mark.parametrize("shape", [(1, 200), (200, 1), (2, 150), (150, 40)])
@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_sides_of_very_unequal_length(shape, epsilon):
    """A side may have a single step."""
    assert_agreement(long_plan(np.random.default_rng(5), *shape, "layers", "tree"), epsilon)


@pytest.mark.parametrize("theta", [0.0, 1.0])
@pytest.mark.parametrize("epsilon", [0.01, 0.05])
def test_either_term_alone(theta, epsilon):
    """Node costs alone, and structure alone."""
    problem = long_plan(np.random.default_rng(6), 120, 110, "layers", "layers", theta)
    assert_agreement(problem, epsilon)


@pytest.mark.parametrize("epsilon", [1e-4, 1e-3, 0.3, 10.0])
@pytest.mark.parametrize("weight", [0.1, 1.0, 100.0])
def test_any_entropy_and_any_weight(epsilon, weight):
    """Where the solver in single precision gives up it says so, and the other takes over."""
    problem = long_plan(np.random.default_rng(7), 125, 110, "layers", "tree", 0.35, weight)
    found = solve(problem, epsilon)
    expected = solve_plainly(problem, epsilon, **LIMITS)
    assert found.loss == pytest.approx(expected.loss, rel=1e-5, abs=1e-5)


def test_structures_given_as_arrays():
    """An array and the hops that it is made of: the same loss."""
    for kind in ("layers", "tree"):
        problem = long_plan(np.random.default_rng(8), 280, 270, kind, kind)
        arrays = Problem(
            problem.C, problem.D_p.matrix(), problem.D_r.matrix(), problem.mu, problem.nu, 0.35
        )
        for epsilon in (0.0, 0.05):
            expected = ours(problem, epsilon).loss
            assert ours(arrays, epsilon).loss == pytest.approx(expected, abs=1e-6)


def test_masses_and_weights_of_their_own():
    """Each step may have a mass and a weight of its own."""
    rng = np.random.default_rng(9)
    plain = long_plan(rng, 140, 120, "layers", "window")
    problem = Problem(
        plain.C,
        plain.D_p,
        plain.D_r,
        rng.dirichlet(np.full(140, 3.0)),
        rng.dirichlet(np.full(120, 3.0)),
        0.35,
        rng.uniform(0.3, 3.0, 140),
        rng.uniform(0.3, 3.0, 120),
    )
    for epsilon in (0.0, 0.05):
        assert_agreement(problem, epsilon)


@pytest.mark.parametrize("kind", ["layers", "tree", "forest"])
@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_threads_change_no_bit(kind, epsilon):
    """One, two and four threads: the same coupling, and the same terms."""
    n = 1100 if kind == "forest" else 1500  # from about here each pass is shared
    problem = long_plan(np.random.default_rng(10), n, n - 40, kind, kind)
    one, two, four = (ours(problem, epsilon, threads) for threads in (1, 2, 4))
    for other in (two, four):
        assert np.array_equal(one.T, other.T)
        assert one.terms == other.terms


@pytest.mark.parametrize("kind", ["layers", "tree"])
@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_no_jump_where_the_solver_changes(kind, epsilon):
    """At 101 steps, the first that are solved in single precision, the loss is that of double."""
    problem = long_plan(np.random.default_rng(11), 101, 101, kind, kind)
    found = solve(problem, epsilon)
    double = solve_plainly(problem, epsilon, **LIMITS)
    assert (found.precision, double.precision) == ("single", "double")
    assert abs(found.loss - double.loss) < 1e-5


def costs_of(rng, n, m, kind):
    """Costs that tell steps apart, that hardly do, or of steps that occur six times each."""
    low, high = (0.4, 0.5) if kind == "flat" else (0.0, 1.0)
    C = rng.uniform(low, high, (n, m))
    if kind != "repeated":
        return C
    return C[np.ix_(rng.integers(0, n // 6, n), rng.integers(0, m // 6, m))]


def assert_one_score(one, other):
    """Scores that differ by less than 1e-4."""
    assert abs(np.exp(-one.loss) - np.exp(-other.loss)) < 1e-4


@pytest.mark.parametrize("costs", ["clear", "flat", "repeated"])
@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_moves_no_score(kind, costs):
    """The same problem in both paths; one that does not settle is taken as it is.

    Where a linearisation fails in single precision it is left to double.
    """
    n, m = 96, 91  # about the longest that are solved in double precision, from three starts
    for seed in range(5 if LONG else 1):
        rng = np.random.default_rng(seed)
        C, D_p, D_r = costs_of(rng, n, m, costs), hops(rng, n, kind), hops(rng, m, kind)
        problem = Problem(C, D_p, D_r, np.full(n, 1 / n), np.full(m, 1 / m), 0.45)
        single, double = solve_long(problem, 0.0, threads=1, **LIMITS), solve(problem)
        assert double.precision == "double"
        if single is not None:
            assert_one_score(single, double)


@pytest.mark.parametrize("kind", ["layers", "tree", "window"])
def test_a_larger_last_weight_moves_no_score(kind, monkeypatch):
    """From 201 steps on the last entropy weight is ten times as large."""
    problem = long_plan(np.random.default_rng(14), 201, 190, kind, kind)
    found = ours(problem, 0.0)
    monkeypatch.setattr(parameters, "FINE_UP_TO", 201)
    assert_one_score(found, ours(problem, 0.0))


@pytest.mark.parametrize("kind", ["layers", "tree", "window"])
def test_rough_factors_move_no_score(kind, monkeypatch):
    """Beyond 500 steps there are always factors; without them the score is the same."""
    n = 1500 if LONG else 510
    problem = long_plan(np.random.default_rng(15), n, n - 9, kind, kind)
    found = ours(problem, 0.0)
    monkeypatch.setattr(parameters, "MAX_DENSE", n)
    assert_one_score(found, ours(problem, 0.0))


@pytest.mark.parametrize("n", [101, 1000, 5000] if LONG else [101, 1000])
@pytest.mark.parametrize("kind", ["layers", "window"])
def test_equal_traces_score_exactly_1(kind, n):
    """In the order listed, and in any other."""
    rng = np.random.default_rng(n)
    D, order, mass = hops(rng, n, kind), rng.permutation(n), np.full(n, 1 / n)
    C = rng.uniform(0.1, 1.0, (n, n))
    np.fill_diagonal(C, 0.0)
    assert solve(Problem(C, D, D, mass, mass, 0.35)).loss == 0.0
    listed = Hops(D.counts[np.ix_(order, order)], D.height)
    assert solve(Problem(C[:, order], D, listed, mass, mass, 0.35)).loss == 0.0


@pytest.mark.parametrize("kind", ["layers", "window", "skips"])
@pytest.mark.parametrize("n", [120, 300])
@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_contributions(kind, n, epsilon):
    """They are those of the definition to 1e-6, and sum to what pairs of steps cost."""
    problem = long_plan(np.random.default_rng(12), n, n - 15, kind, kind)
    found = ours(problem, epsilon)
    pairs = contributions(problem, found.T)
    paired = found.terms.node + found.terms.structure
    assert pairs.min() >= 0
    assert pairs.sum() == pytest.approx(paired, abs=1e-6)
    T, theta = found.T.astype(np.float64), problem.theta
    D_p, D_r = problem.D_p.matrix(), problem.D_r.matrix()
    mismatch = (D_p * D_p) @ T.sum(axis=1)[:, None] + (D_r * D_r) @ T.sum(axis=0)
    mismatch += 2.0 * D_p @ T @ D_r
    expected = T * ((1.0 - theta) * problem.C + theta * mismatch)
    np.testing.assert_allclose(pairs, expected, atol=1e-6)


def test_unconverged_is_said():
    """With too few linearisations the result says that it has not settled, or leaves it."""
    problem = long_plan(np.random.default_rng(13), 500, 480, "layers", "layers")
    found = solve_long(problem, 0.05, max_outer=1, tolerance=1e-6, threads=1)
    assert found is not None
    assert not found.converged
    assert found.iterations == 1


def test_what_does_not_settle_is_taken_with_what_is_true_of_it(monkeypatch):
    """It has not converged while its objective falls, and has where that stands still."""
    monkeypatch.setattr(parameters, "STILL_SINGLE", 0.0)  # single precision never is
    rng = np.random.default_rng(23)
    D_p, D_r = hops(rng, 120, "skips"), hops(rng, 110, "forest")
    C = costs_of(rng, 120, 110, "flat")
    problem = Problem(C, D_p, D_r, np.full(120, 1 / 120), np.full(110, 1 / 110), 0.45)
    limits = {"tolerance": 1e-12, "threads": 1}
    few, many = (solve_long(problem, 0.0, max_outer=count, **limits) for count in (8, 100))
    assert few is not None
    assert many is not None
    assert not few.converged
    assert many.converged
    assert many.change > 1e-12


@pytest.mark.parametrize("fails_up_to", [1e-3, 0.01])
def test_a_solution_at_an_earlier_weight_has_not_converged(fails_up_to, monkeypatch):
    """Beyond 200 steps a descent that is stuck ends at a larger weight, and says so."""
    linearise = Descent.linearise

    def stuck(self, epsilon, first):
        return epsilon > fails_up_to and linearise(self, epsilon, first)

    monkeypatch.setattr(Descent, "linearise", stuck)
    problem = long_plan(np.random.default_rng(13), 230, 210, "layers", "layers")
    found = ours(problem, 0.0)
    assert not found.converged
    assert found.epsilon == 0.0 or found.epsilon > fails_up_to


@st.composite
def degenerate(draw):
    """Problems at the edge: single steps, costs all equal or 0, no structure, any weight."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.sampled_from([(1, 101), (101, 1), (101, 101), (2, 120), (130, 40)]))
    cost = draw(st.sampled_from(["zero", "equal", "random", "full"]))
    C = {
        "zero": np.zeros((n, m)),
        "equal": np.full((n, m), 0.4),
        "random": rng.random((n, m)),
        "full": node_cost(rng, n, m, "full"),
    }[cost]
    kinds = [draw(st.sampled_from([*KINDS, "none"])) for _ in range(2)]
    weights = st.sampled_from([0.01, 0.1, 1.0, 10.0, 100.0])
    return Problem(
        C,
        hops(rng, n, kinds[0]),
        hops(rng, m, kinds[1]),
        rng.dirichlet(np.full(n, 5.0)) + 1e-6,
        rng.dirichlet(np.full(m, 5.0)) + 1e-6,
        draw(st.sampled_from([0.0, 0.35, 0.7, 1.0])),
        draw(weights),
        draw(weights),
    )


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(degenerate(), st.sampled_from([0.0, 1e-4, 1e-3, 0.01, 0.05, 0.3, 1.0, 10.0]))
def test_degenerate_problems(problem, epsilon):
    """Either given up, or a finite coupling that is no worse than to move nothing at all."""
    found = solve_long(problem, epsilon, threads=1, **LIMITS)
    if found is None:
        return
    T = found.T.astype(np.float64)
    assert np.isfinite(T).all()
    assert T.min() >= 0
    np.testing.assert_allclose(found.terms, terms(problem, T), atol=1e-6, rtol=1e-6)
    nothing = problem.lambda_1 @ kl(np.zeros(len(T)), problem.mu)
    nothing += problem.lambda_2 @ kl(np.zeros(T.shape[1]), problem.nu)
    if found.converged:
        assert objective(problem, T, epsilon) <= nothing + 1e-5
