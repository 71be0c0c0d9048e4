"""The preset ``paper`` on the hotel task: the paper to the letter, its defects included."""

import math

import pytest

import hotel
import otap

PAPER = otap.Scorer(otap.Config.preset("paper"), encoder="wordllama")


def test_the_same_run_does_not_score_1() -> None:
    """Entropy and criticality by mass leave a loss; the mass moved is above 1."""
    result = PAPER.score(hotel.run_of("same"), hotel.reference())
    assert result.score == pytest.approx(0.97275, abs=5e-5)
    assert result.mass == pytest.approx(1.0329, abs=5e-4)
    assert result.converged


def test_criticality_by_mass_alone_costs_what_theory_says() -> None:
    """Without entropy L(P, P) = sum (sqrt mu - sqrt nu)^2 = .0230, a score of .977 (1a)."""
    scorer = otap.Scorer(otap.Config.preset("paper", paper={"epsilon": 0.0}), encoder="wordllama")
    result = scorer.score(hotel.run_of("same"), hotel.reference())
    nu = [weight / 10 for weight in (2, 1, 1, 2, 2, 2)]  # all but the filters are critical
    theory = sum((math.sqrt(1 / 6) - math.sqrt(mass)) ** 2 for mass in nu)
    assert theory == pytest.approx(0.0230, abs=5e-5)
    assert result.loss == pytest.approx(theory, abs=1e-6)
    assert result.score == pytest.approx(0.977, abs=5e-4)


def test_the_repair() -> None:
    """With uniform masses and no entropy the same run loses nothing."""
    config = otap.Config.preset("paper", paper={"epsilon": 0.0}, kappa=0.0)
    scorer = otap.Scorer(config, encoder="wordllama")
    assert scorer.score(hotel.run_of("same"), hotel.reference()).score == 1.0


def test_a_second_reference_can_lower_the_score() -> None:
    """The mean inside the logarithm (1d)."""
    run, gold = hotel.run_of("same"), hotel.reference()
    alone = PAPER.score(run, gold)
    both = PAPER.score(run, [gold, hotel.run_of("unrelated")])
    assert both.score < alone.score
    assert both.losses.references > 0
    assert both.score >= alone.score * 2**-0.05 - 1e-12


def test_the_signature_names_the_preset_and_the_encoder_in_use() -> None:
    """Not the encoder that the preset would have taken."""
    signature = PAPER.score(hotel.run_of("same"), hotel.reference()).signature
    assert (signature.preset, signature.encoder) == ("paper", "wordllama-l2_supercat-256")
    assert signature.unrelated_cost is not None
    assert signature.unrelated_cost["arguments"] < 1  # as texts
