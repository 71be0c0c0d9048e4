"""The structure matrix D (equation 2): signed hops over the longest path."""

import numpy as np
from numpy.typing import NDArray

from otap.dependencies import DependencyGraph
from otap.transport.structure import SMALL, Hops, Structure

# Above any number of hops, and so far below the largest number that a path's hops may be added.
_APART = 40_000
_TILE = 512


def hop_distances(graph: DependencyGraph) -> Structure:
    """Returns D, shape (n, n), antisymmetric, in [-1, 1]; of more than 100 steps as Hops.

    D_ik is the number of edges on the shortest path from i to k, divided by the length H of the
    longest path of the graph (at least 1), if i is an ancestor of k; minus that if it is a
    descendant; 0 if neither. Graphs of up to 20,000 steps.
    """
    hops = _forward(graph)
    for start in range(0, graph.size, _TILE):
        part = hops[start : start + _TILE]
        part[part >= _APART] = 0
    found = Hops(_signed(hops.view(np.int16)), max(1, *graph.depth) if graph.depth else 1)
    return found if graph.size > SMALL else found.matrix()


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
