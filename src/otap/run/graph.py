"""The dependency graph of one list of steps, and the smaller graphs that are made of one.

It is directed and acyclic, and its edges have evidence.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import combinations, compress, repeat
from operator import not_

from otap._caching import cached_property

Neighbours = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Evidence:
    """The provenance of one value: why an edge is there.

    Attributes:
        value: what one step showed and a later one used, in canonical spelling.
        source_path: where it stood in the step that showed it, as ``effect.flights[0].price``.
        target_path: where it stands in the step that used it, as ``arguments.price``.
    """

    value: str
    source_path: str
    target_path: str


@dataclass(frozen=True)
class Edge:
    """A dependency: the step at position ``target`` needed the one at position ``source``.

    Attributes:
        source: position in the list of steps, from 0.
        target: the same.
        confidence: how sure the edge is, in [0, 1]; 1 where it was recorded.
        evidence: the values that prove it, most telling first; empty where it was recorded.
    """

    source: int
    target: int
    confidence: float = 1.0
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class DependencyGraph:
    """A directed acyclic graph over the positions of one list of steps.

    Attributes:
        size: the number of steps.
        edges: at most one between two steps.
        mechanism: how the edges were found: explicit, traced, conflicts or sequential.
        parents: the direct predecessors of each step: what it needed, in rising order.
        children: the direct successors of each step: what needed it, in rising order.
    """

    size: int
    edges: tuple[Edge, ...]
    mechanism: str
    parents: Neighbours = field(init=False, repr=False, compare=False)
    children: Neighbours = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        parents = [*map(set[int], repeat((), self.size))]
        children = [*map(set[int], repeat((), self.size))]
        for edge in self.edges:
            parents[edge.target].add(edge.source)
            children[edge.source].add(edge.target)
        for name, found in (("parents", parents), ("children", children)):
            self.__dict__[name] = tuple(map(tuple, map(sorted, found)))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The topological order that comes first lexicographically; without steps in a cycle."""
        waiting = [*map(len, self.parents)]
        ready = [*compress(range(self.size), map(not_, waiting))]
        order: list[int] = []
        while ready:
            step = heappop(ready)
            order.append(step)
            for child in self.children[step]:
                waiting[child] -= 1
                if not waiting[child]:
                    heappush(ready, child)
        return tuple(order)

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """For each step the length in edges of the longest path that ends there."""
        depth = [0] * self.size
        for step in self.order:
            depth[step] = max((depth[parent] + 1 for parent in self.parents[step]), default=0)
        return tuple(depth)

    @cached_property
    def reduction(self) -> tuple[tuple[int, int], ...]:
        """The edges of the transitive reduction [Aho1972], by source and target.

        A child that a step reaches through an earlier one is left out. What each step reaches is
        held as the bits of a number, so that a step with many children costs a few operations each.
        """
        reached = [0] * self.size
        rank = {step: place for place, step in enumerate(self.order)}
        needed: list[tuple[int, int]] = []
        for step in reversed(self.order):
            seen = 0
            for child in sorted(self.children[step], key=rank.__getitem__):
                if not seen >> child & 1:
                    needed.append((step, child))
                    seen |= reached[child] | 1 << child
            reached[step] = seen
        return tuple(sorted(needed))

    @cached_property
    def twins(self) -> Neighbours:
        """The steps by their parents and children, each family in rising order."""
        alike: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
        for step, relatives in enumerate(zip(self.parents, self.children, strict=True)):
            alike.setdefault(relatives, []).append(step)
        return tuple(map(tuple, alike.values()))

    @property
    def sinks(self) -> tuple[int, ...]:
        """The steps without successors: no other step needed them."""
        return tuple(step for step in range(self.size) if not self.children[step])


def subgraph(graph: DependencyGraph, kept: Sequence[int]) -> DependencyGraph:
    """Returns the graph after the elimination of all steps but ``kept``, reachability unchanged.

    A step that needed one that is left out needs what that one needed, so of two steps that stay
    the one can be reached from the other as before. The confidence of such a new edge is that of
    the widest path: the least confidence on a path, on the path where that is greatest. It has no
    evidence.

    Args:
        graph: an acyclic graph.
        kept: the steps that stay; their order numbers the new steps.
    """
    place = {step: index for index, step in enumerate(kept)}
    known = {(edge.source, edge.target): edge for edge in graph.edges}
    reached = _widest_paths(graph, known, frozenset(kept))
    edges: list[Edge] = []
    for target, step in enumerate(kept):
        for source in sorted(reached[step], key=place.__getitem__):
            confidence, direct = reached[step][source], known.get((source, step))
            # A path through eliminated steps may be surer than the direct edge.
            sure = direct is not None and direct.confidence >= confidence
            evidence = direct.evidence if direct is not None and sure else ()
            edges.append(Edge(place[source], target, confidence, evidence))
    return DependencyGraph(len(kept), tuple(edges), graph.mechanism)


def _widest_paths(
    graph: DependencyGraph, known: Mapping[tuple[int, int], Edge], kept: frozenset[int]
) -> list[dict[int, float]]:
    """The kept steps that each step needed, directly or through eliminated ones, and how surely."""
    reached: list[dict[int, float]] = [{} for _ in range(graph.size)]
    for target in graph.order:
        for parent in graph.parents[target]:
            confidence = known[parent, target].confidence
            through = {parent: 1.0} if parent in kept else reached[parent]
            for source, least in through.items():
                widest = max(min(confidence, least), reached[target].get(source, 0.0))
                reached[target][source] = widest
    return reached


def quotient(graph: DependencyGraph, groups: Sequence[tuple[int, ...]]) -> DependencyGraph | None:
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
    edges = tuple(map(found.__getitem__, sorted(found)))
    contracted = DependencyGraph(len(groups), edges, graph.mechanism)
    return contracted if len(contracted.order) == len(groups) else None


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
