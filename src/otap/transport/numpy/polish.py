"""Polishing: from a coupling to the exact local minimum beside it, without entropy.

An active-set method: damped Newton [Nocedal2006] among the cells in use. A cell that falls to 0
leaves; cells in which the objective falls enter, few at a time. The Hessian is raised by a ridge
until it is definite, which turns its concave directions downhill.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap.transport.arrays import Array
from otap.transport.objective import kl
from otap.transport.problem import Problem
from otap.transport.structure import dense

# Cells below this share of what both their steps move are taken for the entropy's doing: each would
# take a step to leave. One that is worth something enters again.
_SLIGHT = 1e-3
# What a step must promise to be taken: the distance that may be left to the local minimum.
STILL = 1e-11
# The least mass of a step, far below what counts: its logarithm must be finite.
_LEAST = 1e-250
# A step of the run that would keep less of its mass goes down by an exponential, as its slope is a
# logarithm; the smallest exponent.
_KEEPS, _FASTEST = 0.05, -500.0
# Cells with less of a mass than that, and in which the objective rises, are left alone: they
# would only shorten steps.
_NOTHING = 1e-30
_ARMIJO = 1e-4
# Relative to the diagonal: where the ridge begins, and where it goes when H is not definite.
_RIDGE, _LEAST_RIDGE, _FIRM_RIDGE, _MOST_RIDGE, _DEFINITE = 1e-9, 1e-12, 1e-6, 1e6, 1e-14
_HALVINGS, _ENTERING = 40, 4


class Polished(NamedTuple):
    """Where polishing ended: the coupling, its loss, and whether no step promised more there."""

    T: Array
    loss: float
    ended: bool


def polish(problem: Problem, T: Array, most_steps: int = 200) -> Polished | None:
    """The local minimum that descent from T leads to; None where T is spread over too many cells.

    Args:
        problem: the problem.
        T: where to start, (n, m), not negative.
        most_steps: steps of Newton's method.
    """
    polisher = _Polisher(problem, T)
    if np.count_nonzero(polisher.T) > max(150, 3 * sum(problem.shape)):
        return None
    # A step that goes too far has no loss that is a number, and is not taken.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        ended = polisher.run(most_steps)
    return Polished(polisher.T, polisher.loss, ended)


def lower_bound(problem: Problem, T: Array) -> float:
    """A lower bound of the loss by weak duality, from the potentials that T's sums stand for.

    It is the loss itself where T is a minimum and its structure term is 0.
    """
    rows, columns = T.sum(axis=1), T.sum(axis=0)
    if min(rows.min(), columns.min()) <= 0:
        return 0.0
    node = (1.0 - problem.theta) * problem.C
    f = -problem.lambda_1 * np.log(rows / problem.mu)
    g = -problem.lambda_2 * np.log(columns / problem.nu)
    f = np.minimum(f, (node - g).min(axis=1))
    with np.errstate(over="ignore"):
        agent = problem.lambda_1 * problem.mu * -np.expm1(-f / problem.lambda_1)
    return float(agent.sum() + (problem.lambda_2 * (problem.nu - columns)).sum())


class _Polisher:
    """A descent: the coupling, its sums, and the Newton step that is next."""

    def __init__(self, problem: Problem, T: Array) -> None:
        self.problem = problem
        self._D_p, self._D_r = dense(problem.D_p), dense(problem.D_r)
        self._node = (1.0 - problem.theta) * problem.C
        rows, columns = T.sum(axis=1), T.sum(axis=0)
        in_use = _SLIGHT * np.minimum(rows[:, None], columns[None, :]) <= T
        self.T = np.where(in_use, T, 0.0)
        self._feed()
        self._sum()
        self.loss, self._ridge, self._promise = self._value(self.T), _RIDGE, 0.0

    def run(self, most_steps: int) -> bool:
        """Descends; whether it ends where no step promises anything.

        What the last step promises is too little to be told in the loss, but it squares what is
        left of the slopes.
        """
        for _ in range(most_steps):
            self._derive()
            if not self._choose_step():
                if self._promise > 0:
                    self._take(1.0, 0.0)
                return True
            if not self._take_step():
                return False
        return False

    def _feed(self) -> None:
        """A step that has nothing gets what is best for it in its cheapest cell."""
        for other in (False, True):
            mass = self.T.sum(axis=0 if other else 1)
            cost = self._cost()
            for k in np.flatnonzero(mass <= 0).tolist():
                i, j = (int(cost[:, k].argmin()), k) if other else (k, int(cost[k].argmin()))
                self.T[i, j] = self._fed(i, j, float(cost[i, j]), other)

    def _fed(self, i: int, j: int, cost: float, other: bool) -> float:
        p = self.problem
        mine, theirs = (p.mu[i], p.lambda_1[i]), (p.nu[j], p.lambda_2[j])
        taken = float(self.T[i].sum() if other else self.T[:, j].sum())
        if other:
            mine, theirs = theirs, mine
        if taken > 0:
            cost += theirs[1] * np.log(taken / theirs[0])
        return max(float(mine[0] * np.exp(-max(cost, 0.0) / mine[1])), _LEAST)

    def _sum(self) -> None:
        self._rows, self._columns = self.T.sum(axis=1), self.T.sum(axis=0)

    def _cost(self) -> Array:
        """The cost of the linearisation at T: the mismatch of each cell with those in use."""
        theta = self.problem.theta
        i, j = np.nonzero(self.T)
        gap = self._D_p[:, None, i] - self._D_r[None, :, j]
        cost: Array = self._node + 2.0 * theta * (gap * gap @ self.T[i, j])
        return cost

    def _value(self, T: Array) -> float:
        p, (i, j) = self.problem, np.nonzero(T)
        mass = T[i, j]
        gap = self._D_p[np.ix_(i, i)] - self._D_r[np.ix_(j, j)]
        pairs = self._node[i, j] @ mass + p.theta * float(mass @ (gap * gap @ mass))
        agent = p.lambda_1 @ kl(T.sum(axis=1), p.mu)
        return float(pairs + agent + p.lambda_2 @ kl(T.sum(axis=0), p.nu))

    def _derive(self) -> None:
        p = self.problem
        self._agent = p.lambda_1 * np.log(self._rows / p.mu)
        self._reference = p.lambda_2 * np.log(self._columns / p.nu)
        self._slope = (self._cost() + self._agent[:, None] + self._reference[None, :]).ravel()
        self._mass = self.T.ravel()
        slight = _NOTHING * np.minimum(p.mu[:, None], p.nu).ravel()
        self._in_use = (self._mass > slight) | ((self._mass > 0) & (self._slope < 0))

    def _choose_step(self) -> bool:
        """A direction among the cells in use, and with those that are worth more than that."""
        self._cells = np.flatnonzero(self._in_use)
        self._promise = self._direct(self._cells)
        entering = self._entering(max(self._promise, STILL))
        if len(entering):
            self._promise = self._direct(np.concatenate([self._free, entering]))
            if self._promise < STILL:
                self._promise = self._direct(self._cells)
        return self._promise >= STILL

    def _entering(self, worth: float) -> NDArray[np.intp]:
        p, s = self.problem, np.minimum(self._slope, 0.0).reshape(self.T.shape)
        rows = _Grown(self._rows, p.mu, p.lambda_1)
        columns = _Grown(self._columns, p.nu, p.lambda_2)
        offer = -s * np.minimum(rows(s.T).T, columns(s))
        offer[self.T > 0] = 0.0
        best = np.argsort(-offer.ravel(), kind="stable")[:_ENTERING]
        found: NDArray[np.intp] = best[offer.ravel()[best] > worth]
        return found

    def _direct(self, cells: NDArray[np.intp]) -> float:
        """What a Newton step promises; a cell that has nothing and would lose stays out."""
        self._free = cells
        while len(cells):
            self._free = cells
            self._H = self._curved(cells)
            if not self._solve():
                return 0.0
            stays = (self._mass[cells] > 0) | (self._d > 0)
            if stays.all():
                return float(-self._slope[cells] @ self._d)
            cells = cells[stays]
        return 0.0

    def _curved(self, cells: NDArray[np.intp]) -> Array:
        p = self.problem
        i, j = np.divmod(cells, self.T.shape[1])
        gap = self._D_p[np.ix_(i, i)] - self._D_r[np.ix_(j, j)]
        H: Array = 2.0 * p.theta * gap * gap
        H += np.where(i[:, None] == i, (p.lambda_1 / self._rows)[i], 0.0)
        H += np.where(j[:, None] == j, (p.lambda_2 / self._columns)[j], 0.0)
        return H

    def _solve(self) -> bool:
        """The direction at the least ridge of those tried at which H is definite."""
        diagonal = np.diag(self._H)
        scale = 1.0 / np.sqrt(diagonal)
        scaled = self._H * scale[:, None] * scale
        while self._ridge <= _MOST_RIDGE:
            try:
                L = np.linalg.cholesky(scaled + self._ridge * np.eye(len(scaled)))
            except np.linalg.LinAlgError:
                L = np.zeros((1, 1))
            if np.diag(L).min() ** 2 > _DEFINITE:
                half = np.linalg.solve(L, -self._slope[self._free] * scale)
                self._d = np.linalg.solve(L.T, half) * scale
                return True
            self._firm()
        return False

    def _firm(self) -> None:
        self._ridge = max(100.0 * self._ridge, _FIRM_RIDGE)

    def _take_step(self) -> bool:
        while not self._search():
            self._firm()
            if not self._solve():
                return False
            self._d = np.where(self._mass[self._free] > 0, self._d, np.maximum(self._d, 0.0))
            self._promise = float(-self._slope[self._free] @ self._d)
        return True

    def _search(self) -> bool:
        """The whole way, cut at 0; else up to where the first cell is empty, or a part of that."""
        if self._take(1.0, 0.0):
            self._ridge = max(self._ridge / 10.0, _LEAST_RIDGE)
            return True
        mass = self._mass[self._free]
        losing = (self._d < 0) & (mass > 0)
        length = float(min(1.0, (-mass[losing] / self._d[losing]).min(initial=1.0)))
        return any(self._take(length * 0.5**count, 1e-12) for count in range(_HALVINGS))

    def _take(self, length: float, empty: float) -> bool:
        mass = self._mass[self._free]
        there = self.T.ravel().copy()
        moved = mass + length * self._d
        there[self._free] = np.where(moved > empty * mass, moved, 0.0)
        self._shrink(there, length)
        T = there.reshape(self.T.shape)
        if min(T.sum(axis=1).min(), T.sum(axis=0).min()) <= _LEAST:
            return False
        loss = self._value(T)
        if not loss <= self.loss - _ARMIJO * length * self._promise + 1e-15:
            return False
        self.T, self.loss = T, loss
        self._sum()
        return True

    def _shrink(self, there: Array, length: float) -> None:
        """Cells of a step that would lose nearly all its mass shrink by their rates instead.

        Where a step has one cell, that is where its penalty's slope is 0: nothing but a cell's own
        step would have to be cut for it.
        """
        T, mass = there.reshape(self.T.shape), self._mass[self._free]
        rows = T.sum(axis=1) > _KEEPS * self._rows
        columns = T.sum(axis=0) > _KEEPS * self._columns
        shrinks = ~(rows[:, None] & columns).ravel()[self._free] & (mass > 0)
        rate = np.maximum(length * self._d[shrinks] / mass[shrinks], _FASTEST)
        there[self._free[shrinks]] = mass[shrinks] * np.exp(rate)


class _Grown:
    """What a step could move at most, were its cells cheaper by a slope."""

    def __init__(self, sums: Array, mass: Array, weight: Array) -> None:
        self._sums, self._most, self._weight = sums, np.maximum(sums, mass), weight

    def __call__(self, slope: Array) -> Array:
        rate = np.minimum(-slope / self._weight, 50.0)
        return np.minimum(self._sums * np.exp(rate), self._most)
