"""The graph edit distance as a similarity, with a limit on how long it is looked for."""

from collections.abc import Iterator, Sequence
from math import ceil
from time import perf_counter

import networkx as nx
import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from otap import Trajectory
from otap.graph import DependencyGraph
from reproduction.rivals.graphs import graphs, label
from reproduction.rivals.metric import Matrix, best, of_steps

LIMIT = 0.05  # seconds a pair
_SHUFFLED = 320  # nodes, in all random assignments of a pair together
Order = npt.NDArray[np.intp]


class GraphEdit:
    """1 - graph edit distance / (nodes and edges of both); each edit of a node or edge costs 1.

    Nodes are the same where their labels are. The distance is NP-hard: where bounds do not settle
    it, networkx searches for up to ``limit`` seconds, and the least distance found by then counts.
    ``limited`` says for how many pairs so far that was not enough, so that theirs may be too large.
    """

    def __init__(self, limit: float = LIMIT) -> None:
        self.limited = 0
        self._limit = limit
        self._metric = best(of_steps(self._similarity))

    def __call__(self, run: Trajectory, references: Sequence[Trajectory]) -> float:
        """The maximum over references."""
        return self._metric(run, references)

    def _similarity(self, run: Trajectory, reference: Trajectory) -> float:
        sides = labelled(run, reference)
        size = sum(len(side) + side.number_of_edges() for side in sides)
        return float(1 - self._distance(*sides) / size)

    def _distance(self, graph: nx.DiGraph, other: nx.DiGraph) -> float:
        low, high = bounds(graph, other)
        if low == high:
            return high
        start = perf_counter()
        # Distances are whole numbers, and only one below the bound is of interest.
        found = nx.graph_edit_distance(
            graph, other, _same_label, upper_bound=high - 1, timeout=self._limit
        )
        self.limited += perf_counter() - start >= self._limit
        return high if found is None else float(found)


def labelled(run: Trajectory, reference: Trajectory) -> tuple[nx.DiGraph, nx.DiGraph]:
    """The dependency graphs of both as networkx has them, each node with a label."""
    graph, other = graphs(run, reference)
    return _labelled(graph, run), _labelled(other, reference)


def _labelled(graph: DependencyGraph, trajectory: Trajectory) -> nx.DiGraph:
    found = nx.DiGraph()
    found.add_nodes_from(
        (place, {"label": label(step)}) for place, step in enumerate(trajectory.steps)
    )
    found.add_edges_from((edge.source, edge.target) for edge in graph.edges)
    return found


def _same_label(node: dict[str, str], other: dict[str, str]) -> bool:
    return node["label"] == other["label"]


def bounds(graph: nx.DiGraph, other: nx.DiGraph) -> tuple[int, int]:
    """What the distance is at least, and at most.

    Putting one node in another's place never costs more than deleting it and adding that one, so
    that edits are an assignment of nodes, the smaller side padded with isolated ones. An edge too
    many or too few costs half at each of its ends: the cheapest assignment by what is seen from
    single nodes costs no more than the distance. From it, and from others, swaps lead to cheap
    edits. The same graphs always have the same bounds.
    """
    edges, others, differ = _padded(graph, other)
    alone = differ + (_degrees_apart(edges, others) + _degrees_apart(edges.T, others.T)) / 2
    rows, nearest = linear_sum_assignment(alone)
    low = ceil(alone[rows, nearest].sum())
    high = len(alone) + graph.number_of_edges() + other.number_of_edges()
    for order in _starts(nearest):
        high = min(high, _swapped(order, edges, others, differ))
        if high == low:
            break
    return low, high


def _padded(graph: nx.DiGraph, other: nx.DiGraph) -> tuple[Matrix, Matrix, Matrix]:
    """The edges of both as matrices of one size, and 1 where labels differ or a side has none."""
    size = max(len(graph), len(other))
    edges, others, differ = np.zeros((size, size)), np.zeros((size, size)), np.ones((size, size))
    edges[: len(graph), : len(graph)] = nx.to_numpy_array(graph)
    others[: len(other), : len(other)] = nx.to_numpy_array(other)
    nodes, other_nodes = graph.nodes.values(), other.nodes.values()
    differ[: len(graph), : len(other)] = [
        [not _same_label(node, other_node) for other_node in other_nodes] for node in nodes
    ]
    return edges, others, differ


def _degrees_apart(edges: Matrix, others: Matrix) -> Matrix:
    apart: Matrix = np.abs(np.subtract.outer(edges.sum(axis=1), others.sum(axis=1)))
    return apart


def _starts(nearest: Order) -> Iterator[Order]:
    """Assignments to start from; the seed makes them the same every time."""
    yield nearest
    generator = np.random.default_rng(0)
    for _ in range(_SHUFFLED // len(nearest)):
        yield generator.permutation(len(nearest))


def _swapped(order: Order, edges: Matrix, others: Matrix, differ: Matrix) -> int:
    """What an assignment costs after the best swap of two, again and again until none helps."""
    order = order.copy()
    while True:
        placed, mismatch = others[np.ix_(order, order)], differ[:, order]
        change = changes(edges, placed, mismatch)
        one, two = np.unravel_index(change.argmin(), change.shape)
        if change[one, two] >= 0:
            return int(np.abs(edges - placed).sum() + mismatch.trace())
        order[[one, two]] = order[[two, one]]


def changes(edges: Matrix, placed: Matrix, mismatch: Matrix) -> Matrix:
    """What it costs more to swap the partners of each two nodes."""
    cost = mismatch + _rows_apart(edges, placed) + _rows_apart(edges.T, placed.T)
    kept = cost.diagonal()
    # Rows count an edge between the two as if its other end stayed with its old partner.
    between = (edges + edges.T) * (placed + placed.T)
    return cost + cost.T - np.add.outer(kept, kept) - 2 * between


def _rows_apart(edges: Matrix, others: Matrix) -> Matrix:
    """In how many places each row of one differs from each of the other, all of zeros and ones."""
    counts: Matrix = np.add.outer(edges.sum(axis=1), others.sum(axis=1))
    return counts - 2 * edges @ others.T
