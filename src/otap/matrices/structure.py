"""The structure matrix D (equation 2): signed hops over the longest path."""

import numpy as np

from otap.dependencies import DependencyGraph
from otap.matrices.texts import Matrix


def hop_distances(graph: DependencyGraph) -> Matrix:
    """Returns D, shape (n, n), antisymmetric, in [-1, 1].

    D_ik is the number of edges on the shortest path from i to k, divided by the length H of the
    longest path of the graph (at least 1), if i is an ancestor of k; minus that if it is a
    descendant; 0 if neither.
    """
    hops = np.full((graph.size, graph.size), np.inf)
    for step in reversed(graph.order):  # children come first
        children = list(graph.children[step])
        if children:
            hops[step] = hops[children].min(axis=0) + 1
        hops[step, step] = 0
    hops[np.isinf(hops)] = 0
    height = max(1, *graph.depth) if graph.depth else 1
    forward = hops / height
    return forward - forward.T
