"""Which steps of a reference are critical: those without which a goal cannot be reached."""

from collections.abc import Collection
from typing import Literal

import numpy as np
import numpy.typing as npt

from otap.dependencies import DependencyGraph
from otap.errors import FormatError, shown
from otap.trajectory import Step, Trajectory

Goals = Literal["declared", "sinks"]


def critical_steps(
    trajectory: Trajectory, graph: DependencyGraph, goals: Goals
) -> npt.NDArray[np.bool_]:
    """Returns for each step whether some goal is cut off from some source without it.

    A source is a step that needed no other. A goal, and a source with a goal, are critical
    themselves. ``goals`` is "sinks" (the paper's: every step that no other needed) or "declared":
    the ids in ``metadata["goals"]``; where there are none, the sinks that change state, as far as
    that is known; else the last step.
    """
    targets = graph.sinks if goals == "sinks" else _goals(trajectory, graph)
    sources = [step for step in range(graph.size) if not graph.parents[step]]
    critical = np.zeros(graph.size, dtype=np.bool_)
    for source in sources:
        reached = _reachable(graph, source, without=None)
        for step in reached:
            lost = {step} | (reached - _reachable(graph, source, without=step))
            critical[step] |= any(target in lost for target in targets)
    return critical


def _goals(trajectory: Trajectory, graph: DependencyGraph) -> Collection[int]:
    declared = trajectory.metadata.get("goals")
    if declared is not None:
        return _declared(trajectory, declared)
    changing = [step for step in graph.sinks if changes_state(trajectory.steps, graph, step)]
    if changing:
        return changing
    return _last(graph)


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


def changes_state(steps: tuple[Step, ...], graph: DependencyGraph, index: int) -> bool:
    """Says whether a step is known to change the environment.

    It says so itself in ``metadata["changes_state"]``, or its state differs from those recorded
    before it: by the step listed before, or, with explicit dependencies, by the steps it needed.
    """
    step = steps[index]
    declared = step.metadata.get("changes_state")
    if isinstance(declared, bool):
        return declared
    explicit = graph.mechanism == "explicit"
    before = graph.parents[index] if explicit else range(max(0, index - 1), index)
    known = [steps[k].state for k in before if steps[k].state is not None]
    return step.state is not None and bool(known) and step.state not in known


def _last(graph: DependencyGraph) -> Collection[int]:
    """The last step; with explicit dependencies listing order means nothing: the deepest steps."""
    if graph.mechanism != "explicit":
        return [graph.size - 1]
    return [step for step in range(graph.size) if graph.depth[step] == max(graph.depth)]


def _reachable(graph: DependencyGraph, source: int, without: int | None) -> set[int]:
    if source == without:
        return set()
    reached = {source}
    waiting = [source]
    while waiting:
        for child in graph.children[waiting.pop()]:
            if child != without and child not in reached:
                reached.add(child)
                waiting.append(child)
    return reached
