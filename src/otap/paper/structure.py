"""Eq. 2: the signed dependency distance D of each two steps of a graph."""

from otap.costs import hop_distances
from otap.graph import DependencyGraph
from otap.transport import Structure


def dependency_distance(graph: DependencyGraph) -> Structure:
    """Returns D, (n, n): +rho(i, k) / H if i precedes k, -rho(k, i) / H if k precedes i, else 0.

    rho counts the edges of the shortest directed path. H is the DAG height of the paper: the edges
    of the longest path, at least 1, so that rho <= H. The diagonal is 0, and D' = -D.

    Args:
        graph: the edges E; a direct edge means that the second step needs the first.
    """
    return hop_distances(graph)
