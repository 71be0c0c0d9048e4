"""Linear sum assignment [Kuhn1955]: the matching of rows and columns of least total cost."""

import numpy as np

from otap.transport.core import native
from otap.transport.structure import Array, Index

# Above this scipy's compiled version earns the time that importing scipy costs.
_LARGEST = 200


def assignment(cost: Array, maximize: bool = False) -> tuple[Index, Index]:
    """The linear sum assignment of a rectangular cost matrix, by shortest augmenting paths.

    [Jonker1987], [Crouse2016]. Where several assignments cost the same, the same one is returned
    every time; where all pairs cost the same, they are paired in order.

    Args:
        cost: (n, m), finite.
        maximize: whether the total is to be greatest instead of least.

    Returns:
        The rows and the columns of min(n, m) pairs. Each row and each column appears at most once;
        rows ascend.
    """
    cost = np.ascontiguousarray(-cost if maximize else cost, dtype=np.float64)
    core = native()
    if core is None or max(cost.shape) > _LARGEST:
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(cost)
        return rows, columns
    column_of = np.array(core.assignment(cost))
    rows = np.flatnonzero(column_of >= 0)
    return rows, column_of[rows]
