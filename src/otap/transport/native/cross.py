"""The structure term of long traces, by low-rank factors of one structure [Scetbon2022].

Q depends on the marginals of a coupling T and the cross term D_p T D_r. With factors W' H W of D_r
the cross term is D_p (T W') H W, so T W', which has few columns, is enough; with factors of D_p, it
is W T. W has orthonormal rows, and H is antisymmetric and small. The factors of a graded structure,
D_ik = y_k - y_i, have rank 2 and are exact; others are found by random projection [Halko2011].
"""

from typing import NamedTuple, TypeVar

import numpy as np

from otap.transport import parameters as par
from otap.transport.native.coupling import Entries, core, totals
from otap.transport.objective import Terms, kl
from otap.transport.problem import Problem
from otap.transport.structure import Array, Hops, Structure, dense

_ROWS = 256


class Moments(NamedTuple):
    """The moments of a coupling on which Q depends; they are linear in the coupling.

    r, c: the marginals, (n,) and (m,); Y = T W', (n, rank); Z = X' T, (rank, m).
    """

    r: Array
    c: Array
    Y: Array
    Z: Array


class Mismatch(NamedTuple):
    """Half the gradient of Q, sum_kl (D_p_ik - D_r_jl)^2 T_kl = a_i + b_j + 2 (P V)_ij.

    Without factors P is the cross term itself, and V is empty. Linear in the coupling, because only
    one of P and V depends on it.
    """

    a: Array
    b: Array
    P: Array
    V: Array


_Linear = TypeVar("_Linear", Moments, Mismatch)


def between(start: _Linear, end: _Linear, step: float) -> _Linear:
    """Interpolates between the values of two couplings; step in [0, 1]."""
    if step == 1.0:
        return end
    return type(start)(*(x + step * (y - x) for x, y in zip(start, end, strict=True)))


class Factors(NamedTuple):
    """A low-rank factorisation W' H W of D: W is (rank, n), H (rank, rank).

    error: the Frobenius norm of the residual relative to D; spread: the root mean square of the
    residual per entry.
    """

    W: Array
    H: Array
    error: float = 0.0
    spread: float = 0.0

    def is_good(self, enough: float) -> bool:
        """Returns whether the residual is small: relative to D, or below `enough` per entry."""
        return self.error < par.LEFT_OUT or self.spread < enough


class Operator:
    """A structure matrix D as a linear operator, with fast products.

    y: the grades of a graded D, D_ik = y_k - y_i, which sum to 0; None if D is not graded.
    """

    def __init__(self, D: Structure, threads: int) -> None:
        self.D, self.threads, self.y = D, threads, _grades(D)

    def times(self, X: Array) -> Array:
        """Returns the product D X', (n, count), for rows X, (count, n)."""
        if self.y is not None:
            return np.asarray((X @ self.y)[None, :] - self.y[:, None] * X.sum(axis=1)[None, :])
        return self.D @ X.T if isinstance(self.D, np.ndarray) else self._product(X, False)

    def squares_times(self, x: Array) -> Array:
        """Returns the product of the entrywise square of D with a vector, (n,)."""
        if self.y is not None:
            y = self.y
            return np.asarray(x @ (y * y) - 2.0 * y * (x @ y) + y * y * x.sum())
        if isinstance(self.D, np.ndarray):
            return (self.D * self.D) @ x
        return self._product(x[None], True)[:, 0]

    def _product(self, X: Array, squared: bool) -> Array:
        assert isinstance(self.D, Hops)
        product = core().product(self.D.counts, np.ascontiguousarray(X), squared, self.threads)
        return np.asarray(product / float(self.D.height) ** (1 + squared))

    def graded(self) -> Factors | None:
        """Returns the exact factors, of rank 2, of a graded D that is not 0; None for others."""
        if self.y is None or not self.y.any():
            return None
        flat, size = float(np.sqrt(len(self.y))), float(np.sqrt(self.y @ self.y))
        # D = 1 y' - y 1', in the basis of 1 and y, which sums to 0.
        H = np.array([[0.0, size * flat], [-size * flat, 0.0]])
        return Factors(np.stack([np.full(len(self.y), 1.0 / flat), self.y / size]), H)

    def factors(self, most: int, enough: float) -> Factors:
        """Computes factors by randomised range finding with a fixed seed.

        Args:
            most: the largest rank.
            enough: a sufficient root mean square of the residual.

        Returns:
            Good factors, or the best of rank `most`.
        """
        n = self.D.shape[0]
        norm = float(np.sqrt(self.squares_times(np.ones(n)).sum()))
        draws = np.random.default_rng(0).normal(size=(min(most, n), n))
        rank = min(par.FIRST_RANK, len(draws))
        factors = self._range(draws[:rank], norm)
        while rank < len(draws) and not factors.is_good(enough):
            rank = min(par.MORE_RANK * rank, len(draws))
            factors = self._range(draws[:rank], norm)
        return factors

    def _range(self, W: Array, norm: float) -> Factors:
        """Returns the part of D in the range of D^2 times the draws (one power iteration)."""
        for _ in range(2):
            W = np.ascontiguousarray(np.linalg.qr(self.times(W))[0].T)
        H = W @ self.times(W)
        H = (H - H.T) / 2
        left = float(np.sqrt(max(norm**2 - float((H * H).sum()), 0.0)))
        return Factors(W, H, left / norm, left / W.shape[1])


def _grades(D: Structure) -> Array | None:
    """Returns the grades y of a graded D, which sum to 0; None for others."""
    entries, close = (D.counts, 0.0) if isinstance(D, Hops) else (D, par.GRADED)
    y = np.array(entries[0])
    for start in range(0, len(y), _ROWS):
        rows = slice(start, start + _ROWS)
        off = entries[rows] - (y - y[rows, None])
        if off.any() and abs(off).max() > close:
            return None
    grades = y / float(D.height) if isinstance(D, Hops) else y
    return np.asarray(grades - grades.mean()) if grades.any() else np.zeros(len(y))


class Cross:
    """The structure term of one problem, by factors of one of its structures.

    W, (rank, m): the factors of D_r; X, (n, rank): the factors of D_p; H, (rank, rank). At most one
    of W and X has factors. is_dense: there are no factors, and T takes the place of T W'. error:
    the Frobenius norm of the residual relative to D_r. big: the mass, (n,), above which the cross
    term of an entry is computed without factors.
    """

    def __init__(self, problem: Problem, threads: int) -> None:
        self.problem, self.threads = problem, threads
        n, m = problem.shape
        self.W, self.X, self.H = np.empty((0, m)), np.empty((n, 0)), np.empty((0, 0))
        self.is_dense, self.error, self.big = False, 0.0, par.BIG * problem.mu
        self.agent, self.reference = Operator(problem.D_p, threads), Operator(problem.D_r, threads)
        self.arrays = np.empty((0, 0)), np.empty((0, 0))  # both structures, if dense
        is_flat = any(
            side.y is not None and not side.y.any() for side in (self.agent, self.reference)
        )
        if problem.theta > 0 and not is_flat:  # else the cross term is 0
            self._choose()

    def _choose(self) -> None:
        left, right = self.agent.graded(), self.reference.graded()
        if right is None and left is not None:
            self.X, self.H = np.ascontiguousarray(left.W.T), left.H
            return
        if right is None and max(self.problem.shape) > par.SHORT:
            right = self._factors()
        if right is not None:
            self.W, self.H, self.error = right.W, right.H, right.error
        else:
            self.is_dense, self.arrays = True, (dense(self.problem.D_p), dense(self.problem.D_r))

    def _factors(self) -> Factors | None:
        """Returns good factors of D_r, or the best ones for a long trace."""
        n, m = self.problem.shape
        spread = float(np.sqrt(self.agent.squares_times(np.ones(n)).mean() / n))
        enough = par.ENOUGH_OF_D / (2.0 * self.problem.theta * max(spread, 1e-9))
        beyond = max(n, m) > par.MAX_DENSE
        limit = min(par.MOST_RANK_BEYOND if beyond else par.MOST_RANK, m // 4)
        factors = self.reference.factors(max(limit, 1), enough)
        return factors if beyond or factors.is_good(enough) else None

    def product(self, mu: Array, nu: Array) -> Moments:
        """Returns the moments of the product coupling, mu nu' over the geometric mean of masses."""
        mass = float(np.sqrt(mu.sum() * nu.sum()))
        r, c = mu * nu.sum() / mass, nu * mu.sum() / mass
        Y = np.outer(mu, nu if self.is_dense else self.W @ nu) / mass
        return Moments(r, c, Y, np.outer(self.X.T @ mu, nu) / mass)

    def mismatch(self, moments: Moments) -> Mismatch:
        """Returns half the gradient of Q at a coupling with these moments."""
        n, m = self.problem.shape
        if self.problem.theta == 0:
            return Mismatch(np.zeros(n), np.zeros(m), np.empty((n, 0)), np.empty((0, m)))
        a, b = self.agent.squares_times(moments.r), self.reference.squares_times(moments.c)
        if self.is_dense:
            D_p, D_r = self.arrays
            return Mismatch(a, b, D_p @ moments.Y @ D_r, np.empty((0, 0)))
        if self.X.shape[1]:
            return Mismatch(a, b, self.X, -self.H @ self.reference.times(moments.Z).T)
        return Mismatch(a, b, self.agent.times(moments.Y.T) @ self.H, self.W)

    def inner(self, mismatch: Mismatch, moments: Moments) -> float:
        """Returns the inner product of half the gradient of Q with a coupling.

        Args:
            mismatch: half the gradient of Q.
            moments: the moments of the coupling.
        """
        if self.X.shape[1]:
            pairs = np.vdot(mismatch.V, moments.Z)
        else:
            pairs = np.vdot(mismatch.P, moments.Y)
        return float(mismatch.a @ moments.r + mismatch.b @ moments.c + 2.0 * pairs)

    def at(self, T: Entries) -> Array:
        """Returns the exact cross term D_p T D_r at the entries of a T that has only these."""
        agent, reference = self.problem.D_p, self.problem.D_r
        if self.error == 0 and not self.is_dense:
            return self.at_factors(T)
        if isinstance(agent, Hops) and isinstance(reference, Hops):
            return self._at_hops(T, agent, reference)
        coupling = np.zeros(self.problem.shape)
        coupling[T.rows, T.columns] = T.mass
        return np.asarray((dense(agent) @ coupling @ dense(reference))[T.rows, T.columns])

    def at_factors(self, T: Entries) -> Array:
        """Returns the cross term at the entries by the factors."""
        n, m = self.problem.shape
        Y, Z = np.zeros((n, len(self.W))), np.zeros((self.X.shape[1], m))
        np.add.at(Y, T.rows, T.mass[:, None] * self.W.T[T.columns])
        np.add.at(Z.T, T.columns, T.mass[:, None] * self.X[T.rows])
        mismatch = self.mismatch(Moments(np.zeros(n), np.zeros(m), Y, Z))
        return np.asarray(np.einsum("kr,kr->k", mismatch.P[T.rows], mismatch.V.T[T.columns]))

    def residual(self, T: Entries) -> Array:
        """Returns the error of the factors in the cross term at the entries."""
        return self.at(T) - self.at_factors(T)

    def mismatch_at(self, T: Entries) -> Array:
        """Returns exactly half the gradient of Q at the entries of a T that has only these."""
        if self.problem.theta == 0:
            return np.zeros(len(T.mass))  # Q has no weight
        n, m = self.problem.shape
        a = self.agent.squares_times(totals(T.rows, T.mass, n))[T.rows]
        b = self.reference.squares_times(totals(T.columns, T.mass, m))[T.columns]
        return np.maximum(a + b + 2.0 * self.at(T), 0.0)

    def terms(self, node: float, Q: float, r: Array, c: Array) -> Terms:
        """Returns the terms of eq. 3 for the node term, Q and the marginals of a coupling."""
        p = self.problem
        masses = float(p.lambda_1 @ kl(r, p.mu)), float(p.lambda_2 @ kl(c, p.nu))
        return Terms(node, p.theta * max(Q, 0.0), *masses)

    def _at_hops(self, T: Entries, agent: Hops, reference: Hops) -> Array:
        n, m = self.problem.shape
        start = np.concatenate([[0], np.cumsum(np.bincount(T.rows, minlength=n))])
        order = np.argsort(T.columns, kind="stable")
        ends = np.cumsum(np.bincount(T.columns, minlength=m))
        counts: Array = core().cross(
            agent.counts, reference.counts, start, T.columns, T.mass, T.rows, order, ends,
            self.threads,
        )  # fmt: skip
        return counts / (float(agent.height) * reference.height)
