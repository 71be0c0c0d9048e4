"""The two ways to compare structured data."""

from collections.abc import Callable

import numpy as np
import pytest

from otap.matrices.values import structured


def check_both_ways(distances: Callable[[], np.ndarray]) -> np.ndarray:
    """Pair by pair or as whole matrices: the same bits, which are returned."""
    few = distances()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structured, "FEW", -1)
        many = distances()
    assert few.tobytes() == many.tobytes()
    return few
