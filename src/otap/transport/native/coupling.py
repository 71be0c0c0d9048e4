"""Couplings of long problems during scaling, dense or sparse.

A coupling is filled with exp(x) of exponents x, scaled until it solves the linearised problem, and
summed. core/long.hpp has the kernels.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap.transport.core import native
from otap.transport.parameters import FAR, FAR_SPARSE, NEGLIGIBLE, SPARSE
from otap.transport.structure import Array, Single


class Exponents(NamedTuple):
    """The exponents row_i + column_j - weight C_ij + (P V)_ij of a Gibbs kernel.

    C: (n, m); row: (n,); column: (m,); P: (n, rank); V: (rank, m).
    """

    C: Array
    weight: float
    row: Array
    column: Array
    P: Array
    V: Array


class Sums(NamedTuple):
    """Sums of a coupling T: marginals r (n,) and c (m,), Y = T W', Z = X' T, node = sum C T.

    change: sum |T - T before scaling|.
    """

    r: Array
    c: Array
    Y: Array
    Z: Array
    node: float
    change: float


class Entries(NamedTuple):
    """Some entries of a coupling, row after row."""

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    mass: Array

    @classmethod
    def where(cls, T: Single, mask: Single) -> "Entries":
        """Returns the entries of a matrix where a mask is not 0."""
        rows, columns = (indices.astype(np.int32) for indices in np.nonzero(mask))
        return cls(rows, columns, T[rows, columns].astype(np.float64))

    @classmethod
    def from_least(cls, T: Single, least: Array) -> "Entries":
        """Returns the entries of a matrix with at least a mass that is given for each row, (n,)."""
        return cls.where(T, least.astype(np.float32)[:, None] <= T)


class Dense:
    """A coupling as a dense matrix of float32."""

    def __init__(self, shape: tuple[int, int], threads: int) -> None:
        self.K, self.threads = np.zeros(shape, dtype=np.float32), threads

    def make(self, x: Exponents) -> float:
        """Fills the matrix with exp(x); returns its change, a sum of absolute differences."""
        return float(core().fill(*x, self.K, self.threads))

    def scale(self, inner: tuple[Any, ...]) -> tuple[Array, Array, int]:
        """Computes the logarithms of the scalings that solve the linearised problem.

        Args:
            inner: mu, nu, lambda_1, lambda_2, the potentials f and g that are part of the
                exponents, epsilon, and the largest error of a marginal.

        Returns:
            log u, log v, and the outcome: 0 if they are the solution, 1 if the coupling must be
            filled again with them, 2 if they failed.
        """
        log_u, log_v, outcome, *_ = core().scale(self.K, *inner, FAR, self.threads)
        return log_u, log_v, outcome

    def couple(self, log_u: Array, log_v: Array, C: Array, W: Array, X: Array) -> Sums:
        """Applies the scalings, and returns the sums of the scaled coupling."""
        u, v = (np.exp(log).astype(np.float32) for log in (log_u, log_v))
        return Sums(*core().couple(self.K, u, v, C, W, X, self.threads))

    def matrix(self) -> Single:
        """Returns the coupling as an array."""
        return self.K

    def entries(self, least: Array) -> Entries:
        """Returns the entries with at least a mass that is given for each row."""
        return Entries.from_least(self.K, least)


class Sparse:
    """A coupling as the entries that are not negligible, by rows, in float32.

    held: the start of each row, (n + 1,), and the columns and the values of all entries.
    """

    def __init__(self, shape: tuple[int, int], threads: int) -> None:
        self.shape, self.threads = shape, threads
        start = np.zeros(shape[0] + 1, dtype=np.int64)
        self.held = start, np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32)

    @property
    def rows(self) -> NDArray[np.int32]:
        """The rows of the entries."""
        return np.repeat(np.arange(self.shape[0], dtype=np.int32), np.diff(self.held[0]))

    def make(self, x: Exponents, log_r: Array) -> float | None:
        """Fills the entries like `Dense.make`; returns None if there are more than SPARSE allows.

        Args:
            x: the exponents.
            log_r: logarithms of the approximate row sums, (n,).
        """
        limit, least = int(SPARSE * self.shape[0] * self.shape[1]), np.log(NEGLIGIBLE) + log_r
        entries = core().fill_sparse(*x, least, *self.held, limit, self.threads)
        if entries is None:
            return None
        *held, change = entries
        self.held = tuple(held)
        return float(change)

    def scale(self, inner: tuple[Any, ...]) -> tuple[Array, Array, int]:
        """Computes the scalings like `Dense.scale`."""
        log_u, log_v, outcome, *_ = core().scale_sparse(*self.held, *inner, FAR_SPARSE)
        return log_u, log_v, outcome

    def couple(self, log_u: Array, log_v: Array, C: Array, W: Array, X: Array) -> Sums:
        """Applies the scalings like `Dense.couple`."""
        (n, m), rows, (start, columns, before) = self.shape, self.rows, self.held
        values = (np.exp(log_u[rows] + log_v[columns]) * before).astype(np.float32)
        self.held, T = (start, columns, values), values.astype(np.float64)
        Y, Z = np.empty((n, len(W))), np.empty((X.shape[1], m))
        for k, w in enumerate(W):
            Y[:, k] = totals(rows, T * w[columns], n)
        for k, x in enumerate(X.T):
            Z[k] = totals(columns, T * x[rows], m)
        node, change = T @ C[rows, columns], abs(values - before).sum(dtype=np.float64)
        r, c = totals(rows, T, n), totals(columns, T, m)
        return Sums(r, c, Y, Z, float(node), float(change))

    def matrix(self) -> Single:
        """Returns the coupling as an array."""
        T = np.zeros(self.shape, dtype=np.float32)
        T[self.rows, self.held[1]] = self.held[2]
        return T

    def entries(self, least: Array) -> Entries:
        """Returns the entries with at least a mass that is given for each row."""
        rows, (_, columns, values) = self.rows, self.held
        large = values >= least[rows]
        return Entries(rows[large], columns[large], values[large].astype(np.float64))


def totals(indices: NDArray[np.int32], values: Array, count: int) -> Array:
    """Returns the sum of the values at each index, (count,), such as a marginal."""
    return np.asarray(np.bincount(indices, weights=values, minlength=count), dtype=np.float64)


def core() -> Any:
    """Returns the kernels for long problems; requires the native core."""
    module = native()
    assert module is not None  # checked by solver.py
    return module.long
