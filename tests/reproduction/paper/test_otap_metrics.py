"""OTAP with one part changed: each change against its definition."""

from itertools import permutations

import numpy as np
import pytest

import otap
from otap.encoders import load_encoder
from otap.transport import Problem, solve
from otap.transport.objective import kl
from reproduction.corpora.cases import Benchmark, Case
from reproduction.corpora.hand_corpus import tasks
from reproduction.corpora.perturbed import benchmark, with_lexicon_references
from reproduction.paper import otap_metrics
from reproduction.paper.otap_metrics import ABLATIONS, PAPER_ONLY, scores, without_direction


@pytest.fixture(scope="module")
def encoder():
    return load_encoder("wordllama")


@pytest.fixture(scope="module")
def made():
    return benchmark("two tasks", [with_lexicon_references(t) for t in tasks("shared")[:2]], 0)


def structure(generator, size):
    upper = np.triu(generator.integers(0, 3, (size, size)) / 2, 1)
    return upper - upper.T


def test_without_direction_the_loss_is_that_of_absolute_structures():
    """The solver's loss is the objective, written out for symmetric structures."""
    generator = np.random.default_rng(0)
    for _ in range(5):
        n, m = generator.integers(3, 7, 2)
        signed = Problem(
            generator.random((n, m)), structure(generator, n), structure(generator, m),
            np.full(n, 1 / n), np.full(m, 1 / m), 0.35,
        )  # fmt: skip
        found = solve(without_direction(signed), 0.05)
        D_p, D_r, T = np.abs(signed.D_p), np.abs(signed.D_r), found.T
        squares = (D_p[:, None, :, None] - D_r[None, :, None, :]) ** 2
        expected = (
            0.65 * (signed.C * T).sum()
            + 0.35 * np.einsum("ijkl,ij,kl->", squares, T, T)
            + kl(T.sum(axis=1), signed.mu).sum()
            + kl(T.sum(axis=0), signed.nu).sum()
        )
        assert found.loss == pytest.approx(expected, abs=1e-9)


def test_hungarian_is_the_best_assignment(encoder):
    """Of all assignments of two steps to three; the third costs 1."""
    words = ("find a hotel", "book a room", "pay by card")
    reference = otap.Trajectory(steps=tuple(otap.Step(id=w, action=w) for w in words))
    run = otap.Trajectory(steps=tuple(otap.Step(id=w, action=w) for w in ("reserve it", "pay")))
    bench = Benchmark("b", {"t": [reference]}, [Case("t", "P1", "", True, run)])
    vectors = encoder.encode([*(s.action for s in run.steps), *words])
    cost = 0.35 * (1 - np.clip(vectors[:2] @ vectors[2:].T, 0, 1))
    least = min(cost[0, i] + cost[1, j] for i, j in permutations(range(3), 2))
    (score,) = otap_metrics.hungarian(bench, encoder, "paper")
    assert score == pytest.approx(np.exp(-(least + 1) / 3))


@pytest.mark.parametrize(
    ("preset", "row"),
    [
        *(("paper", row) for row in ABLATIONS),
        *(("default", row) for row in ABLATIONS if row not in PAPER_ONLY),
    ],
)
def test_each_row_changes_the_score(row, preset, made, encoder):
    """Every case has a score in (0, 1], and not all are those of the full metric."""
    full, found = ABLATIONS["full"](made, encoder, preset), ABLATIONS[row](made, encoder, preset)
    assert len(found) == len(made.cases)
    assert all(0 < score <= 1 for score in found)
    assert (found == full) == (row == "full")


def test_one_text_a_step_leaves_the_tool_out_of_nothing(made, encoder):
    """A wrong tool changes the text of its step, and so its score."""
    reference = made.references[made.cases[0].task][0]
    step = reference.steps[0].model_copy(update={"tool": "compute"})
    wrong = reference.model_copy(update={"steps": (step, *reference.steps[1:])})
    bench = Benchmark("b", {"t": [reference]}, [Case("t", "P5", "", False, wrong)])
    assert otap_metrics.whole_step(bench, encoder, "paper")[0] < 1
    assert scores(bench, otap.Config(), encoder)[0] < 1
