"""The node cost C (eq. 1 of [Barazandeh2026]), field by field, over the fields observed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np

from otap._caching import cached_property
from otap.encoders import Encoder
from otap.matrices.fields import Matrix, Measures, TextDistances, ToolTable, fields_compared
from otap.matrices.steps import ReadSteps

T = TypeVar("T", float, Matrix)

# From this node cost on two steps have next to nothing in common, and to move mass between them
# costs more than the node cost says: APART for steps that have nothing in common. At 4, theta .45
# and lambda 1 who did half of a task gains nothing by steps in place of the rest that have nothing
# in common with it, unless all of the rest is critical (docs/mass.md).
UNLIKE, APART = 0.9, 4.0


def cost_apart(C: T) -> T:
    """Returns what it costs to move mass at a node cost, in [0, APART]: C itself up to UNLIKE."""
    beyond: T = np.maximum(0.0, C - UNLIKE) / (1.0 - UNLIKE)
    return C + (APART - 1.0) * beyond


@dataclass(frozen=True)
class FieldCosts:
    """The distance of each step of a run from each step of a reference, by field.

    ``weights`` sum to 1 over the fields in ``distances``; each matrix lies in [0, 1]. ``total`` is
    the node cost C, shape (steps of the run, steps of the reference), in [0, 1].
    """

    distances: Mapping[str, Matrix]
    weights: Mapping[str, float]
    total: Matrix = field(init=False)

    def __post_init__(self) -> None:
        total: Matrix = np.zeros(1)  # to which nothing adds a bit
        for name, matrix in self.distances.items():
            total = total + self.weights[name] * matrix
        object.__setattr__(self, "total", np.minimum(total, 1.0))

    @cached_property
    def weighted(self) -> Mapping[str, Matrix]:
        """What each field adds to the node cost."""
        return {name: self.weights[name] * matrix for name, matrix in self.distances.items()}

    def columns(self, start: int, end: int) -> "FieldCosts":
        """Returns the costs against some of the steps of the reference."""
        if end - start == self.total.shape[1]:
            return self
        distances = {name: matrix[:, start:end] for name, matrix in self.distances.items()}
        return FieldCosts(distances, self.weights)

    def transposed(self) -> "FieldCosts":
        """Returns the same costs, steps of the reference first."""
        return FieldCosts({name: D.T for name, D in self.distances.items()}, self.weights)

    def scaled(self, factors: Matrix) -> "FieldCosts":
        """Returns the costs with the distances of each pair multiplied by a factor in [0, 1]."""
        distances = {name: matrix * factors for name, matrix in self.distances.items()}
        return FieldCosts(distances, self.weights)


class NodeCost:
    """The node cost of [Barazandeh2026], eq. 1, as a function of two lists of steps.

    Args:
        encoder: gives the vectors of texts.
        tools: the distances of tools.
        arguments: whether arguments are compared as structure or as one embedded text.
        wording: "bounded": between two calls of which the arguments are recorded, the action costs
            no more than the tool or the arguments, whichever costs more: another way to say the
            same call is no other call. "full": the action costs what its words do.
    """

    def __init__(
        self,
        encoder: Encoder,
        tools: ToolTable,
        arguments: Literal["structured", "text"] = "structured",
        wording: Literal["bounded", "full"] = "full",
    ) -> None:
        self.encoder, self.tools = encoder, tools
        self.fields = fields_compared(arguments)
        self.bounds_wording = wording == "bounded"
        self._measures = Measures(TextDistances(encoder), tools)

    def between(
        self, rows: ReadSteps, columns: ReadSteps, weights: Mapping[str, float]
    ) -> FieldCosts:
        """Returns the costs between two lists of steps over the fields with a weight.

        A field that a step does not record counts as empty.

        Args:
            rows: the steps of the run.
            columns: the steps of the reference, or of several.
            weights: by field, at least 0; they are rescaled to sum to 1.
        """
        distances: dict[str, Matrix] = {}
        for one in self.fields:
            if weights.get(one.name, 0.0) > 0:
                distances[one.name] = one.distances(rows.of(one), columns.of(one), self._measures)
        if self.bounds_wording:
            bound_wording(distances, rows, columns)
        shares = list(map(weights.__getitem__, distances))
        scaled = np.divide(shares, sum(shares)).tolist()
        return FieldCosts(distances, dict(zip(distances, scaled, strict=True)))


def bound_wording(distances: dict[str, Matrix], rows: ReadSteps, columns: ReadSteps) -> None:
    """Bounds the action of a call by the cost of the call itself, where both take part.

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
