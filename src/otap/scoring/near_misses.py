"""The cost of steps that may stand for no step of the reference, by how near they come to one."""

import numpy as np
import numpy.typing as npt

from otap.alignment.comparison import MATCHED
from otap.transport import Problem
from otap.transport.assignment import assignment
from otap.transport.parameters import FORBIDDEN

Array = npt.NDArray[np.float64]
# The price of an attempt at a missing step, as a share of the full price: two wrong values cost
# more than one.
LEAST_PRICE, PRICE_OF_COST = 0.05, 0.1
# An attempt and the step itself cost less than the attempt alone. The attempt loses its discount
# then, which must be less than the price of the missing step.
MAX_DISCOUNT = 0.9


def compute_nearness(arrays: Problem, C: Array) -> Array:
    """Returns the share of its full price that each step of the run costs as an extra step, (n,).

    It is 1 unless a step has no allowed pair. Such a step costs (1 + c) / 2, where c is the
    least node cost between it and any step of the reference. An attempt at a missing step costs
    LEAST_PRICE + PRICE_OF_COST c, because the missing step is charged already. Each missing step
    excuses one attempt, at a node cost up to MATCHED. Attempts are chosen so that the run
    costs least; a further step therefore never makes a run cheaper.

    Args:
        arrays: the problem in which every step has the full price.
        C: the node cost of each pair, (n, m), also of the pairs that may not be matched.
    """
    is_allowed = arrays.C < FORBIDDEN
    nearness = np.ones(len(C))
    rows = np.flatnonzero(~is_allowed.any(axis=1))
    if not rows.size:
        return nearness
    nearest = C[rows]
    nearness[rows] = (1 + nearest.min(axis=1)) / 2
    columns = np.flatnonzero(~is_allowed.any(axis=0))
    if not columns.size:
        return nearness
    nearest = nearest[:, columns]
    if nearest.min() > MATCHED:
        return nearness
    full, missing_prices = arrays.lambda_1 * arrays.mu, arrays.lambda_2 * arrays.nu
    discounts = compute_discounts(full[rows], nearness[rows], missing_prices[columns], nearest)
    attempts, missing = assignment(discounts, maximize=True)
    nearness[rows[attempts]] -= discounts[attempts, missing] / full[rows[attempts]]
    return nearness


def least_prices(C: Array, starts: npt.NDArray[np.intp]) -> tuple[Array, Array]:
    """Returns the least shares of their full prices that steps can cost, of both sides, for bounds.

    A step of the run costs at least (1 + c) / 2 of its price, unless it is an attempt. The discount
    of an attempt is then charged to the missing step, at a node cost up to MATCHED.

    Args:
        C: the node costs of several references, (n, M).
        starts: the first column of each reference, (K,).

    Returns:
        The shares of each step of the run for each reference, (n, K), and of each column, (M,).
    """
    nearest = np.minimum.reduceat(C, starts, axis=1)
    return (1 + nearest) / 2, np.where(C.min(axis=0) <= MATCHED, 1 - MAX_DISCOUNT, 1.0)


def compute_discounts(full: Array, nearness: Array, missing_prices: Array, C: Array) -> Array:
    """Returns how much less each step costs as an attempt at each missing step, (n, m).

    Args:
        full: the full price of each step of the run, (n,).
        nearness: the share of that price that the step costs if it is no attempt, (n,).
        missing_prices: the price of each missing step, (m,).
        C: the node cost of each pair, (n, m).
    """
    discounts = (nearness[:, None] - LEAST_PRICE - PRICE_OF_COST * C) * full[:, None]
    discounts = np.minimum(discounts, MAX_DISCOUNT * missing_prices)
    return np.where(C <= MATCHED, np.maximum(discounts, 0.0), 0.0)
