"""Conditional gradient for long traces in single precision: native kernels, put together here.

The method is that of numpy/descent.py. What differs: the coupling is kept once, as float32, and
only where it matters once epsilon is small; the structure term is worked with through the moments
of a coupling; the linearised problem is solved by truncated Newton [Nocedal2006] on the dual in the
columns' potentials, each step some passes over the coupling.
"""

from collections.abc import Sequence

import numpy as np

from otap.transport.arrays import Array
from otap.transport.epsilon_scaling import FACTORS, MOVED, inner_tolerance
from otap.transport.native.coupling import (
    Dense,
    Exponents,
    Inner,
    Sparse,
    Sums,
    column_sums,
    row_sums,
)
from otap.transport.native.cross import Cross, Mismatch, Moments
from otap.transport.objective import Terms
from otap.transport.problem import Problem
from otap.transport.solution import Solution

# From here on a coupling may have few entries that matter, and potentials always take a Sinkhorn
# step in the logarithmic domain where the cost is new.
_FINE = 0.02
# The smallest tolerance of an inner problem, relative to the mass of a step.
_TIGHTEST = 1e-5
# Rises of the objective below this are the rounding of single precision.
_RISE = 1e-6
# Where so many values of the objective lie as close together it stands still, though the coupling
# may slide along a valley.
_AS_LONG, _LEVEL = 10, 1e-7
# How often a coupling is made anew within one inner problem.
_REMADE = 30
# With more factors than this the exponents are made once, where a matrix of them is small.
_FEW, _MATRIX = 4, 1 << 22
_ROWS = 64


class Descent:
    """A conditional gradient from the product coupling.

    T: the solution of the last linearisation. Where the last step was shorter than 1 the iterate
    lies before T; `moments` and `mismatch`, half the gradient of Q, are those of the iterate.
    f, g: the dual potentials; change: the last |dT|_1; epsilon: the weight at which T was found.
    """

    def __init__(self, problem: Problem, threads: int) -> None:
        self.problem, self.threads = problem, threads
        self.cross = Cross(problem, threads)
        self.moments = self.cross.product(problem.mu, problem.nu)
        self.mismatch = self.cross.mismatch(self.moments)
        self.f, self.g = np.zeros(problem.shape[0]), np.zeros(problem.shape[1])
        self.T: Dense | Sparse = Dense((0, 0), threads)
        self.buffer = np.empty((0, 0))  # the cost of each linearisation in turn
        self.change, self.epsilon = np.inf, 0.0
        self.iterations = 0
        self.converged = False
        self.values: list[float] = []  # of the objective at the last weight

    @property
    def stands(self) -> bool:
        """Whether the last ten linearisations hardly moved the objective."""
        last = self.values[-_AS_LONG:]
        return len(last) == _AS_LONG and max(last) - min(last) < _LEVEL

    def run(self, weights: Sequence[float], max_outer: int, tolerance: float) -> bool:
        """One linearisation at each weight, the last to convergence; False where one failed.

        Args:
            weights: the entropy weights of epsilon scaling, falling.
            max_outer: linearisations in all.
            tolerance: the change of the coupling at which it is settled.
        """
        *stages, last = weights
        for epsilon in stages[:max_outer]:
            if not self.linearise(epsilon, first=True):
                return False
            self.mismatch = self.cross.mismatch(self.moments)
        length, value = 1.0, np.inf
        for count in range(max_outer - len(stages)):
            exact, before = self.inner_tolerance() <= max(tolerance, _TIGHTEST), self.moments
            if not self.linearise(last, first=count == 0):
                return False
            self.change /= length
            self.converged = self.change < tolerance and exact
            if self.converged:
                return True
            there = self.cross.mismatch(self.moments)
            now = self.value(there)
            if now > value + _RISE and self.curved(before, there):
                length /= 2
            self.moments, self.mismatch = (
                before.towards(self.moments, length),
                self.mismatch.towards(there, length),
            )
            value = now
            self.values.append(now)
        return True

    def inner_tolerance(self) -> float:
        """How exactly to solve the next linearisation."""
        return float(inner_tolerance(self.change, _TIGHTEST))

    def linearise(self, epsilon: float, first: bool) -> bool:
        """One linearisation at this weight; False where it could not be solved."""
        x = self.exponents(self.mismatch, epsilon)
        swept = first or epsilon < _FINE or not self.change < MOVED
        sums = self.solved(x, epsilon, self.inner_tolerance(), swept)
        sums = sums or self.by_epsilon_scaling(epsilon)
        if sums is None:
            return False
        self.sums, self.epsilon = sums, epsilon
        self.moments = self.cross.moments(sums, self.T.matrix() if self.cross.whole else None)
        self.iterations += 1
        return True

    def exponents(self, mismatch: Mismatch, epsilon: float) -> Exponents:
        """The exponents of the linearised problem's Gibbs kernel, without the potentials."""
        problem = self.problem
        node, pull = (1.0 - problem.theta) / epsilon, 2.0 * problem.theta / epsilon
        row, column = -pull * mismatch.a, -pull * mismatch.b
        rank = mismatch.P.shape[1]
        if mismatch.V is not None and (rank <= _FEW or problem.C.size > _MATRIX):
            P, V = np.ascontiguousarray(-2.0 * pull * mismatch.P), np.ascontiguousarray(mismatch.V)
            return Exponents(problem.C, node, row, column, P, V)
        n, m = problem.shape
        none = np.empty((n, 0)), np.empty((0, m))
        return Exponents(self.cost(mismatch, node, 2.0 * pull), 1.0, row, column, *none)

    def cost(self, mismatch: Mismatch, node: float, pull: float) -> Array:
        """The matrix node C + pull P V, written into one buffer that all linearisations share."""
        if not self.buffer.size:
            self.buffer = np.empty(self.problem.shape)
        if mismatch.V is None:
            np.multiply(mismatch.P, pull, out=self.buffer)
        else:
            np.dot(pull * mismatch.P, mismatch.V, out=self.buffer)
        for start in range(0, len(self.buffer), _ROWS):
            rows = slice(start, start + _ROWS)
            self.buffer[rows] += node * self.problem.C[rows]
        return self.buffer

    def swept(self, x: Exponents, g: Array, epsilon: float) -> tuple[Array, Array]:
        """One Sinkhorn step in the logarithmic domain: f from g, then g from f."""
        problem = self.problem
        logs = row_sums(x._replace(column=x.column + g / epsilon), self.threads) + x.row
        power = epsilon * problem.lambda_1 / (epsilon + problem.lambda_1)
        f = (np.log(problem.mu) - logs) * power
        logs = column_sums(x._replace(row=x.row + f / epsilon), self.threads) + x.column
        power = epsilon * problem.lambda_2 / (epsilon + problem.lambda_2)
        return f, (np.log(problem.nu) - logs) * power

    def by_epsilon_scaling(self, epsilon: float) -> Sums | None:
        """Solves the linearised problem by epsilon scaling, from potentials of 0; T's sums."""
        sums = None
        self.g = np.zeros_like(self.g)
        for factor in FACTORS:
            x = self.exponents(self.mismatch, factor * epsilon)
            sums = self.solved(x, factor * epsilon, self.inner_tolerance(), True)
            self.g = np.where(np.isfinite(self.g), self.g, 0.0)
        return sums

    def solved(self, x: Exponents, epsilon: float, tolerance: float, sweep: bool) -> Sums | None:
        """Solves the linearised problem from the potentials held; T's sums, None where it failed.

        ``sweep``: whether a Sinkhorn step comes first.
        """
        problem = self.problem
        sides = problem.mu, problem.nu, problem.lambda_1, problem.lambda_2
        for count in range(_REMADE):
            if sweep or count:
                self.f, self.g = self.swept(x, self.g, epsilon)
            f, g = self.f, self.g
            row, column = x.row + f / epsilon, x.column + g / epsilon
            moved = self.make(x._replace(row=row, column=column), epsilon)
            scaled = self.T.scale(Inner(*sides, f, g, epsilon, tolerance))
            self.f, self.g = f + epsilon * scaled.log_u, g + epsilon * scaled.log_v
            if scaled.outcome != 1:
                break
        if scaled.outcome != 0:
            return None
        sums = self.T.couple(scaled, problem.C, self.cross.W, self.cross.X)
        self.change = moved + sums.change
        return sums

    def make(self, x: Exponents, epsilon: float) -> float:
        """Fills the coupling with exp(x), sparse where few entries matter; how far it moved."""
        shape, threads = self.problem.shape, self.threads
        if epsilon < _FINE:
            held = self.T if isinstance(self.T, Sparse) else Sparse(shape, threads)
            moved = held.make(x, np.log(self.problem.mu) - self.f / self.problem.lambda_1)
            if moved is not None:
                was, self.T = self.T, held
                return moved if held is was else np.inf
        fits = isinstance(self.T, Dense) and self.T.K.shape == shape
        whole = self.T if isinstance(self.T, Dense) and fits else Dense(shape, threads)
        self.T, moved = whole, whole.make(x)
        return moved if fits else np.inf

    def value(self, there: Mismatch) -> float:
        """The objective at T, its entropy term included, given half the gradient there.

        Sums of T are enough: log T is linear in the potentials and in the costs.
        """
        problem, sums = self.problem, self.sums
        cost = (1.0 - problem.theta) * sums.node
        cost += 2.0 * problem.theta * self.cross.inner(self.mismatch, self.moments)
        entropy = float(self.f @ sums.r + self.g @ sums.c) - cost
        entropy -= self.epsilon * float(sums.r.sum())
        return float(self.terms(there).loss) + entropy

    def curved(self, before: Moments, there: Mismatch) -> bool:
        """Whether the structure term has positive curvature along the last step."""
        inner, now = self.cross.inner, self.moments
        return (
            inner(there, now)
            - inner(self.mismatch, now)
            - inner(there, before)
            + inner(self.mismatch, before)
            > 0
        )

    def terms(self, mismatch: Mismatch) -> Terms:
        """The four terms of eq. 3 at T, given half the gradient there, by factors."""
        sums = self.sums
        node = (1.0 - self.problem.theta) * sums.node
        return self.cross.terms(node, self.cross.inner(mismatch, self.moments), sums.r, sums.c)

    def solution(self) -> Solution:
        """T as a solution, with its exact terms."""
        self.moments = self.cross.moments(self.sums, self.T.matrix() if self.cross.whole else None)
        terms = self.terms(self.cross.mismatch(self.moments))
        if self.cross.error > 0:
            terms = terms._replace(structure=max(terms.structure + self.left_out(), 0.0))
        return Solution(
            self.problem, self.T.matrix(), terms, self.epsilon, self.converged, self.iterations,
            1, self.change, "single", self.cross.error,
        )  # fmt: skip

    def left_out(self) -> float:
        """What factors leave out of the structure term, at the entries that carry its mass."""
        big = self.T.entries(self.cross.big)
        return 2.0 * self.problem.theta * float(big.mass @ self.cross.left_out(big))
