"""The two ways to compare structured data."""

from collections.abc import Callable, Sequence
from operator import attrgetter

import numpy as np
import pytest
from pydantic import JsonValue

from otap.costs.fields import PairCache
from otap.transport import assignment
from otap.values import distance
from otap.values.value import Value


def check_both_ways(distances: Callable[[], np.ndarray]) -> np.ndarray:
    """Pair by pair or as whole matrices: the same bits, which are returned."""
    few = distances()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distance, "FEW_PAIRS", -1)
        many = distances()
    assert few.tobytes() == many.tobytes()
    return few


class ComparedValues:
    """The distances of values, as fields are compared.

    Args:
        texts: the distances of texts.
    """

    def __init__(self, texts: distance.Texts) -> None:
        self._distances = distance.ValueDistances(texts, assignment, PairCache).distances

    def compare(self, rows: Sequence[Value], columns: Sequence[Value]) -> distance.ValueComparison:
        """Returns the distances, and how many exact values differ."""
        ways = map(attrgetter, distance.ValueComparison._fields)
        return distance.ValueComparison(*(self._distances(rows, columns, way) for way in ways))

    def between(self, rows: Sequence[JsonValue], columns: Sequence[JsonValue]) -> np.ndarray:
        """Returns the distances of data."""
        values = list(map(Value, rows)), list(map(Value, columns))
        return self._distances(*values, attrgetter("distance"))
