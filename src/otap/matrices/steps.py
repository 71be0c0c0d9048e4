"""A list of steps as it is compared: what it records, by field, and its nodes as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from operator import attrgetter, is_
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.matrices.fields import FIELDS, Field, RulesOf
from otap.run import DependencyGraph, turn_ranks
from otap.run.conflicts import NamedObjects, named_objects
from otap.trajectory import Step
from otap.transport import Hops, Structure

T = TypeVar("T")
Array = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]
Groups = Sequence[tuple[int, ...]]
_Read = Callable[[Field[Any]], list[Any]]

ROLES = "forbidden", "writes", "reads", "handoff", "thinks"  # of a union the first of its parts'


class ReadSteps:
    """Some steps, of which each field is read once, however often it is compared.

    Args:
        steps: the steps.
        rules_of: says how the arguments of a tool are compared; None: by no rule.
        read: reads a field of steps that are made of other ones; None: these are not.
    """

    def __init__(
        self,
        steps: Iterable[Step],
        rules_of: RulesOf = lambda _: None,
        read: _Read | None = None,
    ) -> None:
        self.steps: Sequence[Step] = tuple(steps)
        self.rules_of = rules_of
        self.bounds: dict[str, Any] = {}  # what bounds of unions look at, by field
        self._read = read
        self._columns: dict[Field[Any], list[Any]] = {}

    def of(self, field: Field[T]) -> list[T]:
        """Returns what each step says in a field."""
        column = self._columns.get(field)
        if column is None:
            column = self._read(field) if self._read else field.read(self.steps, self.rules_of)
            self._columns[field] = column
        return column

    def taken(self, places: Sequence[int]) -> ReadSteps:
        """Some of the steps, in this order; what was read of them stays read."""
        steps = map(self.steps.__getitem__, places)
        return ReadSteps(
            steps, self.rules_of, lambda field: list(map(self.of(field).__getitem__, places))
        )

    @staticmethod
    def joined(parts: Sequence[ReadSteps]) -> ReadSteps:
        """The steps of several lists, one after the other; what was read of them stays read."""
        if len(parts) == 1:
            return parts[0]
        return ReadSteps(
            chain.from_iterable(part.steps for part in parts),
            parts[0].rules_of,
            lambda field: [value for part in parts for value in part.of(field)],
        )

    def renamed(self, steps: Iterable[Step]) -> ReadSteps:
        """The same steps in other names; what has no other name in them stays read.

        Args:
            steps: one for each of these; it holds the same objects where nothing has another name.
        """
        named = tuple(steps)
        return ReadSteps(named, self.rules_of, lambda field: self._read_renamed(named, field))

    def _read_renamed(self, named: Sequence[Step], field: Field[T]) -> list[T]:
        values = list(self.of(field))
        places = [
            place
            for place, (before, now) in enumerate(zip(self.steps, named, strict=True))
            if now is not before
            # How arguments are compared may go by the tool.
            if now.tool != before.tool
            or getattr(now, field.name) is not getattr(before, field.name)
        ]
        new = self.read_with([named[place] for place in places], field)
        for place, value in zip(places, new, strict=True):
            values[place] = value
        return values

    def read_with(self, steps: Sequence[Step], field: Field[T]) -> list[T]:
        """Returns what other steps say in a field, compared as thoroughly as these are."""
        values = field.read(steps, self.rules_of)
        field.gather(values, self.of(field))
        return values

    @cached_property
    def observed(self) -> frozenset[str]:
        """The fields that some step records; to reason is to say which tool is called: none."""
        found = {"tool"} if "reasoning" in map(attrgetter("kind"), self.steps) else set()
        for name in FIELDS:
            values = list(map(attrgetter(name), self.steps))
            if values.count(None) < len(values):
                found.add(name)
        return frozenset(found)

    @cached_property
    def calls_tools(self) -> bool:
        """Whether some step is a tool call."""
        return "tool" in map(attrgetter("kind"), self.steps)

    @cached_property
    def flat(self) -> Marks:
        """Which steps have no steps inside."""
        substeps = map(attrgetter("substeps"), self.steps)
        return ~np.array(list(map(bool, substeps)), dtype=np.bool_)

    @cached_property
    def calls(self) -> Marks:
        """Which steps are tool calls with recorded arguments."""
        marks = np.zeros(len(self.steps), dtype=np.bool_)
        for place, step in enumerate(self.steps):
            marks[place] = step.kind == "tool" and step.arguments is not None
        return marks


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
    roles: what each node does to the world: "writes", "reads", "handoff" or "thinks".
    failed: the nodes that failed, as far as that is looked at: they are no counterparts of others.
    critical: the nodes without which a goal cannot be reached; looked for in references alone.

    The rest follows from these:

    steps: what each node says, as a step.
    ids: the ids of the steps that each node consists of, in the order of their list.
    turns: the turn in which each node ran, a union's being that of its last step.
    ended: the nodes in the order in which the last steps of each are listed.
    erred: the nodes that recorded an error, whether or not that is looked at.
    writes: the nodes that change something.
    toolless: the nodes that call no tool.
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
    writes: Marks = field(init=False)
    toolless: Marks = field(init=False)
    free: Marks = field(init=False)
    packed: Array | None = field(init=False)

    def __post_init__(self) -> None:
        names, ranks = list(map(attrgetter("id"), self.listed)), turn_ranks(self.listed)
        ids, turns = [], []
        for parts in self.parts:
            ids.append(tuple(map(names.__getitem__, sorted(parts))))
            turns.append(max(map(ranks.__getitem__, parts)))
        last, steps = list(map(max, self.parts)), self.read.steps
        status = np.array(list(map(attrgetter("status"), steps)), dtype=object)
        places = np.empty(len(last))
        places[list(self.graph.order)] = np.arange(len(last))
        packed = None
        if not isinstance(self.structure, Hops):
            size = np.array([len(last)], dtype=np.float64)
            arrays = self.weights, self.penalties, self.critical, np.array(turns), places
            packed = np.concatenate([size, self.structure.ravel(), *arrays])
        vars(self).update(
            steps=steps,
            ids=ids,
            turns=np.array(turns),
            ended=sorted(range(len(last)), key=last.__getitem__),
            erred=status == "error",
            writes=np.array(self.roles, dtype=object) == "writes",
            toolless=np.array(list(map(is_, map(attrgetter("tool"), steps), repeat(None)))),
            free=~self.failed & self.read.flat,
            packed=packed,
        )

    @cached_property
    def objects(self) -> Sequence[NamedObjects]:
        """The objects that each node names."""
        return [named_objects(step) for step in self.steps]

    def of(self, node: int) -> list[Step]:
        """Returns the steps that a node consists of, in the order of their list."""
        return list(map(self.listed.__getitem__, sorted(self.parts[node])))


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
        parts=tuple(zip(range(size))),
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
