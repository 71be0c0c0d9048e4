"""The soft-min over references, by itself."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otap.paper.soft_minimum import soft_minimum
from otap.scoring.metric import best_reference


@settings(max_examples=200, deadline=None)
@given(
    losses=st.lists(st.floats(0, 5), min_size=1, max_size=8),
    temperature=st.sampled_from([1e-3, 0.05, 1.0]),
)
def test_bounds_and_gibbs_identity(losses: list[float], temperature: float) -> None:
    """It lies within T log K above the least loss, and is a mean of the losses and a spread."""
    found = soft_minimum(losses, temperature)
    most = temperature * math.log(len(losses))
    assert min(losses) - 1e-12 <= found.loss <= min(losses) + most + 1e-12
    assert 0 <= found.spread <= most + 1e-12
    assert found.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert found.loss == pytest.approx(found.weights @ losses + found.spread, abs=1e-12)
    literal = min(losses) - temperature * math.log(
        np.mean(np.exp(-(np.array(losses) - min(losses)) / temperature))
    )
    assert found.loss == pytest.approx(literal, abs=1e-10)


def test_by_default_the_first_best_counts_alone() -> None:
    """No spread, and one weight of 1."""
    found = best_reference([0.3, 0.1, 0.1])
    assert (found.loss, found.spread, list(found.weights)) == (0.1, 0.0, [0.0, 1.0, 0.0])


@pytest.mark.parametrize(("count", "score"), [(2, 0.966), (3, 0.947), (10, 0.891)])
def test_the_paper_does_not_give_1_to_a_perfect_match(count: int, score: float) -> None:
    """Equal to one of K references that are far apart scores K^-T."""
    loss = soft_minimum([0.0, *[50.0] * (count - 1)], 0.05).loss
    assert math.exp(-loss) == pytest.approx(score, abs=5e-4)
    assert math.exp(-loss) == pytest.approx(count**-0.05, abs=1e-12)


def test_far_losses_do_not_overflow() -> None:
    """A small temperature is only a sharp minimum."""
    found = soft_minimum([1.0, 2.0], 1e-9)
    assert found.loss == pytest.approx(1.0, abs=1e-8)
    assert list(found.weights) == [1.0, 0.0]
