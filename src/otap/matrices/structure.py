"""The structure matrix D: who needs whom, and at what distance."""

import numpy as np
from numpy.typing import NDArray

from otap.dependencies import DependencyGraph
from otap.transport import SMALL, Hops, Structure
from otap.transport.core import native

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
    core = native()
    if core is not None and graph.size <= SMALL:
        found: NDArray[np.int16] = core.signed_hops(graph.order, graph.children)
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
    for a in starts:
        for b in starts:
            if b <= a:
                upper, lower = (
                    hops[b : b + _TILE, a : a + _TILE],
                    hops[a : a + _TILE, b : b + _TILE],
                )
                signed = upper - lower.T
                lower[...] = -signed.T
                upper[...] = signed
    return hops
