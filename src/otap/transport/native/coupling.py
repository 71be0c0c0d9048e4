"""A coupling of thousands of steps while it is being scaled: dense, or the entries that matter.

Both are filled with exp(x) of exponents x, scaled until they solve the linearised problem, and
summed up; core/long.hpp says what the kernels do.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap.transport.core import native
from otap.transport.parameters import FAR, FAR_SPARSE, NEGLIGIBLE, SPARSE
from otap.transport.structure import Array, Single


class Exponents(NamedTuple):
    """The exponents row_i + column_j - weight C_ij + (P V)_ij of a Gibbs kernel, as in long.hpp.

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

    change: sum |T - T before it was scaled|.
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
        """The entries of a matrix at which a mask is not 0."""
        rows, columns = (places.astype(np.int32) for places in np.nonzero(mask))
        return cls(rows, columns, T[rows, columns].astype(np.float64))

    @classmethod
    def from_least(cls, T: Single, least: Array) -> "Entries":
        """The entries of a matrix of at least so much mass in each row, (n,)."""
        return cls.where(T, least.astype(np.float32)[:, None] <= T)


class Dense:
    """A coupling held as a whole matrix, in float32."""

    def __init__(self, shape: tuple[int, int], threads: int) -> None:
        self.K, self.threads = np.zeros(shape, dtype=np.float32), threads

    def make(self, x: Exponents) -> float:
        """Fills it with exp(x); returns by how much it moved, a sum of absolute differences."""
        return float(core().fill(*x, self.K, self.threads))

    def scale(self, inner: tuple[Any, ...]) -> tuple[Array, Array, int]:
        """The logarithms of the scalings that solve the linearised problem, and an outcome.

        Args:
            inner: mu, nu, lambda_1, lambda_2, the potentials f and g that the exponents have in
                them already, epsilon, and the largest error of a marginal.

        Returns:
            log u, log v, and 0 where they are the solution, 1 where the coupling has to be made
            anew with them first, 2 where they lead nowhere.
        """
        log_u, log_v, outcome, *_ = core().scale(self.K, *inner, FAR, self.threads)
        return log_u, log_v, outcome

    def couple(self, log_u: Array, log_v: Array, C: Array, W: Array, X: Array) -> Sums:
        """Applies the scalings, and sums up the coupling that this makes."""
        u, v = (np.exp(log).astype(np.float32) for log in (log_u, log_v))
        return Sums(*core().couple(self.K, u, v, C, W, X, self.threads))

    def matrix(self) -> Single:
        """The coupling as an array."""
        return self.K

    def entries(self, least: Array) -> Entries:
        """The entries of at least so much mass in each row."""
        return Entries.from_least(self.K, least)


class Sparse:
    """A coupling of which the entries that matter are held, row after row, in float32.

    held: where each row starts, (n + 1,), and the columns and the values of all entries.
    """

    def __init__(self, shape: tuple[int, int], threads: int) -> None:
        self.shape, self.threads = shape, threads
        start = np.zeros(shape[0] + 1, dtype=np.int64)
        self.held = start, np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32)

    @property
    def rows(self) -> NDArray[np.int32]:
        """The row of each entry."""
        return np.repeat(np.arange(self.shape[0], dtype=np.int32), np.diff(self.held[0]))

    def make(self, x: Exponents, log_r: Array) -> float | None:
        """As `Dense.make`, with the entries that matter; None if they are more than SPARSE allows.

        Args:
            x: the exponents.
            log_r: logarithms of what the row sums will be, about, (n,).
        """
        most, least = int(SPARSE * self.shape[0] * self.shape[1]), np.log(NEGLIGIBLE) + log_r
        found = core().fill_sparse(*x, least, *self.held, most, self.threads)
        if found is None:
            return None
        *held, change = found
        self.held = tuple(held)
        return float(change)

    def scale(self, inner: tuple[Any, ...]) -> tuple[Array, Array, int]:
        """As `Dense.scale`."""
        log_u, log_v, outcome, *_ = core().scale_sparse(*self.held, *inner, FAR_SPARSE)
        return log_u, log_v, outcome

    def couple(self, log_u: Array, log_v: Array, C: Array, W: Array, X: Array) -> Sums:
        """As `Dense.couple`."""
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
        """The coupling as an array."""
        T = np.zeros(self.shape, dtype=np.float32)
        T[self.rows, self.held[1]] = self.held[2]
        return T

    def entries(self, least: Array) -> Entries:
        """The entries of at least so much mass in each row."""
        rows, (_, columns, values) = self.rows, self.held
        kept = values >= least[rows]
        return Entries(rows[kept], columns[kept], values[kept].astype(np.float64))


def totals(places: NDArray[np.int32], values: Array, count: int) -> Array:
    """The sum of the values at each place, (count,): marginals, where values are masses."""
    return np.asarray(np.bincount(places, weights=values, minlength=count), dtype=np.float64)


def core() -> Any:
    """The kernels for long problems; the native core must be there."""
    found = native()
    assert found is not None  # solver.py asks first
    return found.long
