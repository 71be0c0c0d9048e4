"""The tool table: which tools are the same, which can stand for each other, which differ."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence

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

    def distance(self, step: Step, other: Step) -> float:
        """Returns the distance of the tools of two steps, in [0, 1]."""
        if step.kind != other.kind or self._is_failure(step) != self._is_failure(other):
            return 1.0
        if step.tool == other.tool:
            return 0.0
        return self._declared(step.tool or "", other.tool or "")

    def _declared(self, tool: str, other: str) -> float:
        """The distance of two tools as it was declared, under these names or without prefixes."""
        if not self._distances:
            return 1.0
        exactly = self._distances.get(frozenset((tool, other)))
        if exactly is not None:
            return exactly
        ours, theirs = canonical_tool(tool), canonical_tool(other)
        return min(self._spelled.get(frozenset((a, b)), 1.0) for a in ours for b in theirs)

    def _is_failure(self, step: Step) -> bool:
        return self._failures_apart and step.status == "error"

    def between(self, rows: Sequence[Step], columns: Sequence[Step]) -> Matrix:
        """Returns the distances of two lists of steps."""
        left, right = _Different(rows), _Different(columns)
        distances = [[self.distance(a, b) for b in right.steps] for a in left.steps]
        matrix = np.array(distances, dtype=np.float64).reshape(len(left.steps), len(right.steps))
        return matrix[np.ix_(left.places, right.places)]


def _least(groups: Iterable[tuple[Collection[str], float]]) -> Mapping[frozenset[str], float]:
    """The least distance that two tools have in some group, by pair."""
    found: dict[frozenset[str], float] = {}
    for tools, distance in groups:
        for pair in (frozenset((a, b)) for a in tools for b in tools if a != b):
            found[pair] = min(distance, found.get(pair, 1.0))
    return found


class _Different:
    """One step for each different tool, and the place of each step's tool among them."""

    def __init__(self, steps: Sequence[Step]) -> None:
        first: dict[tuple[str, str | None, bool], int] = {}
        self.steps: list[Step] = []
        self.places: list[int] = []
        for step in steps:
            key = step.kind, step.tool, step.status == "error"
            if key not in first:
                first[key] = len(self.steps)
                self.steps.append(step)
            self.places.append(first[key])
