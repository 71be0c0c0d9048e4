"""Sub-steps: steps inside steps, put into one list, and which of them a reference can show.

A call that consists of steps is a step as well. The reference decides which of its work is its own,
for the calls of that name on both sides: if the steps inside do as much as the call, it delegates.
If the reference shows such a call only from outside, its inside is unknown. Then only sub-steps are
compared that the reference has elsewhere, and writes.
"""

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap.errors import FormatError, LimitError, shown
from otap.graph import DependencyGraph, Edge
from otap.run.declarations import DeclaredTools
from otap.run.index import FieldValues, ValueIndex
from otap.run.roles import ROLES, Role, destroys, role_by_name
from otap.trajectory import Step, Trajectory
from otap.values.tool_names import canonical_tool

Flags = NDArray[np.bool_]


class HiddenChanges(NamedTuple):
    """Writes inside a call of the run that are not compared: the reference shows no inside.

    Attributes:
        call: the call.
        changes: the steps inside it that write, at any depth; destructive ones first.
        destroys: whether one of them is destructive.
    """

    call: Step
    changes: Sequence[Step]
    destroys: bool


@dataclass(frozen=True, eq=False)
class FlatRun:
    """A run with all its steps and sub-steps in one list.

    A step comes after its former sub-steps, because its effect follows their end.

    Attributes:
        trajectory: the steps in one list.
        substeps: for the index of a step those of its former sub-steps; nothing for others.
        roles: the role of each step by itself.
        failed: which steps failed, (n,).
        is_nested: whether some of them still have sub-steps.
        declared_tools: the facts of its tools that count.
        recorded: the steps in one list, with their recorded status.
        index: the values of these.
        handoffs: the indices of calls that the settings declare as hand-overs.
    """

    trajectory: Trajectory
    substeps: Mapping[int, Sequence[int]]
    roles: Sequence[Role]
    failed: Flags
    is_nested: bool
    declared_tools: DeclaredTools
    recorded: Trajectory
    index: ValueIndex
    handoffs: Collection[int] = ()

    @cached_property
    def parent_of(self) -> Mapping[int, int]:
        """For the index of a sub-step that of the step that it is part of."""
        return {k: parent for parent, children in self.substeps.items() for k in children}

    @cached_property
    def self_changing(self) -> Collection[int]:
        """The calls whose name is a change, and with values that none of the steps inside has."""
        return frozenset(parent for parent in self.substeps if _does_more(self, parent))

    def descendants(self, parent: int) -> range:
        """Returns the indices of all steps inside a step, at any depth."""
        first = parent
        while first in self.substeps:
            first = self.substeps[first][0]
        return range(first, parent)

    def join_substeps(self, graph: DependencyGraph) -> DependencyGraph:
        """Returns a graph of the list with edges between steps and their former sub-steps.

        The sources among the sub-steps need the dependencies of the step, and the step needs only
        the sinks.

        Args:
            graph: the dependencies of the list, without regard to sub-steps.
        """
        if not self.substeps:
            return graph
        parents: list[dict[int, Edge]] = [{} for _ in range(graph.size)]
        for edge in graph.edges:
            parents[edge.target][edge.source] = edge
        for parent in sorted(self.substeps, reverse=True):  # outer steps come first
            self._pass_dependencies(parent, parents)
        edges = (edge for by_source in parents for edge in by_source.values())
        ordered = tuple(sorted(edges, key=lambda edge: (edge.target, edge.source)))
        return DependencyGraph(graph.size, ordered, graph.mechanism)

    def _pass_dependencies(self, parent: int, parents: list[dict[int, Edge]]) -> None:
        """Passes the dependencies of a step on to its first sub-steps, in place."""
        inner, children = self.descendants(parent), set(self.substeps[parent])
        inherited = [edge for edge in parents[parent].values() if edge.source not in inner]
        sinks = children - {source for step in children for source in parents[step]}
        for step in children:
            if parents[step].keys().isdisjoint(children):
                for edge in inherited:
                    parents[step].setdefault(edge.source, replace(edge, target=step))
        parents[parent] = {source: Edge(source, parent) for source in sorted(sinks)}

    @cached_property
    def calls(self) -> "CallNames":
        """The names of its calls, by whether they consist of steps."""
        return CallNames(self)


class CallNames:
    """The names of the calls of a run.

    Attributes:
        names: the name of each call.
        all: the different names.
        closed: names of which no call consists of steps.
        delegating: names of which some call has a step inside that does as much as itself.
        always_delegating: those of them of which all calls consist of steps.
    """

    def __init__(self, run: FlatRun) -> None:
        self.names = [call_name(step) for step in run.trajectory.steps]
        self.all = frozenset(self.names)
        self.closed = self.all - {self.names[parent] for parent in run.substeps}
        self.delegating = frozenset(
            self.names[parent] for parent in run.substeps if _delegates(run, parent)
        )
        leaves = {name for k, name in enumerate(self.names) if k not in run.substeps}
        self.always_delegating = self.delegating - leaves


def _delegates(run: FlatRun, parent: int) -> bool:
    rank = ROLES.index(run.roles[parent])
    return any(
        not run.failed[k] and ROLES.index(run.roles[k]) <= rank for k in run.descendants(parent)
    )


def _does_more(run: FlatRun, parent: int) -> bool:
    """Whether a call names a change, and has values that none of the steps inside it has."""
    step = run.trajectory.steps[parent]
    if step.tool is None or role_by_name(step.tool) != "writes" or not step.arguments:
        return False
    inner = set[str]()
    for k in run.descendants(parent):
        inner |= FieldValues(run.trajectory.steps[k].arguments).values
    return not FieldValues(step.arguments).values <= inner


def delegating_calls(run: FlatRun, reference: FlatRun) -> frozenset[int]:
    """Returns the calls of a run whose work is done by the steps inside, given a reference.

    A call that consists of steps delegates if calls of its name do in the reference. It also does
    if the reference has no such call, or if it wraps a call of its own name, which then is the one
    to compare; but not if its name announces a change of values that no step inside has. A call
    without sub-steps delegates if in the reference all calls of its name do.
    """
    if not (run.substeps or reference.substeps):
        return frozenset()
    calls, reference_calls = run.calls, reference.calls
    delegating = calls.delegating - reference_calls.all
    indices = []
    for k, name in enumerate(calls.names):
        if k in run.substeps:
            is_wrapper = name in reference_calls.closed and _wraps_itself(run, k)
            is_delegating = name in reference_calls.delegating or (
                (name in delegating or is_wrapper) and k not in run.self_changing
            )
        else:
            is_delegating = name in reference_calls.always_delegating
        if is_delegating:
            indices.append(k)
    return frozenset(indices)


def hidden_steps(run: FlatRun, reference: FlatRun) -> frozenset[int]:
    """Returns the steps inside calls that a reference shows from outside, without a counterpart.

    A write inside a call is hidden only if the call is a declared hand-over: nobody else is known
    to be responsible for it.
    """
    if not run.substeps:
        return frozenset()
    names, reference_calls = run.calls.names, reference.calls
    hidden = set[int]()
    for parent in run.substeps:
        if names[parent] not in reference_calls.closed or _wraps_itself(run, parent):
            continue
        for k in run.descendants(parent):
            is_write = run.roles[k] == "writes" and not run.failed[k]
            if is_write and k in run.substeps:
                is_write = not _delegates(run, k) or k in run.self_changing
            if names[k] not in reference_calls.all and (parent in run.handoffs or not is_write):
                hidden.add(k)
    return frozenset(hidden)


def list_hidden_changes(run: FlatRun, hidden: Container[int]) -> Sequence[HiddenChanges]:
    """Returns the writes among some steps, by the outermost call that they are part of."""
    steps, declared_tools = run.trajectory.steps, run.declared_tools
    groups = []
    for parent in sorted(run.substeps.keys() - run.parent_of.keys()):
        changes = [
            steps[k]
            for k in run.descendants(parent)
            if k in hidden and run.roles[k] == "writes" and not run.failed[k]
        ]
        destructive = [step for step in changes if destroys(step, declared_tools)]
        if changes:
            harmless = [step for step in changes if step not in destructive]
            ordered = [*destructive, *harmless]
            groups.append(HiddenChanges(steps[parent], ordered, bool(destructive)))
    return groups


def _wraps_itself(run: FlatRun, parent: int) -> bool:
    """Whether a call has one of its own name inside."""
    names = run.calls.names
    return any(names[k] == names[parent] for k in run.descendants(parent))


def call_name(step: Step) -> str:
    """Returns the name of a call: its tool's without the server's, or its action."""
    return canonical_tool(step.tool).bare if step.tool else step.action or step.kind


@dataclass
class _Builder:
    steps: list[Step] = field(default_factory=list)
    substeps: dict[int, list[int]] = field(default_factory=dict)
    turns: dict[tuple[str, int], int] = field(default_factory=dict)

    def add(self, steps: Sequence[Step], prefix: str, is_recorded: bool) -> list[int]:
        """Appends steps after their sub-steps; returns their indices.

        Args:
            steps: one list of steps.
            prefix: the beginning of their ids.
            is_recorded: whether the steps of the top level record their dependencies. Sub-steps
                that record none then depend on nothing, so that the recorded ones are not lost.
        """
        is_unrecorded = is_recorded and all(step.depends_on is None for step in steps)
        default = () if is_unrecorded else None
        indices = []
        for step in steps:
            name = prefix + step.id
            children = self.add(step.substeps, f"{name}/", is_recorded)
            if children:
                self.substeps[len(self.steps)] = children
            parents, turn = step.depends_on, step.turn
            if turn is not None:  # each list numbers its turns on its own
                turn = self.turns.setdefault((prefix, turn), len(self.turns))
            update = {
                "id": name,
                "substeps": (),
                "depends_on": default if parents is None else tuple(prefix + p for p in parents),
                "turn": turn,
            }
            indices.append(len(self.steps))
            self.steps.append(step.model_copy(update=update))
        return indices


def flatten(
    trajectory: Trajectory, max_depth: int
) -> tuple[Trajectory, Mapping[int, Sequence[int]]]:
    """Returns a trajectory with its sub-steps in one list, and the indices of sub-steps by parent.

    Args:
        trajectory: the run.
        max_depth: how many levels of sub-steps are allowed.

    Raises:
        FormatError: if a step has the name that a sub-step gets.
        LimitError: if sub-steps nest deeper than ``max_depth``.
    """
    _check_depth(trajectory, max_depth)
    builder = _Builder()
    is_recorded = all(step.depends_on is not None for step in trajectory.steps)
    builder.add(trajectory.steps, "", is_recorded)
    names = [step.id for step in builder.steps]
    if len(set(names)) < len(names):
        duplicate = next(name for name in names if names.count(name) > 1)
        raise FormatError(
            f"{shown(trajectory.name)}: flattened, two steps are called '{shown(duplicate)}'; "
            "rename one of them"
        )
    return trajectory.model_copy(update={"steps": tuple(builder.steps)}), builder.substeps


def _check_depth(trajectory: Trajectory, max_depth: int) -> None:
    level: Sequence[Step] = trajectory.steps
    for _ in range(max_depth + 1):
        level = [substep for step in level for substep in step.substeps]
        if not level:
            return
    raise LimitError(
        f"{shown(trajectory.name)}: sub-steps nest deeper than {max_depth} levels (max_depth)"
    )
