"""Partial permutations to polish from: by cost, by order, at random, and improved by exchanges."""

import numpy as np
from numpy.typing import NDArray

from otap.transport import starts
from otap.transport.arrays import Array
from otap.transport.problem import Problem
from otap.transport.stack import Stack
from otap.transport.structure import dense

_WORTH = 1e-12
_MOST_ROUNDS = 50


def matchings(problem: Problem, first: int, last: int) -> Array:
    """Couplings of partial permutations, (count, n, m).

    Args:
        problem: the problem.
        first: the first of the shuffles that is used; at 0 the assignments by cost and by order
            come before. Every second shuffle is improved by exchanges.
        last: the shuffle before which to stop.
    """
    stack, pairs = Stack.of([problem]), _Pairs(problem)
    found = [] if first else [way(stack)[0] > 0 for way in (starts.by_cost, starts.by_order)]
    for k, shuffle in enumerate(starts.shuffled_pairs(stack)[first:last]):
        found.append(pairs.exchanged(shuffle[0] > 0) if k % 2 else shuffle[0] > 0)
    return np.array([pairs.coupling(chosen) for chosen in found]).reshape(-1, *problem.shape)


class _Pairs:
    """Pairs of steps, each with the mass that both sides would agree on.

    The shorter side is padded with steps that stand for no partner.
    """

    def __init__(self, problem: Problem) -> None:
        n, m = problem.shape
        self._size = size = max(n, m)
        weight = problem.lambda_1[:, None] + problem.lambda_2
        pull = problem.lambda_2 * np.log(problem.nu / problem.mu[:, None])
        mass = problem.mu[:, None] * np.exp(pull / weight)
        self._masses = mass * np.exp(-(1.0 - problem.theta) * problem.C / weight)
        self._single = np.zeros((size, size))
        self._single[:n] += (problem.lambda_1 * problem.mu)[:, None]
        self._single[:, :m] += problem.lambda_2 * problem.nu
        self._single[:n, :m] -= weight * self._masses
        self._mass = np.zeros((size, size))
        self._mass[:n, :m] = mass
        self._D_p, self._D_r = (self._padded(dense(D)) for D in (problem.D_p, problem.D_r))
        self._double = 2.0 * problem.theta
        self._shape = n, m

    def _padded(self, D: Array) -> Array:
        padded = np.zeros((self._size, self._size))
        padded[: len(D), : len(D)] = D
        return padded

    def coupling(self, chosen: NDArray[np.bool_]) -> Array:
        """The coupling of these pairs, with the masses that would be best without structure."""
        return np.where(chosen, self._masses, 0.0)

    def exchanged(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Exchanges the partners of two steps as long as that costs less."""
        column = self._column(chosen)
        for _ in range(_MOST_ROUNDS):
            if not self._round(column):
                break
        pairs = np.zeros((self._size, self._size), dtype=np.bool_)
        pairs[np.arange(self._size), column] = True
        return pairs[: self._shape[0], : self._shape[1]]

    def _column(self, chosen: NDArray[np.bool_]) -> NDArray[np.intp]:
        column = np.full(self._size, -1)
        rows, columns = np.nonzero(chosen)
        column[rows] = columns
        column[column < 0] = np.setdiff1d(np.arange(self._size), columns)
        return column

    def _round(self, column: NDArray[np.intp]) -> bool:
        improved = False
        for i in range(self._size):
            for k in range(i):
                if self._gain(column, i, k) < -_WORTH:
                    column[i], column[k] = column[k], column[i]
                    improved = True
        return improved

    def _gain(self, column: NDArray[np.intp], i: int, k: int) -> float:
        a, b = column[i], column[k]
        single = self._single
        gain = single[i, b] + single[k, a] - single[i, a] - single[k, b]
        swapped = column.copy()
        swapped[i], swapped[k] = b, a
        return float(gain + self._pairs_of(swapped, i, k) - self._pairs_of(column, i, k))

    def _pairs_of(self, column: NDArray[np.intp], i: int, k: int) -> float:
        """What the pairs of the rows i and k cost with each other and with all others."""
        steps = np.arange(self._size)
        mass = self._mass[steps, column]
        total = 0.0
        for row in (i, k):
            gap = self._D_p[row] - self._D_r[column[row], column]
            total += mass[row] * float(gap * gap @ mass)
        both = self._D_p[i, k] - self._D_r[column[i], column[k]]
        return self._double * float(total - mass[i] * mass[k] * both * both)
