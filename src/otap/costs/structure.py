"""The structure matrix D: the dependency distance of each two steps, and their order."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from otap.graph import DependencyGraph
from otap.transport import SMALL, Hops, Structure, core

Array = NDArray[np.float64]
Ranks = NDArray[np.intp]  # for each step the number of its turn
Number = TypeVar("Number", np.float64, np.int16)

MAX_ANCHOR_COST = 0.5  # the largest node cost of anchors
_DIGITS = 9  # decimals in which node costs are compared
# No path: above any number of hops, and small enough that adding a hop does not overflow.
_NO_PATH = 40_000
_TILE = 512  # rows and columns that are processed at once
_SCALE = 32_000  # mixtures of long graphs are rounded to multiples of 1 / _SCALE


def structure_matrix(graph: DependencyGraph, precedence: float = 0.0) -> Structure:
    """Returns D, shape (n, n), antisymmetric, in [-1, 1]; as Hops above 100 steps.

    Args:
        graph: the dependencies.
        precedence: 0: signed hops ([Barazandeh2026], eq. 2; :func:`hop_distances`). 1: the sign of
            the transitive closure: 1 if the row's step comes before the column's, -1 if after, 0
            if neither needs the other. Between: the mean of the two by that weight.
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
    # A table with one entry for each signed number of hops.
    hops = np.arange(-D.height, D.height + 1)
    mixed = (1.0 - precedence) * hops / D.height + precedence * np.sign(hops)
    table = np.rint(_SCALE * mixed).astype(np.int16)
    return Hops(table[D.counts.astype(np.intp) + D.height], _SCALE)


def hop_distances(graph: DependencyGraph) -> Structure:
    """Returns the signed hops of [Barazandeh2026], eq. 2, (n, n), antisymmetric, in [-1, 1].

    Above 100 steps it is returned as Hops. If i is an ancestor of k, D_ik is the number of edges on
    the shortest path from i to k, divided by the length H of the longest path of the graph (at
    least 1). If i is a descendant of k, it is minus that of k to i. Otherwise it is 0.

    Args:
        graph: the dependencies, of up to 20,000 steps.
    """
    hops, height = _signed_hops(graph), max(1, *graph.depth) if graph.depth else 1
    return Hops(hops, height) if graph.size > SMALL else hops / float(height)


def _signed_hops(graph: DependencyGraph) -> NDArray[np.int16]:
    """The signed number of edges on the shortest path between each two steps; 0 without a path."""
    native_hops = core.signed_hops(graph.order, graph.children)
    if native_hops is not None:
        return native_hops
    hops = _forward_hops(graph)
    for start in range(0, graph.size, _TILE):
        rows = hops[start : start + _TILE]
        rows[rows >= _NO_PATH] = 0
    return _subtract_transposed(hops.view(np.int16))


def _forward_hops(graph: DependencyGraph) -> NDArray[np.uint16]:
    """Hops from each step (row) to the steps that need it; _NO_PATH or more to all others."""
    hops = np.full((graph.size, graph.size), _NO_PATH, dtype=np.uint16)
    for step in reversed(graph.order):  # children come first
        row = hops[step]
        for child in graph.children[step]:
            np.minimum(row, hops[child], out=row)
        row += 1
        row[step] = 0
    return hops


def _subtract_transposed(hops: NDArray[np.int16]) -> NDArray[np.int16]:
    """Hops minus their transpose, in place, tile by tile, because whole columns read slowly."""
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
    """Returns D_p with the inversions that the order of execution shows.

    Two steps of the run without a path between them may correspond to two steps of the reference
    with a path (:func:`anchors`), and may have run in the other direction. They then get the
    reference's path, reversed. Two steps that ran in the right direction get no path, because the
    order does not show that the first one was needed. If only the order of execution is known, they
    get the path in either direction. A run in any order that the reference allows then has the
    reference's structure.

    Args:
        D_p: structure of the run, (n, n); None if only its order of execution is known.
        D_r: structure of the reference, (m, m).
        C: node costs, (n, m).
        ranks: the turn in which each step of the run ran, (n,).
        order: a topological order of the reference's steps.

    Returns:
        The structure; D_p itself if both are Hops of different heights.
    """
    backwards_only, n = D_p is not None, len(C)
    if D_p is None:
        D_p = np.zeros((n, n))
        if isinstance(D_r, Hops):
            D_p = Hops(np.zeros((n, n), dtype=np.int16), D_r.height)
    if isinstance(D_p, Hops) and isinstance(D_r, Hops):
        if D_p.height != D_r.height:
            return D_p
        counts = _add_order(D_p.counts, D_r.counts, C, ranks, order, backwards_only)
        return Hops(counts, D_p.height)
    # One side may be short, and the other long.
    run, reference = [D.matrix() if isinstance(D, Hops) else D for D in (D_p, D_r)]
    return _add_order(run, reference, C, ranks, order, backwards_only)


def anchors(C: Array, ranks: Ranks, order: Sequence[int]) -> list[tuple[int, int]]:
    """Returns the mutual nearest neighbours of the two sides, up to cost MAX_ANCHOR_COST.

    Of several steps with the same cost, the one that ran first goes with the one that comes first
    in the reference's order.

    Args:
        C: node costs, (n, m).
        ranks: the turn in which each step of the run ran, (n,).
        order: a topological order of the reference's steps.

    Returns:
        Pairs of a step of the run and one of the reference, each step in at most one, in rising
        order.
    """
    positions = np.empty(len(order), dtype=np.intp)
    positions[list(order)] = np.arange(len(order))
    rounded = np.round(C, _DIGITS)
    nearest = rounded == rounded.min(axis=1)[:, None]
    nearest &= (rounded == rounded.min(axis=0)) & (rounded <= MAX_ANCHOR_COST)
    i, j = np.nonzero(nearest)
    anchor_of: dict[int, int] = {}
    used: set[int] = set()
    ranked = np.lexsort((positions[j], ranks[i], rounded[i, j]))
    for run_step, reference_step in zip(i[ranked].tolist(), j[ranked].tolist(), strict=True):
        if run_step not in anchor_of and reference_step not in used:
            anchor_of[run_step] = reference_step
            used.add(reference_step)
    return sorted(anchor_of.items())


def _add_order(
    D_p: NDArray[Number],
    D_r: NDArray[Number],
    C: Array,
    ranks: Ranks,
    order: Sequence[int],
    backwards_only: bool,
) -> NDArray[Number]:
    """D_p with the order of execution of anchors without a path, some rows at a time."""
    pairs = anchors(C, ranks, order)
    if not pairs:
        return D_p
    i, j = np.array(pairs).T
    structure = D_p.copy()
    for start in range(0, len(i), _TILE):
        rows = slice(start, start + _TILE)
        block = np.ix_(i[rows], i)
        run, reference = D_p[block], D_r[np.ix_(j[rows], j)]
        direction = np.sign(ranks[i][None, :] - ranks[i[rows]][:, None]).astype(run.dtype)
        is_new = (run == 0) & (reference != 0)
        if backwards_only:
            is_new &= direction * np.sign(reference) < 0
        structure[block] = np.where(is_new, direction * np.abs(reference), run)
    return structure
