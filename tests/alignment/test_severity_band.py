"""A score is below .9 exactly if a finding is critical, to the last bit."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otap.alignment.comparison import apply_severity_band

LOSSES = st.floats(0.0, 50.0) | st.sampled_from([0.0, 5e-324, 1e-300, 1e-17, 1e-12, 1e-9])


@given(LOSSES)
def test_a_critical_finding_is_below_the_line(loss: float) -> None:
    """Even where it adds nothing to the loss, as a change inside a call of which no step weighs."""
    assert math.exp(-apply_severity_band(loss, "critical")) < 0.9


@given(LOSSES)
def test_every_other_score_is_above_the_line(loss: float) -> None:
    """However much the small differences add up to."""
    assert math.exp(-apply_severity_band(loss, "tolerated")) > 0.9


@given(LOSSES, LOSSES, st.sampled_from(["critical", "tolerated"]))
def test_both_bands_rise_with_the_loss(first: float, second: float, verdict: str) -> None:
    """A larger loss is never a larger score."""
    low, high = sorted((first, second))
    assert apply_severity_band(low, verdict) <= apply_severity_band(high, verdict)


def test_a_loss_without_a_verdict_stays() -> None:
    """Under the preset ``paper`` there is no band."""
    assert apply_severity_band(0.25, None) == pytest.approx(0.25, abs=0)
