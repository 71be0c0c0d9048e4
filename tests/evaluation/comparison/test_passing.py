"""pass@k and pass^k: against all ways to draw k runs."""

from itertools import combinations
from statistics import fmean

import pytest

from otap.evaluation.comparison.compare import pass_all, pass_at


@pytest.mark.parametrize("passed", range(6))
@pytest.mark.parametrize("k", range(1, 6))
def test_every_draw_counted(passed: int, k: int) -> None:
    """The share of draws in which any run passes, and in which all do."""
    runs = [place < passed for place in range(5)]
    draws = list(combinations(runs, k))
    assert pass_at(k, passed, 5) == pytest.approx(fmean(map(any, draws)))
    assert pass_all(k, passed, 5) == pytest.approx(fmean(map(all, draws)))
