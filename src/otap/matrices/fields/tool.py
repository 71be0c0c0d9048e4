"""The tool that a step calls."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from pydantic import JsonValue

from otap.matrices.fields.field import Field, Measures, OfParts, similarity_of_parts
from otap.matrices.texts import Matrix
from otap.trajectory import Step
from otap.values.rules import Rules

if TYPE_CHECKING:
    from otap.matrices.bounds import UnionBounds
    from otap.matrices.steps import ReadSteps


class Tool(Field[Step]):
    """Which tool is called: 0 the same, 1 another, a fraction for declared substitutes."""

    name = "tool"
    unrelated = {"wordllama-l2_supercat-256": 1.0, "all-MiniLM-L6-v2": 1.0}  # noqa: RUF012
    follows_parts = True
    union_bound = "tool"

    def is_recorded(self, step: Step) -> bool:
        """Whether a step says which tool it calls; to reason is to call none."""
        return step.kind == "reasoning" or step.tool is not None

    def is_common(self, rows: "ReadSteps", columns: "ReadSteps") -> bool:
        """Whether both sides say it and one calls a tool: calling none proves no similarity."""
        return super().is_common(rows, columns) and (rows.calls_tools or columns.calls_tools)

    def read(self, step: Step, rules: Rules | None) -> Step:  # noqa: ARG002
        """Returns the step: the table of tools looks at its kind and tool."""
        return step

    def distances(self, rows: Sequence[Step], columns: Sequence[Step], by: Measures) -> Matrix:
        """Returns the distances of the tool table."""
        return by.tools.between(rows, columns)

    def union(self, values: Sequence[JsonValue]) -> JsonValue:
        """Returns the first tool. Distances do not look at it: this field follows its parts."""
        return values[0]

    def distances_from_parts(self, parts: OfParts, known: Mapping[str, Matrix]) -> Matrix:
        """Returns the least distance of the parts, at most that of the arguments.

        A tool that does the work of two may have a name of its own: a union costs no more for its
        tool than for its arguments. Where the side of the parts calls that tool itself, it has no
        need of another name, unless the arguments are the same.
        """
        own = known.get("arguments", parts.least)
        may = (parts.anywhere > 0) | (own == 0)
        found: Matrix = np.where(may, np.minimum(parts.least, own), parts.least)
        return found

    def similarity_of_unions(self, bounds: "UnionBounds") -> Matrix:
        """Returns the similarity of the nearer part, or that of the arguments if it is larger."""
        own = similarity_of_parts(bounds.distances(self.name), bounds.left, bounds.right)
        return np.maximum(own, bounds.similarity("arguments")) if bounds.has("arguments") else own
