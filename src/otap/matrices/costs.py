"""The node cost C (equation 1), field by field, over the fields that were observed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from otap.encoders import Encoder
from otap.matrices.states import state_distances
from otap.matrices.structured import StructuredDistances
from otap.matrices.texts import Matrix, TextDistances, text_of
from otap.matrices.tools import ToolTable
from otap.trajectory import Step

FIELDS = ("action", "arguments", "effect", "tool", "state")


@dataclass(frozen=True)
class FieldCosts:
    """The distance of each step of a run from each step of a reference, by field.

    ``weights`` sum to 1 over the fields in ``distances``; each matrix lies in [0, 1].
    """

    distances: Mapping[str, Matrix]
    weights: Mapping[str, float]

    @property
    def total(self) -> Matrix:
        """The node cost C, shape (steps of the run, steps of the reference), in [0, 1]."""
        weighted = [self.weights[field] * self.distances[field] for field in self.distances]
        total: Matrix = np.minimum(np.sum(weighted, axis=0), 1.0)
        return total


def observed_fields(steps: Sequence[Step]) -> frozenset[str]:
    """Returns the fields that some step records.

    The tool field is observed unless every step is a tool call that does not name its tool.
    """
    observed = {
        field
        for field in ("action", "arguments", "effect", "state")
        if any(getattr(step, field) is not None for step in steps)
    }
    if any(step.kind == "reasoning" or step.tool is not None for step in steps):
        observed.add("tool")
    return frozenset(observed)


def field_costs(
    rows: Sequence[Step],
    columns: Sequence[Step],
    weights: Mapping[str, float],
    encoder: Encoder,
    tools: ToolTable,
    arguments: Literal["structured", "text"] = "structured",
) -> FieldCosts:
    """Returns the costs between two lists of steps over the fields in ``weights``.

    A field that a step does not record counts as empty. The weights are rescaled to sum to 1.
    ``arguments`` says whether arguments are compared as structure or as one embedded text.
    """
    texts = TextDistances(encoder)
    structured = StructuredDistances(texts)

    def of(field: str) -> Matrix:
        left = [getattr(step, field) for step in rows]
        right = [getattr(step, field) for step in columns]
        if field == "tool":
            return tools.between(rows, columns)
        if field == "state":
            return state_distances(left, right, texts, structured)
        if field == "arguments" and arguments == "structured":
            return structured.between(left, right)
        return texts.between([text_of(value) for value in left], [text_of(v) for v in right])

    used = [field for field in FIELDS if weights.get(field, 0.0) > 0]
    total = sum(weights[field] for field in used)
    return FieldCosts(
        {field: of(field) for field in used}, {field: weights[field] / total for field in used}
    )
