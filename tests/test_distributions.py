"""Distributions by our own incomplete beta function: against scipy, and in exact arithmetic."""

from decimal import Decimal, localcontext
from math import comb, inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from otap._distributions import beta_quantile, binomial_cdf, student_quantile

LEVELS = [0.001, 0.025, 0.05, 0.2, 0.5, 0.8, 0.9, 0.95, 0.975, 0.999]
PARAMETERS = [0.05, 0.5, 1.0, 1.5, 2.0, 7.3, 40.0, 333.3, 2_000.0, 30_000.0]


def exact_cdf(count: int, trials: int, chance: float) -> float:
    """Returns the probability by its definition, in 60 digits."""
    with localcontext(prec=60):
        p = Decimal(chance)
        terms = (comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(count + 1))
        return float(sum(terms))


@pytest.mark.parametrize("trials", [1, 2, 10, 99, 500, 3_000])
@pytest.mark.parametrize("chance", [1e-4, 0.01, 0.1, 0.35, 0.5, 0.8, 0.999])
def test_the_binomial_is_exact(trials: int, chance: float) -> None:
    """From the far tail to the other one."""
    middle, spread = trials * chance, (trials * chance * (1 - chance)) ** 0.5
    for width in (-4, -1, 0, 1, 4):
        count = min(max(int(middle + width * spread), 0), trials - 1)
        expected = exact_cdf(count, trials, chance)
        assert binomial_cdf(count, trials, chance) == pytest.approx(expected, rel=1e-12)


@given(st.integers(1, 5_000), st.data())
def test_the_binomial_of_scipy(trials: int, data: st.DataObject) -> None:
    """Any number of successes, and chances as floats have them."""
    count = data.draw(st.integers(0, trials))
    chance = data.draw(st.floats(1e-3, 0.999))
    expected = stats.binom.cdf(count, trials, chance)
    assert binomial_cdf(count, trials, chance) == pytest.approx(expected, rel=1e-11, abs=1e-200)


def test_the_ends_of_the_binomial() -> None:
    """What cannot happen, and what always does."""
    assert binomial_cdf(-1, 5, 0.3) == 0
    assert binomial_cdf(5, 5, 0.3) == binomial_cdf(0, 0, 0.5) == 1
    assert binomial_cdf(2, 5, 0.0) == 1
    assert binomial_cdf(2, 5, 1.0) == 0


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("a", PARAMETERS)
def test_quantiles_of_the_beta_distribution(level: float, a: float) -> None:
    """Those of scipy, for parameters below 1 and far above."""
    for b in PARAMETERS:
        expected = stats.beta.ppf(level, a, b)
        assert beta_quantile(level, a, b) == pytest.approx(expected, rel=1e-12), b


@given(st.floats(0.001, 0.999), st.floats(0.05, 5_000), st.floats(0.05, 5_000))
def test_a_quantile_is_the_inverse(level: float, a: float, b: float) -> None:
    """The distribution of scipy has the level there, but where neighbouring floats are too far."""
    x = beta_quantile(level, a, b)
    below, above = special.betainc(a, b, [np.nextafter(x, 0), np.nextafter(x, 1)])
    assert below - 1e-12 <= level <= above + 1e-12


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("freedom", [0.5, 1.0, 1.7, 2.0, 3.3, 9.0, 24.0, 100.0, 5_000.0, 1e6])
def test_quantiles_of_student(level: float, freedom: float) -> None:
    """Those of scipy, which is exact to about 1e-12."""
    expected = special.stdtrit(freedom, level)
    assert student_quantile(level, freedom) == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert student_quantile(1 - level, freedom) == pytest.approx(-expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("level", LEVELS)
def test_without_limit_it_is_the_normal_distribution(level: float) -> None:
    """So is Student's t with very many degrees of freedom."""
    expected = special.ndtri(level)
    assert student_quantile(level, inf) == pytest.approx(expected, rel=1e-14, abs=1e-15)
    assert student_quantile(level, 1e9) == pytest.approx(expected, rel=1e-7, abs=1e-15)
