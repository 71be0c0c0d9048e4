"""The order in which a run's steps ran, where the reference says that order matters."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from otap.transport import Hops, Structure

Array = NDArray[np.float64]
Ranks = NDArray[np.intp]  # of each step the number of its turn
Number = TypeVar("Number", np.float64, np.int16)

ALIKE = 0.5  # the largest node cost of two steps that are taken for each other
_DIGITS = 9
_ROWS = 512


def executed(
    D_p: Structure, D_r: Structure, C: Array, ranks: Ranks, order: Sequence[int]
) -> Structure:
    """Returns D_p with the inversions that the order of execution shows.

    Two steps of the run without a path between them may stand for two steps of the reference with
    a path, and have run in the other direction. They then get the reference's path, reversed. Two
    that ran in the right direction get none: that one ran first does not say that it was needed.

    Args:
        D_p: structure of the run, (n, n).
        D_r: structure of the reference, (m, m).
        C: node costs, (n, m).
        ranks: the turn in which each step of the run ran, (n,).
        order: a topological order of the reference's steps.

    Returns:
        The structure; D_p itself where both count hops of longest paths of different lengths.
    """
    return _with_order(D_p, D_r, C, ranks, order, backwards_only=True)


def in_order(D_r: Structure, C: Array, ranks: Ranks, order: Sequence[int]) -> Structure:
    """Returns the structure of a run of which only the order of execution is known.

    Two steps have the path between their counterparts by :func:`anchors`, in the direction in
    which they ran: a run in any order that the reference allows has the reference's structure.

    Args:
        D_r: structure of the reference, (m, m).
        C: node costs, (n, m).
        ranks: the turn in which each step of the run ran, (n,).
        order: a topological order of the reference's steps.
    """
    n = len(C)
    if isinstance(D_r, Hops):
        nothing: Structure = Hops(np.zeros((n, n), dtype=np.int16), D_r.height)
    else:
        nothing = np.zeros((n, n))
    return _with_order(nothing, D_r, C, ranks, order, backwards_only=False)


def anchors(C: Array, ranks: Ranks, order: Sequence[int]) -> list[tuple[int, int]]:
    """Returns the mutual nearest neighbours of the two sides, at a node cost of at most ALIKE.

    Of several steps that cost the same the one that ran first goes with the one that comes first
    in the reference's order.

    Args:
        C: node costs, (n, m).
        ranks: the turn in which each step of the run ran, (n,).
        order: a topological order of the reference's steps.

    Returns:
        Pairs of a step of the run and one of the reference, each step in at most one; rising.
    """
    place = np.empty(len(order), dtype=np.intp)
    place[list(order)] = np.arange(len(order))
    rounded = np.round(C, _DIGITS)
    nearest = rounded == rounded.min(axis=1)[:, None]
    nearest &= (rounded == rounded.min(axis=0)) & (rounded <= ALIKE)
    i, j = np.nonzero(nearest)
    found: dict[int, int] = {}
    taken: set[int] = set()
    first = np.lexsort((place[j], ranks[i], rounded[i, j]))
    for a, b in zip(i[first].tolist(), j[first].tolist(), strict=True):
        if a not in found and b not in taken:
            found[a] = b
            taken.add(b)
    return sorted(found.items())


def _with_order(
    D_p: Structure,
    D_r: Structure,
    C: Array,
    ranks: Ranks,
    order: Sequence[int],
    *,
    backwards_only: bool,
) -> Structure:
    if isinstance(D_p, Hops) != isinstance(D_r, Hops):  # one side is short, the other long
        D_p, D_r = _matrix(D_p), _matrix(D_r)
    if isinstance(D_p, Hops) and isinstance(D_r, Hops):
        if D_p.height != D_r.height:
            return D_p
        return Hops(_filled(D_p.counts, D_r.counts, C, ranks, order, backwards_only), D_p.height)
    return _filled(_matrix(D_p), _matrix(D_r), C, ranks, order, backwards_only)


def _matrix(D: Structure) -> Array:
    return D.matrix() if isinstance(D, Hops) else D


def _filled(
    D_p: NDArray[Number],
    D_r: NDArray[Number],
    C: Array,
    ranks: Ranks,
    order: Sequence[int],
    backwards_only: bool,
) -> NDArray[Number]:
    """D_p with the order of execution between anchors without a path, some rows at a time."""
    pairs = anchors(C, ranks, order)
    if not pairs:
        return D_p
    i, j = (np.array(side) for side in zip(*pairs, strict=True))
    found = D_p.copy()
    for start in range(0, len(i), _ROWS):
        rows = slice(start, start + _ROWS)
        at = np.ix_(i[rows], i)
        wanted, known = D_r[np.ix_(j[rows], j)], D_p[at]
        ran = np.sign(ranks[i][None, :] - ranks[i[rows]][:, None]).astype(known.dtype)
        take = (known == 0) & (wanted != 0)
        if backwards_only:
            take &= ran * np.sign(wanted) < 0
        found[at] = np.where(take, ran * np.abs(wanted), known)
    return found
