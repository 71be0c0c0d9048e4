"""The structure matrix D: who needs whom, at what distance, and in which order they ran."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from otap.run import DependencyGraph
from otap.transport import SMALL, Hops, Structure, core

Array = NDArray[np.float64]
Ranks = NDArray[np.intp]  # of each step the number of its turn
Number = TypeVar("Number", np.float64, np.int16)

ALIKE = 0.5  # the largest node cost of two steps that are taken for each other
_DIGITS = 9
# No path: above any number of hops, and small enough that adding a hop does not overflow.
_APART = 40_000
_TILE = 512
# A mixture of a long graph is rounded to multiples of 1 / _PARTS.
_PARTS = 32_000


def structure_matrix(graph: DependencyGraph, precedence: float = 0.0) -> Structure:
    """Returns D, shape (n, n), antisymmetric, in [-1, 1]; of more than 100 steps as Hops.

    Args:
        graph: the dependencies.
        precedence: 0: signed hops ([Barazandeh2026], eq. 2; :func:`hop_distances`). 1: the sign of
            the transitive closure, whatever the distance: 1 if the row's step comes before the
            column's, -1 if after, 0 if neither needs the other. Between: the mean of the two by
            that weight.
    """
    if precedence == 1 and graph.size <= SMALL:
        return np.sign(_signed_hops(graph)).astype(np.float64)
    D = hop_distances(graph)
    if precedence == 0:
        return D
    if not isinstance(D, Hops):
        return (1.0 - precedence) * D + precedence * np.sign(D)
    if precedence == 1:
        return Hops(np.sign(D.counts), 1)
    # An odd function of the hops: one entry for each number of them.
    hops = np.arange(-D.height, D.height + 1)
    mixed = (1.0 - precedence) * hops / D.height + precedence * np.sign(hops)
    parts = np.rint(_PARTS * mixed).astype(np.int16)
    return Hops(parts[D.counts.astype(np.intp) + D.height], _PARTS)


def hop_distances(graph: DependencyGraph) -> Structure:
    """Returns the signed hops of [Barazandeh2026], eq. 2, (n, n), antisymmetric, in [-1, 1].

    As Hops above 100 steps. D_ik is the number of edges on the shortest path from i to k, divided
    by the length H of the longest path of the graph (at least 1), if i is an ancestor of k; minus
    that if it is a descendant; 0 if neither.

    Args:
        graph: the dependencies, of up to 20,000 steps.
    """
    hops, height = _signed_hops(graph), max(1, *graph.depth) if graph.depth else 1
    return Hops(hops, height) if graph.size > SMALL else hops / float(height)


def _signed_hops(graph: DependencyGraph) -> NDArray[np.int16]:
    """The edges of the shortest path between each two steps, signed; 0 where there is none."""
    found = core.signed_hops(graph.order, graph.children)
    if found is not None:
        return found
    hops = _forward(graph)
    for start in range(0, graph.size, _TILE):
        part = hops[start : start + _TILE]
        part[part >= _APART] = 0
    return _signed(hops.view(np.int16))


def _forward(graph: DependencyGraph) -> NDArray[np.uint16]:
    """Hops from each step (row) to those that need it; _APART or more to all others."""
    hops = np.full((graph.size, graph.size), _APART, dtype=np.uint16)
    for step in reversed(graph.order):  # children come first
        row = hops[step]
        for child in graph.children[step]:
            np.minimum(row, hops[child], out=row)
        row += 1
        row[step] = 0
    return hops


def _signed(hops: NDArray[np.int16]) -> NDArray[np.int16]:
    """Hops less the transposed, in place, tile by tile: whole columns are slow to read."""
    starts = range(0, len(hops), _TILE)
    for a, b in combinations_with_replacement(starts, 2):
        upper, lower = hops[a : a + _TILE, b : b + _TILE], hops[b : b + _TILE, a : a + _TILE]
        signed = upper - lower.T
        lower[...] = -signed.T
        upper[...] = signed
    return hops


def executed(
    D_p: Structure | None, D_r: Structure, C: Array, ranks: Ranks, order: Sequence[int]
) -> Structure:
    """Returns D_p with what the order of execution shows.

    Two steps of the run without a path between them may stand for two steps of the reference with
    a path (:func:`anchors`), and have run in the other direction. They then get the reference's
    path, reversed. Two that ran in the right direction get none: that one ran first does not say
    that it was needed. Where only the order of execution is known, they get the path either way: a
    run in any order that the reference allows has the reference's structure.

    Args:
        D_p: structure of the run, (n, n); None where only its order of execution is known.
        D_r: structure of the reference, (m, m).
        C: node costs, (n, m).
        ranks: the turn in which each step of the run ran, (n,).
        order: a topological order of the reference's steps.

    Returns:
        The structure; D_p itself where both count hops of longest paths of different lengths.
    """
    known, n = D_p is not None, len(C)
    if D_p is None:
        D_p = np.zeros((n, n))
        if isinstance(D_r, Hops):
            D_p = Hops(np.zeros((n, n), dtype=np.int16), D_r.height)
    if isinstance(D_p, Hops) and isinstance(D_r, Hops):
        if D_p.height != D_r.height:
            return D_p
        return Hops(_filled(D_p.counts, D_r.counts, C, ranks, order, known), D_p.height)
    # One side may be short, and the other long.
    wanted, found = (D.matrix() if isinstance(D, Hops) else D for D in (D_r, D_p))
    return _filled(found, wanted, C, ranks, order, known)


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
    for start in range(0, len(i), _TILE):
        rows = slice(start, start + _TILE)
        at = np.ix_(i[rows], i)
        wanted, known = D_r[np.ix_(j[rows], j)], D_p[at]
        ran = np.sign(ranks[i][None, :] - ranks[i[rows]][:, None]).astype(known.dtype)
        take = (known == 0) & (wanted != 0)
        if backwards_only:
            take &= ran * np.sign(wanted) < 0
        found[at] = np.where(take, ran * np.abs(wanted), known)
    return found
