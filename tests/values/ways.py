"""The two ways to compare structured data."""

from collections.abc import Callable

import numpy as np
import pytest

from otap.transport import assignment
from otap.values import distance


def check_both_ways(distances: Callable[[], np.ndarray]) -> np.ndarray:
    """Pair by pair or as whole matrices: the same bits, which are returned."""
    few = distances()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distance, "FEW", -1)
        many = distances()
    assert few.tobytes() == many.tobytes()
    return few


def value_distances(texts: distance.Texts) -> distance.ValueDistances:
    """The distances of values, as fields are compared."""
    return distance.ValueDistances(texts, assignment)
