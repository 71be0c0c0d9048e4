"""pass@k and pass^k: against all ways to draw k runs."""

from itertools import combinations, product
from statistics import fmean

import pytest

from otap.evaluation.comparison.verdicts import pass_all, pass_at


def test_every_draw_counted() -> None:
    """The share of draws in which any run passes, and in which all do."""
    for passed, k in product(range(6), range(1, 6)):
        draws = list(combinations([place < passed for place in range(5)], k))
        shares = fmean(map(any, draws)), fmean(map(all, draws))
        assert (pass_at(k, passed, 5), pass_all(k, passed, 5)) == pytest.approx(shares), (passed, k)
