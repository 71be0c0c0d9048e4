"""The tool table: which tools are the same, which can stand for each other, which differ."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product

import numpy as np

from otap._caching import cached_property
from otap.dependencies.tool_names import canonical_tool
from otap.matrices.texts import Matrix
from otap.trajectory import Step


class ToolTable:
    """Distances between tools: 0 the same, 1 different, a fraction for declared substitutes.

    ``substitutes`` are groups of tools with the distance that any two of a group have; where two
    tools share several groups, the smallest counts. Reasoning steps are 0 from each other and 1
    from any tool.
    """

    def __init__(
        self,
        substitutes: Sequence[tuple[Sequence[str], float]] = (),
        *,
        failures_apart: bool = False,
    ) -> None:
        self._failures_apart = failures_apart
        self._distances = _least(substitutes)
        self._spelled = _least(
            [({canonical_tool(tool).full for tool in tools}, d) for tools, d in substitutes]
        )

    @cached_property
    def digest(self) -> str:
        """A short digest of the table, for the signature."""
        rows = sorted((*sorted(pair), distance) for pair, distance in self._distances.items())
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]

    def between(self, rows: Sequence[Step], columns: Sequence[Step]) -> Matrix:
        """Returns the distances of two lists of steps."""
        numbers: dict[tuple[str, bool, str | None], int] = {}
        ours, theirs = (
            [
                numbers.setdefault(
                    (step.kind, self._failures_apart and step.status == "error", step.tool),
                    len(numbers),
                )
                for step in side
            ]
            for side in (rows, columns)
        )
        found = np.not_equal.outer(ours, theirs).astype(np.float64)
        if self._distances:
            self._put_declared(found, np.array(ours), np.array(theirs), list(numbers))
        return found

    def _put_declared(
        self,
        found: Matrix,
        ours: np.ndarray,
        theirs: np.ndarray,
        tools: Sequence[tuple[str, bool, str | None]],
    ) -> None:
        for i, j in product(set(ours.tolist()), set(theirs.tolist())):
            if i != j and tools[i][:2] == tools[j][:2]:
                distance = self._declared(tools[i][2] or "", tools[j][2] or "")
                found[np.ix_(ours == i, theirs == j)] = distance

    def _declared(self, tool: str, other: str) -> float:
        """The distance of two tools as it was declared, under these names or without prefixes."""
        exactly = self._distances.get(frozenset((tool, other)))
        if exactly is not None:
            return exactly
        ours, theirs = canonical_tool(tool), canonical_tool(other)
        return min(self._spelled.get(frozenset((a, b)), 1.0) for a in ours for b in theirs)


def _least(groups: Iterable[tuple[Collection[str], float]]) -> Mapping[frozenset[str], float]:
    """The least distance that two tools have in some group, by pair."""
    found: dict[frozenset[str], float] = {}
    for tools, distance in groups:
        for pair in (frozenset((a, b)) for a in tools for b in tools if a != b):
            found[pair] = min(distance, found.get(pair, 1.0))
    return found
