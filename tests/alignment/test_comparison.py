"""Qualities and contributions, by their formulas; the alignment as a record."""

import numpy as np
import pytest
from comparisons import comparison, steps

from otap.alignment import Comparison
from otap.scoring.alignment import NEGLIGIBLE, Alignment, align

RUN = steps(
    {"tool": "a", "depends_on": []},
    {"tool": "b", "depends_on": ["1"]},
    {"tool": "c", "depends_on": ["1", "2"]},
)
GOLD = steps({"tool": "a", "depends_on": []}, {"tool": "c", "depends_on": ["1"]})
T = np.array([[0.3, 0.0], [0.05, 0.1], [0.0, 0.35]])
C = np.array([[0.0, 1.0], [0.8, 0.4], [1.0, 0.1]])


@pytest.fixture
def compared() -> Comparison:
    """A run of three steps against a reference of two."""
    return comparison(RUN, GOLD, T, C)


def test_quality_is_by_squared_mass(compared: Comparison) -> None:
    """The q of a step is sum T^2 (1 - C) / sum T^2 over its pairs; written here as loops."""
    for i in range(3):
        weights = [T[i, j] ** 2 for j in range(2)]
        matched = sum(w * (1 - C[i, j]) for j, w in enumerate(weights))
        assert compared.shares.agent_quality[i] == pytest.approx(matched / sum(weights), abs=1e-15)
    for j in range(2):
        weights = [T[i, j] ** 2 for i in range(3)]
        matched = sum(w * (1 - C[i, j]) for i, w in enumerate(weights))
        assert compared.shares.reference_quality[j] == pytest.approx(
            matched / sum(weights), abs=1e-15
        )


def test_precision_and_recall_are_mean_qualities(compared: Comparison) -> None:
    """By the mass of the steps, which is uniform here."""
    assert compared.precision == pytest.approx(compared.shares.agent_quality.mean(), abs=1e-15)
    assert compared.recall == pytest.approx(compared.shares.reference_quality.mean(), abs=1e-15)


def test_a_step_without_mass_has_quality_0() -> None:
    """It stands for nothing; 0 / 0 is no number."""
    found = comparison(RUN, GOLD, T * [[1], [0], [1]], C)
    assert found.shares.agent_quality[1] == 0.0
    assert np.isfinite(found.shares.agent_contribution).all()


def test_contributions_sum_to_the_loss(compared: Comparison) -> None:
    """None is negative."""
    both = np.concatenate(
        [compared.shares.agent_contribution, compared.shares.reference_contribution]
    )
    assert both.min() >= 0
    assert both.sum() == pytest.approx(compared.loss, abs=1e-14)


def test_a_contribution_is_half_of_its_pairs_and_its_own_penalty(compared: Comparison) -> None:
    """Theory, section 3, as loops."""
    problem = compared.solution.problem
    for i in range(3):
        paired = 0.0
        for j in range(2):
            mismatch = sum(
                (problem.D_p[i, k] - problem.D_r[j, l]) ** 2 * T[k, l]
                for k in range(3)
                for l in range(2)  # noqa: E741
            )
            paired += T[i, j] * (0.65 * C[i, j] + 0.35 * mismatch)
        mass = T[i].sum()
        penalty = mass * np.log(mass * 3) - mass + 1 / 3
        assert compared.shares.agent_contribution[i] == pytest.approx(
            paired / 2 + penalty, abs=1e-14
        )


def test_the_alignment_names_pairs_and_counterparts(compared: Comparison) -> None:
    """Pairs with mass and cost; counterparts one to one, the same from either side."""
    found = align(compared)
    assert [(pair.agent, pair.reference, pair.mass, pair.cost) for pair in found.pairs] == [
        ("1", "1", 0.3, 0.0), ("2", "1", 0.05, 0.8), ("2", "2", 0.1, 0.4), ("3", "2", 0.35, 0.1),
    ]  # fmt: skip
    assert [share.counterpart for share in found.agent] == ["1", None, "2"]
    assert [share.counterpart for share in found.reference] == ["1", "3"]
    assert Alignment.model_validate_json(found.model_dump_json()) == found


def test_pairs_of_next_to_no_mass_are_left_out() -> None:
    """Below NEGLIGIBLE of the lighter step's mass a pair says nothing."""
    edge = NEGLIGIBLE / 3
    for mass, listed in ((edge, 4), (edge * 0.999, 3)):
        thin = np.array([[0.3, 0.0], [mass, 0.1], [0.0, 0.35]])
        assert len(align(comparison(RUN, GOLD, thin, C)).pairs) == listed
