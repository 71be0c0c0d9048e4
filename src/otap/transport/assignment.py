"""Linear sum assignment [Kuhn1955]: the matching of rows and columns with the lowest cost."""

import numpy as np

from otap.transport.core import native
from otap.transport.structure import Array, Index

# Above this size scipy is faster, although importing it takes time.
_MAX_NATIVE = 200


def assignment(cost: Array, maximize: bool = False) -> tuple[Index, Index]:
    """Returns the linear sum assignment of a rectangular cost matrix.

    By shortest augmenting paths [Jonker1987], [Crouse2016]. If several assignments have the lowest
    cost, the choice among them is deterministic; if all pairs cost the same, they are paired in
    order.

    Args:
        cost: (n, m), finite.
        maximize: whether to maximise the total instead.

    Returns:
        The rows and the columns of min(n, m) pairs. Each row and each column appears at most once;
        rows ascend.
    """
    cost = np.ascontiguousarray(-cost if maximize else cost, dtype=np.float64)
    core = native()
    if core is None or max(cost.shape) > _MAX_NATIVE:
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(cost)
        return rows, columns
    column_of = np.array(core.assignment(cost))
    rows = np.flatnonzero(column_of >= 0)
    return rows, column_of[rows]
