"""The node cost C of two steps, field by field, over the fields observed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from otap._caching import cached_property
from otap.costs.fields import (
    COMPARED,
    Arguments,
    ExactDifferences,
    Matrix,
    Measures,
    TextDistances,
    ToolTable,
)
from otap.encoders import Encoder
from otap.run.columns import StepColumns

T = TypeVar("T", float, Matrix)

# From the node cost UNLIKE on two steps have almost nothing in common. Moving mass between them
# then costs more than the node cost, up to MAX_MOVING_COST for steps with nothing in common. With a
# maximum of 4, theta = .45 and lambda = 1, a run that did half of a task gains nothing by unrelated
# steps in place of the other half, unless all of that half is critical (docs/mass.md).
UNLIKE, MAX_MOVING_COST = 0.9, 4.0


def mass_moving_cost(C: T) -> T:
    """Returns the cost of moving mass at node cost C, up to MAX_MOVING_COST; C itself to UNLIKE."""
    beyond: T = np.maximum(0.0, C - UNLIKE) / (1.0 - UNLIKE)
    return C + (MAX_MOVING_COST - 1.0) * beyond


@dataclass(frozen=True)
class FieldCosts:
    """The distance of each step of a run from each step of a reference, by field.

    Attributes:
        distances: by field, (steps of the run, steps of the reference), in [0, 1].
        weights: of these fields, with sum 1.
        differing: for arguments as structure, which side has exact values that the other lacks.
        total: the node cost C, (steps of the run, steps of the reference), in [0, 1] (default: the
            weighted sum of the distances).
    """

    distances: Mapping[str, Matrix]
    weights: Mapping[str, float]
    differing: ExactDifferences | None = None
    total: Matrix = field(default=None)  # type: ignore[arg-type]  # set below

    def __post_init__(self) -> None:
        if self.total is None:
            total: Matrix = np.zeros(1)  # adding 0 changes no bit
            for name, matrix in self.distances.items():
                total = total + self.weights[name] * matrix
            object.__setattr__(self, "total", np.minimum(total, 1.0))

    @cached_property
    def least(self) -> tuple[Matrix, Matrix]:
        """The least node cost of each step of the run, and of each step of the reference."""
        return self.total.min(axis=1), self.total.min(axis=0)

    def weighted(self) -> Iterator[tuple[str, Matrix]]:
        """Yields for each field the part of the node cost that comes from it.

        Each is as large as the node cost, so it is made when it is needed.
        """
        for name, matrix in self.distances.items():
            yield name, self.weights[name] * matrix

    def columns(self, start: int, end: int) -> "FieldCosts":
        """Returns the costs against the reference's steps from ``start`` to ``end``."""
        if end - start == self.total.shape[1]:
            return self
        distances = {name: matrix[:, start:end] for name, matrix in self.distances.items()}
        differing = self.differing and self.differing.select(np.s_[:, start:end])
        return FieldCosts(distances, self.weights, differing, self.total[:, start:end])

    def transposed(self) -> "FieldCosts":
        """Returns the costs with the steps of the reference as rows."""
        distances = {name: D.T for name, D in self.distances.items()}
        differing = self.differing and self.differing.transposed()
        return FieldCosts(distances, self.weights, differing, self.total.T)

    def with_distance(self, pair: tuple[int, int], distance: float) -> "FieldCosts":
        """Returns the costs with one distance in each field of a pair, and equal exact values."""
        distances = {name: matrix.copy() for name, matrix in self.distances.items()}
        for matrix in distances.values():
            matrix[pair] = distance
        differing = self.differing and type(self.differing)(
            *(flags.copy() for flags in self.differing)
        )
        for flags in differing or ():
            flags[pair] = False
        return FieldCosts(distances, self.weights, differing)

    def scaled(self, factors: Matrix) -> "FieldCosts":
        """Returns the costs with the distances of each pair multiplied by a factor in [0, 1]."""
        distances = {name: matrix * factors for name, matrix in self.distances.items()}
        return FieldCosts(distances, self.weights, self.differing)


class NodeCost:
    """The node cost C as a function of two lists of steps.

    Between two calls with recorded arguments, the action costs at most as much as the tool or the
    arguments, whichever costs more. Other words for the same call then cost nothing.

    Args:
        encoder: encodes texts as vectors.
        tools: the distances of tools.
    """

    fields = COMPARED

    def __init__(self, encoder: Encoder, tools: ToolTable) -> None:
        self.encoder, self.tools = encoder, tools
        self._measures = Measures(TextDistances(encoder), tools)

    def between(
        self, rows: StepColumns, columns: StepColumns, weights: Mapping[str, float]
    ) -> FieldCosts:
        """Returns the costs between two lists of steps over the fields with a weight.

        A field that a step does not record counts as empty.

        Args:
            rows: the steps of the run.
            columns: the steps of one or several references.
            weights: by field, at least 0; they are rescaled to sum 1.
        """
        distances: dict[str, Matrix] = {}
        differing = None
        for step_field in self.fields:
            name = step_field.name
            if weights.get(name, 0.0) <= 0:
                continue
            sides = rows.of(step_field), columns.of(step_field)
            if isinstance(step_field, Arguments):
                distances[name], differing = step_field.compare(*sides, self._measures)
            else:
                distances[name] = step_field.distances(*sides, self._measures)
        bound_wording(distances, rows, columns)
        shares = [weights[name] for name in distances]
        scaled = np.divide(shares, sum(shares)).tolist()
        return FieldCosts(distances, dict(zip(distances, scaled, strict=True)), differing)


def bound_wording(distances: dict[str, Matrix], rows: StepColumns, columns: StepColumns) -> None:
    """Bounds the distance of actions by that of the calls, in place, if both are compared.

    Between two calls with recorded arguments: d_action = min(d_action, max(d_tool, d_arguments)).

    Args:
        distances: the distances of each pair by field.
        rows: the steps of the run.
        columns: the steps of the reference.
    """
    if "action" not in distances or "arguments" not in distances:
        return
    bound = distances["arguments"]
    if "tool" in distances:
        bound = np.maximum(bound, distances["tool"])
    calls = np.logical_and.outer(rows.calls, columns.calls)
    action = distances["action"]
    distances["action"] = np.where(calls, np.minimum(action, bound), action)
