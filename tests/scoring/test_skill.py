"""Skill by the paper's metric: 0 for a run unrelated to the task, 1 for the same."""

import math

import numpy as np
import pytest

import hotel
import otap
from otap.config.settings import Weights
from otap.paper.unrelated import skill, unrelated_costs, unrelated_loss


def paper_scorer(**changes: object) -> otap.Scorer:
    """A scorer by the paper's metric, with some settings changed."""
    return otap.Scorer(otap.Config.preset("paper", **changes), encoder="wordllama")


def test_the_closed_form() -> None:
    """Theory, 2a: L_u of one field, with lambda 1."""
    found = unrelated_loss(0.8, 0.35, 1.0, 1.0)
    assert found == pytest.approx(2 * (1 - math.exp(-0.65 * 0.8 / 2)), abs=1e-15)


def test_unequal_penalties() -> None:
    """The closed form is the minimum over couplings of one step with another."""
    l1, l2, c = 0.25, 0.4, 0.55 * 0.9
    moved = np.linspace(1e-6, 3, 300_001)
    kl = moved * np.log(moved) - moved + 1
    least = (c * moved + (l1 + l2) * kl).min()
    assert unrelated_loss(0.9, 0.45, l1, l2) == pytest.approx(least, abs=1e-9)


def test_the_ends_of_the_scale() -> None:
    """1 without loss, 0 from an unrelated loss on, linear between."""
    assert skill(0.0, 0.5) == 1.0
    assert skill(0.25, 0.5) == 0.5
    assert skill(0.5, 0.5) == skill(2.0, 0.5) == 0.0


def test_where_nothing_can_be_unrelated() -> None:
    """With theta 1 or costs of 0, only the same has skill."""
    assert skill(0.0, 0.0) == 1.0
    assert skill(1e-9, 0.0) == 0.0


def test_every_shipped_encoder_has_every_cost() -> None:
    """For each field of a step."""
    for encoder in ("wordllama-l2_supercat-256", "all-MiniLM-L6-v2"):
        costs = unrelated_costs(encoder)
        assert costs is not None
        assert set(costs) == set(Weights.model_fields)
        assert all(0 < cost <= 1 for cost in costs.values())


def test_a_matched_pair_of_that_cost_has_skill_0() -> None:
    """L_u is the loss of steps that all cost c0: a run and a task of one such step each."""
    costs = dict.fromkeys(("action", "arguments", "effect", "tool", "state"), 1.0)
    weights = {"action": 0.0, "arguments": 0.0, "effect": 0.0, "tool": 1.0}
    scorer = paper_scorer(weights=weights, paper={"unrelated_cost": costs, "epsilon": 0.0})
    run = otap.Trajectory(steps=[otap.Step(id="1", tool="a")])
    gold = otap.Trajectory(steps=[otap.Step(id="1", tool="b")])
    assert scorer.score(run, gold).skill == pytest.approx(0.0, abs=1e-12)


def test_costs_can_be_set() -> None:
    """Lower costs make less skill of the same loss; without one of them there is none."""
    run, gold = hotel.run_of("paraphrased"), hotel.reference()
    low = dict.fromkeys(("action", "arguments", "effect", "tool"), 0.5)
    less = paper_scorer(paper={"unrelated_cost": low}).score(run, gold)
    usual = paper_scorer().score(run, gold)
    assert less.loss == usual.loss
    assert less.skill is not None
    assert usual.skill is not None
    assert less.skill < usual.skill
    del low["action"]
    assert paper_scorer(paper={"unrelated_cost": low}).score(run, gold).skill is None
