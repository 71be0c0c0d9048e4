"""The tool table: which tools are the same, which can stand for each other, which differ."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from otap._caching import cached_property
from otap.dependencies.tool_names import canonical_tool
from otap.matrices.pairs import KnownPairs, Numbers
from otap.matrices.texts import Matrix
from otap.trajectory import Step

_Tool = tuple[str, str | None, bool]  # the kind of a step, its tool, and whether it failed
_NUMBERS: Numbers[_Tool] = Numbers(20_000)


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
        self._known = KnownPairs()
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
        return self._apart(_tool_of(step), _tool_of(other))

    def _apart(self, ours: _Tool, theirs: _Tool) -> float:
        (kind, tool, failed), (other_kind, other, other_failed) = ours, theirs
        if kind != other_kind or (self._failures_apart and failed != other_failed):
            return 1.0
        return 0.0 if tool == other else self._declared(tool or "", other or "")

    def _declared(self, tool: str, other: str) -> float:
        """The distance of two tools as it was declared, under these names or without prefixes."""
        if not self._distances:
            return 1.0
        exactly = self._distances.get(frozenset((tool, other)))
        if exactly is not None:
            return exactly
        ours, theirs = canonical_tool(tool), canonical_tool(other)
        return min(self._spelled.get(frozenset((a, b)), 1.0) for a in ours for b in theirs)

    def between(self, rows: Sequence[Step], columns: Sequence[Step]) -> Matrix:
        """Returns the distances of two lists of steps."""
        ours, theirs = list(map(_tool_of, rows)), list(map(_tool_of, columns))
        return self._known.among(
            _NUMBERS.of(ours),
            _NUMBERS.of(theirs),
            lambda i, j: np.array([[self._apart(ours[k], theirs[m]) for m in j] for k in i]),
        )


def _tool_of(step: Step) -> _Tool:
    return step.kind, step.tool, step.status == "error"


def _least(groups: Iterable[tuple[Collection[str], float]]) -> Mapping[frozenset[str], float]:
    """The least distance that two tools have in some group, by pair."""
    found: dict[frozenset[str], float] = {}
    for tools, distance in groups:
        for pair in (frozenset((a, b)) for a in tools for b in tools if a != b):
            found[pair] = min(distance, found.get(pair, 1.0))
    return found
