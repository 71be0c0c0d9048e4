"""Solves problems with more than SMALL steps per side, in single precision.

The method is that of plain.py, with these differences. The coupling is stored once, as float32, and
sparse when epsilon is small. The structure term is computed from the moments of the coupling. The
linearised problem is solved by truncated Newton [Nocedal2006] on the dual in the potentials of the
columns, with some passes over the coupling for each step. There is one start, and no polishing.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from otap.transport import parameters as par
from otap.transport.assignment import assignment
from otap.transport.core import one_thread
from otap.transport.isomorphism import zero_loss
from otap.transport.native.coupling import Dense, Entries, Exponents, Sparse, Sums, core, totals
from otap.transport.native.cross import Cross, Mismatch, Moments, between
from otap.transport.objective import Terms
from otap.transport.problem import Problem
from otap.transport.schedule import epsilons, inner_tolerance
from otap.transport.solution import Solution
from otap.transport.structure import Array, Index, Single

# How often a coupling may be filled within one inner problem.
_MAX_FILLS = 30
# With more factors than this the exponents are computed once, if their matrix is small.
_FEW_FACTORS, _MAX_MATRIX = 4, 1 << 22
# Up to this number of unpaired steps the best pairs are searched for.
_MAX_UNPAIRED = 500
_ROWS, _MANY_ROWS = 64, 256


def solve_long(
    problem: Problem, epsilon: float, *, max_outer: int, tolerance: float, threads: int
) -> Solution | None:
    """Solves a problem by conditional gradient with epsilon scaling in single precision.

    Starts from the product coupling. Without entropy, a coupling that does not converge is returned
    too: the solver in double precision would hardly converge either, and take ten times as long. It
    also counts as converged if the objective stops changing. If a weight fails, the weight before
    it is the last. Requires the native core.

    Args:
        problem: a problem with more than SMALL steps on a side.
        epsilon: the entropy weight, or 0 for epsilon scaling and rounding.
        max_outer: the number of linearisations.
        tolerance: the coupling has converged if it changes by less; at least 3e-5.
        threads: the number of threads.

    Returns:
        The solution, or None if single precision is not sufficient.
    """
    with one_thread(max(problem.shape)):
        zero = zero_loss(problem) if epsilon == 0 else None
        if zero is not None:
            return zero
        weights, tolerance = (
            epsilons(epsilon, max(problem.shape)),
            max(tolerance, par.STILL_SINGLE),
        )
        last = weights[-1]
        while weights:
            descent = Descent(problem, threads)
            solved = descent.run(weights, max_outer, tolerance)
            if epsilon > 0:
                sure = descent.converged or max(problem.shape) > par.SURE_AT_A_WEIGHT
                return descent.solution() if solved and sure else None
            if solved:
                descent.converged = (descent.converged or descent.is_stationary) and weights[
                    -1
                ] == last
                return rounded(descent.solution(), descent)
            if max(problem.shape) <= par.SURE:
                return None
            weights.pop()
    return None


class Descent:
    """A conditional gradient from the product coupling.

    T: the solution of the last linearisation. If the last step was shorter than 1, the iterate is
    before T; `moments` and `mismatch`, half the gradient of Q, are those of the iterate. f, g: the
    dual potentials; change: the last |dT|_1; epsilon: the entropy weight of T.
    """

    def __init__(self, problem: Problem, threads: int) -> None:
        self.problem, self.threads = problem, threads
        self.cross = Cross(problem, threads)
        self.moments = self.cross.product(problem.mu, problem.nu)
        self.mismatch = self.cross.mismatch(self.moments)
        self.f, self.g = np.zeros(problem.shape[0]), np.zeros(problem.shape[1])
        self.T: Dense | Sparse = Dense((0, 0), threads)
        self.buffer = np.empty((0, 0))  # the cost of each linearisation in turn
        self.change, self.epsilon, self.iterations, self.converged = np.inf, 0.0, 0, False
        self.values: list[float] = []  # of the objective at the last weight

    @property
    def is_stationary(self) -> bool:
        """Whether the last ten linearisations hardly changed the objective."""
        last = self.values[-par.AS_LONG :]
        return len(last) == par.AS_LONG and max(last) - min(last) < par.LEVEL

    def run(self, weights: Sequence[float], max_outer: int, tolerance: float) -> bool:
        """Linearises once at each weight, and to convergence at the last; False if one failed.

        Args:
            weights: the decreasing entropy weights of epsilon scaling.
            max_outer: the number of all linearisations.
            tolerance: the coupling has converged if it changes by less.
        """
        *stages, last = weights
        for epsilon in stages[:max_outer]:
            if not self.linearise(epsilon, first=True):
                return False
            self.mismatch = self.cross.mismatch(self.moments)
        length, value = 1.0, np.inf
        for count in range(max_outer - len(stages)):
            exactness, before = inner_tolerance(self.change, par.TIGHTEST_SINGLE), self.moments
            if not self.linearise(last, first=count == 0):
                return False
            self.change /= length
            exact = exactness <= max(tolerance, par.TIGHTEST_SINGLE)
            self.converged = self.change < tolerance and exact
            if self.converged:
                return True
            there = self.cross.mismatch(self.moments)
            now = self.value(there)
            if now > value + par.RISE and self.curved(before, there):
                length /= 2
            self.moments = between(before, self.moments, length)
            self.mismatch = between(self.mismatch, there, length)
            value = now
            self.values.append(now)
        return True

    def linearise(self, epsilon: float, first: bool) -> bool:
        """Solves one linearisation at this weight; returns False if it failed."""
        tolerance = inner_tolerance(self.change, par.TIGHTEST_SINGLE)
        swept = first or epsilon < par.FINE or not self.change < par.MOVED
        sums = self.solved(epsilon, tolerance, swept)
        if sums is None:
            self.g = np.zeros_like(self.g)
            for factor in par.FACTORS:
                tolerance = inner_tolerance(self.change, par.TIGHTEST_SINGLE)
                sums = self.solved(factor * epsilon, tolerance, True)
                self.g = np.where(np.isfinite(self.g), self.g, 0.0)
        if sums is None:
            return False
        self.sums, self.epsilon = sums, epsilon
        self.moments = self.moments_of(sums)
        self.iterations += 1
        return True

    def moments_of(self, sums: Sums) -> Moments:
        """Returns the moments of T with these sums."""
        T = np.asarray(self.T.matrix(), dtype=np.float64) if self.cross.is_dense else sums.Y
        return Moments(sums.r, sums.c, T, sums.Z)

    def solved(self, epsilon: float, tolerance: float, sweep: bool) -> Sums | None:
        """Solves the linearised problem from the current potentials.

        Args:
            epsilon: the entropy weight.
            tolerance: the largest error of a marginal relative to the mass of its step.
            sweep: whether to start with a Sinkhorn step.

        Returns:
            The sums of T, or None if it failed.
        """
        problem, x = self.problem, self.exponents(epsilon)
        sides = problem.mu, problem.nu, problem.lambda_1, problem.lambda_2
        for count in range(_MAX_FILLS):
            if sweep or count:
                self.sweep(x, epsilon)
            f, g = self.f, self.g
            row, column = x.row + f / epsilon, x.column + g / epsilon
            moved = self.make(x._replace(row=row, column=column), epsilon)
            log_u, log_v, outcome = self.T.scale((*sides, f, g, epsilon, tolerance))
            self.f, self.g = f + epsilon * log_u, g + epsilon * log_v
            if outcome != 1:
                break
        if outcome != 0:
            return None
        sums = self.T.couple(log_u, log_v, problem.C, self.cross.W, self.cross.X)
        self.change = moved + sums.change
        return sums

    def exponents(self, epsilon: float) -> Exponents:
        """Returns the exponents of the linearised problem's Gibbs kernel, without potentials."""
        C, theta, (a, b, P, V) = self.problem.C, self.problem.theta, self.mismatch
        node, pull = (1.0 - theta) / epsilon, 2.0 * theta / epsilon
        row, column, rank = -pull * a, -pull * b, P.shape[1]
        if not self.cross.is_dense and (rank <= _FEW_FACTORS or C.size > _MAX_MATRIX):
            P, V = np.ascontiguousarray(-2.0 * pull * P), np.ascontiguousarray(V)
            return Exponents(C, node, row, column, P, V)
        if not self.buffer.size:
            self.buffer = np.empty(C.shape)
        if self.cross.is_dense:
            np.multiply(P, 2.0 * pull, out=self.buffer)
        else:
            np.dot(2.0 * pull * P, V, out=self.buffer)
        for start in range(0, len(C), _ROWS):
            rows = slice(start, start + _ROWS)
            self.buffer[rows] += node * C[rows]
        none = np.empty((len(C), 0)), np.empty((0, C.shape[1]))
        return Exponents(self.buffer, 1.0, row, column, *none)

    def sweep(self, x: Exponents, epsilon: float) -> None:
        """Makes a Sinkhorn step in the logarithmic domain: f from g, then g from f."""
        p = self.problem
        logs = core().row_sums(*x._replace(column=x.column + self.g / epsilon), self.threads)
        power = epsilon * p.lambda_1 / (epsilon + p.lambda_1)
        self.f = (np.log(p.mu) - (logs + x.row)) * power
        logs = core().column_sums(*x._replace(row=x.row + self.f / epsilon), self.threads)
        power = epsilon * p.lambda_2 / (epsilon + p.lambda_2)
        self.g = (np.log(p.nu) - (logs + x.column)) * power

    def make(self, x: Exponents, epsilon: float) -> float:
        """Fills the coupling with exp(x), sparse if few entries matter; returns its change."""
        shape, threads, was = self.problem.shape, self.threads, self.T
        if epsilon < par.FINE:
            held = was if isinstance(was, Sparse) else Sparse(shape, threads)
            moved = held.make(x, np.log(self.problem.mu) - self.f / self.problem.lambda_1)
            if moved is not None:
                self.T = held
                return moved if held is was else np.inf
        dense = was if isinstance(was, Dense) and was.K.shape == shape else Dense(shape, threads)
        self.T, moved = dense, dense.make(x)
        return moved if dense is was else np.inf

    def value(self, there: Mismatch) -> float:
        """Returns the objective at T with its entropy term, from half the gradient at T.

        The sums of T are enough, because log T is linear in the potentials and the costs.
        """
        problem, sums = self.problem, self.sums
        cost = (1.0 - problem.theta) * sums.node
        cost += 2.0 * problem.theta * self.cross.inner(self.mismatch, self.moments)
        entropy = float(self.f @ sums.r + self.g @ sums.c) - cost
        entropy -= self.epsilon * float(sums.r.sum())
        return self.terms(there).loss + entropy

    def curved(self, before: Moments, there: Mismatch) -> bool:
        """Returns whether the structure term has positive curvature along the last step."""
        inner, here, now = self.cross.inner, self.mismatch, self.moments
        return inner(there, now) - inner(here, now) - inner(there, before) + inner(here, before) > 0

    def terms(self, mismatch: Mismatch) -> Terms:
        """Returns the terms of eq. 3 at T, from half the gradient at T, by factors."""
        node, sums = (1.0 - self.problem.theta) * self.sums.node, self.sums
        return self.cross.terms(node, self.cross.inner(mismatch, self.moments), sums.r, sums.c)

    def solution(self) -> Solution:
        """Returns T as a solution with exact terms."""
        self.moments = self.moments_of(self.sums)
        terms = self.terms(self.cross.mismatch(self.moments))
        if self.cross.error > 0:  # add the residual of the factors at entries with much mass
            big = self.T.entries(self.cross.big)
            residual = 2.0 * self.problem.theta * float(big.mass @ self.cross.residual(big))
            terms = terms._replace(structure=max(terms.structure + residual, 0.0))
        return Solution(
            self.problem, self.T.matrix(), terms, self.epsilon, self.converged, self.iterations,
            1, self.change, "single", self.cross.error,
        )  # fmt: skip


def rounded(solution: Solution, descent: Descent) -> Solution:
    """Returns the solution, or the nearest partial permutation if this costs less.

    Its masses are computed as in plain.py.
    """
    p, cross = solution.problem, descent.cross
    rows, columns = _pair_nodes(p, descent.T.entries(par.SLIGHT * p.mu))
    total = p.lambda_1[rows] + p.lambda_2[columns]
    pull = p.lambda_2[columns] * np.log(p.nu[columns] / p.mu[rows])
    node, cost = (1.0 - p.theta) * p.C[rows, columns], np.zeros(len(rows))
    for _ in range(par.ROUNDINGS_LONG):
        mass = p.mu[rows] * np.exp((pull - cost) / total)
        cost = node + 2.0 * p.theta * cross.mismatch_at(Entries(rows, columns, mass))
    mass = mass.astype(np.float32).astype(np.float64)  # the precision of the coupling
    Q = float(mass @ cross.mismatch_at(Entries(rows, columns, mass)))
    r, c = totals(rows, mass, p.shape[0]), totals(columns, mass, p.shape[1])
    terms = cross.terms(float(node @ mass), Q, r, c)
    if not terms.loss < solution.terms.loss:
        return solution
    X: Single = np.zeros(solution.T.shape, dtype=np.float32)
    X[rows, columns] = mass
    return replace(solution, T=X, terms=terms, epsilon=0.0)


def _pair_nodes(problem: Problem, entries: Entries) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Returns a pair for each step of the shorter side: by decreasing mass, then by cost."""
    column_of = np.full(problem.shape[0], -1, dtype=np.int32)
    is_paired = np.zeros(problem.shape[1], dtype=np.bool_)
    order = np.argsort(-entries.mass, kind="stable")
    for i, j in zip(entries.rows[order].tolist(), entries.columns[order].tolist(), strict=True):
        if column_of[i] < 0 and not is_paired[j]:
            column_of[i], is_paired[j] = j, True
    rows, columns = _pair_by_cost(
        problem, np.flatnonzero(column_of < 0), np.flatnonzero(~is_paired)
    )
    column_of[rows] = columns
    paired = np.flatnonzero(column_of >= 0).astype(np.int32)
    return paired, column_of[paired]


def _pair_by_cost(problem: Problem, rows: Index, columns: Index) -> tuple[Index, Index]:
    """Returns the pairs of lowest node cost; pairs in order if there are too many steps."""
    count = min(len(rows), len(columns))
    if not count or count > _MAX_UNPAIRED:
        return rows[:count], columns[:count]
    first, second = assignment(problem.C[np.ix_(rows, columns)])
    return rows[first], columns[second]


def long_contributions(problem: Problem, T: Single, threads: int = 1) -> Array:
    """Returns T_ij ((1 - theta) C_ij + theta sum_kl (D_p_ik - D_r_jl)^2 T_kl), (n, m).

    The structure term uses low-rank factors; entries with much mass are then computed exactly.

    Args:
        problem: a problem with more than SMALL steps on a side.
        T: its coupling, (n, m), not negative.
        threads: the number of threads.
    """
    with one_thread(max(T.shape)):
        cross, shares = Cross(problem, threads), np.zeros(T.shape)
        if np.count_nonzero(T) <= par.SPARSE * T.size:
            entries = Entries.where(T, T)
            cost = (1.0 - problem.theta) * problem.C[entries.rows, entries.columns]
            cost += problem.theta * cross.mismatch_at(entries)
            shares[entries.rows, entries.columns] = entries.mass * cost
            return shares
        a, b, P, V = cross.mismatch(_moments(T, cross))
        for rows in _blocks(len(T)):
            crossed = P[rows] if cross.is_dense else P[rows] @ V
            mismatch = np.maximum(a[rows, None] + b + 2.0 * crossed, 0.0)
            cost = (1.0 - problem.theta) * problem.C[rows] + problem.theta * mismatch
            shares[rows] = T[rows] * cost
        if cross.error > 0:
            big = Entries.from_least(T, cross.big)
            shares[big.rows, big.columns] += 2.0 * problem.theta * big.mass * cross.residual(big)
        return np.maximum(shares, 0.0, out=shares)


def _moments(T: Single, cross: Cross) -> Moments:
    c, Z = np.zeros(T.shape[1]), np.zeros((cross.X.shape[1], T.shape[1]))
    Y = np.empty((len(T), T.shape[1] if cross.is_dense else len(cross.W)))
    for rows in _blocks(len(T)):
        part = T[rows].astype(np.float64)
        c += part.sum(axis=0)
        Y[rows] = part if cross.is_dense else part @ cross.W.T
        Z += cross.X[rows].T @ part
    return Moments(T.sum(axis=1, dtype=np.float64), c, Y, Z)


def _blocks(count: int) -> list[slice]:
    return [slice(start, start + _MANY_ROWS) for start in range(0, count, _MANY_ROWS)]
