"""Steps left out of a graph: who needed them needs what they needed."""

import random

import pytest

from otap.graph import DependencyGraph, Edge, Evidence, subgraph


def graph_of(size, *edges):
    return DependencyGraph(size, tuple(Edge(*edge) for edge in edges), "traced")


def ends(graph):
    return [(edge.source, edge.target) for edge in graph.edges]


def test_needs_are_passed_on_through_any_number_of_steps():
    """0 -> 1 -> 2 -> 3, and 0 -> 4 -> 5 with 4 left out at the end of nothing."""
    graph = graph_of(6, (0, 1), (1, 2), (2, 3), (0, 4), (4, 5))
    assert ends(subgraph(graph, [0, 3, 5])) == [(0, 1), (0, 2)]
    assert ends(subgraph(graph, [1, 3])) == [(0, 1)]
    assert ends(subgraph(graph, [3, 5])) == []
    assert subgraph(graph, [0, 3]).mechanism == "traced"


def test_the_graph_of_all_steps_is_the_graph():
    """Edges with their evidence."""
    evidence = (Evidence("BK-118", "effect.id", "arguments.id"),)
    graph = DependencyGraph(3, (Edge(0, 1, 0.8, evidence), Edge(1, 2, 0.6)), "traced")
    assert subgraph(graph, [0, 1, 2]) == graph


@pytest.mark.parametrize(("direct", "expected"), [(0.9, 0.9), (0.5, 0.7)])
def test_an_edge_is_as_sure_as_its_surest_way(direct, expected):
    """And a way as its least sure edge."""
    graph = graph_of(3, (0, 1, 0.7), (1, 2, 0.95), (0, 2, direct))
    (edge,) = subgraph(graph, [0, 2]).edges
    assert edge.confidence == expected


def test_an_edge_round_a_surer_way_has_no_evidence():
    """What it says is not why the two belong together."""
    evidence = (Evidence("12", "effect", "arguments"),)
    edges = (Edge(0, 1, 0.9), Edge(1, 2, 0.9), Edge(0, 2, 0.6, evidence))
    assert subgraph(DependencyGraph(3, edges, "traced"), [0, 2]).edges == (Edge(0, 1, 0.9),)


@pytest.mark.parametrize("seed", range(30))
def test_paths_stay_paths(seed):
    """Two steps that are kept have a path exactly where they had one."""
    generator = random.Random(seed)
    edges = [(a, b) for b in range(12) for a in range(b) if generator.random() < 0.2]
    names = generator.sample(range(12), 12)
    graph = graph_of(12, *((names[a], names[b]) for a, b in edges))
    kept = sorted(generator.sample(range(12), 6))
    found = subgraph(graph, kept)
    for place, step in enumerate(kept):
        before = {kept[other] for other in reached(found, place)}
        assert before == reached(graph, step) & set(kept)


def reached(graph, step):
    """All steps that a step needed, at once or through others."""
    found, waiting = set(), [step]
    while waiting:
        for parent in graph.parents[waiting.pop()]:
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found
