"""The node cost C (equation 1), field by field, over the fields that were observed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import Literal

import numpy as np

from otap.encoders import Encoder
from otap.matrices.fields import Fields
from otap.matrices.states import state_distances
from otap.matrices.structured import StructuredDistances
from otap.matrices.texts import Matrix, TextDistances
from otap.matrices.tools import ToolTable

FIELDS = ("action", "arguments", "effect", "tool", "state")


@dataclass(frozen=True)
class FieldCosts:
    """The distance of each step of a run from each step of a reference, by field.

    ``weights`` sum to 1 over the fields in ``distances``; each matrix lies in [0, 1].
    """

    distances: Mapping[str, Matrix]
    weights: Mapping[str, float]

    def columns(self, part: slice) -> "FieldCosts":
        """The costs against some of the steps of the reference."""
        return FieldCosts(
            {name: matrix[:, part] for name, matrix in self.distances.items()}, self.weights
        )

    def transposed(self) -> "FieldCosts":
        """The same costs, steps of the reference first."""
        return FieldCosts({name: matrix.T for name, matrix in self.distances.items()}, self.weights)

    @cached_property
    def total(self) -> Matrix:
        """The node cost C, shape (steps of the run, steps of the reference), in [0, 1]."""
        parts = [self.weights[field] * self.distances[field] for field in self.distances]
        total: Matrix = np.minimum(reduce(add, parts), 1.0)
        return total


def bounded_wording(costs: FieldCosts, rows: Fields, columns: Fields) -> FieldCosts:
    """Returns the costs where the wording of a call costs at most what the call itself does.

    Between two calls of which the arguments are recorded, the action costs no more than the tool
    or the arguments, whichever costs more: another way to say the same call is no other call.
    """
    distances = costs.distances
    if "action" not in distances or "arguments" not in distances:
        return costs
    bound = distances["arguments"]
    if "tool" in distances:
        bound = np.maximum(bound, distances["tool"])
    calls = np.logical_and.outer(rows.calls, columns.calls)
    action = np.where(calls, np.minimum(distances["action"], bound), distances["action"])
    return replace(costs, distances={**distances, "action": action})


def field_costs(
    rows: Fields,
    columns: Fields,
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
        if field == "tool":
            return tools.between(rows.steps, columns.steps)
        if field == "action":
            return texts.between(rows.actions, columns.actions)
        if field == "effect":
            return texts.between(rows.effects, columns.effects)
        if field == "state":
            return state_distances(rows, columns, texts, structured)
        if arguments == "structured":
            return structured.between_values(rows.arguments, columns.arguments)
        return texts.between(rows.argument_texts, columns.argument_texts)

    used = [field for field in FIELDS if weights.get(field, 0.0) > 0]
    total = sum(weights[field] for field in used)
    return FieldCosts(
        {field: of(field) for field in used}, {field: weights[field] / total for field in used}
    )
