"""The four ways to find dependencies, and which one a pair of trajectories allows."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal

from otap.dependencies.graph import DependencyGraph, Edge
from otap.dependencies.order.conflicts import conflict_edges
from otap.dependencies.tracing import traced_edges
from otap.errors import DependencyError, shown
from otap.trajectory import Step, Trajectory

Mechanism = Literal["explicit", "traced", "conflicts", "sequential"]
MECHANISMS: tuple[Mechanism, ...] = ("explicit", "traced", "conflicts", "sequential")  # best first
# Those that need no word about what the steps do.
_RECORDED: tuple[Mechanism, ...] = ("explicit", "traced", "sequential")


def dependency_graph(
    trajectory: Trajectory,
    mechanism: str = "auto",
    writes: Sequence[bool] | None = None,
    *,
    capitals: bool = False,
) -> DependencyGraph:
    """Returns the dependency graph of a trajectory, found by one mechanism.

    explicit: as recorded in ``depends_on``.
    traced: value flow, what an earlier effect showed and a later call used
    (:mod:`otap.dependencies.tracing`).
    conflicts: steps that name the same thing, of which one writes
    (:mod:`otap.dependencies.order.conflicts`).
    sequential: each step needs the one before it, or all steps of the turn before its own.
    auto: the first of these that the trajectory allows, conflicts left out.

    Args:
        trajectory: its steps are the graph's, by position; sub-steps have graphs of their own.
        mechanism: one of MECHANISMS, or auto.
        writes: which steps change something, for conflicts; by default all do.
        capitals: for value flow, whether a capitalised word in longer texts of both sides is
            evidence as well.

    Raises:
        DependencyError: if there is no such mechanism, or the trajectory does not record what it
            needs.
    """
    if mechanism == "auto":
        mechanism = common_mechanism(trajectory)
    if not allows(trajectory, mechanism):
        raise DependencyError(
            f"{shown(trajectory.name)}: cannot find {mechanism} dependencies, since "
            f"{_LACKS[mechanism]}; use another mechanism or 'auto'"
        )
    if mechanism == "conflicts":
        edges = conflict_edges(trajectory, writes or [True] * len(trajectory.steps))
    elif mechanism == "traced":
        edges = traced_edges(trajectory, capitals=capitals)
    else:
        edges = _RECORDS[mechanism](trajectory)
    return DependencyGraph(len(trajectory.steps), edges, mechanism)


def common_mechanism(*trajectories: Trajectory) -> Mechanism:
    """Returns the best mechanism that all trajectories allow; sequential is always allowed.

    Conflicts are not among them: whether they are known depends on what the steps do.

    Args:
        trajectories: a run and its reference, say.
    """
    return next(
        mechanism
        for mechanism in _RECORDED
        if all(allows(trajectory, mechanism) for trajectory in trajectories)
    )


def allows(trajectory: Trajectory, mechanism: str) -> bool:
    """Says whether the trajectory records what the mechanism needs.

    Explicit needs a recorded ``depends_on`` in every step, traced an effect in some step,
    conflicts and sequential nothing. A trajectory without steps allows all.

    Args:
        trajectory: the run in question.
        mechanism: one of MECHANISMS.

    Raises:
        DependencyError: if there is no such mechanism.
    """
    if mechanism not in MECHANISMS:
        raise DependencyError(
            f"no mechanism '{shown(mechanism)}'; there are auto, {', '.join(MECHANISMS)}"
        )
    steps = trajectory.steps
    if not steps or mechanism in ("conflicts", "sequential"):
        return True
    if mechanism == "explicit":
        return all(step.depends_on is not None for step in steps)
    return any(step.effect is not None for step in steps)


def explicit_edges(trajectory: Trajectory) -> tuple[Edge, ...]:
    """Returns one edge for each recorded dependency, by target and then source.

    A step that does not record what it depends on depends on nothing.
    """
    position = {step.id: index for index, step in enumerate(trajectory.steps)}
    return tuple(
        Edge(position[parent], target)
        for target, step in enumerate(trajectory.steps)
        for parent in sorted(set(step.depends_on or ()), key=position.__getitem__)
    )


def sequential_edges(trajectory: Trajectory) -> tuple[Edge, ...]:
    """Returns the covering relation of the order of turns: each step needs the turn before its own.

    Where no step records a turn, that is the chain of all steps.
    """
    turns = _turns(trajectory.steps)
    return tuple(
        Edge(source, target)
        for before, after in pairwise(turns)
        for target in after
        for source in before
    )


def turn_ranks(steps: Sequence[Step]) -> list[int]:
    """Returns the rank of each step's turn, from 0; steps of one turn ran in parallel and tie.

    Args:
        steps: one list of steps, in the order in which they ran.
    """
    turns = _turns(steps)
    return [rank for rank, turn in enumerate(turns) for _ in turn]


def _turns(steps: Sequence[Step]) -> list[list[int]]:
    """Positions of the steps, grouped into turns: runs of steps with the same turn number."""
    turns: list[list[int]] = []
    for index, step in enumerate(steps):
        parallel = turns and step.turn is not None and step.turn == steps[turns[-1][-1]].turn
        turns[-1].append(index) if parallel else turns.append([index])
    return turns


_RECORDS: dict[str, Callable[[Trajectory], tuple[Edge, ...]]] = {
    "explicit": explicit_edges,
    "sequential": sequential_edges,
}
_LACKS = {
    "explicit": "not every step records depends_on",
    "traced": "no step records an effect",
}
