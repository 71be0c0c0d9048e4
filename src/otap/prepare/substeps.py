"""Steps inside steps: put into one list, and what of them can be compared with a reference.

A call that consists of steps is a step as well. Which of its work is its own is said by the
reference, for the calls of that name on both sides: where the steps inside do as much as the call,
it hands over. Where the reference shows such a call only from outside, what is inside is unknown of
it: of that only steps are compared whose like the reference lists elsewhere.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap.dependencies import DependencyGraph, Edge
from otap.dependencies.tool_names import canonical_tool
from otap.errors import FormatError, LimitError, shown
from otap.prepare.recognition import ROLES, Role, destroys
from otap.trajectory import Step, Trajectory

Marks = NDArray[np.bool_]


class UnseenChanges(NamedTuple):
    """Changes inside a call of the run that are not compared: the reference shows no inside.

    Attributes:
        call: the call.
        changes: the steps inside it that write, at any depth; first those that destroy.
        destroys: whether one of them does.
    """

    call: Step
    changes: Sequence[Step]
    destroys: bool


@dataclass(frozen=True, eq=False)
class WholeRun:
    """A run with all that it records, its steps and those inside them in one list.

    A step comes after its former sub-steps: its effect was there when they had ended.

    Attributes:
        trajectory: the steps in one list.
        inside: for the position of a step those of its former sub-steps; nothing for others.
        roles: what each step does by itself.
        failed: which of them failed, as far as that is looked at.
        nested: whether some of them still have steps inside.
    """

    trajectory: Trajectory
    inside: Mapping[int, Sequence[int]]
    roles: Sequence[Role]
    failed: Marks
    nested: bool

    @cached_property
    def outer(self) -> Mapping[int, int]:
        """For the position of a sub-step that of the step that it is part of."""
        return {step: outer for outer, found in self.inside.items() for step in found}

    def below(self, place: int) -> range:
        """Returns the positions of what is inside a step, at any depth."""
        first = place
        while first in self.inside:
            first = self.inside[first][0]
        return range(first, place)

    def joined(self, graph: DependencyGraph) -> DependencyGraph:
        """Returns a graph of the list with edges between steps and their former sub-steps.

        The sources among the sub-steps need what the step needed, and it needs their sinks alone.

        Args:
            graph: the dependencies of the list, which know nothing of sub-steps.
        """
        if not self.inside:
            return graph
        parents: list[dict[int, Edge]] = [{} for _ in range(graph.size)]
        for edge in graph.edges:
            parents[edge.target][edge.source] = edge
        for outer in sorted(self.inside, reverse=True):  # those further out come first
            self._pass_on(outer, parents)
        edges = (edge for found in parents for edge in found.values())
        ordered = tuple(sorted(edges, key=lambda edge: (edge.target, edge.source)))
        return DependencyGraph(graph.size, ordered, graph.mechanism)

    def _pass_on(self, outer: int, parents: list[dict[int, Edge]]) -> None:
        """Passes what a step needed on to the first ones inside it, in place."""
        inner, among = self.below(outer), set(self.inside[outer])
        needed = [edge for edge in parents[outer].values() if edge.source not in inner]
        last = among - {source for step in among for source in parents[step]}
        for step in among:
            if parents[step].keys().isdisjoint(among):
                for edge in needed:
                    parents[step].setdefault(edge.source, replace(edge, target=step))
        parents[outer] = {source: Edge(source, outer) for source in sorted(last)}

    @cached_property
    def calls(self) -> "Calls":
        """The names of its calls, by whether they consist of steps."""
        return Calls(self)


class Calls:
    """The names of the calls of a run.

    Attributes:
        names: that of each call.
        closed: those of which no call consists of steps.
        handing: those of which some call has a step inside that does as much as itself.
        always_handing: those of them of which all calls consist of steps.
    """

    def __init__(self, run: WholeRun) -> None:
        self.names = [call_name(step) for step in run.trajectory.steps]
        self.all = frozenset(self.names)
        self.closed = self.all - {self.names[outer] for outer in run.inside}
        self.handing = frozenset(self.names[outer] for outer in run.inside if _hands(run, outer))
        leaves = {name for place, name in enumerate(self.names) if place not in run.inside}
        self.always_handing = self.handing - leaves


def _hands(run: WholeRun, outer: int) -> bool:
    own = ROLES.index(run.roles[outer])
    return any(not run.failed[k] and ROLES.index(run.roles[k]) <= own for k in run.below(outer))


def handing_calls(run: WholeRun, reference: WholeRun) -> frozenset[int]:
    """Returns the calls of a run whose work is done by the steps inside, beside a reference.

    One that consists of steps hands over if those of its name do in the reference; if the reference
    has none, or if it wraps a call of its own name, which then is the one meant. One that consists
    of none does, where the reference has its name for such calls alone.
    """
    if not (run.inside or reference.inside):
        return frozenset()
    ours, theirs = run.calls, reference.calls
    handing = (ours.handing - theirs.all) | theirs.handing
    return frozenset(
        place
        for place, name in enumerate(ours.names)
        if (
            name in handing or (name in theirs.closed and _wraps(run, place))
            if place in run.inside
            else name in theirs.always_handing
        )
    )


def hidden_steps(run: WholeRun, reference: WholeRun) -> frozenset[int]:
    """Returns what is inside calls that a reference shows from outside, and has none like."""
    if not run.inside:
        return frozenset()
    names, theirs = run.calls.names, reference.calls
    closed = (o for o in run.inside if names[o] in theirs.closed and not _wraps(run, o))
    return frozenset(k for o in closed for k in run.below(o) if names[k] not in theirs.all)


def unseen_changes(run: WholeRun, hidden: Container[int]) -> Sequence[UnseenChanges]:
    """Returns the changes among some steps, by the outermost call that they are part of."""
    steps, facts = run.trajectory.steps, run.trajectory.tools
    found = []
    for outer in sorted(run.inside.keys() - run.outer.keys()):
        changes = [
            steps[k]
            for k in run.below(outer)
            if k in hidden and run.roles[k] == "writes" and not run.failed[k]
        ]
        gone = [step for step in changes if destroys(step, facts)]
        if changes:
            others = [step for step in changes if step not in gone]
            found.append(UnseenChanges(steps[outer], [*gone, *others], bool(gone)))
    return found


def _wraps(run: WholeRun, outer: int) -> bool:
    """Whether a call has one of its own name inside."""
    names = run.calls.names
    return names[outer] in map(names.__getitem__, run.below(outer))


def call_name(step: Step) -> str:
    """Returns the name that a call goes by: its tool's without the server's, or its action."""
    return canonical_tool(step.tool).bare if step.tool else step.action or step.kind


@dataclass
class _Builder:
    steps: list[Step] = field(default_factory=list)
    inside: dict[int, list[int]] = field(default_factory=dict)
    turns: dict[tuple[str, int], int] = field(default_factory=dict)

    def add(self, steps: Sequence[Step], within: str, recorded: bool) -> list[int]:
        """Appends steps after those inside them; returns their positions.

        Args:
            steps: one list of steps.
            within: what their names begin with.
            recorded: whether the steps around them say what they depend on. Steps inside of which
                none says it then depend on nothing, and what is said around them is not lost.
        """
        unsaid = () if recorded and all(step.depends_on is None for step in steps) else None
        places = []
        for step in steps:
            name = within + step.id
            inner = self.add(step.substeps, f"{name}/", recorded)
            if inner:
                self.inside[len(self.steps)] = inner
            needed, turn = step.depends_on, step.turn
            update = {
                "id": name,
                "substeps": (),
                "depends_on": unsaid if needed is None else tuple(within + k for k in needed),
                # Turns of several lists are numbered on their own.
                "turn": turn
                if turn is None
                else self.turns.setdefault((within, turn), len(self.turns)),
            }
            places.append(len(self.steps))
            self.steps.append(step.model_copy(update=update))
        return places


def flattened(
    trajectory: Trajectory, max_depth: int
) -> tuple[Trajectory, Mapping[int, Sequence[int]]]:
    """Returns a trajectory with the steps inside its steps in one list, and which are inside which.

    Args:
        trajectory: the run.
        max_depth: how many levels may lie below its steps.

    Raises:
        FormatError: if a step has the name that one inside another gets.
        LimitError: if sub-steps nest deeper than ``max_depth``.
    """
    _check_depth(trajectory, max_depth)
    builder = _Builder()
    builder.add(trajectory.steps, "", all(s.depends_on is not None for s in trajectory.steps))
    names = [step.id for step in builder.steps]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FormatError(
            f"{shown(trajectory.name)}: flattened, two steps are called '{shown(twice)}'; rename "
            "one of them"
        )
    return trajectory.model_copy(update={"steps": tuple(builder.steps)}), builder.inside


def _check_depth(trajectory: Trajectory, max_depth: int) -> None:
    level: Sequence[Step] = trajectory.steps
    for _ in range(max_depth + 1):
        level = [inner for step in level for inner in step.substeps]
        if not level:
            return
    raise LimitError(
        f"{shown(trajectory.name)}: sub-steps nest deeper than {max_depth} levels (max_depth)"
    )
