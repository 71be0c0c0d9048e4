"""What a step weighs: the laws and the figures of docs/mass.md, held against the solver."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from otap.costs import mass_moving_cost
from otap.transport import FORBIDDEN, Problem, objective, solve, solve_batch
from plans import Array, chain, dag, plan

PAGE = Path(__file__).parents[2] / "docs" / "mass.md"
THETA = 0.45
COUNT = 200 if os.environ.get("OTAP_LONG") == "1" else 25
COSTS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

seeds = st.integers(0, 2**32 - 1)
lambdas = st.floats(0.05, 1.0)
costs = st.floats(0.3, 1.0)
weights = st.lists(st.floats(0.01, 1.0), min_size=1, max_size=7).map(np.array)


def unit(run: Array, reference: Array) -> float:
    """M of the theory of lambda, what both sides' weights are divided by."""
    return max(1.0, (run.sum() + reference.sum()) / 2)


def problem(
    C: Array,
    run: Array,
    reference: Array,
    lambda_1: Array | float = 1.0,
    lambda_2: Array | float = 1.0,
    structures: tuple[Array, Array] | None = None,
) -> Problem:
    """The problem of two sides of these weights; without structures no order counts."""
    M = unit(run, reference)
    D_p, D_r = structures or (np.zeros((len(run),) * 2), np.zeros((len(reference),) * 2))
    return Problem(C, D_p, D_r, run / M, reference / M, THETA, lambda_1, lambda_2)


def done(n: int, missing: int, junk: int, c: float) -> Array:
    """Node costs of a run that lacks the last steps of n and has junk instead: 0 and c."""
    C = np.full((n - missing + junk, n), c)
    np.fill_diagonal(C[: n - missing], 0.0)
    return C


def flat_loss(a: float, b: float, c: float, lambda_1: float, lambda_2: float) -> float:
    """L_u(a, b): the loss between masses a and b if every pair costs c."""
    S = lambda_1 + lambda_2
    moved = a ** (lambda_1 / S) * b ** (lambda_2 / S) * np.exp(-(1 - THETA) * c / S)
    return lambda_1 * a + lambda_2 * b - S * moved


def missing_loss(n: int, k: int, c: float, weight: float) -> float:
    """The loss of a run that lacks k of n steps, where order does not count."""
    left, K = n - k, np.exp(-(1 - THETA) * c / weight)
    return weight * (2 * left + k - 2 * np.sqrt(left * (left + k * K))) / (n - k / 2)


def largest_lambda(c: float, missing: float, ratio: float = 1.0) -> float:
    """The largest lambda_2 at which junk in place of a share of the steps does not pay.

    Args:
        c: what junk costs against what is missing.
        missing: the share, below 1.
        ratio: lambda_1 over lambda_2.
    """
    kept = 1 - 1 / ((1 - missing / 2) * (1 + ratio))
    return (1 - THETA) * c / (-(1 + ratio) * np.log(kept)) if kept > 0 else 0.0


def least_critical(c: float) -> float:
    """The same for up to half of the steps, all critical (kappa 1): the least over their share."""
    shares = np.linspace(0.001, 0.5, 500)
    factors = 2 / (1 + shares)
    found = [largest_lambda(c, s, 1 / w) / w for s, w in zip(shares, factors, strict=True)]
    return min(found)


def gain_of_junk(missing: float, c: float, weight: float) -> float:
    """The share of the loss that junk, however much of it, can take off at most."""
    e, K = missing / (2 - missing), np.exp(-(1 - THETA) * c / weight)
    return 1 - (1 + e - np.sqrt((1 + e) ** 2 - 4 * e * (1 - K))) / (2 * e)


def least_ratio(weight: float) -> float:
    """The least lambda_1 over lambda_2 at which unlike light steps are no better than none."""
    for ratio in np.geomspace(1e-3, 1, 20001):
        if (1 + ratio) * -np.expm1(-(1 - THETA) / weight / (1 + ratio)) >= 1:
            return float(ratio)
    return np.inf


# Bounds


@given(weights, weights, lambdas, lambdas, st.floats(0.01, 5.0), seeds)
def test_a_step_that_may_stand_for_nothing_adds_its_penalty(
    run, reference, lambda_1, lambda_2, weight, seed
):
    """With the unit of the reference the loss is that without it, and lambda_1 w / M."""
    rng, M = np.random.default_rng(seed), max(1.0, reference.sum())
    n, m = len(run), len(reference)
    C, place = rng.random((n, m)), int(rng.integers(n + 1))
    D_p, D_r = dag(rng, n + 1, "skip"), dag(rng, m, "skip")
    rest = np.delete(np.arange(n + 1), place)
    without = Problem(
        C, D_p[np.ix_(rest, rest)], D_r, run / M, reference / M, THETA, lambda_1, lambda_2
    )
    expected = solve(without, 0.0).loss + lambda_1 * weight / M
    added = Problem(
        np.insert(C, place, FORBIDDEN, axis=0), D_p, D_r,
        np.insert(run, place, weight) / M, reference / M, THETA, lambda_1, lambda_2,
    )  # fmt: skip
    found = solve(added, 0.0)
    assert found.loss == pytest.approx(expected, abs=1e-6)
    assert found.T[place].max() < 1e-12


@given(weights, weights, lambdas, lambdas, seeds)
def test_the_loss_lies_between_two_bounds(run, reference, lambda_1, lambda_2, seed):
    """At most all that both sides weigh, at least what their totals differ in."""
    rng = np.random.default_rng(seed)
    n, m = len(run), len(reference)
    D = dag(rng, n, "skip"), dag(rng, m, "sparse")
    found = solve(problem(rng.random((n, m)), run, reference, lambda_1, lambda_2, D))
    a, b = found.problem.mu.sum(), found.problem.nu.sum()
    assert found.loss <= lambda_1 * a + lambda_2 * b
    assert lambda_1 * a + lambda_2 * b <= max(lambda_1, lambda_2) * 2 + 1e-12
    assert found.loss >= flat_loss(a, b, 0.0, lambda_1, lambda_2) - 1e-9
    assert found.mass <= a ** (lambda_1 / (lambda_1 + lambda_2)) * b ** (
        lambda_2 / (lambda_1 + lambda_2)
    ) * (1 + 1e-6)


@given(weights, weights, lambdas, lambdas, costs)
def test_unlike_sides_have_a_closed_form(run, reference, lambda_1, lambda_2, c):
    """L_u(a, b) is the loss where every pair costs the same and order does not count."""
    C = np.full((len(run), len(reference)), c)
    found = solve(problem(C, run, reference, lambda_1, lambda_2))
    a, b = found.problem.mu.sum(), found.problem.nu.sum()
    assert found.loss == pytest.approx(flat_loss(a, b, c, lambda_1, lambda_2), abs=1e-6)


@given(st.floats(0.0, 2.0), lambdas, costs)
def test_equal_masses_are_the_least_that_unlike_sides_lose(a, weight, c):
    """With one lambda and a + b = 2, L_u(a, b) is least at L_u(1, 1) and at most 2 lambda."""
    found = flat_loss(a, 2 - a, c, weight, weight)
    assert flat_loss(1, 1, c, weight, weight) - 1e-12 <= found <= 2 * weight + 1e-12


@given(weights, weights, lambdas, seeds)
def test_the_scaling_identity_holds_at_unequal_masses(run, reference, weight, seed):
    """A coupling that converged certifies itself, with a lambda for each step."""
    rng = np.random.default_rng(seed)
    n, m = len(run), len(reference)
    D = dag(rng, n, "forest"), dag(rng, m, "skip")
    of_run, of_reference = weight * rng.uniform(0.1, 1, n), weight * rng.uniform(0.6, 1.2, m)
    made = problem(rng.random((n, m)), run, reference, of_run, of_reference, D)
    for epsilon in (0.0, 0.05):
        found = solve(made, epsilon)
        # Few steps find the masses of a partial permutation: its loss is good to the square.
        limit = 1e-5 if found.epsilon else 1e-3
        assert found.residual < limit or not found.converged


@given(weights, lambdas, seeds)
def test_a_side_that_vanishes_costs_what_the_other_weighs(reference, weight, seed):
    """Lambda times the smaller of W and 2, the convention for no steps, is the limit."""
    C = np.random.default_rng(seed).random((1, len(reference)))
    light = 1e-6
    found = solve(problem(C, np.array([light]), reference, weight, weight)).loss
    nothing = weight * min(reference.sum(), 2)
    assert abs(found - nothing) <= 2 * weight * np.sqrt(light * reference.sum()) + 2 * light


# Missing, added, split, doubled


@given(st.integers(2, 12), st.data(), lambdas, costs)
def test_what_missing_steps_cost(n, data, weight, c):
    """The closed form without order; with it between lambda k (1 - K) / M and lambda k / M."""
    k = data.draw(st.integers(1, n - 1))
    C, D = done(n, k, 0, c), chain(n)
    run, reference = np.ones(n - k), np.ones(n)
    free = solve(problem(C, run, reference, weight, weight)).loss
    ordered = solve(problem(C, run, reference, weight, weight, (D[:-k, :-k], D))).loss
    most, K = weight * k / (n - k / 2), np.exp(-(1 - THETA) * c / weight)
    assert free == pytest.approx(missing_loss(n, k, c, weight), abs=1e-6)
    assert most * (1 - K) - 1e-9 <= free <= ordered + 1e-6
    assert ordered <= most + 1e-9
    extra = solve(problem(C.T, reference, run, weight, weight)).loss
    assert extra == pytest.approx(free, abs=1e-6)


@given(weights, weights, lambdas, seeds)
def test_no_lambda_of_the_run_hides_a_missing_step(run, reference, weight, seed):
    """Each step costs at least lambda_2 nu (1 - K), K by the nearest step of the run."""
    rng = np.random.default_rng(seed)
    C = rng.random((len(run), len(reference)))
    made = problem(C, run, reference, 10 ** rng.uniform(-3, 0, len(run)), weight)
    K = np.exp(-(1 - THETA) * C.min(axis=0) / weight)
    assert solve(made).loss >= weight * (made.nu * (1 - K)).sum() - 1e-9


@given(weights, weights, lambdas, lambdas, seeds)
def test_what_an_added_step_costs(run, reference, lambda_1, lambda_2, seed):
    """The coupling so far, scaled, costs at most (M / M') L + lambda_1 w / M' with the new step."""
    assume(len(run) > 1)
    rng = np.random.default_rng(seed)
    C = rng.random((len(run), len(reference)))
    D_p, D_r = dag(rng, len(run), "forest"), dag(rng, len(reference), "forest")
    before = solve(problem(C[:-1], run[:-1], reference, lambda_1, lambda_2, (D_p[:-1, :-1], D_r)))
    after = problem(C, run, reference, lambda_1, lambda_2, (D_p, D_r))
    M, larger = unit(run[:-1], reference), unit(run, reference)
    carried = np.vstack([before.T * M / larger, np.zeros(len(reference))])
    most = M / larger * before.loss + lambda_1 * run[-1] / larger
    assert objective(after, carried) <= most + 1e-9


@pytest.mark.parametrize("weight", [0.1, 0.15, 0.25, 1.0])
def test_the_solver_finds_what_an_added_step_costs(weight):
    """On plans the loss with one more step of weight w is at most (M / M') L + lambda w / M'."""
    rng = np.random.default_rng(0)
    for _ in range(COUNT):
        whole = plan(rng)
        n, m = whole.shape
        run, reference = rng.choice([0.05, 1.0], n), rng.choice([0.05, 1.0], m)
        before, after = solve_batch(
            [
                problem(
                    whole.C[:k], run[:k], reference, weight, weight, (whole.D_p[:k, :k], whole.D_r)
                )
                for k in (n - 1, n)
            ]
        )
        M, larger = unit(run[:-1], reference), unit(run, reference)
        assert after.loss <= M / larger * before.loss + weight * run[-1] / larger + 1e-6


@given(st.integers(1, 8), st.integers(2, 4), st.floats(0.05, 0.5), st.floats(0.0, 0.4))
def test_what_a_split_step_costs(n, parts, weight, s):
    """Parts at cost s from the step lose L_u(parts, 1) / M; done again (s = 0) the least."""
    C = done(n, 0, parts - 1, 1.0)
    C[n - 1 :, n - 1] = s
    run, reference = np.ones(n + parts - 1), np.ones(n)
    M = n + (parts - 1) / 2
    apart = solve(problem(C, run, reference, weight, weight)).loss
    assert apart == pytest.approx(flat_loss(parts, 1, s, weight, weight) / M, abs=1e-6)
    again = weight * (np.sqrt(parts) - 1) ** 2 / M
    assert again - 1e-12 <= flat_loss(parts, 1, s, weight, weight) / M
    # A union is one step of their weight.
    united = np.append(np.ones(n - 1), parts)
    whole = solve(problem(done(n, 0, 0, 1.0), united, reference, weight, weight)).loss
    assert whole == pytest.approx(again, abs=1e-6)


@given(st.integers(1, 6), st.integers(2, 3), lambdas)
def test_what_it_costs_to_do_everything_again(n, times, weight):
    """The whole reference done so many times at once loses 2 lambda (root - 1)^2 / (times + 1)."""
    D = chain(n)
    C = np.tile(done(n, 0, 0, 1.0), (times, 1))
    structures = np.kron(np.ones((times, times)), D), D
    found = solve(problem(C, np.ones(times * n), np.ones(n), weight, weight, structures)).loss
    expected = 2 * weight * (np.sqrt(times) - 1) ** 2 / (times + 1)
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("n", [3, 6, 12, 24])
@pytest.mark.parametrize("weight", [0.15, 0.25, 1.0])
def test_what_a_wrong_order_costs(n, weight):
    """Two neighbours exchanged lose no more than 8 theta / n^2, or one step left on both sides."""
    D = np.sign(chain(n))
    order = np.arange(n)
    order[:2] = 1, 0
    C, ones = done(n, 0, 0, 1.0), np.ones(n)
    structures = D[np.ix_(order, order)], D
    found = solve(problem(C, ones, ones, weight, weight, structures)).loss
    assert 0 < found <= min(8 * THETA / n**2, 2 * weight / n) + 1e-9


# Reads against writes


@given(st.integers(1, 20), st.integers(1, 6), st.floats(0.001, 0.3), lambdas, costs, st.data())
def test_a_run_of_reads_against_writes(reads, writes, rho, weight, c, data):
    """L_u of their masses; within a factor 1 - K of what the writes cost a run of nothing."""
    share = data.draw(st.floats(0.05, 1.0))
    run, reference = np.full(reads, rho), np.ones(writes)
    C, M = np.full((reads, writes), c), unit(run, reference)
    found = solve(problem(C, run, reference, share * weight, weight)).loss
    expected = flat_loss(run.sum() / M, writes / M, c, share * weight, weight)
    K = np.exp(-(1 - THETA) * c / weight)
    assert found == pytest.approx(expected, abs=1e-6)
    assert found >= weight * writes / M * (1 - K) - 1e-9


# Junk


@given(st.integers(2, 25), st.data(), costs, st.sampled_from([0.5, 1.0, 2.0]), st.booleans())
def test_half_done_is_not_below_half_done_with_junk(half, data, c, ratio, ordered):
    """Up to half of the steps missing, at any lambda up to the largest: junk does not pay."""
    k = data.draw(st.integers(1, half))
    n = 2 * half
    lambda_2 = data.draw(st.floats(0.4, 1.0)) * largest_lambda(c, 0.5, ratio)
    weights_of = ratio * lambda_2, lambda_2
    run, reference, D = np.ones(n - k), np.ones(n), chain(n) * ordered
    stopped = problem(done(n, k, 0, c), run, reference, *weights_of, (D[:-k, :-k], D))
    padded = problem(done(n, k, k, c), reference, reference, *weights_of, (D, D))
    junk = solve(padded).loss
    assert junk == pytest.approx(flat_loss(1, 1, c, *weights_of) * k / n, abs=1e-6)
    assert solve(stopped).loss <= junk + 1e-9


@given(st.floats(0.01, 0.9), lambdas)
def test_by_skill_half_done_is_above_junk_at_a_higher_lambda(missing, weight):
    """Of unit c0: stopping has the skill 1 - k/n of junk or more where q <= root(1 - k/n) / 2."""
    q = np.exp(-(1 - THETA) / (2 * weight))
    loss, M = weight * missing / (1 - missing / 2), 1 - missing / 2
    skill = 1 - loss / flat_loss((1 - missing) / M, 1 / M, 1.0, weight, weight)
    assume(abs(q - np.sqrt(1 - missing) / 2) > 1e-6)
    assert (skill >= 1 - missing) == (q <= np.sqrt(1 - missing) / 2)


@pytest.mark.parametrize("n", [4, 10, 50])
def test_above_it_junk_pays_where_order_does_not_count(n):
    """Without order the bound is 7 / (9 - 4 root 2) in place of 3, and exact at half."""
    limit = (1 - THETA) / (2 * np.log(7 / (9 - 4 * np.sqrt(2))))
    ones = np.ones(n)
    for weight, pays in ((0.99 * limit, False), (1.01 * limit, True)):
        stopped = problem(done(n, n // 2, 0, 1.0), ones[: n // 2], ones, weight, weight)
        padded = problem(done(n, n // 2, n // 2, 1.0), ones, ones, weight, weight)
        assert (solve(padded).loss < solve(stopped).loss) == pays


@given(st.integers(2, 20), st.data(), costs, st.floats(0.05, 0.5))
def test_any_amount_of_junk_gains_a_known_share_at_most(half, data, c, weight):
    """However many junk steps there are, they take off no more than this of lambda k / M."""
    k = data.draw(st.integers(1, half))
    junk = data.draw(st.integers(1, 2 * half))
    n = 2 * half
    made = problem(done(n, k, junk, c), np.ones(n - k + junk), np.ones(n), weight, weight)
    least = (1 - gain_of_junk(k / n, c, weight)) * weight * k / (n - k / 2)
    assert solve(made).loss >= least - 1e-6


@given(st.integers(2, 12), st.data(), costs)
def test_critical_steps_want_a_lower_lambda(half, data, c):
    """The same with critical steps missing, their penalty weighted by kappa 1."""
    k = data.draw(st.integers(1, half))
    n, weight = 2 * half, least_critical(c)
    factors = np.where(np.arange(n) >= n - k, 2.0, 1.0)
    lambda_2 = weight * factors / factors.mean()
    ones = np.ones(n)
    stopped = solve(problem(done(n, k, 0, c), ones[:-k], ones, weight, lambda_2)).loss
    padded = solve(problem(done(n, k, k, c), ones, ones, weight, lambda_2)).loss
    assert stopped <= weight * factors[-1] / factors.mean() * k / (n - k / 2) + 1e-9
    assert stopped <= padded + 1e-9


# The page


def rows() -> dict[str, list[str]]:
    """The rows of the page's tables, by their first cell."""
    cells = (line.strip("| ").split(" | ") for line in PAGE.read_text("utf-8").splitlines())
    return {first: rest for first, *rest in cells if rest}


def test_the_table_of_the_largest_lambda_is_computed():
    """Every figure of the page's first table is what the formulas give, rounded down."""
    free = np.log(7 / (9 - 4 * np.sqrt(2)))
    factors = {
        "4, 6, 8, ... 50": largest_lambda(1, 1 / 2), "5": largest_lambda(1, 2 / 5),
        "7": largest_lambda(1, 3 / 7), "9": largest_lambda(1, 4 / 9),
        "21": largest_lambda(1, 10 / 21), "49": largest_lambda(1, 24 / 49),
        "any, lambda_1 = lambda_2 / 2": largest_lambda(1, 0.5, 0.5),
        "any, lambda_1 = 2 lambda_2": largest_lambda(1, 0.5, 2),
        "any, the missing ones critical": least_critical(1),
        "any, order does not count": (1 - THETA) / (2 * free),
    }  # fmt: skip
    shown = rows()
    for name, factor in factors.items():
        assert shown[name] == [f"{np.floor(1e3 * c * factor) / 1e3:.3f}" for c in COSTS], name


def test_the_table_of_lambdas_is_computed():
    """Every figure of the page's second table is what the formulas give."""
    shown = rows()
    for weight in (0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.5, 1.0):
        q = np.exp(-(1 - THETA) / (2 * weight))
        plain, critical = weight / largest_lambda(1, 0.5), weight / least_critical(1)
        ratio = least_ratio(weight)
        fine = -np.expm1(-(1 - THETA) * 0.2 / (2 * weight)) / (1 - q)
        assert shown[f"lambda {weight:g}"] == [
            *(f"{np.ceil(100 * c) / 100:.2f}" if c <= 1 else "none" for c in (plain, critical)),
            f"{max(0, (1 - 2 * q) / (1 - q)):.2f}", f"{gain_of_junk(0.5, 1, weight):.3f}",
            f"{q * q:.3f}", f"{ratio:.3f}" if ratio < 1 else "none", f"{2 * (1 - q):.2f}",
            f"{fine:.2f}", f"{4 * THETA / weight:.0f}",
        ], weight  # fmt: skip


def before(n: int) -> Array:
    """The structure of a chain by precedence."""
    return np.sign(chain(n))


def test_the_table_of_what_was_chosen_is_computed():
    """Half of ten steps, and the same with junk, at lambda 1 and what moving costs at each C."""
    shown, n, half = rows(), 10, 5
    critical = np.repeat([1.0, 2.0], half) / 1.5
    for C in (1.0, 0.99, 0.98, 0.97, 0.95, 0.9):
        c = float(mass_moving_cost(C))
        found = []
        for ordered, lambda_2 in ((True, 1.0), (False, 1.0), (True, critical)):
            for junk in (0, half):
                run = np.ones(half + junk)
                structures = (before(len(run)), before(n)) if ordered else None
                costs_of = done(n, half, junk, c)
                sides = problem(costs_of, run, np.ones(n), lambda_2=lambda_2, structures=structures)
                found.append(f"{solve(sides).loss:.3f}")
        assert shown[f"C = {C:g}"] == [f"{c:.2f}", *found], C
