"""The laws of the metric, over random trajectories."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from otap.costs import hop_distances
from otap.graph import DependencyGraph, Edge
from otap.scoring import Config, Scorer
from otap.trajectory import Trajectory, parse_trajectory
from otap.transport import Problem, Solution, solve
from strategies import backwards, relisted, trajectories

ROOT = Path(__file__).parents[1]
LONG = os.environ.get("OTAP_LONG") == "1"
SCORER = Scorer()
PAPER = Scorer(Config.preset("paper"), encoder="wordllama")
few = settings(max_examples=400 if LONG else 15, deadline=None)


def plain_run(size: int) -> Trajectory:
    """A chain of ``size`` steps of a few kinds."""
    steps = [
        {
            "id": str(k), "tool": f"tool_{k % 7}", "action": f"Do thing {k % 20}.",
            "arguments": {"n": k % 20}, "effect": f"Thing {k % 20} is done.",
            "depends_on": [str(k - 1)] if k else [],
        }
        for k in range(size)
    ]  # fmt: skip
    return parse_trajectory({"steps": steps})


@few
@given(run=trajectories())
def test_a_run_scores_exactly_1_against_itself(run: Trajectory) -> None:
    """score(P, P) is 1, not nearly 1, with everything else as it then must be."""
    result = SCORER.score(run, run)
    assert (result.score, result.loss, result.losses.total) == (1.0, 0.0, 0.0)
    assert (result.skill, result.precision, result.recall, result.f1) == (1.0, 1.0, 1.0, 1.0)
    assert result.findings == ()


def assert_within_bounds(scorer: Scorer, run: Trajectory, reference: Trajectory) -> None:
    """Precision and recall in [0, 1], of which rounding alone was cut; the mass below its bound."""
    shares: list[float] = []

    def share(part: float, whole: float) -> float:
        shares.append(part / whole)
        return min(1.0, part / whole)

    with patch("otap.alignment.comparison._share", share):
        result = scorer.score(run, reference)
    assert max(shares, default=0.0) <= 1 + 1e-9
    for number in (result.precision, result.recall, result.f1):
        assert number is None or 0 <= number <= 1
    size, epsilon = len(run.steps) * len(reference.steps), scorer.config.epsilon
    most = size ** (epsilon / (2 + epsilon)) if epsilon else 2
    assert result.mass is None or 0 <= result.mass <= most + 1e-9


@few
@given(run=trajectories(), reference=trajectories(), seed=st.integers(0, 10**6))
def test_what_a_score_tells_lies_within_bounds(
    run: Trajectory, reference: Trajectory, seed: int
) -> None:
    """Of runs that have little in common, and of the same run in another order."""
    for scorer in (SCORER, PAPER):
        assert_within_bounds(scorer, run, reference)
        assert_within_bounds(scorer, run, relisted(run, seed))


@pytest.mark.parametrize("size", range(2, 200, 1 if LONG else 33))
def test_sums_of_many_shares_lie_within_bounds(size: int) -> None:
    """Where each step is matched wholly the mean of the qualities is 1 but for rounding."""
    assert_within_bounds(PAPER, plain_run(size), plain_run(size))
    assert_within_bounds(SCORER, plain_run(size), plain_run(size - 1))


@pytest.mark.parametrize("size", [1, 2, 10, 50, 200, 1000, *([5000] if LONG else [])])
def test_a_run_of_any_length_scores_exactly_1_against_itself(size: int) -> None:
    """Up to thousands of steps."""
    result = SCORER.score(plain_run(size), plain_run(size))
    assert (result.score, result.losses.total, result.converged) == (1.0, 0.0, True)


@few
@given(run=trajectories(), third=trajectories(), seed=st.integers(0, 99))
def test_isomorphic_copies_are_equal(run: Trajectory, third: Trajectory, seed: int) -> None:
    """Relisting steps and renaming ids changes nothing, on either side."""
    copy = relisted(run, seed)
    assert SCORER.score(copy, run).score == pytest.approx(1.0, abs=1e-9)
    scores = [SCORER.score(*pair).loss for pair in ((run, third), (copy, third))]
    assert scores[0] == pytest.approx(scores[1], abs=1e-9)
    scores = [SCORER.score(*pair).loss for pair in ((third, run), (third, copy))]
    assert scores[0] == pytest.approx(scores[1], abs=1e-9)


@pytest.mark.parametrize("scorer", [SCORER, PAPER], ids=["default", "paper"])
@few
@given(run=trajectories(), gold=trajectories())
def test_the_losses_sum_to_the_loss(scorer: Scorer, run: Trajectory, gold: Trajectory) -> None:
    """No part is negative, and their sum is the loss."""
    result = scorer.score(run, gold)
    assert min(result.losses.model_dump().values()) >= 0
    assert result.losses.total == pytest.approx(result.loss, abs=1e-12)
    assert result.score == math.exp(-result.loss)


@pytest.mark.parametrize("scorer", [SCORER, PAPER], ids=["default", "paper"])
@few
@given(run=trajectories(), gold=trajectories())
def test_the_steps_sum_to_the_loss(scorer: Scorer, run: Trajectory, gold: Trajectory) -> None:
    """Every step adds to the loss, none takes from it; with the verdict they make it up."""
    result = scorer.score(run, gold)
    shares = [*result.alignment.agent, *result.alignment.reference]
    assert min(share.contribution for share in shares) >= 0
    total = result.losses.critical + sum(share.contribution for share in shares)
    assert total == pytest.approx(result.loss, abs=1e-12)
    assert all(0 <= share.quality <= 1 for share in shares)


@few
@given(run=trajectories(), golds=st.lists(trajectories(), min_size=2, max_size=4))
def test_another_reference_never_lowers_a_score(run: Trajectory, golds: list[Trajectory]) -> None:
    """The best reference counts; a run equal to any reference scores 1."""
    scores = [SCORER.score(run, golds[:count]).score for count in range(1, len(golds) + 1)]
    assert scores == sorted(scores)
    assert SCORER.score(run, [*golds, run]).score == 1.0


@few
@given(run=trajectories(), golds=st.lists(trajectories(), min_size=1, max_size=4))
def test_the_soft_minimum_is_bounded_on_both_sides(
    run: Trajectory, golds: list[Trajectory]
) -> None:
    """The least L <= L <= that + T log K, and L is a weighted mean of the losses and a spread."""
    result = PAPER.score(run, golds)
    losses = np.array([reference.loss for reference in result.references])
    temperature = PAPER.config.temperature
    assert losses.min() - 1e-12 <= result.loss
    assert result.loss <= losses.min() + temperature * math.log(len(golds)) + 1e-12
    literal = -temperature * math.log(np.mean(np.exp(-losses / temperature)))
    assert result.loss == pytest.approx(literal, abs=1e-12)
    weights = np.exp(-losses / temperature) / np.exp(-losses / temperature).sum()
    spread = temperature * float((weights * np.log(weights * len(golds))).sum())
    assert result.losses.references == pytest.approx(spread, abs=1e-12)
    assert result.loss == pytest.approx(float(weights @ losses) + spread, abs=1e-12)


@few
@given(run=trajectories(), gold=trajectories())
def test_the_order_of_keys_changes_no_bit(run: Trajectory, gold: Trajectory) -> None:
    """A JSON object is a set of keys, in arguments, effects, states and everywhere else."""
    turned = parse_trajectory(backwards(json.loads(run.to_json())))
    assert SCORER.score(turned, gold) == SCORER.score(run, gold)
    assert SCORER.score(gold, turned) == SCORER.score(gold, run)


def random_graph(rng: np.random.Generator, size: int) -> list[tuple[int, int]]:
    """Edges from lower to higher numbers."""
    pairs = [(i, k) for i in range(size) for k in range(i + 1, size)]
    return [pair for pair in pairs if rng.random() < 0.5]


def structure(edges: list[tuple[int, int]], size: int) -> np.ndarray:
    """Equation 2 for these edges."""
    return hop_distances(DependencyGraph(size, tuple(Edge(*edge) for edge in edges), "explicit"))


def least(problem: Problem, found: Solution, rng: np.random.Generator) -> float:
    """The least loss known: the solver's, in a long run also that of descents from elsewhere."""
    return min(found.loss, oracles.best_known(problem, rng, 3, found.T)) if LONG else found.loss


@pytest.mark.parametrize("seed", range(100 if LONG else 40))
def test_proposition_3_as_corrected(seed: int) -> None:
    """Leaves added to a run change its loss within bounds: Proposition 3 of the paper, corrected.

    With s = H / H', M the mass of the run's optimum, and M' and x the whole and the inserted mass
    of the optimum of the run with r leaves added, L and L' being their losses:

        L' - L <= lambda_1 M log(1 + r / n) + theta (1 - s) M^2
        L - L' <= x ((1 - theta) max C + 4 theta (2 M' - x)) + 4 theta (1 - s) M'^2

    As stated [Barazandeh2026] it does not hold: a leaf under a sink makes the longest path H
    longer, and the lower bound leaves out the penalty on the reference's marginal.
    """
    rng = np.random.default_rng(seed)
    n, m, extra = (int(rng.integers(low, high)) for low, high in ((2, 6), (2, 6), (1, 3)))
    theta, weight, other = float(rng.uniform(0.1, 0.6)), *rng.uniform(0.2, 3, 2)
    edges = random_graph(rng, n)
    leaves = [(int(rng.integers(0, n)), n + k) for k in range(extra)]
    D_p, D_r = structure(edges, n), structure(random_graph(rng, m), m)
    D_more = structure([*edges, *leaves], n + extra)
    C = rng.random((n + extra, m)) * (rng.random((n + extra, m)) < 0.8)
    nu = np.full(m, 1 / m)
    before = Problem(C[:n], D_p, D_r, np.full(n, 1 / n), nu, theta, weight, other)
    mu = np.full(n + extra, 1 / (n + extra))
    after = Problem(C, D_more, D_r, mu, nu, theta, weight, other)
    found, more = solve(before), solve(after)
    M, M_more, x = found.mass, more.mass, more.T[n:].sum()
    shrunk = structure_scale(D_p, D_more[:n, :n])
    bound = weight * M * math.log(1 + extra / n) + theta * (1 - shrunk) * M**2
    assert least(after, more, rng) - found.loss <= bound + 1e-6
    patch = (1 - theta) * C.max() + 4 * theta * (2 * M_more - x)
    bound = x * patch + 4 * theta * (1 - shrunk) * M_more**2
    assert least(before, found, rng) - more.loss <= bound + 1e-6


def structure_scale(D: np.ndarray, D_more: np.ndarray) -> float:
    """The factor H / H' by which leaves scale the structure of the steps before them."""
    assert (D == 0).all() or np.allclose(D_more * abs(D).max() / abs(D_more).max(), D)
    return float(abs(D_more).max() / abs(D).max()) if D.any() else 1.0


PRINT_BITS = """
import glob, otap
from strategies import relisted
gold = otap.read("examples/hotel-booking/reference.json")
for preset in ("default", "paper"):
    scorer = otap.Scorer(otap.Config.preset(preset), encoder="wordllama")
    for file in sorted(glob.glob("examples/hotel-booking/runs/*.json")):
        run = otap.read(file)
        print(scorer.score(run, [gold, relisted(run, 1)]).to_json())
        print(scorer.score(run, gold).to_json())
"""


def test_equal_inputs_give_equal_bits_in_any_process() -> None:
    """Neither the seed of hashing nor the number of threads reaches a number."""
    outputs = set()
    for seed, threads in (("0", "1"), ("random", "4")):
        environment = {
            **os.environ, "PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads,
            "OPENBLAS_NUM_THREADS": threads, "PYTHONPATH": str(ROOT / "tests"),
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", PRINT_BITS], cwd=ROOT, env=environment,
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        outputs.add(done.stdout)
    assert len(outputs) == 1
