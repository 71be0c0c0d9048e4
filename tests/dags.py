"""Random dependency graphs, whose steps are listed in any order, and the paper's hotel task."""

from hypothesis import strategies as st

from otap.graph import DependencyGraph, Edge

HOTEL_STEPS = ("search", "filter-price", "filter-location", "rank", "select", "book")
HOTEL = DependencyGraph(
    6, tuple(Edge(*pair) for pair in [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 5)]), "explicit"
)


@st.composite
def dags(draw: st.DrawFn, most: int = 12) -> DependencyGraph:
    """Returns an acyclic graph of up to ``most`` steps."""
    size = draw(st.integers(1, most))
    names = draw(st.permutations(range(size)))
    pairs = [(a, b) for b in range(size) for a in range(b)]
    chosen = draw(st.sets(st.sampled_from(pairs), max_size=2 * size)) if pairs else set()
    edges = sorted((names[a], names[b]) for a, b in chosen)
    return DependencyGraph(size, tuple(Edge(a, b) for a, b in edges), "explicit")


def reached(graph: DependencyGraph, start: int, without: int | None = None) -> dict[int, int]:
    """Breadth first: each step that needs ``start``, with its hops, once a step is taken out."""
    hops = {start: 0} if start != without else {}
    level = list(hops)
    while level:
        beyond = {edge.target for edge in graph.edges if edge.source in level} - {*hops, without}
        hops |= dict.fromkeys(beyond, hops[level[0]] + 1)
        level = list(beyond)
    return hops
