"""Critical steps of a reference: the dominators [Cooper2001] of its goals."""

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from heapq import heappop, heappush
from operator import and_
from typing import Literal

import numpy as np
import numpy.typing as npt

from otap.errors import FormatError, shown
from otap.run import DependencyGraph
from otap.trajectory import Step, Trajectory

Goals = Literal["declared", "sinks"]


def critical_steps(
    trajectory: Trajectory, graph: DependencyGraph, goals: Goals, writes: Sequence[bool] = ()
) -> npt.NDArray[np.bool_]:
    """Returns which steps dominate a goal: without them it cannot be reached from some source.

    A source is a step that needed no other. A step dominates a goal from a source if every path
    between the two passes it; both ends do.

    Args:
        trajectory: the reference.
        graph: its dependencies.
        goals: "sinks": every step that no other needed, as in the paper. "declared": the ids in
            ``metadata["goals"]``; without these, the sinks that change something; without these
            too, the last step.
        writes: for each step whether it is known to change something.

    Returns:
        One truth value a step, (n,).

    Raises:
        FormatError: if declared goals are no list of ids of steps.
    """
    targets = set(graph.sinks if goals == "sinks" else _find_goals(trajectory, graph, writes))
    needed = _leading_to(targets, graph)
    rank = {step: place for place, step in enumerate(needed)}
    critical = 0
    for source in needed:
        if not graph.parents[source]:
            dominators = _dominators(graph, source, rank)
            for goal in dominators.keys() & targets:
                critical |= dominators[goal]
    return np.array([critical >> step & 1 for step in range(graph.size)], dtype=np.bool_)


def _leading_to(targets: Collection[int], graph: DependencyGraph) -> list[int]:
    """The targets and all that they need, in topological order: no other step is looked at."""
    needed = set(targets)
    for step in reversed(graph.order):
        if step in needed:
            needed.update(graph.parents[step])
    return [step for step in graph.order if step in needed]


def _dominators(graph: DependencyGraph, source: int, rank: Mapping[int, int]) -> dict[int, int]:
    """The dominators of each step that can be reached from ``source``, as the bits of a number.

    Only the steps of ``rank`` are looked at, which is their place in topological order: where the
    parents come first, one pass is enough.
    """
    found = {source: 1 << source}
    waiting = [(rank[source], source)]
    while waiting:
        _, step = heappop(waiting)
        for child in graph.children[step]:
            if child not in found and child in rank:
                found[child] = -1
                heappush(waiting, (rank[child], child))
        parents = [found[parent] for parent in graph.parents[step] if parent in found]
        found[step] = reduce(and_, parents, -1 if parents else 0) | 1 << step
    return found


def _find_goals(
    trajectory: Trajectory, graph: DependencyGraph, writes: Sequence[bool]
) -> Collection[int]:
    declared = trajectory.metadata.get("goals")
    if declared is not None:
        return _declared(trajectory, declared)
    goals = []
    for step in graph.sinks:
        is_change = changes_state(trajectory.steps, graph, step)
        if is_change is None:
            is_change = bool(writes) and writes[step]
        if is_change:
            goals.append(step)
    if goals:
        return goals
    if graph.mechanism != "explicit":
        return [graph.size - 1]
    # With explicit dependencies the order of the list is free: the deepest steps are last.
    return [step for step in range(graph.size) if graph.depth[step] == max(graph.depth)]


def _declared(trajectory: Trajectory, declared: object) -> list[int]:
    position = {step.id: index for index, step in enumerate(trajectory.steps)}
    if not isinstance(declared, list) or not declared:
        raise FormatError(f"{shown(trajectory.name)}: metadata.goals must be a list of step ids")
    for goal in declared:
        if not isinstance(goal, str) or goal not in position:
            raise FormatError(
                f"{shown(trajectory.name)}: metadata.goals names '{shown(goal)}', "
                "which is no step of it"
            )
    return [position[goal] for goal in declared]


def changes_state(steps: tuple[Step, ...], graph: DependencyGraph, index: int) -> bool | None:
    """Returns whether a step changes the environment; None if that is not recorded.

    It says so itself in ``metadata["changes_state"]``. Or its state differs from the states before
    it: that of the step listed before, or, with explicit dependencies, of the steps it needed.

    Args:
        steps: the steps of the reference.
        graph: their dependencies.
        index: the index of the step.
    """
    step = steps[index]
    declared = step.metadata.get("changes_state")
    if isinstance(declared, bool):
        return declared
    is_explicit = graph.mechanism == "explicit"
    before = graph.parents[index] if is_explicit else range(max(0, index - 1), index)
    states = [steps[k].state for k in before if steps[k].state is not None]
    if step.state is None or not states:
        return None
    return step.state not in states
