"""A dependency graph in which some steps are taken together as one."""

from collections.abc import Iterator, Sequence

from otap.dependencies.graph import DependencyGraph, Edge
from otap.trajectory import find_cycle

Groups = Sequence[tuple[int, ...]]


def quotient(graph: DependencyGraph, groups: Groups) -> DependencyGraph | None:
    """Returns the graph whose steps are groups of steps; every step is in exactly one group.

    An edge is as sure as the surest between its groups. None if the result has a cycle.
    """
    group_of = {step: place for place, group in enumerate(groups) for step in group}
    found: dict[tuple[int, int], Edge] = {}
    for edge in graph.edges:
        ends = group_of[edge.source], group_of[edge.target]
        known = found.get(ends)
        if ends[0] != ends[1] and (known is None or known.confidence < edge.confidence):
            found[ends] = Edge(*ends, edge.confidence, edge.evidence)
    parents: dict[str, list[str]] = {str(place): [] for place in range(len(groups))}
    for source, target in found:
        parents[str(target)].append(str(source))
    if find_cycle(parents):
        return None
    edges = tuple(found[ends] for ends in sorted(found))
    return DependencyGraph(len(groups), edges, graph.mechanism)


def neighbours(graph: DependencyGraph, among: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Yields the pairs of steps, both from ``among``, that could be one step.

    One needs the other and no way round leads from the one to the other; or they have the same
    parents and the same children. Taking one such pair together makes no cycle.
    """
    for source in sorted(among):
        for target in graph.children[source]:
            if target in among and not _way_round(graph, source, target):
                yield source, target
    alike: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for step in sorted(among):
        alike.setdefault((graph.parents[step], graph.children[step]), []).append(step)
    for steps in alike.values():
        for place, step in enumerate(steps):
            yield from ((step, other) for other in steps[place + 1 :])


def _way_round(graph: DependencyGraph, source: int, target: int) -> bool:
    """Whether a path of more than one edge leads from source to target."""
    depth = graph.depth
    waiting = [child for child in graph.children[source] if child != target]
    seen = set(waiting)
    while waiting:
        step = waiting.pop()
        if step == target:
            return True
        for child in graph.children[step]:
            if child not in seen and depth[child] <= depth[target]:
                seen.add(child)
                waiting.append(child)
    return False
