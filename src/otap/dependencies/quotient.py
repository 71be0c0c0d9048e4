"""The quotient graph of a dependency graph: some steps taken together as one."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from otap.dependencies.graph import DependencyGraph, Edge
from otap.trajectory import find_cycle

Groups = Sequence[tuple[int, ...]]


def quotient(graph: DependencyGraph, groups: Groups) -> DependencyGraph | None:
    """Returns the quotient graph, whose steps are groups of steps; None if it has a cycle.

    Edges inside a group vanish. An edge is as sure as the surest between its two groups, whose
    evidence it keeps.

    Args:
        graph: the graph whose steps are grouped.
        groups: a partition of its steps; the order of the groups numbers the new steps.
    """
    group_of = {step: place for place, group in enumerate(groups) for step in group}
    found: dict[tuple[int, int], Edge] = {}
    for edge in graph.edges:
        ends = group_of[edge.source], group_of[edge.target]
        known = found.get(ends)
        if ends[0] != ends[1] and (known is None or known.confidence < edge.confidence):
            found[ends] = Edge(*ends, edge.confidence, edge.evidence)
    if _is_cyclic(len(groups), found):
        return None
    edges = tuple(found[ends] for ends in sorted(found))
    return DependencyGraph(len(groups), edges, graph.mechanism)


def _is_cyclic(size: int, edges: Iterable[tuple[int, int]]) -> bool:
    parents: dict[str, list[str]] = {str(place): [] for place in range(size)}
    for source, target in edges:
        parents[str(target)].append(str(source))
    return bool(find_cycle(parents))


class Contractions:
    """The pairs of steps whose contraction to one step leaves the graph acyclic.

    They are the edges of the transitive reduction [Aho1972], and the twins: steps with the same
    parents and the same children. The contraction of several pairs at once can make a cycle.

    Args:
        graph: an acyclic graph.
        among: both steps of a pair are from here.
    """

    def __init__(self, graph: DependencyGraph, among: frozenset[int]) -> None:
        self.edges = [edge for edge in graph.reduction if among.issuperset(edge)]
        families = [[step for step in family if step in among] for family in graph.twins]
        self._twins = [family for family in families if len(family) > 1]

    def __len__(self) -> int:
        return len(self.edges) + sum(len(twins) * (len(twins) - 1) // 2 for twins in self._twins)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """The edges, by source and target, then the twins."""
        yield from self.edges
        for twins in self._twins:
            yield from combinations(twins, 2)

    def of(self, pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Returns those of some pairs, lower step first, that may be contracted; edges first."""
        family = {step: place for place, twins in enumerate(self._twins) for step in twins}
        wanted = set(pairs)
        edges = [edge for edge in self.edges if (min(edge), max(edge)) in wanted]
        twins = (pair for pair in wanted if family.get(pair[0], -1) == family.get(pair[1], -2))
        return [*edges, *sorted(twins)]
