"""The columns of a list of steps, one for each field, and its nodes as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.graph import DependencyGraph, turn_ranks
from otap.matrices.fields import FIELDS, Column, RulesOf
from otap.trajectory import Step
from otap.transport import Hops, Structure

T = TypeVar("T")
Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Groups = Sequence[tuple[int, ...]]
ColumnReader = Callable[[Column[Any]], list[Any]]

# A merged step has the first of these that one of its parts has.
ROLES = "forbidden", "writes", "reads", "handoff", "thinks"


class StepColumns:
    """A list of steps; each column is read once, however often it is compared.

    Args:
        steps: the steps.
        rules_of: returns the rules by which the arguments of a tool are compared, or None.
        read_column: reads a column of steps that were made from other steps (default: from the
            steps themselves).
    """

    def __init__(
        self,
        steps: Iterable[Step],
        rules_of: RulesOf = lambda _: None,
        read_column: ColumnReader | None = None,
    ) -> None:
        self.steps: Sequence[Step] = tuple(steps)
        self.rules_of = rules_of
        self._read_column = read_column
        self._contents: dict[Column[Any], list[Any]] = {}

    def of(self, column: Column[T]) -> list[T]:
        """Returns the content of each step in a column, usually a field."""
        contents = self._contents.get(column)
        if contents is None:
            if self._read_column:
                contents = self._read_column(column)
            else:
                contents = column.read(self.steps, self.rules_of)
            self._contents[column] = contents
        return contents

    def select(self, indices: Sequence[int]) -> StepColumns:
        """Returns some of the steps, in this order; their columns are not read again."""
        return StepColumns(
            [self.steps[k] for k in indices],
            self.rules_of,
            lambda column: [self.of(column)[k] for k in indices],
        )

    @staticmethod
    def join(lists: Sequence[StepColumns]) -> StepColumns:
        """Returns the steps of several lists in one; their columns are not read again."""
        if len(lists) == 1:
            return lists[0]
        return StepColumns(
            [step for columns in lists for step in columns.steps],
            lists[0].rules_of,
            lambda column: [content for columns in lists for content in columns.of(column)],
        )

    def replace_steps(self, steps: Sequence[Step]) -> StepColumns:
        """Returns the columns of renamed steps; only contents that changed are read again.

        Args:
            steps: a renamed step for each step; unchanged attributes hold the same objects.
        """
        return StepColumns(steps, self.rules_of, lambda column: self._read_changed(steps, column))

    def _read_changed(self, steps: Sequence[Step], column: Column[T]) -> list[T]:
        contents = list(self.of(column))
        changed = [
            k
            for k, (old, new) in enumerate(zip(self.steps, steps, strict=True))
            if new is not old
            if any(getattr(new, name) is not getattr(old, name) for name in column.attributes)
        ]
        new_contents = self.read_with([steps[k] for k in changed], column)
        for k, content in zip(changed, new_contents, strict=True):
            contents[k] = content
        return contents

    def read_with(self, steps: Sequence[Step], column: Column[T]) -> list[T]:
        """Returns the contents of other steps in a column, compared as thoroughly as these."""
        contents = column.read(steps, self.rules_of)
        column.gather(contents, self.of(column))
        return contents

    @cached_property
    def observed(self) -> frozenset[str]:
        """The fields that some step records; a thought records as its tool that it calls none."""
        fields = {
            name for name in FIELDS if any(getattr(step, name) is not None for step in self.steps)
        }
        if any(step.kind == "reasoning" for step in self.steps):
            fields.add("tool")
        return frozenset(fields)

    @cached_property
    def calls_tools(self) -> bool:
        """Whether some step is a tool call."""
        return any(step.kind == "tool" for step in self.steps)

    @cached_property
    def flat(self) -> Flags:
        """Which steps have no sub-steps."""
        return np.array([not step.substeps for step in self.steps], dtype=np.bool_)

    @cached_property
    def calls(self) -> Flags:
        """Which steps are tool calls with recorded arguments."""
        return np.array(
            [step.kind == "tool" and step.arguments is not None for step in self.steps],
            dtype=np.bool_,
        )


@dataclass(frozen=True, eq=False)
class CostNodes:
    """The nodes of one side of a transport problem: steps, or merged steps.

    Attributes:
        side_steps: the steps of the side in listing order.
        parts: for each node the indices of its steps in ``side_steps``.
        columns: the nodes as steps, by field.
        graph: the dependencies of the nodes.
        structure: the structure matrix of that graph.
        weights: the mass of each node before scaling, (n,); 1 for an ordinary step. A merged step
            and its counterpart weigh the same.
        own_weights: the weight of each node's own steps, (n,). It differs from ``weights`` for the
            counterpart of a merged step.
        penalties: the factor of lambda for the unmatched mass of each node, (n,).
        roles: the role of each node: "writes", "reads", "handoff", "thinks" or "forbidden".
        failed: which nodes failed, if the settings ask for failures, (n,). They are no counterparts
            of other nodes.
        critical: the nodes without which a goal cannot be reached, (n,); only references have any.
    """

    side_steps: Sequence[Step]
    parts: tuple[tuple[int, ...], ...]
    columns: StepColumns
    graph: DependencyGraph
    structure: Structure
    weights: Array
    own_weights: Array
    penalties: Array
    roles: tuple[str, ...]
    failed: Flags
    critical: Flags

    @property
    def steps(self) -> Sequence[Step]:
        """Each node as a step."""
        return self.columns.steps

    @cached_property
    def ids(self) -> Sequence[tuple[str, ...]]:
        """The ids of the steps of each node, in listing order."""
        return [tuple([self.side_steps[k].id for k in sorted(parts)]) for parts in self.parts]

    @cached_property
    def turns(self) -> npt.NDArray[np.intp]:
        """The turn in which the last step of each node ran, (n,)."""
        ranks = turn_ranks(self.side_steps)
        return np.array([max([ranks[k] for k in parts]) for parts in self.parts])

    @cached_property
    def by_last_step(self) -> Sequence[int]:
        """The nodes ordered by their last steps in listing order."""
        return [node for _, node in sorted((max(parts), k) for k, parts in enumerate(self.parts))]

    @cached_property
    def has_error(self) -> Flags:
        """Which nodes recorded an error, whatever the settings, (n,)."""
        return np.array([step.status == "error" for step in self.steps], dtype=np.bool_)

    @cached_property
    def writes(self) -> Flags:
        """Which nodes change something, (n,)."""
        return np.array([role == "writes" for role in self.roles], dtype=np.bool_)

    @cached_property
    def without_tool(self) -> Flags:
        """Which nodes call no tool, (n,)."""
        return np.array([step.tool is None for step in self.steps], dtype=np.bool_)

    @cached_property
    def can_merge(self) -> Flags:
        """Which nodes may be parts of a merged step: no failure, no sub-steps, (n,)."""
        return ~self.failed & self.columns.flat

    @cached_property
    def packed(self) -> Array | None:
        """All that a problem needs of the side as one array; None if the structure is hops.

        Its layout is that of core/packing.hpp.
        """
        if isinstance(self.structure, Hops):
            return None
        n = len(self.parts)
        positions = np.empty(n)
        positions[list(self.graph.order)] = np.arange(n)
        arrays = self.weights, self.penalties, self.critical, self.turns, positions
        return np.concatenate([[n], self.structure.ravel(), *arrays], dtype=np.float64)

    def of(self, node: int) -> list[Step]:
        """Returns the steps of a node in listing order."""
        return [self.side_steps[k] for k in sorted(self.parts[node])]


def single_nodes(
    columns: StepColumns,
    graph: DependencyGraph,
    structure: Structure,
    weights: Array,
    critical: Flags | None = None,
    *,
    penalties: Array | None = None,
    roles: Sequence[str] | None = None,
    failed: Flags | None = None,
) -> CostNodes:
    """Returns each step as a node; by default all nodes write, and none failed or is critical."""
    size = len(columns.steps)
    none = np.zeros(size, dtype=np.bool_)
    return CostNodes(
        side_steps=columns.steps,
        parts=tuple([(k,) for k in range(size)]),
        columns=columns,
        graph=graph,
        structure=structure,
        weights=weights,
        own_weights=weights,
        penalties=np.ones(size) if penalties is None else penalties,
        roles=("writes",) * size if roles is None else tuple(roles),
        failed=none if failed is None else failed,
        critical=none if critical is None else critical,
    )
