"""The nodes of one side of a transport problem: steps, or merged steps, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.costs.structure import structure_matrix
from otap.graph import DependencyGraph, turn_ranks
from otap.run.columns import StepColumns
from otap.run.edges import Mechanism
from otap.run.run import Run, RunGraph, RunView
from otap.trajectory import Step
from otap.transport import Hops, Structure

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Groups = Sequence[tuple[int, ...]]

# A merged step has the first of these that one of its parts has.
ROLES = "forbidden", "writes", "reads", "handoff", "thinks"


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
        extra_roles: the role of each node by which it counts if it is extra.
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
    extra_roles: tuple[str, ...]
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
    extra_roles: Sequence[str] | None = None,
    failed: Flags | None = None,
) -> CostNodes:
    """Returns each step as a node; by default all nodes write, and none failed or is critical."""
    size = len(columns.steps)
    none = np.zeros(size, dtype=np.bool_)
    known_roles = ("writes",) * size if roles is None else tuple(roles)
    return CostNodes(
        side_steps=columns.steps,
        parts=tuple([(k,) for k in range(size)]),
        columns=columns,
        graph=graph,
        structure=structure,
        weights=weights,
        own_weights=weights,
        penalties=np.ones(size) if penalties is None else penalties,
        roles=known_roles,
        extra_roles=known_roles if extra_roles is None else tuple(extra_roles),
        failed=none if failed is None else failed,
        critical=none if critical is None else critical,
    )


class PreparedNodes:
    """The structure matrices of prepared runs and the nodes of references, each made once.

    They go with the run that they belong to.
    """

    def __init__(self) -> None:
        self._structures: WeakKeyDictionary[RunGraph, Structure] = WeakKeyDictionary()
        self._references: WeakKeyDictionary[RunGraph, dict[bool, CostNodes]] = WeakKeyDictionary()

    def of(
        self, view: RunView, mechanism: Mechanism, reference: Run, critical: Flags | None = None
    ) -> CostNodes:
        """Returns each step of a run as a node of a transport problem against a reference.

        Args:
            view: the view of the run for this reference.
            mechanism: finds the dependencies.
            reference: decides the weights.
            critical: the critical steps; only those of a reference count.

        Raises:
            DependencyError: if the trajectory lacks the records that the mechanism needs.
        """
        run = view.run
        return single_nodes(
            view.columns,
            run.graphs[mechanism].graph,
            self._structure(run.graphs[mechanism]),
            view.weights(reference.full_weight),
            critical,
            penalties=view.penalties(reference),
            roles=view.roles,
            extra_roles=view.extra_roles,
            failed=run.failed,
        )

    def of_reference(self, view: RunView, mechanism: Mechanism, *, by_paths: bool) -> CostNodes:
        """Returns each step of a reference as a node.

        Args:
            view: its view.
            mechanism: finds the dependencies.
            by_paths: whether the steps on all paths to a goal are critical, or only declared goals.

        Raises:
            FormatError: if a declared goal is no step of the reference.
        """
        run = view.run
        graph = run.graphs[mechanism]
        is_as_recorded = view is run.view  # without renamed ids
        prepared = self._references.setdefault(graph, {})
        if not is_as_recorded or by_paths not in prepared:
            critical = graph.critical if by_paths else graph.declared_goals
            nodes = self.of(view, mechanism, run, critical)
            if not is_as_recorded:
                return nodes
            prepared[by_paths] = nodes
        return prepared[by_paths]

    def _structure(self, graph: RunGraph) -> Structure:
        structure = self._structures.get(graph)
        if structure is None:
            precedence = graph.run.settings.config.precedence
            structure = self._structures[graph] = structure_matrix(graph.graph, precedence)
        return structure
