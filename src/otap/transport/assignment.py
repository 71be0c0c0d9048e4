"""Linear sum assignment [Kuhn1955]: the matching of rows and columns with the lowest cost."""

import numpy as np

from otap.transport.core import native
from otap.transport.structure import Array, Index

_MAX_SHORT = 200  # rows or columns; above, paths end at the first free column


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
    if core is None:
        column_of = plain_assignment(cost)
    elif max(cost.shape) <= _MAX_SHORT:
        column_of = np.array(core.assignment(cost))
    else:
        column_of = np.array(core.long_assignment(cost))
    rows = np.flatnonzero(column_of >= 0)
    return rows, column_of[rows]


def plain_assignment(cost: Array) -> Index:
    """Returns the column of each row, -1 for a row without one, by NumPy alone.

    The choice is that of ``scipy.optimize.linear_sum_assignment``.

    Args:
        cost: (n, m), finite.
    """
    n, m = cost.shape
    if n > m:
        column_of = np.full(n, -1)
        column_of[plain_assignment(cost.T)] = np.arange(m)
        return column_of
    if n == 0:
        return np.zeros(0, dtype=np.intp)
    nearest: Index = cost.argmin(axis=1)
    if len(np.unique(nearest)) == n:
        return nearest
    matching = _Matching(cost)
    for row in range(n):
        matching.add(row)
    return matching.column_of


class _Matching:
    """The matching of the first rows, with the dual prices u of rows and v of columns."""

    def __init__(self, cost: Array) -> None:
        n, m = cost.shape
        self._cost = cost
        self._u, self._v = np.zeros(n), np.zeros(m)
        self._row_of = np.full(m, -1)
        self.column_of = np.full(n, -1)

    def add(self, row: int) -> None:
        """Matches one more row: reverses the shortest path from it to a free column."""
        sink, origin = self._find_path(row)
        column, last = sink, -1
        while last != row:
            last = int(origin[column])
            self._row_of[column] = last
            column, self.column_of[last] = int(self.column_of[last]), column

    def _find_path(self, row: int) -> tuple[int, Index]:
        """Returns the nearest free column, and the row before each column; adapts the prices."""
        u, v, row_of = self._u, self._v, self._row_of
        distance = np.full(len(v), np.inf)
        origin = np.full(len(v), -1)
        remaining = np.arange(len(v))[::-1].copy()
        scanned: list[int] = []
        last, lowest = row, 0.0
        while True:
            reduced = lowest + self._cost[last, remaining] - u[last] - v[remaining]
            is_nearer = reduced < distance[remaining]
            nearer = remaining[is_nearer]
            distance[nearer] = reduced[is_nearer]
            origin[nearer] = last
            index = self._nearest(distance[remaining], remaining)
            column = int(remaining[index])
            lowest = float(distance[column])
            if row_of[column] < 0:
                break
            scanned.append(column)
            remaining[index] = remaining[-1]
            remaining = remaining[:-1]
            last = int(row_of[column])
        u[row] += lowest
        u[row_of[scanned]] += lowest - distance[scanned]
        v[scanned] -= lowest - distance[scanned]
        return column, origin

    def _nearest(self, distances: Array, columns: Index) -> int:
        """Returns the index of the nearest column; a free one comes first, it ends the path."""
        equal = np.flatnonzero(distances == distances.min())
        free = equal[self._row_of[columns[equal]] < 0]
        return int(free[-1]) if len(free) else int(equal[0])
