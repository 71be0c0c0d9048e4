"""The structure term of long traces, through factors of low rank of one structure [Scetbon2022].

Q needs of a coupling T its marginals and the cross term D_p T D_r. With factors W' H W of D_r the
latter is D_p (T W') H W, so that T W' is enough, which has a few columns; with factors of D_p, W T.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap.transport.arrays import Array
from otap.transport.core import native
from otap.transport.native.coupling import Entries, Sums, totals
from otap.transport.native.factors import Operator
from otap.transport.objective import Terms, kl
from otap.transport.problem import Problem
from otap.transport.structure import Hops, dense

# Up to here a structure that is not graded is worked with as a whole; and up to _WHOLE steps where
# factors of it would be too many to be worth it.
_SHORT, _WHOLE = 256, 500
# The most factors, and the most beyond _WHOLE steps, where they are multiplied again at each pass.
_MOST, _MOST_BEYOND = 256, 96
# How far factors may move the structure term's cost of a pair of steps.
_ENOUGH = 3e-5
# From this share of a step's mass on, the cross term of an entry is computed without factors.
_BIG = 1e-2


class Moments(NamedTuple):
    """The moments of a coupling that Q depends on, all linear in it.

    r, c: its marginals, (n,) and (m,); Y = T W', (n, rank); Z = X' T, (rank, m).
    """

    r: Array
    c: Array
    Y: Array
    Z: Array

    def towards(self, other: "Moments", step: float) -> "Moments":
        """The moments of (1 - step) T + step T', with T' the other's coupling; step in [0, 1]."""
        if step == 1.0:
            return other
        return Moments(*(a + step * (b - a) for a, b in zip(self, other, strict=True)))


class Mismatch(NamedTuple):
    """Half the gradient of Q, sum_kl (D_p_ik - D_r_jl)^2 T_kl = a_i + b_j + 2 (P V)_ij.

    Without V, P is the cross term itself. Linear in the coupling, as one of P and V is.
    """

    a: Array
    b: Array
    P: Array
    V: Array | None

    def towards(self, other: "Mismatch", step: float) -> "Mismatch":
        """That of (1 - step) T + step T', with T' the other's coupling; step in [0, 1]."""
        if step == 1.0:
            return other
        a, b, P = (x + step * (y - x) for x, y in zip(self[:3], other[:3], strict=True))
        V = None if self.V is None or other.V is None else self.V + step * (other.V - self.V)
        return Mismatch(a, b, P, V)


class Cross:
    """The structure term of one problem, through factors of one of its structures.

    W, (rank, m): the factors of D_r; X, (n, rank): those of D_p; H, (rank, rank). At most one of W
    and X has any. whole: there are none, and T itself stands for T W'. error: the share of its
    Frobenius norm that the factors leave out of D_r.
    """

    def __init__(self, problem: Problem, threads: int) -> None:
        self.problem, self.threads = problem, threads
        n, m = problem.shape
        self.W, self.X, self.H = np.empty((0, m)), np.empty((n, 0)), np.empty((0, 0))
        self.whole, self.error = False, 0.0
        self.agent, self.reference = Operator(problem.D_p, threads), Operator(problem.D_r, threads)
        self.arrays = np.empty((0, 0)), np.empty((0, 0))  # both structures, where whole
        if problem.theta > 0:
            self._choose()

    def _choose(self) -> None:
        if self.agent.flat or self.reference.flat:
            return  # nothing is crossed
        left, right = self.agent.graded(), self.reference.graded()
        if right is not None:
            self.W, self.H = right.W, right.H
        elif left is not None:
            self.X, self.H = np.ascontiguousarray(left.W.T), left.H
        elif max(self.problem.shape) <= _SHORT or not self._factorise():
            self.whole, self.arrays = True, (dense(self.problem.D_p), dense(self.problem.D_r))

    def _factorise(self) -> bool:
        """Whether there are good factors of D_r, or the best that a long trace can have."""
        n, m = self.problem.shape
        spread = float(np.sqrt(self.agent.squares_times(np.ones(n)).mean() / n))
        enough = _ENOUGH / (2.0 * self.problem.theta * max(spread, 1e-9))
        beyond = max(n, m) > _WHOLE
        most = min(_MOST_BEYOND if beyond else _MOST, m // 4)
        found = self.reference.factors(max(most, 1), enough)
        good = found.good(enough) or beyond
        if good:
            self.W, self.H, self.error = found.W, found.H, found.error
        return good

    def moments(self, sums: Sums, T: NDArray[np.float32] | None) -> Moments:
        """The moments of the coupling T with these sums; T is needed where whole."""
        Y = np.asarray(T, dtype=np.float64) if self.whole else sums.Y
        return Moments(sums.r, sums.c, Y, sums.Z)

    def product(self, mu: Array, nu: Array) -> Moments:
        """The moments of the product coupling, mu nu' over the geometric mean of both masses."""
        mass = float(np.sqrt(mu.sum() * nu.sum()))
        r, c = mu * nu.sum() / mass, nu * mu.sum() / mass
        Y = np.outer(mu, nu if self.whole else self.W @ nu) / mass
        return Moments(r, c, Y, np.outer(self.X.T @ mu, nu) / mass)

    def mismatch(self, moments: Moments) -> Mismatch:
        """Half the gradient of Q at a coupling with these moments."""
        n, m = self.problem.shape
        if self.problem.theta == 0:
            return Mismatch(np.zeros(n), np.zeros(m), np.empty((n, 0)), np.empty((0, m)))
        a, b = self.agent.squares_times(moments.r), self.reference.squares_times(moments.c)
        if self.whole:
            D_p, D_r = self.arrays
            return Mismatch(a, b, D_p @ moments.Y @ D_r, None)
        if self.X.shape[1]:
            return Mismatch(a, b, self.X, -self.H @ self.reference.times(moments.Z).T)
        return Mismatch(a, b, self.agent.times(moments.Y.T) @ self.H, self.W)

    def inner(self, mismatch: Mismatch, moments: Moments) -> float:
        """The inner product of half the gradient at one coupling with another coupling.

        Args:
            mismatch: half the gradient of Q at the first.
            moments: those of the second.
        """
        if self.X.shape[1]:
            assert mismatch.V is not None
            pairs = np.vdot(mismatch.V, moments.Z)
        else:
            pairs = np.vdot(mismatch.P, moments.Y)
        return float(mismatch.a @ moments.r + mismatch.b @ moments.c + 2.0 * pairs)

    def at(self, T: Entries) -> Array:
        """The cross term D_p T D_r at the entries of a T that has these alone, exact."""
        agent, reference = self.problem.D_p, self.problem.D_r
        if self.error == 0 and not self.whole:
            return self.at_factors(T)
        if isinstance(agent, Hops) and isinstance(reference, Hops):
            return self._at_hops(T, agent, reference)
        whole = np.zeros(self.problem.shape)
        whole[T.rows, T.columns] = T.mass
        return np.asarray((dense(agent) @ whole @ dense(reference))[T.rows, T.columns])

    def at_factors(self, T: Entries) -> Array:
        """The same through the factors of the structure that has them."""
        n, m = self.problem.shape
        Y, Z = np.zeros((n, len(self.W))), np.zeros((self.X.shape[1], m))
        np.add.at(Y, T.rows, T.mass[:, None] * self.W.T[T.columns])
        np.add.at(Z.T, T.columns, T.mass[:, None] * self.X[T.rows])
        mismatch = self.mismatch(Moments(np.zeros(n), np.zeros(m), Y, Z))
        assert mismatch.V is not None
        return np.asarray(np.einsum("kr,kr->k", mismatch.P[T.rows], mismatch.V.T[T.columns]))

    def left_out(self, T: Entries) -> Array:
        """What the factors leave out of the cross term at these entries, by these alone."""
        return self.at(T) - self.at_factors(T)

    def mismatch_at(self, T: Entries) -> Array:
        """Half the gradient of Q at the entries of a T that has these alone, exact."""
        if self.problem.theta == 0:
            return np.zeros(len(T.mass))  # it has no weight
        n, m = self.problem.shape
        a = self.agent.squares_times(totals(T.rows, T.mass, n))[T.rows]
        b = self.reference.squares_times(totals(T.columns, T.mass, m))[T.columns]
        return np.maximum(a + b + 2.0 * self.at(T), 0.0)

    def terms(self, node: float, Q: float, r: Array, c: Array) -> Terms:
        """The four terms of eq. 3 from the node term, Q and the marginals of a coupling.

        Args:
            node: the node term, with its factor 1 - theta.
            Q: the structure term without its factor theta.
            r: the row sums, (n,).
            c: the column sums, (m,).
        """
        problem = self.problem
        return Terms(
            node,
            problem.theta * max(Q, 0.0),
            float(problem.lambda_1 @ kl(r, problem.mu)),
            float(problem.lambda_2 @ kl(c, problem.nu)),
        )

    @property
    def big(self) -> Array:
        """The mass from which on an entry's cross term is computed without factors, (n,)."""
        return _BIG * self.problem.mu

    def _at_hops(self, T: Entries, agent: Hops, reference: Hops) -> Array:
        n, m = self.problem.shape
        core = native()
        assert core is not None  # solver.py asks first
        start = np.concatenate([[0], np.cumsum(np.bincount(T.rows, minlength=n))])
        order = np.argsort(T.columns, kind="stable")
        ends = np.cumsum(np.bincount(T.columns, minlength=m))
        found: Array = core.long.cross(
            agent.counts, reference.counts, start, T.columns, T.mass, T.rows, order, ends,
            self.threads,
        )  # fmt: skip
        return found / (float(agent.height) * reference.height)
