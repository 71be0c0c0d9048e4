"""Several steps as one: what the union says, what it costs, and the nodes with it."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap.dependencies import quotient
from otap.encoders import Encoder, Vectors, unit_rows
from otap.matrices import FieldCosts, NodeCost, Nodes, ReadSteps, plain, structure_matrix, text_of
from otap.matrices.costs import bound_wording
from otap.matrices.fields import (
    Action,
    Arguments,
    ArgumentText,
    Effect,
    Field,
    Matrix,
    Measures,
    State,
    TextDistances,
    Tool,
)
from otap.matrices.steps import ROLES, Groups
from otap.trajectory import Step
from otap.values.keys import one_spelling, unwrapped
from otap.values.value import JOINT

Array = npt.NDArray[np.float64]
Values = Sequence[JsonValue]


class UnionEncoder:
    """An encoder for which a union of texts is the sum of their vectors, scaled to length 1."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.name, self.digest, self.window = encoder.name, encoder.digest, encoder.window

    def encode(self, texts: list[str]) -> Vectors:
        """Returns one unit row a text."""
        return unit_rows(self.sums(texts))

    def sums(self, texts: list[str]) -> Vectors:
        """Returns the sum of the vectors of each text's parts."""
        if not any(JOINT in text for text in texts):
            return self._encoder.encode(texts)
        parts = [text.split(JOINT) for text in texts]
        rows = self._encoder.encode([part for found in parts for part in found])
        starts = np.cumsum([0, *(len(found) for found in parts[:-1])])
        return np.add.reduceat(rows, starts, axis=0)


class UnionCost:
    """The node cost between unions and steps.

    Args:
        node_cost: the one between steps.
        own_verbs: whether a call of one part's tool does not do what another part does by its own.
    """

    def __init__(self, node_cost: NodeCost, *, own_verbs: bool = True) -> None:
        self.own_verbs = own_verbs
        self.fields, self.bounds_wording = node_cost.fields, node_cost.bounds_wording
        self.calls = next((field for field in self.fields if isinstance(field, Arguments)), None)
        self.encoder = UnionEncoder(node_cost.encoder)
        self._measures = Measures(TextDistances(self.encoder), node_cost.tools)

    def between(
        self,
        unions: ReadSteps,
        steps: ReadSteps,
        tools: tuple[Matrix, Matrix] | None,
        weights: Mapping[str, float],
    ) -> FieldCosts:
        """Returns the costs between unions and steps, over the fields in ``weights``.

        Args:
            unions: the unions.
            steps: what they are compared with.
            tools: the distance of the tool of the nearest part of each union, (unions, steps), and
                that of any step on their side, part of a union or not, (steps,); None where tools
                take no part.
            weights: by field, summing to 1.
        """
        distances: dict[str, Matrix] = {}
        differing = None
        for field in self.fields:
            if field.name in weights:
                given = unions.of(field), steps.of(field), self._measures
                if isinstance(field, Arguments):
                    distances[field.name], differing = field.compare(*given)
                elif field.name == "tool" and tools:
                    distances[field.name] = _tool_distances(*tools, distances.get("arguments"))
                else:
                    distances[field.name] = field.distances(*given)
        if self.bounds_wording:
            bound_wording(distances, unions, steps)
        return FieldCosts(distances, weights, differing)


def _tool_distances(parts: Matrix, anywhere: Matrix, arguments: Matrix | None) -> Matrix:
    """The least distance of the parts, at most that of the arguments.

    A tool that does the work of two may have a name of its own: a union costs no more for its tool
    than for its arguments. Where the side of the parts calls that tool itself, it has no need of
    another name, unless the arguments are the same.
    """
    if arguments is None:
        return parts
    may = (anywhere > 0) | (arguments == 0)
    found: Matrix = np.where(may, np.minimum(parts, arguments), parts)
    return found


def unions_of(read: ReadSteps, groups: Groups, fields: Sequence[Field[Any]]) -> ReadSteps:
    """Returns unions of some steps, which are compared as thoroughly as these are.

    Args:
        read: the steps.
        groups: the places of those that are one each, in the order in which they were needed.
        fields: those that are compared.
    """
    steps = [_union([read.steps[place] for place in group], fields) for group in groups]
    return ReadSteps(steps, read.rules_of, lambda field: read.read_with(steps, field))


def _union(steps: Sequence[Step], fields: Sequence[Field[Any]]) -> Step:
    """The union of some steps as one step, field by field; the rest is the first one's."""
    said = {
        field.name: _MERGE[type(field)]([getattr(step, field.name) for step in steps])
        for field in fields
    }
    return steps[0].model_copy(update=said)


def sort_key(step: Step, fields: Sequence[Field[Any]]) -> str:
    """Returns a sort key of a step, its tool first; equal for steps with equal fields."""
    rest = (getattr(step, field.name) for field in fields if field.name != "tool")
    return json.dumps([step.tool, *rest], sort_keys=True)


def join_texts(values: Values) -> str | None:
    """Returns the different texts of some data in sorted order; None where nothing is recorded.

    So listing order changes nothing, and the vector of the whole is the sum of theirs.
    """
    if all(value is None for value in values):
        return None
    found = {part for value in values for part in text_of(value).split(JOINT)}
    return JOINT.join(sorted(found - {""}))


def merge_arguments(values: Values) -> JsonValue:
    """Returns the arguments of a union of steps: everything that its parts' arguments hold.

    Texts are joined. Objects become one object with the keys of all; two different values under
    one key become a list of both. Anything else becomes a list.

    Args:
        values: the arguments of each part, in their order; None where a part records none.
    """
    known = [plain(value) for value in values if value is not None]
    objects = [value for value in known if isinstance(value, dict)]
    if not known:
        return None
    if len(objects) == len(known):
        return _merge_objects(objects)
    if all(isinstance(value, str) for value in known):
        return join_texts(known)
    return known[0] if len(known) == 1 else known


def _merge_calls(values: Values) -> JsonValue:
    return merge_arguments(one_spelling([unwrapped(plain(value))[0] for value in values]))


def _merge_objects(objects: Sequence[dict[str, JsonValue]]) -> JsonValue:
    merged: dict[str, JsonValue] = {}
    for one in objects:
        for key, item in one.items():
            merged[key] = _both(merged[key], item) if key in merged else item
    return merged


def _both(one: JsonValue, other: JsonValue) -> JsonValue:
    if one == other:
        return one
    ours = one if isinstance(one, list) else [one]
    return [*ours, *(other if isinstance(other, list) else [other])]


def _first(values: Values) -> JsonValue:
    """The first tool. Distances do not look at it: see `_tool_distances`."""
    return values[0]


def _last(values: Values) -> JsonValue:
    """The state after the last step that records one."""
    return next((value for value in reversed(values) if value is not None), None)


_MERGE: Mapping[type[Field[Any]], Callable[[Values], JsonValue]] = {
    Action: join_texts,
    Arguments: _merge_calls,
    ArgumentText: merge_arguments,
    Effect: join_texts,
    Tool: _first,
    State: _last,
}


def quotient_nodes(
    nodes: Nodes, groups: Groups, fields: Sequence[Field[Any]], precedence: float
) -> Nodes:
    """Returns the nodes of a side with some of them as unions.

    Args:
        nodes: the nodes.
        groups: a partition of them without a cycle; what is one is in the order in which it was
            needed.
        fields: those that are compared.
        precedence: that of the structure.
    """
    graph = quotient(nodes.graph, groups)
    assert graph is not None  # the groups make no cycle
    unions = [group for group in groups if len(group) > 1]
    both = ReadSteps.joined([nodes.read, unions_of(nodes.read, unions, fields)])
    made = iter(range(len(nodes.steps), len(both.steps)))
    several = [list(group) for group in groups]
    return Nodes(
        listed=nodes.listed,
        parts=tuple(tuple(place for i in group for place in nodes.parts[i]) for group in groups),
        read=both.taken([next(made) if len(group) > 1 else group[0] for group in groups]),
        graph=graph,
        structure=structure_matrix(graph, precedence),
        weights=np.array([nodes.weights[group].sum() for group in several]),
        own=np.array([nodes.own[group].sum() for group in several]),
        penalties=np.array([nodes.penalties[group].max() for group in several]),
        roles=tuple(min((nodes.roles[i] for i in group), key=ROLES.index) for group in groups),
        failed=np.array([nodes.failed[group].any() for group in several]),
        critical=np.array([nodes.critical[group].any() for group in several]),
    )
