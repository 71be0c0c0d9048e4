"""Critical steps of a reference: the dominators [Cooper2001] of its goals."""

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from heapq import heappop, heappush
from operator import and_

import numpy as np
import numpy.typing as npt

from otap.errors import FormatError, shown
from otap.graph import DependencyGraph
from otap.trajectory import Step, Trajectory


def critical_steps(
    trajectory: Trajectory,
    graph: DependencyGraph,
    writes: Sequence[bool] = (),
    delegating: Collection[int] = (),
) -> npt.NDArray[np.bool_]:
    """Returns which steps dominate a goal: without them it cannot be reached from some source.

    Goals are the ids in ``metadata["goals"]``. If there are none, the sinks that change something;
    if there are none of these, the last step.

    Args:
        trajectory: the reference.
        graph: its dependencies.
        writes: for each step whether it is known to change something.
        delegating: the calls that delegate; they follow their sub-steps, but do not depend on them.

    Returns:
        One flag a step, (n,).

    Raises:
        FormatError: if the declared goals are not a list of step ids.
    """
    return dominating_steps(graph, _find_goals(trajectory, graph, writes, delegating))


def dominating_steps(graph: DependencyGraph, targets: Collection[int]) -> npt.NDArray[np.bool_]:
    """Returns which steps are on every path from some source to some target, (n,).

    A source is a step that needed no other step. Both ends of a path are on it.

    Args:
        graph: the dependencies.
        targets: the steps to reach.
    """
    targets = set(targets)
    ancestors = _list_ancestors(targets, graph)
    rank = {step: index for index, step in enumerate(ancestors)}
    critical = 0
    for source in ancestors:
        if not graph.parents[source]:
            dominators = _find_dominators(graph, source, rank)
            for goal in dominators.keys() & targets:
                critical |= dominators[goal]
    return np.array([critical >> step & 1 for step in range(graph.size)], dtype=np.bool_)


def _list_ancestors(targets: Collection[int], graph: DependencyGraph) -> list[int]:
    """The targets and all steps that they need, in topological order."""
    ancestors = set(targets)
    for step in reversed(graph.order):
        if step in ancestors:
            ancestors.update(graph.parents[step])
    return [step for step in graph.order if step in ancestors]


def _find_dominators(
    graph: DependencyGraph, source: int, rank: Mapping[int, int]
) -> dict[int, int]:
    """The dominators of each step that can be reached from a source, as the bits of a number.

    Args:
        graph: the dependencies.
        source: the step from which paths start.
        rank: the topological rank of the steps that count. Parents come before their children, so
            one pass is enough.
    """
    dominators = {source: 1 << source}
    queue = [(rank[source], source)]
    while queue:
        _, step = heappop(queue)
        for child in graph.children[step]:
            if child not in dominators and child in rank:
                dominators[child] = -1
                heappush(queue, (rank[child], child))
        parents = [dominators[parent] for parent in graph.parents[step] if parent in dominators]
        dominators[step] = reduce(and_, parents, -1 if parents else 0) | 1 << step
    return dominators


def _find_goals(
    trajectory: Trajectory,
    graph: DependencyGraph,
    writes: Sequence[bool],
    delegating: Collection[int],
) -> Collection[int]:
    declared = trajectory.metadata.get("goals")
    if declared is not None:
        return _find_declared(trajectory, declared)
    goals = []
    for step in _list_ends(graph, delegating):
        is_change = changes_state(trajectory.steps, graph, step)
        if is_change is None and writes:
            is_change = writes[step]
        if is_change:
            goals.append(step)
    if goals:
        return goals
    if graph.mechanism != "explicit":
        return [graph.size - 1]
    # With explicit dependencies the listing order means nothing, so the deepest steps are last.
    return [step for step in range(graph.size) if graph.depth[step] == max(graph.depth)]


def _list_ends(graph: DependencyGraph, delegating: Collection[int]) -> list[int]:
    """The sinks, and the sub-steps that only calls that delegate follow."""
    ends = set[int]()
    for step in reversed(graph.order):
        if all(child in delegating and child in ends for child in graph.children[step]):
            ends.add(step)
    return sorted(ends)


def _find_declared(trajectory: Trajectory, declared: object) -> list[int]:
    index_of = {step.id: index for index, step in enumerate(trajectory.steps)}
    if not isinstance(declared, list) or not declared:
        raise FormatError(f"{shown(trajectory.name)}: metadata.goals must be a list of step ids")
    for goal in declared:
        if not isinstance(goal, str) or goal not in index_of:
            raise FormatError(
                f"{shown(trajectory.name)}: metadata.goals names '{shown(goal)}', but no step has "
                "that id"
            )
    return [index_of[goal] for goal in declared]


def changes_state(steps: tuple[Step, ...], graph: DependencyGraph, index: int) -> bool | None:
    """Returns whether a step changes the environment; None if that is not recorded.

    ``metadata["changes_state"]`` decides. Without it, a step changes the environment if its state
    differs from the states before it. These are the state of the step listed before, or, with
    explicit dependencies, of the steps that it needed.

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
