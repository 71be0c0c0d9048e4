"""The dependency graph of one list of steps."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush


@dataclass(frozen=True)
class Evidence:
    """Why an edge is there: a value that one step showed and a later one used.

    ``source_path`` and ``target_path`` say where it stood, as ``effect.flights[0].price``.
    """

    value: str
    source_path: str
    target_path: str


@dataclass(frozen=True)
class Edge:
    """Step ``target`` needed step ``source``; both are positions in the list of steps."""

    source: int
    target: int
    confidence: float = 1.0
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class DependencyGraph:
    """The steps of one list by position, and the edges between them; always acyclic.

    ``mechanism`` says how the edges were found: explicit, traced or sequential.
    """

    size: int
    edges: tuple[Edge, ...]
    mechanism: str

    @cached_property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """For each step the steps that it needed directly, in rising order."""
        return self._neighbours((edge.target, edge.source) for edge in self.edges)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each step the steps that needed it directly, in rising order."""
        return self._neighbours((edge.source, edge.target) for edge in self.edges)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """All steps, each after everything that it needed; ties by position."""
        waiting = [len(parents) for parents in self.parents]
        ready = [step for step in range(self.size) if not waiting[step]]
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
        """For each step the number of edges on the longest path that ends there."""
        depth = [0] * self.size
        for step in self.order:
            depth[step] = max((depth[parent] + 1 for parent in self.parents[step]), default=0)
        return tuple(depth)

    @property
    def sinks(self) -> tuple[int, ...]:
        """The steps that no other step needed."""
        return tuple(step for step in range(self.size) if not self.children[step])

    def _neighbours(self, pairs: Iterator[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
        found: list[set[int]] = [set() for _ in range(self.size)]
        for step, neighbour in pairs:
            found[step].add(neighbour)
        return tuple(tuple(sorted(neighbours)) for neighbours in found)
