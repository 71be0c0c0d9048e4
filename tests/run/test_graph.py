"""A dependency graph by position: neighbours, order, depth, sinks."""

from hypothesis import given
from hypothesis import strategies as st

from otap.graph import DependencyGraph, Edge

# hotel: search -> two filters -> rank -> select -> book, and a step that stands alone
HOTEL = DependencyGraph(
    7, tuple(Edge(*pair) for pair in [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 5)]), "explicit"
)


def test_neighbours() -> None:
    """Parents are what a step needed, children what needed it, each in rising order."""
    assert HOTEL.parents == ((), (0,), (0,), (1, 2), (3,), (4,), ())
    assert HOTEL.children == ((1, 2), (3,), (3,), (4,), (5,), (), ())


def test_an_edge_given_twice_is_one_neighbour() -> None:
    """Several reasons for one dependency make one parent."""
    graph = DependencyGraph(2, (Edge(0, 1, 0.8), Edge(0, 1, 0.6)), "traced")
    assert graph.parents == ((), (0,))
    assert graph.order == (0, 1)


def test_depth_and_sinks() -> None:
    """Depth counts the edges of the longest path; a sink is what nothing needed."""
    shortcut = DependencyGraph(7, (*HOTEL.edges, Edge(0, 5)), "explicit")
    assert HOTEL.depth == shortcut.depth == (0, 1, 1, 2, 3, 4, 0)
    assert HOTEL.sinks == (5, 6)


def test_ties_in_the_order_are_by_position() -> None:
    """Of the steps that could come next, the first in the list does."""
    graph = DependencyGraph(4, (Edge(0, 3), Edge(1, 2)), "explicit")
    assert graph.order == (0, 1, 2, 3)
    assert DependencyGraph(3, (Edge(2, 0),), "explicit").order == (1, 2, 0)


def test_no_steps() -> None:
    """A graph may be empty."""
    empty = DependencyGraph(0, (), "sequential")
    assert (empty.parents, empty.order, empty.depth, empty.sinks) == ((), (), (), ())


@given(st.permutations(range(7)), st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))))
def test_the_order_respects_every_edge(names: list[int], pairs: set[tuple[int, int]]) -> None:
    """Each step comes once, after everything that it needed."""
    edges = tuple(Edge(names[a], names[b]) for a, b in sorted(pairs) if a < b)
    graph = DependencyGraph(7, edges, "explicit")
    place = {step: index for index, step in enumerate(graph.order)}
    assert sorted(place) == list(range(7))
    assert all(place[edge.source] < place[edge.target] for edge in edges)
    assert all(graph.depth[edge.source] < graph.depth[edge.target] for edge in edges)


def test_the_transitive_reduction() -> None:
    """An edge is redundant where a longer path leads from its source to its target as well."""
    ends = [(0, 1), (1, 2), (0, 2), (2, 3), (0, 4), (4, 3)]
    graph = DependencyGraph(5, tuple(Edge(*pair) for pair in ends), "explicit")
    assert [pair for pair in ends if pair not in graph.reduction] == [(0, 2)]
