"""The schedule of a descent: entropy weights, tolerances, and random starts."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from otap.transport.parameters import (
    CHEAP,
    EPSILON_RATIO,
    FINE_UP_TO,
    FIRST_EPSILON,
    LAST_EPSILON,
    LAST_EPSILON_BEYOND,
    LOOSEST,
    OF_CHANGE,
    SHUFFLES,
)


def epsilons(epsilon: float, size: int) -> list[float]:
    """Returns the decreasing entropy weights of epsilon scaling: .05, a quarter of that, and so on.

    Args:
        epsilon: the requested entropy weight, at least 0; above 0 it is the only one.
        size: the steps of the longer side; above 200 the last weight is 1e-3 instead of 1e-4.
    """
    if epsilon > 0:
        return [epsilon]
    last = LAST_EPSILON if size <= FINE_UP_TO else LAST_EPSILON_BEYOND
    stages, weight = [], FIRST_EPSILON
    while weight > 1.5 * last:
        stages.append(weight)
        weight *= EPSILON_RATIO
    return [*stages, last]


def inner_tolerance(change: float, tightest: float) -> float:
    """Returns the tolerance of a linearised problem, a share of the last change of the coupling.

    Args:
        change: the last |dT|_1.
        tightest: the smallest tolerance that the precision of the arithmetic allows.

    Returns:
        The largest error of a marginal relative to the mass of its step, at most 1e-3.
    """
    return min(max(OF_CHANGE * change, tightest), LOOSEST)


@lru_cache(maxsize=2048)  # entries have at most 9 kB; a corpus has hundreds of shapes
def random_matchings(n: int, m: int) -> NDArray[np.int64]:
    """Returns random matchings with a fixed seed, as rows and columns, (count, 2, min(n, m))."""
    rng = np.random.default_rng(0)
    size, count = min(n, m), min(SHUFFLES, SHUFFLES * CHEAP // (n * m))
    matchings = np.empty((count, 2, size), dtype=np.int64)
    for pairs in matchings:
        pairs[:] = rng.permutation(n)[:size], rng.permutation(m)[:size]
    return matchings
