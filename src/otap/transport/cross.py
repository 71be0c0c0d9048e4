"""The structure term of long traces: what it sees of a coupling, and the cost that this makes.

Q needs of a coupling T its marginals and D_p T D_r. With factors W' H W of D_r the latter is
D_p (T W') H W, so that T W' is enough, which has a few columns; with factors of D_p, W T is.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap.transport.core import native
from otap.transport.coupling import Sums
from otap.transport.factors import factors, graded, squares_times, times
from otap.transport.problem import Array, Problem
from otap.transport.structure import Hops, Structure, dense

# Up to here a structure that is not graded is worked with as a whole; and up to _WHOLE steps where
# factors of it would be too many to be worth it.
_SHORT, _WHOLE = 256, 2000
_MOST = 256
# How far factors may move the structure term's cost of a pair of steps.
_ENOUGH = 3e-5


class Seen(NamedTuple):
    """What the structure term sees of a coupling: linear in it. Y = T W', Z = X' T."""

    r: Array
    c: Array
    Y: Array
    Z: Array

    def towards(self, other: "Seen", step: float) -> "Seen":
        """What it sees of a coupling between the two."""
        if step == 1.0:
            return other
        return Seen(*(a + step * (b - a) for a, b in zip(self, other, strict=True)))

    def less(self, other: "Seen") -> "Seen":
        """What it sees of the difference."""
        return Seen(*(a - b for a, b in zip(self, other, strict=True)))


class Field(NamedTuple):
    """Half the gradient of Q: a_i + b_j + 2 (P V)_ij; without V, P is the product itself."""

    a: Array
    b: Array
    P: Array
    V: Array | None


class Cross:
    """The structure term, worked with through factors of one of the structures.

    W, (rank, m): the factors of D_r; X, (n, side): those of D_p. At most one has any. whole: T
    itself stands for T W'. error: the share of its norm that is left out of D_r.
    """

    def __init__(self, problem: Problem, threads: int) -> None:
        self.problem, self.threads = problem, threads
        n, m = problem.shape
        self.W, self.X, self.H = np.empty((0, m)), np.empty((n, 0)), np.empty((0, 0))
        self.whole, self.error = False, 0.0
        self.D_p, self.D_r = problem.D_p, problem.D_r
        self.arrays = np.empty((0, 0)), np.empty((0, 0))  # both structures, where whole
        if problem.theta > 0:
            self._choose()

    def _choose(self) -> None:
        left, right = graded(self.D_p), graded(self.D_r)
        if any(side is not None and not len(side.H) for side in (left, right)):
            return  # without structure on one side nothing is crossed
        if right is not None:
            self.W, self.H = right.W, right.H
        elif left is not None:
            self.X, self.H = np.ascontiguousarray(left.W.T), left.H
        elif max(self.problem.shape) <= _SHORT or not self._factorise():
            self.whole, self.arrays = True, (dense(self.D_p), dense(self.D_r))

    def _factorise(self) -> bool:
        """Whether there are good factors of D_r, or the best that a long trace can have."""
        n, m = self.problem.shape
        spread = float(np.sqrt(squares_times(self.D_p, np.ones(n), self.threads).mean() / n))
        enough = _ENOUGH / (2.0 * self.problem.theta * max(spread, 1e-9))
        found = factors(self.D_r, min(_MOST, m // 4), enough, self.threads)
        good = found.good(enough) or max(n, m) > _WHOLE
        if good:
            self.W, self.H, self.error = found.W, found.H, found.error
        return good

    def seen(self, sums: Sums, T: NDArray[np.float32] | None) -> Seen:
        """What is seen of the coupling T with these sums; T is needed where whole."""
        Y = np.asarray(T, dtype=np.float64) if self.whole else sums.Y
        return Seen(sums.r, sums.c, Y, sums.Z)

    def product(self, mu: Array, nu: Array) -> Seen:
        """What is seen of the coupling mu nu', scaled to the mean mass of the sides."""
        mass = float(np.sqrt(mu.sum() * nu.sum()))
        r, c = mu * nu.sum() / mass, nu * mu.sum() / mass
        Y = np.outer(mu, nu if self.whole else self.W @ nu) / mass
        return Seen(r, c, Y, np.outer(self.X.T @ mu, nu) / mass)

    def field(self, seen: Seen) -> Field:
        """Half the gradient of Q at what is seen."""
        n, m = self.problem.shape
        if self.problem.theta == 0:
            return Field(np.zeros(n), np.zeros(m), np.empty((n, 0)), np.empty((0, m)))
        a = squares_times(self.D_p, seen.r, self.threads)
        b = squares_times(self.D_r, seen.c, self.threads)
        if self.whole:
            D_p, D_r = self.arrays
            return Field(a, b, D_p @ seen.Y @ D_r, None)
        if self.X.shape[1]:
            return Field(a, b, self.X, -self.H @ times(self.D_r, seen.Z, self.threads).T)
        return Field(a, b, times(self.D_p, seen.Y.T, self.threads) @ self.H, self.W)

    def inner(self, field: Field, seen: Seen) -> float:
        """Half of <gradient, T>, for the gradient at one coupling and what is seen of another."""
        if self.X.shape[1]:
            assert field.V is not None
            pairs = np.vdot(field.V, seen.Z)
        else:
            pairs = np.vdot(field.P, seen.Y)
        return float(field.a @ seen.r + field.b @ seen.c + 2.0 * pairs)


def cross_at(
    D_p: Structure, D_r: Structure, rows: NDArray[np.int32], columns: NDArray[np.int32],
    mass: Array, threads: int,
) -> Array:  # fmt: skip
    """(D_p T D_r)_ij at the entries of a coupling that has these alone, row after row."""
    core = native()
    n, m = D_p.shape[0], D_r.shape[0]
    if core is not None and isinstance(D_p, Hops) and isinstance(D_r, Hops):
        start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
        order = np.argsort(columns, kind="stable")
        ends = np.cumsum(np.bincount(columns, minlength=m))
        found: Array = core.long.cross(
            D_p.counts, D_r.counts, start, columns, mass, rows, order, ends, threads
        )
        return found / (float(D_p.height) * D_r.height)
    T = np.zeros((n, m))
    T[rows, columns] = mass
    return np.asarray((dense(D_p) @ T @ dense(D_r))[rows, columns])
