"""Several steps merged into one: its fields, its costs, and the nodes of a side with it."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap.costs.fields import (
    Action,
    Arguments,
    Effect,
    Field,
    Matrix,
    Measures,
    State,
    TextDistances,
    Tool,
)
from otap.costs.node_cost import FieldCosts, NodeCost, bound_wording
from otap.costs.nodes import ROLES, CostNodes, Groups
from otap.costs.structure import structure_matrix
from otap.encoders import Encoder, Vectors, unit_rows
from otap.graph import quotient
from otap.run.columns import StepColumns
from otap.trajectory import Step
from otap.values.keys import unify_keys, unwrap_arguments
from otap.values.value import JOINT, plain, text_of

Array = npt.NDArray[np.float64]
Contents = Sequence[JsonValue]


class MergedEncoder:
    """An encoder for which a merged text is the sum of the vectors of its parts, of length 1."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.name, self.digest, self.window = encoder.name, encoder.digest, encoder.window

    def encode(self, texts: list[str]) -> Vectors:
        """Returns one unit row for each text."""
        if not any(JOINT in text for text in texts):
            return unit_rows(self._encoder.encode(texts))
        parts = [text.split(JOINT) for text in texts]
        rows = self._encoder.encode([part for pieces in parts for part in pieces])
        starts = np.cumsum([0, *(len(pieces) for pieces in parts[:-1])])
        return unit_rows(np.add.reduceat(rows, starts, axis=0))


class MergedCost:
    """The node cost between merged steps and steps.

    Args:
        node_cost: the cost between steps.
        keeps_verbs: whether a call of one part's tool never does the work of another part's tool.
    """

    def __init__(self, node_cost: NodeCost, *, keeps_verbs: bool = True) -> None:
        self.keeps_verbs = keeps_verbs
        self.fields = node_cost.fields
        self.calls = next(field for field in self.fields if isinstance(field, Arguments))
        self._measures = Measures(TextDistances(MergedEncoder(node_cost.encoder)), node_cost.tools)

    def between(
        self,
        merged: StepColumns,
        steps: StepColumns,
        tools: tuple[Matrix, Matrix] | None,
        weights: Mapping[str, float],
    ) -> FieldCosts:
        """Returns the costs between merged steps and steps, over the fields in ``weights``.

        Args:
            merged: the merged steps.
            steps: the steps of the other side.
            tools: the distance of the tool of the nearest part of each merged step, (merged,
                steps), and of any step on their side, (steps,); None if tools take no part.
            weights: by field, summing to 1.
        """
        distances: dict[str, Matrix] = {}
        differing = None
        for field in self.fields:
            if field.name not in weights:
                continue
            columns = merged.of(field), steps.of(field), self._measures
            if isinstance(field, Arguments):
                distances[field.name], differing = field.compare(*columns)
            elif field.name == "tool" and tools:
                distances[field.name] = _tool_distances(*tools, distances.get("arguments"))
            else:
                distances[field.name] = field.distances(*columns)
        bound_wording(distances, merged, steps)
        return FieldCosts(distances, weights, differing)


def _tool_distances(parts: Matrix, side: Matrix, arguments: Matrix | None) -> Matrix:
    """The least distance of the parts, at most that of the arguments.

    A tool that does the work of two may have its own name, so a merged step costs no more for its
    tool than for its arguments. If the side of the parts calls that tool itself, another name is no
    excuse, unless the arguments are equal.
    """
    if arguments is None:
        return parts
    may_differ = (side > 0) | (arguments == 0)
    distances: Matrix = np.where(may_differ, np.minimum(parts, arguments), parts)
    return distances


def merge_steps(columns: StepColumns, groups: Groups, fields: Sequence[Field[Any]]) -> StepColumns:
    """Returns groups of steps as merged steps, compared as thoroughly as the steps.

    Args:
        columns: the steps.
        groups: the indices of the parts of each merged step, in the order of their dependencies.
        fields: the fields that are compared.
    """
    steps = [_merge_group([columns.steps[k] for k in group], fields) for group in groups]
    return StepColumns(steps, columns.rules_of, lambda column: columns.read_with(steps, column))


def _merge_group(steps: Sequence[Step], fields: Sequence[Field[Any]]) -> Step:
    """Some steps merged into one, field by field; other attributes are those of the first."""
    merged = {
        field.name: _MERGE[type(field)]([getattr(step, field.name) for step in steps])
        for field in fields
    }
    return steps[0].model_copy(update=merged)


def sort_key(step: Step, fields: Sequence[Field[Any]]) -> str:
    """Returns a sort key of a step, its tool first; equal for steps with equal fields."""
    contents = [getattr(step, field.name) for field in fields if field.name != "tool"]
    return json.dumps([step.tool, *contents], sort_keys=True)


def join_texts(contents: Contents) -> str | None:
    """Returns the different texts of some data in sorted order; None if nothing is recorded.

    The listing order thus changes nothing, and the vector of the result is the sum of theirs.
    """
    if all(content is None for content in contents):
        return None
    texts = {part for content in contents for part in text_of(content).split(JOINT)}
    return JOINT.join(sorted(texts - {""}))


def merge_arguments(contents: Contents) -> JsonValue:
    """Returns the arguments of a merged step: everything in its parts' arguments.

    Texts are joined. Objects become one object with all keys; two different values under one key
    become a list of both. Anything else becomes a list.

    Args:
        contents: the arguments of each part, in their order; None for a part without arguments.
    """
    recorded = [plain(content) for content in contents if content is not None]
    objects = [content for content in recorded if isinstance(content, dict)]
    if not recorded:
        return None
    if len(objects) == len(recorded):
        return _merge_objects(objects)
    if all(isinstance(content, str) for content in recorded):
        return join_texts(recorded)
    return recorded[0] if len(recorded) == 1 else recorded


def _merge_calls(contents: Contents) -> JsonValue:
    return merge_arguments(
        unify_keys([unwrap_arguments(plain(content))[0] for content in contents])
    )


def _merge_objects(objects: Sequence[dict[str, JsonValue]]) -> JsonValue:
    merged: dict[str, JsonValue] = {}
    for members in objects:
        for key, member in members.items():
            merged[key] = _join_members(merged[key], member) if key in merged else member
    return merged


def _join_members(first: JsonValue, second: JsonValue) -> JsonValue:
    if first == second:
        return first
    members = first if isinstance(first, list) else [first]
    return [*members, *(second if isinstance(second, list) else [second])]


def _merge_tools(contents: Contents) -> JsonValue:
    """The first tool; distances ignore it (`_tool_distances`)."""
    return contents[0]


def _merge_states(contents: Contents) -> JsonValue:
    """The state after the last step that records one."""
    return next((content for content in reversed(contents) if content is not None), None)


_MERGE: Mapping[type[Field[Any]], Callable[[Contents], JsonValue]] = {
    Action: join_texts,
    Arguments: _merge_calls,
    Effect: join_texts,
    Tool: _merge_tools,
    State: _merge_states,
}


def merge_nodes(
    nodes: CostNodes, groups: Groups, fields: Sequence[Field[Any]], precedence: float
) -> CostNodes:
    """Returns the nodes of a side with some of them merged.

    Args:
        nodes: the nodes.
        groups: a partition of them without a cycle; parts are in the order of their dependencies.
        fields: the fields that are compared.
        precedence: that of the structure.
    """
    graph = quotient(nodes.graph, groups)
    assert graph is not None  # the groups make no cycle
    merged = [group for group in groups if len(group) > 1]
    joined = StepColumns.join([nodes.columns, merge_steps(nodes.columns, merged, fields)])
    new_indices = iter(range(len(nodes.steps), len(joined.steps)))
    indices = [next(new_indices) if len(group) > 1 else group[0] for group in groups]
    members = [list(group) for group in groups]
    return CostNodes(
        side_steps=nodes.side_steps,
        parts=tuple(tuple(part for k in group for part in nodes.parts[k]) for group in groups),
        columns=joined.select(indices),
        graph=graph,
        structure=structure_matrix(graph, precedence),
        weights=np.array([nodes.weights[group].sum() for group in members]),
        own_weights=np.array([nodes.own_weights[group].sum() for group in members]),
        penalties=np.array([nodes.penalties[group].max() for group in members]),
        roles=tuple(min((nodes.roles[k] for k in group), key=ROLES.index) for group in groups),
        failed=np.array([nodes.failed[group].any() for group in members]),
        critical=np.array([nodes.critical[group].any() for group in members]),
    )
