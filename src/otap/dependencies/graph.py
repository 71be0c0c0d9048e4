"""The dependency graph of one list of steps: a directed acyclic graph whose edges have evidence."""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import combinations

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property


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
    """

    size: int
    edges: tuple[Edge, ...]
    mechanism: str

    @cached_property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """The direct predecessors of each step: what it needed, in rising order."""
        return self._neighbours((edge.target, edge.source) for edge in self.edges)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The direct successors of each step: what needed it, in rising order."""
        return self._neighbours((edge.source, edge.target) for edge in self.edges)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The topological order that comes first lexicographically, by position."""
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
    def twins(self) -> tuple[tuple[int, ...], ...]:
        """The steps by their parents and children, each family in rising order."""
        alike: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
        for step in range(self.size):
            alike.setdefault((self.parents[step], self.children[step]), []).append(step)
        return tuple(map(tuple, alike.values()))

    @cached_property
    def contractible(self) -> npt.NDArray[np.int32]:
        """The edges of the transitive reduction, and any two twins, (count, 2)."""
        twins = (pair for family in self.twins for pair in combinations(family, 2))
        return np.array([*self.reduction, *twins], dtype=np.int32).reshape(-1, 2)

    @property
    def sinks(self) -> tuple[int, ...]:
        """The steps without successors: no other step needed them."""
        return tuple(step for step in range(self.size) if not self.children[step])

    def is_redundant(self, source: int, target: int) -> bool:
        """Says whether the transitive reduction lacks this edge [Aho1972].

        It does where a path of more than one edge leads from ``source`` to ``target`` as well.

        Args:
            source: a step.
            target: one of its children.
        """
        depth = self.depth
        waiting = [child for child in self.children[source] if child != target]
        seen = set(waiting)
        while waiting:
            step = waiting.pop()
            if step == target:
                return True
            for child in self.children[step]:  # no path leads from a deeper step to the target
                if child not in seen and depth[child] <= depth[target]:
                    seen.add(child)
                    waiting.append(child)
        return False

    def _neighbours(self, pairs: Iterator[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
        found: list[set[int]] = [set() for _ in range(self.size)]
        for step, neighbour in pairs:
            found[step].add(neighbour)
        return tuple(tuple(sorted(neighbours)) for neighbours in found)
