"""The dependency graph of a list of steps, and smaller graphs made from it.

It is directed and acyclic, and its edges have evidence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from otap._caching import cached_property
from otap.trajectory import Step

Neighbours = tuple[tuple[int, ...], ...]


def turn_ranks(steps: Sequence[Step]) -> list[int]:
    """Returns the rank of each step's turn, from 0; steps of one turn ran in parallel and tie.

    Args:
        steps: one list of steps, in the order in which they ran.
    """
    ranks: list[int] = []
    previous = None
    for step in steps:
        is_parallel = ranks and step.turn is not None and step.turn == previous
        ranks.append(ranks[-1] + (not is_parallel) if ranks else 0)
        previous = step.turn
    return ranks


@dataclass(frozen=True)
class Evidence:
    """The provenance of one value: the reason for an edge.

    Attributes:
        value: a value that one step showed and a later one used, in canonical form.
        source_path: its path in the step that showed it, as ``effect.flights[0].price``.
        target_path: its path in the step that used it, as ``arguments.price``.
    """

    value: str
    source_path: str
    target_path: str


@dataclass(frozen=True)
class Edge:
    """A dependency: the step ``target`` needed the step ``source``.

    Attributes:
        source: index in the list of steps, from 0.
        target: index in the list of steps, from 0.
        confidence: how sure the edge is, in [0, 1]; 1 for a recorded dependency.
        evidence: the values that prove it, most specific first; empty for a recorded dependency.
    """

    source: int
    target: int
    confidence: float = 1.0
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class DependencyGraph:
    """A directed acyclic graph over the indices of one list of steps.

    Attributes:
        size: the number of steps.
        edges: at most one between two steps.
        mechanism: how the edges were found: explicit, traced, conflicts or sequential.
        parents: the direct predecessors of each step, which it needed, in rising order.
        children: the direct successors of each step, which needed it, in rising order.
    """

    size: int
    edges: tuple[Edge, ...]
    mechanism: str
    parents: Neighbours = field(init=False, repr=False, compare=False)
    children: Neighbours = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        parents: list[set[int]] = [set() for _ in range(self.size)]
        children: list[set[int]] = [set() for _ in range(self.size)]
        for edge in self.edges:
            parents[edge.target].add(edge.source)
            children[edge.source].add(edge.target)
        self.__dict__["parents"] = tuple([tuple(sorted(steps)) for steps in parents])
        self.__dict__["children"] = tuple([tuple(sorted(steps)) for steps in children])

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The lexicographically first topological order, without steps in a cycle."""
        open_parents = [len(parents) for parents in self.parents]
        ready = [step for step in range(self.size) if not open_parents[step]]
        order: list[int] = []
        while ready:
            step = heappop(ready)
            order.append(step)
            for child in self.children[step]:
                open_parents[child] -= 1
                if not open_parents[child]:
                    heappush(ready, child)
        return tuple(order)

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """For each step the length of the longest path that ends there, in edges."""
        depth = [0] * self.size
        for step in self.order:
            depth[step] = max((depth[parent] + 1 for parent in self.parents[step]), default=0)
        return tuple(depth)

    @cached_property
    def reduction(self) -> tuple[tuple[int, int], ...]:
        """The edges of the transitive reduction [Aho1972], by source and target.

        A child that a step reaches through an earlier child is left out. The steps that each step
        reaches are the bits of a number, so a step with many children costs a few operations each.
        """
        reached = [0] * self.size
        rank = {step: index for index, step in enumerate(self.order)}
        reduced: list[tuple[int, int]] = []
        for step in reversed(self.order):
            for _, child in sorted([(rank[child], child) for child in self.children[step]]):
                if not reached[step] >> child & 1:
                    reduced.append((step, child))
                    reached[step] |= reached[child] | 1 << child
        return tuple(sorted(reduced))

    @cached_property
    def twins(self) -> Neighbours:
        """Groups of steps with the same parents and the same children, in rising order."""
        groups: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
        for step, neighbours in enumerate(zip(self.parents, self.children, strict=True)):
            groups.setdefault(neighbours, []).append(step)
        return tuple(tuple(group) for group in groups.values())

    @property
    def sinks(self) -> tuple[int, ...]:
        """The steps that no other step needed."""
        return tuple(step for step in range(self.size) if not self.children[step])


def subgraph(graph: DependencyGraph, selected: Sequence[int]) -> DependencyGraph:
    """Returns the graph of some steps; the others are eliminated without a change of reachability.

    A step that needed an eliminated step needs the steps that this one needed. A new edge has the
    confidence of the widest path: the least confidence on a path, on the path where that is
    greatest. It has no evidence.

    Args:
        graph: an acyclic graph.
        selected: the steps that stay; their order numbers the new steps.
    """
    new_index = {step: index for index, step in enumerate(selected)}
    direct_edges = {(edge.source, edge.target): edge for edge in graph.edges}
    reached = _widest_paths(graph, direct_edges, frozenset(selected))
    edges: list[Edge] = []
    for target, step in enumerate(selected):
        for source, confidence in sorted(
            (new_index[k], width) for k, width in reached[step].items()
        ):
            direct = direct_edges.get((selected[source], step))
            # A path through eliminated steps may be surer than the direct edge.
            if direct is None or direct.confidence < confidence:
                edges.append(Edge(source, target, confidence))
            else:
                edges.append(Edge(source, target, confidence, direct.evidence))
    return DependencyGraph(len(selected), tuple(edges), graph.mechanism)


def _widest_paths(
    graph: DependencyGraph, edges: Mapping[tuple[int, int], Edge], selected: frozenset[int]
) -> list[dict[int, float]]:
    """For each step the selected steps that it needed, with the confidence of the widest path.

    Paths lead through eliminated steps only.
    """
    reached: list[dict[int, float]] = [{} for _ in range(graph.size)]
    for target in graph.order:
        for parent in graph.parents[target]:
            confidence = edges[parent, target].confidence
            sources = {parent: 1.0} if parent in selected else reached[parent]
            for source, least in sources.items():
                widest = max(min(confidence, least), reached[target].get(source, 0.0))
                reached[target][source] = widest
    return reached


def quotient(graph: DependencyGraph, groups: Sequence[tuple[int, ...]]) -> DependencyGraph | None:
    """Returns the quotient graph, whose nodes are groups of steps; None if it has a cycle.

    Edges inside a group vanish. Of the edges between two groups the surest one stays, with its
    evidence.

    Args:
        graph: the graph whose steps are grouped.
        groups: a partition of its steps; the order of the groups numbers the new nodes.
    """
    group_of = {step: index for index, group in enumerate(groups) for step in group}
    surest: dict[tuple[int, int], Edge] = {}
    for edge in graph.edges:
        ends = group_of[edge.source], group_of[edge.target]
        if ends[0] != ends[1] and (ends not in surest or surest[ends].confidence < edge.confidence):
            surest[ends] = Edge(*ends, edge.confidence, edge.evidence)
    edges = tuple(surest[ends] for ends in sorted(surest))
    contracted = DependencyGraph(len(groups), edges, graph.mechanism)
    return contracted if len(contracted.order) == len(groups) else None
