"""Rivals over dependency graphs: node and edge F1, and the F1 of the largest common subgraph."""

from collections.abc import Iterable, Sequence

import networkx as nx
import numpy as np
from scipy.optimize import linear_sum_assignment

from otap import Step, Trajectory
from otap.graph import DependencyGraph
from otap.run import common_mechanism, dependency_graph
from reproduction.rivals.embeddings import StepVectors
from reproduction.rivals.metric import Matrix, Similarity, f1
from reproduction.rivals.texts import step_text

Edges = list[tuple[int, int]]
_SIMILAR = 0.6  # from WorFBench's evaluator: steps of at most this cosine do not match


def label(step: Step) -> str:
    """What a node is called: its tool; a step without one goes by its text."""
    return step.tool or step_text(step)


def graphs(run: Trajectory, reference: Trajectory) -> tuple[DependencyGraph, DependencyGraph]:
    """The graphs of both by the best mechanism that both allow, as OTAP finds them."""
    mechanism = common_mechanism(run, reference)
    return dependency_graph(run, mechanism), dependency_graph(reference, mechanism)


def node_f1(run: Trajectory, reference: Trajectory) -> float:
    """F1 of the sets of labels: TaskBench (Shen et al., 2023), for one plan instead of many."""
    return _set_f1(map(label, run.steps), map(label, reference.steps))


def edge_f1(run: Trajectory, reference: Trajectory) -> float:
    """F1 of the sets of edges, each as the labels at its ends: TaskBench.

    Two graphs without edges agree.
    """
    graph, other = graphs(run, reference)
    return _set_f1(_named(graph, run.steps), _named(other, reference.steps))


def _named(graph: DependencyGraph, steps: Sequence[Step]) -> list[tuple[str, str]]:
    return [(label(steps[edge.source]), label(steps[edge.target])) for edge in graph.edges]


def _set_f1(first: Iterable[object], second: Iterable[object]) -> float:
    left, right = set(first), set(second)
    return f1(len(left & right), len(left), len(right))


def subgraph_f1(vectors: StepVectors) -> Similarity:
    """F1 of the largest connected part that both graphs have: WorFBench (Qiao et al., 2024).

    Steps stand for each other by the best assignment of texts with cosines above 0.6. Its
    evaluator then compares edges by the places of steps in either list, so that a plan listed in
    another order scores .25 against itself; here the edges go through the assignment. As there,
    each graph has a start before its sources and an end after its sinks, which always match.
    """

    def similarity(run: Trajectory, reference: Trajectory) -> float:
        graph, other = graphs(run, reference)
        match = _matched(vectors.cosines(run, reference), graph, other)
        match |= {graph.size: other.size, graph.size + 1: other.size + 1}
        edges = {(match.get(a), match.get(b)) for a, b in _with_ends(graph)}
        common = [edge for edge in _with_ends(other) if edge in edges]
        return f1(_largest_part(common), graph.size + 2, other.size + 2)

    return similarity


def _matched(cosines: Matrix, graph: DependencyGraph, other: DependencyGraph) -> dict[int, int]:
    """For steps of one the steps of the other that they are assigned to.

    Among assignments of the same sum, of which there are several where a step was repeated, the
    one that best keeps depths wins: else a plan could match itself in the wrong order.
    """
    similar = cosines > _SIMILAR
    deeper = np.abs(np.subtract.outer(graph.depth, other.depth))
    weights = np.where(similar, cosines - 1e-9 * deeper, 0.0)
    pairs = zip(*linear_sum_assignment(weights, maximize=True), strict=True)
    return {int(step): int(match) for step, match in pairs if similar[step, match]}


def _with_ends(graph: DependencyGraph) -> Edges:
    start, end = graph.size, graph.size + 1
    inner = [(edge.source, edge.target) for edge in graph.edges]
    sources = [(start, step) for step in range(graph.size) if not graph.parents[step]]
    return [*inner, *sources, *((step, end) for step in graph.sinks)]


def _largest_part(edges: Edges) -> int:
    """The number of steps in the largest part that these edges connect; 1 where there is none."""
    return max(map(len, nx.connected_components(nx.Graph(edges))), default=1)
