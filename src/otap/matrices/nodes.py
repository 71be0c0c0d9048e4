"""One side of a transport problem: its nodes, and the arrays that they give."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.dependencies import DependencyGraph, turn_ranks
from otap.dependencies.conflicts import Things, things
from otap.matrices.steps import ReadSteps
from otap.trajectory import Step
from otap.transport import Hops, Structure

Array = npt.NDArray[np.float64]
Groups = Sequence[tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of one side: steps, or unions of steps that are taken as one.

    listed: the steps of the side in the order of their list.
    parts: for each node the places in ``listed`` of the steps that it consists of.
    read: what each node says, by field.
    graph: who needed whom.
    structure: the structure matrix of that graph.
    weights: the mass of each node before it is scaled; 1 for an ordinary step. A union and what it
        stands for weigh the same.
    own: the weight of each node's own steps; it differs from ``weights`` for what a union stands
        for alone.
    penalties: the factor of lambda for what is unmatched of each node.
    roles: what each node does to the world: "writes", "reads", "hands_over" or "thinks".
    failed: the nodes that failed, as far as that is looked at: they are no counterparts of others.
    critical: the nodes without which a goal cannot be reached; looked for in references alone.
    """

    listed: Sequence[Step]
    parts: tuple[tuple[int, ...], ...]
    read: ReadSteps
    graph: DependencyGraph
    structure: Structure
    weights: Array
    own: Array
    penalties: Array
    roles: tuple[str, ...]
    failed: npt.NDArray[np.bool_]
    critical: npt.NDArray[np.bool_]

    @property
    def steps(self) -> Sequence[Step]:
        """What each node says, as a step."""
        return self.read.steps

    @cached_property
    def turns(self) -> npt.NDArray[np.intp]:
        """The turn in which each node ran, a union's being that of its last step."""
        listed: Sequence[int] = turn_ranks(self.listed)
        return np.array([max(listed[place] for place in parts) for parts in self.parts])

    @cached_property
    def erred(self) -> npt.NDArray[np.bool_]:
        """The nodes that recorded an error, whether or not that is looked at."""
        return np.array([step.status == "error" for step in self.steps], dtype=np.bool_)

    @cached_property
    def free(self) -> npt.NDArray[np.bool_]:
        """The nodes that may be parts of a union: those that did not fail, with no steps inside."""
        return ~self.failed & self.read.flat

    @cached_property
    def ended(self) -> Sequence[int]:
        """The nodes in the order in which the last steps of each are listed."""
        return sorted(range(len(self.parts)), key=lambda node: max(self.parts[node]))

    @cached_property
    def weight(self) -> float:
        """What all nodes weigh."""
        return float(self.weights.sum())

    @cached_property
    def own_weight(self) -> float:
        """What the steps of all nodes weigh."""
        return float(self.own.sum())

    @cached_property
    def packed(self) -> Array | None:
        """What a problem needs of the side as one array, as core/packing.hpp reads it.

        None where the structure is held as hops.
        """
        if isinstance(self.structure, Hops):
            return None
        size = len(self.parts)
        places = np.empty(size)
        places[list(self.graph.order)] = np.arange(size)
        nodes = self.weights, self.penalties, self.critical, self.turns, places
        return np.concatenate(([float(size)], self.structure.ravel(), *nodes))

    @cached_property
    def things(self) -> Sequence[Things]:
        """The things that each node names."""
        return [things(step) for step in self.steps]

    @cached_property
    def ids(self) -> Sequence[tuple[str, ...]]:
        """The ids of the steps that each node consists of, in the order of their list."""
        return [tuple(step.id for step in self.of(node)) for node in range(len(self.parts))]

    def of(self, node: int) -> list[Step]:
        """Returns the steps that a node consists of, in the order of their list."""
        return [self.listed[place] for place in sorted(self.parts[node])]


def single_nodes(
    read: ReadSteps,
    graph: DependencyGraph,
    structure: Structure,
    weights: Array,
    critical: npt.NDArray[np.bool_] | None = None,
    *,
    penalties: Array | None = None,
    roles: Sequence[str] | None = None,
    failed: npt.NDArray[np.bool_] | None = None,
) -> Nodes:
    """Returns each step as a node of its own; by default all write, none failed or is critical."""
    size = len(read.steps)
    return Nodes(
        listed=read.steps,
        parts=tuple((place,) for place in range(size)),
        read=read,
        graph=graph,
        structure=structure,
        weights=weights,
        own=weights,
        penalties=np.ones(size) if penalties is None else penalties,
        roles=("writes",) * size if roles is None else tuple(roles),
        failed=np.zeros(size, dtype=np.bool_) if failed is None else failed,
        critical=np.zeros(size, dtype=np.bool_) if critical is None else critical,
    )
