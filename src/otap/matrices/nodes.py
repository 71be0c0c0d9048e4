"""One side of a transport problem as arrays: what the nodes are, and what they weigh."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.dependencies import DependencyGraph, turn_ranks
from otap.dependencies.order.things import Named, things
from otap.matrices.steps import ReadSteps
from otap.trajectory import Step
from otap.transport import Hops, Structure

Array = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]
Groups = Sequence[tuple[int, ...]]

ROLES = "writes", "reads", "hands_over", "thinks"  # of a union the first of its parts'


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

    The rest follows from these:

    steps: what each node says, as a step.
    ids: the ids of the steps that each node consists of, in the order of their list.
    turns: the turn in which each node ran, a union's being that of its last step.
    ended: the nodes in the order in which the last steps of each are listed.
    erred: the nodes that recorded an error, whether or not that is looked at.
    free: the nodes that may be parts of a union: those that did not fail, with no steps inside.
    packed: what a problem needs of the side as one array, as core/packing.hpp reads it; None where
        the structure is held as hops.
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
    failed: Marks
    critical: Marks
    steps: Sequence[Step] = field(init=False)
    ids: Sequence[tuple[str, ...]] = field(init=False)
    turns: npt.NDArray[np.intp] = field(init=False)
    ended: Sequence[int] = field(init=False)
    erred: Marks = field(init=False)
    free: Marks = field(init=False)
    packed: Array | None = field(init=False)

    def __post_init__(self) -> None:
        names, ranks = [step.id for step in self.listed], turn_ranks(self.listed)
        last, steps = list(map(max, self.parts)), self.read.steps
        turns = np.array([max(map(ranks.__getitem__, parts)) for parts in self.parts])
        vars(self).update(
            steps=steps,
            ids=[tuple(map(names.__getitem__, sorted(parts))) for parts in self.parts],
            turns=turns,
            ended=sorted(range(len(last)), key=last.__getitem__),
            erred=np.array([step.status == "error" for step in steps], dtype=np.bool_),
            free=~self.failed & self.read.flat,
            packed=None if isinstance(self.structure, Hops) else self._pack(turns),
        )

    def _pack(self, turns: npt.NDArray[np.intp]) -> Array:
        size = len(self.parts)
        places = np.empty(size)
        places[list(self.graph.order)] = np.arange(size)
        nodes = self.weights, self.penalties, self.critical, turns, places
        return np.concatenate(([float(size)], self.structure.ravel(), *nodes))

    @cached_property
    def things(self) -> Sequence[Named]:
        """The things that each node names."""
        return [things(step) for step in self.steps]

    def of(self, node: int) -> list[Step]:
        """Returns the steps that a node consists of, in the order of their list."""
        return [self.listed[place] for place in sorted(self.parts[node])]


def single_nodes(
    read: ReadSteps,
    graph: DependencyGraph,
    structure: Structure,
    weights: Array,
    critical: Marks | None = None,
    *,
    penalties: Array | None = None,
    roles: Sequence[str] | None = None,
    failed: Marks | None = None,
) -> Nodes:
    """Returns each step as a node of its own; by default all write, none failed or is critical."""
    size = len(read.steps)
    return Nodes(
        listed=read.steps,
        parts=tuple(zip(range(size))),  # noqa: B905
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
