"""A dependency graph of which some steps are left out."""

from collections.abc import Iterator, Sequence

from otap.dependencies.graph import DependencyGraph, Edge


def subgraph(graph: DependencyGraph, kept: Sequence[int]) -> DependencyGraph:
    """Returns the graph of the steps ``kept``, in this order; who needed what stays as it was.

    A step that needed one that is left out needs what that one needed. Such an edge is as sure as
    the least sure one on its way, the surest way counts, and it has no evidence of its own.
    """
    place = {step: index for index, step in enumerate(kept)}
    known = {(edge.source, edge.target): edge for edge in graph.edges}
    behind: list[dict[int, float]] = [{} for _ in range(graph.size)]
    found: dict[tuple[int, int], Edge] = {}
    for target in graph.order:
        for source, confidence in _needs(graph, known, behind, place, target):
            behind[target][source] = max(confidence, behind[target].get(source, 0.0))
        if target in place:
            for source, confidence in behind[target].items():
                ends = place[source], place[target]
                found[ends] = _edge(ends, confidence, known.get((source, target)))
    edges = tuple(found[ends] for ends in sorted(found, key=lambda ends: (ends[1], ends[0])))
    return DependencyGraph(len(kept), edges, graph.mechanism)


def _needs(
    graph: DependencyGraph,
    known: dict[tuple[int, int], Edge],
    behind: list[dict[int, float]],
    place: dict[int, int],
    target: int,
) -> Iterator[tuple[int, float]]:
    """The steps that are kept and that a step needed, at once or through others."""
    for parent in graph.parents[target]:
        confidence = known[parent, target].confidence
        if parent in place:
            yield parent, confidence
        else:
            yield from ((source, min(confidence, c)) for source, c in behind[parent].items())


def _edge(ends: tuple[int, int], confidence: float, direct: Edge | None) -> Edge:
    """The edge that was there, unless a way round is surer."""
    evidence = direct.evidence if direct is not None and direct.confidence >= confidence else ()
    return Edge(*ends, confidence, evidence)
