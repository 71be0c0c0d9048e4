"""Structure matrices of long traces: products with them, and factors of low rank.

A factorisation of an antisymmetric D is W' H W with orthonormal rows W, (rank, n), and a small
antisymmetric H.
"""

from typing import NamedTuple

import numpy as np

from otap.transport.core import native
from otap.transport.problem import Array
from otap.transport.structure import Hops, Structure

# What factors may leave out of D, as a share of its Frobenius norm.
_LEFT_OUT = 5e-3
_FIRST_RANK, _MORE = 8, 4
_GRADED = 1e-9


class Factors(NamedTuple):
    """W and H of a structure, and the share of its Frobenius norm that they leave out."""

    W: Array
    H: Array
    error: float
    spread: float = 0.0  # the root mean square of what they leave out

    def good(self, enough: float) -> bool:
        """Whether they leave out little of D, or nothing of that size."""
        return self.error < _LEFT_OUT or self.spread < enough


def times(D: Structure, X: Array, threads: int) -> Array:
    """D X' for rows X, (count, n): (n, count)."""
    if isinstance(D, Hops):
        return _product(D, X, False, threads) / D.height
    return D @ X.T


def squares_times(D: Structure, x: Array, threads: int) -> Array:
    """The entrywise square of D times a vector."""
    if isinstance(D, Hops):
        return _product(D, x[None], True, threads)[:, 0] / float(D.height) ** 2
    return np.asarray(np.einsum("ik,ik,k->i", D, D, x))


def _product(D: Hops, X: Array, squared: bool, threads: int) -> Array:
    core = native()
    assert core is not None  # long.py asks first
    found: Array = core.long.product(D.counts, np.ascontiguousarray(X), squared, threads)
    return found


def graded(D: Structure) -> Factors | None:
    """The factors of a graded structure, D_ik = y_k - y_i, of rank 2 and exact; None if it is not.

    A structure of all zeros is graded, of rank 0.
    """
    y = np.asarray(D[0], dtype=np.float64)
    close = 0.5 / D.height if isinstance(D, Hops) else _GRADED
    step = 256
    for start in range(0, len(y), step):
        ideal = y - y[start : start + step, None]
        if abs(D[start : start + step] - ideal).max() > close:
            return None
    y = y - y.mean()
    size = float(np.sqrt(y @ y))
    if size < close:
        return Factors(np.empty((0, len(y))), np.empty((0, 0)), 0.0)
    flat = float(np.sqrt(len(y)))
    # D = 1 y' - y 1', in the basis of 1 and y, both of length 1.
    H = np.array([[0.0, size * flat], [-size * flat, 0.0]])
    return Factors(np.stack([np.full(len(y), 1.0 / flat), y / size]), H, 0.0)


def factors(D: Structure, most: int, enough: float, threads: int) -> Factors:
    """Good factors, or the best of rank `most`; random draws make them, the same every time."""
    n = D.shape[0]
    norm = float(np.sqrt(squares_times(D, np.ones(n), threads).sum()))
    draws = np.random.default_rng(0).normal(size=(min(most, n), n))
    rank = min(_FIRST_RANK, len(draws))
    while True:
        found = _range(D, draws[:rank], norm, threads)
        if found.good(enough) or rank == len(draws):
            return found
        rank = min(_MORE * rank, len(draws))


def _range(D: Structure, draws: Array, norm: float, threads: int) -> Factors:
    """The part of D within the range of D^2 times some draws: a power more sharpens the range."""
    W = draws
    for _ in range(2):
        basis, _ = np.linalg.qr(times(D, W, threads))
        W = np.ascontiguousarray(basis.T)
    H = W @ times(D, W, threads)
    H = (H - H.T) / 2
    left = float(np.sqrt(max(norm**2 - float((H * H).sum()), 0.0)))
    return Factors(W, H, left / norm, left / D.shape[0])
