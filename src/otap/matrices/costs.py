"""The node cost C (eq. 1 of [Barazandeh2026]), field by field, over the fields observed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import compress
from operator import add
from typing import Any, Literal, TypeVar

import numpy as np

from otap._caching import cached_property
from otap.encoders import Encoder
from otap.matrices.fields import Field, Measures, OfParts, fields_compared
from otap.matrices.steps import ReadSteps
from otap.matrices.texts import Matrix, TextDistances
from otap.matrices.tools import ToolTable
from otap.matrices.unions import UnionEncoder

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

    ``weights`` sum to 1 over the fields in ``distances``; each matrix lies in [0, 1].
    """

    distances: Mapping[str, Matrix]
    weights: Mapping[str, float]

    def columns(self, part: slice) -> "FieldCosts":
        """Returns the costs against some of the steps of the reference."""
        distances = {name: matrix[:, part] for name, matrix in self.distances.items()}
        found = FieldCosts(distances, self.weights)
        found.__dict__["total"] = self.total[:, part]  # which is summed once for all
        return found

    def transposed(self) -> "FieldCosts":
        """Returns the same costs, steps of the reference first."""
        found = FieldCosts({name: D.T for name, D in self.distances.items()}, self.weights)
        vars(found)["total"] = self.total.T  # the same sum, which is not made again
        return found

    def scaled(self, factors: Matrix) -> "FieldCosts":
        """Returns the costs with the distances of each pair multiplied by a factor in [0, 1]."""
        distances = {name: matrix * factors for name, matrix in self.distances.items()}
        return replace(self, distances=distances)

    @cached_property
    def weighted(self) -> Mapping[str, Matrix]:
        """What each field adds to the node cost."""
        return {name: self.weights[name] * matrix for name, matrix in self.distances.items()}

    @cached_property
    def total(self) -> Matrix:
        """The node cost C, shape (steps of the run, steps of the reference), in [0, 1]."""
        total: Matrix = np.minimum(reduce(add, self.weighted.values()), 1.0)
        return total


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
        self.fields = fields_compared(arguments)
        self.words_of_unions = UnionEncoder(encoder)
        self.texts_of_unions = TextDistances(self.words_of_unions)
        self._measures = Measures(TextDistances(encoder), tools)
        self._of_unions = Measures(self.texts_of_unions, tools)
        self.bounds_wording = wording == "bounded"

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
        used = [field for field in self.fields if weights.get(field.name, 0.0) > 0]
        total = sum(weights[field.name] for field in used)
        distances = {
            field.name: field.distances(rows.of(field), columns.of(field), self._measures)
            for field in used
        }
        scaled = {field.name: weights[field.name] / total for field in used}
        return self._worded(FieldCosts(distances, scaled), rows, columns)

    def of_versions(
        self,
        recorded: ReadSteps,
        rows: Sequence[ReadSteps],
        columns: Sequence[ReadSteps],
        weights: Mapping[str, float],
    ) -> FieldCosts:
        """Returns the costs between a run and several lists of steps, each in names of its own.

        The same as of `between` for each list, one beside the other.

        Args:
            recorded: the steps of the run.
            rows: these steps in the names of each list.
            columns: the lists.
            weights: as in `between`.
        """
        used = [field for field in self.fields if weights.get(field.name, 0.0) > 0]
        total = sum(weights[field.name] for field in used)
        distances = {field.name: self._of_field(field, recorded, rows, columns) for field in used}
        scaled = {field.name: weights[field.name] / total for field in used}
        return self._worded(FieldCosts(distances, scaled), recorded, ReadSteps.joined(columns))

    def _of_field(
        self,
        field: Field[Any],
        recorded: ReadSteps,
        rows: Sequence[ReadSteps],
        columns: Sequence[ReadSteps],
    ) -> Matrix:
        """The distances in one field: most of what no list has in other names is compared once."""
        size, sizes = len(recorded.steps), [len(others.steps) for others in columns]
        ends = np.cumsum(sizes).tolist()
        changed = [version.changed(field) for version in rows]
        few = [2 * len(places) <= size for places in changed]
        found = np.empty((size, ends[-1]))
        if any(few):
            alike = ReadSteps.joined(list(compress(columns, few)))
            together = field.distances(recorded.of(field), alike.of(field), self._measures)
            found[:, np.repeat(few, sizes)] = together
        for k, (version, others) in enumerate(zip(rows, columns, strict=True)):
            places = changed[k] if few[k] else range(size)
            if places:
                ours = [version.of(field)[place] for place in places]
                part = field.distances(ours, others.of(field), self._measures)
                found[places, ends[k] - sizes[k] : ends[k]] = part
        return found

    def of_unions(
        self,
        rows: ReadSteps,
        columns: ReadSteps,
        parts: Mapping[str, OfParts],
        weights: Mapping[str, float],
    ) -> FieldCosts:
        """Returns the costs between unions and steps, over the fields in ``weights``.

        Args:
            rows: the unions.
            columns: the steps that they are compared with.
            parts: for each field that follows its parts the distances of a union's parts.
            weights: by field, summing to 1.
        """
        distances: dict[str, Matrix] = {}
        for field in self.fields:
            if field.name not in weights:
                continue
            distances[field.name] = (
                field.distances_from_parts(parts[field.name], distances)
                if field.follows_parts
                else field.distances(rows.of(field), columns.of(field), self._of_unions)
            )
        return self._worded(FieldCosts(distances, weights), rows, columns)

    def _worded(self, costs: FieldCosts, rows: ReadSteps, columns: ReadSteps) -> FieldCosts:
        return bounded_wording(costs, rows, columns) if self.bounds_wording else costs


def bounded_wording(costs: FieldCosts, rows: ReadSteps, columns: ReadSteps) -> FieldCosts:
    """Returns the costs with the action of a call bounded by the cost of the call itself.

    Between two calls with recorded arguments: d_action = min(d_action, max(d_tool, d_arguments)).

    Args:
        costs: the costs of each pair by field.
        rows: the steps of the run.
        columns: the steps of the reference.
    """
    distances = costs.distances
    if "action" not in distances or "arguments" not in distances:
        return costs
    bound = distances["arguments"]
    if "tool" in distances:
        bound = np.maximum(bound, distances["tool"])
    calls = np.logical_and.outer(rows.calls, columns.calls)
    action = np.where(calls, np.minimum(distances["action"], bound), distances["action"])
    return FieldCosts({**distances, "action": action}, costs.weights)
