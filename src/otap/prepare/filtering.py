"""The filter: a run with all that it records in, the steps that count out.

Ids stay, so that alignment and findings name the steps that were recorded; a sub-step that took the
place of the step that it was part of is named after both, as ``3/1``. Dependencies are found before
anything is left out, and steps are then eliminated: a step that needed one that does not count
needs what that one needed.
"""

from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter
from typing import Any

from pydantic import JsonValue

from otap.dependencies import DependencyGraph, subgraph
from otap.dependencies.mechanisms import explicit_edges
from otap.matrices import below, canonical_json, plain
from otap.prepare.settings import RunSettings, failed_steps, step_roles
from otap.prepare.substeps import WholeRun, flattened
from otap.trajectory import Step, Trajectory


def read_whole(trajectory: Trajectory, settings: RunSettings) -> WholeRun:
    """Returns all steps of a run in one list, as far as those inside others are opened.

    Raises:
        FormatError: if two steps have one id after flattening.
        LimitError: if sub-steps nest deeper than ``max_depth``.
    """
    if settings.config.subagents in ("opened", "flattened") and _has_substeps(trajectory):
        whole, inside = flattened(trajectory, settings.config.max_depth)
    else:
        whole, inside = trajectory.model_copy(), {}
    failed = failed_steps(whole.steps, settings)
    return WholeRun(whole, inside, step_roles(whole, settings), failed)


def leave_out(
    whole: WholeRun, settings: RunSettings, hidden: Collection[int] = ()
) -> tuple[Sequence[int], Trajectory]:
    """Returns the positions of the steps that count, and the trajectory of these alone.

    Args:
        whole: the run.
        settings: say what counts.
        hidden: positions of steps that are not compared.
    """
    trajectory = whole.trajectory
    as_recorded = settings.leaves_all and not (whole.inside or hidden)
    if as_recorded and (settings.config.subagents == "nested" or not _has_substeps(trajectory)):
        return range(len(trajectory.steps)), trajectory
    kept = [place for place in _counting(whole, settings) if place not in hidden]
    graph = DependencyGraph(len(trajectory.steps), explicit_edges(trajectory), "explicit")
    needed = subgraph(whole.joined(graph), kept).parents
    names = [trajectory.steps[place].id for place in kept]
    steps = tuple(
        _counted_step(trajectory, place, [names[k] for k in needed[index]], settings)
        for index, place in enumerate(kept)
    )
    metadata = _with_goals(trajectory, set(names))
    return kept, trajectory.model_copy(update={"steps": steps, "metadata": metadata})


def _has_substeps(trajectory: Trajectory) -> bool:
    return any(map(attrgetter("substeps"), trajectory.steps))


def _counting(whole: WholeRun, settings: RunSettings) -> list[int]:
    """The positions of the steps that count by their tool and their status."""
    steps, outer = whole.trajectory.steps, whole.outer if settings.opens else {}
    counting = [
        place
        for place, step in enumerate(steps)
        if (settings.opens or place not in whole.inside) and not settings.ignored.get(step.tool)
    ]
    failed = settings.config.failed
    if failed == "kept":
        return counting
    found = []
    for index, place in enumerate(counting):
        later = counting[index + 1 :]
        # Only steps of the same list try a step again.
        near = [steps[k] for k in later if outer.get(k) == outer.get(place)]
        gone = steps[place].status == "error"
        if not gone or (failed == "folded" and not _is_tried_again(steps[place], near)):
            found.append(place)
    return found


def _is_tried_again(failed: Step, later: Sequence[Step]) -> bool:
    """Whether the next step of the same agent, after the turn of one that failed, is its retry."""
    for step in later:
        together = step.turn is not None and step.turn == failed.turn
        if step.agent == failed.agent and not together:
            return step.tool is not None and step.tool == failed.tool
    return False


def _counted_step(
    whole: Trajectory, place: int, needed: Sequence[str], settings: RunSettings
) -> Step:
    step, parameters = whole.steps[place], settings.parameters(whole.steps[place].tool)
    update: dict[str, Any] = {}
    if parameters.ignore or parameters.defaults:
        # Arguments that are ignored or have their default value say nothing.
        defaults = {path: canonical_json(value) for path, value in parameters.defaults.items()}
        ignored = frozenset(parameters.ignore)
        update["arguments"] = _pruned(step.arguments, "", ignored, defaults)
    if step.depends_on is not None:
        update["depends_on"] = tuple(needed)
    if step.substeps and not _counts_inside(whole, step, settings):
        update["substeps"] = ()
    if settings.roles.get(step.tool) == "reads" and "changes_state" not in step.metadata:
        update["metadata"] = {**step.metadata, "changes_state": False}
    return step.model_copy(update=update) if update else step


def _counts_inside(whole: Trajectory, step: Step, settings: RunSettings) -> bool:
    """Whether some step inside counts; which ones is seen when they are compared."""
    if settings.config.subagents == "dropped":
        return False
    inside = whole.model_copy(update={"steps": step.substeps, "metadata": {}})
    return bool(_counting(read_whole(inside, settings), settings))


def _with_goals(trajectory: Trajectory, counted: set[str]) -> dict[str, JsonValue]:
    """The metadata with those of its goals that count; what is no step of it stays an error."""
    goals = trajectory.metadata.get("goals")
    if not isinstance(goals, list):
        return trajectory.metadata
    known = {step.id for step in trajectory.steps}
    left = [goal for goal in goals if goal in counted or goal not in known]
    rest = {key: value for key, value in trajectory.metadata.items() if key != "goals"}
    return {**rest, "goals": left} if left else rest


def _pruned(
    data: JsonValue, path: str, ignored: frozenset[str], defaults: Mapping[str, str]
) -> JsonValue:
    data = plain(data)
    if isinstance(data, list):
        return [_pruned(member, path, ignored, defaults) for member in data]
    if not isinstance(data, dict):
        return data
    found = {}
    for key, value in data.items():
        place = below(path, key)
        if place in ignored or (place in defaults and canonical_json(value) == defaults[place]):
            continue
        rest = _pruned(value, place, ignored, defaults)
        # An object or list that lost all that it held goes too.
        if rest or not value or not isinstance(rest, dict | list):
            found[key] = rest
    return found
