"""The structure matrix D (equation 2) against a literal breadth-first search."""

import itertools
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dags import HOTEL, dags, reached
from otap.costs import hop_distances, structure_matrix
from otap.graph import DependencyGraph, Edge
from otap.transport import core
from otap.transport.structure import Hops


def longest_path(graph: DependencyGraph) -> int:
    """Counts the edges of the longest path, by following every edge as often as it helps."""
    ends = [0] * graph.size
    for _ in range(graph.size):
        for edge in graph.edges:
            ends[edge.target] = max(ends[edge.target], ends[edge.source] + 1)
    return max(ends)


@given(dags())
def test_hops_against_breadth_first_search(graph: DependencyGraph) -> None:
    """Signed hops over the longest path, 0 between steps that do not depend on each other."""
    expected = np.zeros((graph.size, graph.size))
    for start in range(graph.size):
        for end, hops in reached(graph, start).items():
            expected[start, end] = hops / max(1, longest_path(graph))
            expected[end, start] = -expected[start, end]
    np.testing.assert_array_equal(hop_distances(graph), expected)


@given(dags())
def test_range_and_sign(graph: DependencyGraph) -> None:
    """D is antisymmetric and lies in [-1, 1]."""
    D = hop_distances(graph)
    np.testing.assert_array_equal(D, -D.T)
    assert np.abs(D).max() <= 1


@given(dags(), st.data())
def test_relisting_permutes_hops(graph: DependencyGraph, data: st.DataObject) -> None:
    """Steps listed in another order: the same bits in another order."""
    order = data.draw(st.permutations(range(graph.size)))
    place = {step: index for index, step in enumerate(order)}
    edges = tuple(Edge(place[edge.source], place[edge.target]) for edge in graph.edges)
    relisted = hop_distances(DependencyGraph(graph.size, edges, "explicit"))
    assert (relisted == hop_distances(graph)[np.ix_(order, order)]).all()


def test_hotel() -> None:
    """The shortest path counts, over the four edges of the longest."""
    D = hop_distances(HOTEL) * 4
    np.testing.assert_array_equal(D[0], [0, 1, 1, 2, 3, 4])
    assert D[1, 2] == 0


def test_a_shortcut_is_shorter() -> None:
    """An edge past other steps shortens the hops and not the longest path."""
    chain = [Edge(a, b) for a, b in itertools.pairwise(range(4))]
    D = hop_distances(DependencyGraph(4, (*chain, Edge(0, 3)), "explicit"))
    np.testing.assert_allclose(D[0], [0, 1 / 3, 2 / 3, 1 / 3])


def test_graphs_without_edges() -> None:
    """Where nothing depends on anything, all is 0; a graph without steps has no entries."""
    assert not hop_distances(DependencyGraph(3, (), "traced")).any()
    assert hop_distances(DependencyGraph(0, (), "traced")).shape == (0, 0)


def test_long_graphs_are_held_as_hops() -> None:
    """Beyond a hundred steps: the same entries, as counts over the height."""
    edges = [Edge(a, b) for b in range(1, 700) for a in {b - 1, b // 2} if a < b and b % 90]
    graph = DependencyGraph(700, tuple(edges), "explicit")
    D = hop_distances(graph)
    assert isinstance(D, Hops)
    assert D.height == longest_path(graph)
    for start in (0, 1, 89, 90, 350, 699):
        expected = np.zeros(700)
        for end, hops in reached(graph, start).items():
            expected[end] = hops
        np.testing.assert_array_equal(np.maximum(D.counts[start], 0), expected)
    np.testing.assert_array_equal(D.matrix(), D.counts / D.height)


def test_the_longest_graph_that_is_scored() -> None:
    """A chain of thousands of steps does not run out of numbers."""
    size = 6000
    D = hop_distances(DependencyGraph(size, tuple(map(Edge, range(size - 1), range(1, size))), ""))
    assert isinstance(D, Hops)
    assert D.counts[0, -1] == D.height == size - 1
    assert D.counts[-1, 0] == 1 - size


@given(dags(), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_a_mixture_is_hops_and_precedence(graph: DependencyGraph, precedence: float) -> None:
    """Precedence is the sign of the closure: transitive and duplicate edges change nothing."""
    signs = np.zeros((graph.size, graph.size))
    for start in range(graph.size):
        for end in set(reached(graph, start)) - {start}:
            signs[start, end], signs[end, start] = 1, -1
    expected = (1 - precedence) * hop_distances(graph) + precedence * signs
    np.testing.assert_allclose(structure_matrix(graph, precedence), expected, atol=1e-15)


def test_a_long_mixture_is_held_in_whole_numbers() -> None:
    """Beyond a hundred steps: exact at both ends, good to a part in 64,000 between them."""
    edges = [Edge(a, b) for b in range(1, 300) for a in {b - 1, b // 2} if a < b and b % 90]
    graph = DependencyGraph(300, tuple(edges), "explicit")
    hops = hop_distances(graph).matrix()
    assert structure_matrix(graph, 0.0) == hop_distances(graph)
    np.testing.assert_array_equal(structure_matrix(graph, 1.0).matrix(), np.sign(hops))
    mixed = structure_matrix(graph, 0.3).matrix()
    np.testing.assert_allclose(mixed, 0.7 * hops + 0.3 * np.sign(hops), atol=0.51 / 32_000)


@given(dags())
def test_the_core_counts_as_the_definition_does(graph: DependencyGraph) -> None:
    """Entry by entry, hops and precedence."""
    found = hop_distances(graph), structure_matrix(graph, 1.0), structure_matrix(graph, 0.3)
    with patch.object(core, "signed_hops", return_value=None):
        wanted = hop_distances(graph), structure_matrix(graph, 1.0), structure_matrix(graph, 0.3)
    for ours, theirs in zip(found, wanted, strict=True):
        assert np.array_equal(ours, theirs)
