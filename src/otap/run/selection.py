"""Which steps and arguments of a run count.

Ids stay, so that alignment and findings name the recorded steps. A sub-step that replaces its
parent is named after both, as ``3/1``. Dependencies are found before steps are left out: a step
that needed one that does not count needs the dependencies of that one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import JsonValue

from otap.graph import DependencyGraph, subgraph
from otap.run.batches import split_batches
from otap.run.declarations import DeclaredTools
from otap.run.edges import explicit_edges
from otap.run.failures import find_failed_jobs, judge_status, shows_failed_job
from otap.run.index import ValueIndex
from otap.run.roles import Role, drop_client_keys
from otap.run.settings import RunSettings
from otap.run.substeps import Flags, FlatRun, flatten
from otap.run.weights import failed_steps, step_roles
from otap.trajectory import Step, Trajectory
from otap.values.value import canonical_json, join_path, plain


def flatten_run(
    trajectory: Trajectory, settings: RunSettings, declared_tools: DeclaredTools
) -> FlatRun:
    """Returns all steps of a run in one list, as far as sub-steps are opened.

    Args:
        trajectory: the run as it was recorded.
        settings: decide which sub-steps are opened, and declare roles.
        declared_tools: the facts of its tools that count.

    Raises:
        FormatError: if two steps have one id after flattening.
        LimitError: if sub-steps nest deeper than ``max_depth``.
    """
    is_nested = any(step.substeps for step in trajectory.steps)
    flattens = settings.opens_substeps or settings.config.subagents == "flattened"
    if is_nested and flattens:
        flat, substeps = flatten(trajectory, settings.config.max_depth)
        is_nested = False
    else:
        flat, substeps = trajectory.model_copy(), {}
    if settings.config.recognise and not settings.config.strict:  # which reads no meaning of keys
        flat = flat if substeps else split_batches(flat)
        flat = _replace_steps(flat, [drop_client_keys(step) for step in flat.steps])
    handoffs: list[int] = []
    if substeps:
        declared = [settings.roles.get(step.tool) for step in flat.steps]
        handoffs = [k for k, role in enumerate(declared) if role == "handoff"]
    index = ValueIndex(flat)
    roles, judged, failed = _judge_steps(flat, index, settings, declared_tools)
    return FlatRun(
        judged, substeps, roles, failed, is_nested, declared_tools, flat, index, handoffs
    )


def with_declared_tools(
    flat: FlatRun, settings: RunSettings, declared_tools: DeclaredTools
) -> FlatRun:
    """Returns a run in the light of other knowledge of its tools; the same if no role changes.

    Args:
        flat: the run.
        settings: may declare the roles of tools.
        declared_tools: the facts of its tools that count.
    """
    roles, judged, failed = _judge_steps(flat.recorded, flat.index, settings, declared_tools)
    if roles == flat.roles and np.array_equal(failed, flat.failed):
        return flat
    return replace(
        flat, trajectory=judged, roles=roles, failed=failed, declared_tools=declared_tools
    )


def _judge_steps(
    recorded: Trajectory, index: ValueIndex, settings: RunSettings, declared_tools: DeclaredTools
) -> tuple[list[Role], Trajectory, Flags]:
    """The role of each step, the steps with their status as judged, and which of them failed.

    A write whose effect reports a refusal has failed, and so has one whose job failed. One that
    changed something before it failed, or whose effect shows that it was done, has not.
    """
    roles = step_roles(index, settings, declared_tools)
    judged = recorded
    if settings.config.recognise:
        statuses = [
            values.of(judge_status).status if role == "writes" else values.step.status
            for values, role in zip(index.steps, roles, strict=True)
        ]
        steps = [
            step if step.status == status else step.model_copy(update={"status": status})
            for step, status in zip(recorded.steps, statuses, strict=True)
        ]
        shows_failure = [
            role == "reads" and values.of(shows_failed_job)
            for values, role in zip(index.steps, roles, strict=True)
        ]
        for k in find_failed_jobs(steps, roles, shows_failure) if any(shows_failure) else ():
            steps[k] = steps[k].model_copy(update={"status": "error"})
        judged = _replace_steps(recorded, steps)
    return roles, judged, failed_steps(judged.steps, settings)


def _replace_steps(trajectory: Trajectory, steps: Sequence[Step]) -> Trajectory:
    """The trajectory with other steps; itself if they are the same objects."""
    if all(step is before for step, before in zip(steps, trajectory.steps, strict=True)):
        return trajectory
    return trajectory.model_copy(update={"steps": tuple(steps)})


def select_steps(
    flat: FlatRun, settings: RunSettings, hidden: Collection[int] = ()
) -> tuple[Sequence[int], Trajectory]:
    """Returns the indices of the steps that count, and the trajectory of these alone.

    Args:
        flat: the run.
        settings: decide which steps and fields count.
        hidden: indices of steps that are not compared.
    """
    trajectory = flat.trajectory
    is_unchanged = settings.keeps_everything and not (flat.substeps or hidden)
    if is_unchanged and (settings.nests_substeps or not flat.is_nested):
        return range(len(trajectory.steps)), trajectory
    selected = [k for k in _list_counting(flat, settings) if k not in hidden]
    graph = DependencyGraph(len(trajectory.steps), explicit_edges(trajectory), "explicit")
    parents = subgraph(flat.join_substeps(graph), selected).parents
    ids = [trajectory.steps[k].id for k in selected]
    steps = tuple(
        _select_fields(trajectory, k, [ids[parent] for parent in parents[position]], settings)
        for position, k in enumerate(selected)
    )
    metadata = _select_goals(trajectory, set(ids))
    return selected, trajectory.model_copy(update={"steps": steps, "metadata": metadata})


def _list_counting(flat: FlatRun, settings: RunSettings) -> list[int]:
    """The indices of the steps that count by their tool and their status."""
    steps, parent_of = flat.trajectory.steps, flat.parent_of if settings.opens_substeps else {}
    counting = [
        k
        for k, step in enumerate(steps)
        if (settings.opens_substeps or k not in flat.substeps)
        and not settings.ignored.get(step.tool)
    ]
    failed = settings.config.failed
    if failed == "kept":
        return counting
    selected = []
    for position, k in enumerate(counting):
        later = counting[position + 1 :]
        # Only steps of the same list retry a step.
        siblings = [steps[i] for i in later if parent_of.get(i) == parent_of.get(k)]
        has_failed = steps[k].status == "error"
        if not has_failed or (failed == "folded" and not _is_retried(steps[k], siblings)):
            selected.append(k)
    return selected


def _is_retried(failed: Step, later: Sequence[Step]) -> bool:
    """Whether the next step of the same agent, after the turn of a failed one, is its retry."""
    for step in later:
        is_parallel = step.turn is not None and step.turn == failed.turn
        if step.agent == failed.agent and not is_parallel:
            return step.tool is not None and step.tool == failed.tool
    return False


def _select_fields(
    trajectory: Trajectory, k: int, parents: Sequence[str], settings: RunSettings
) -> Step:
    step, parameters = trajectory.steps[k], settings.parameters(trajectory.steps[k].tool)
    update: dict[str, Any] = {}
    if parameters.ignore or parameters.defaults:
        defaults = {path: canonical_json(value) for path, value in parameters.defaults.items()}
        ignored = frozenset(parameters.ignore)
        update["arguments"] = _prune(step.arguments, "", ignored, defaults)
    if step.depends_on is not None:
        update["depends_on"] = tuple(parents)
    if step.substeps and not _has_counting_substeps(trajectory, step, settings):
        update["substeps"] = ()
    if settings.roles.get(step.tool) == "reads" and "changes_state" not in step.metadata:
        update["metadata"] = {**step.metadata, "changes_state": False}
    return step.model_copy(update=update) if update else step


def _has_counting_substeps(trajectory: Trajectory, step: Step, settings: RunSettings) -> bool:
    if settings.config.subagents == "dropped":
        return False
    inner = trajectory.model_copy(update={"steps": step.substeps, "metadata": {}})
    flat = flatten_run(inner, settings, DeclaredTools(inner.tools))
    return bool(_list_counting(flat, settings))


def _select_goals(trajectory: Trajectory, selected: set[str]) -> dict[str, JsonValue]:
    """The metadata with the goals that count; a goal that is no step stays, and is an error."""
    goals = trajectory.metadata.get("goals")
    if not isinstance(goals, list):
        return trajectory.metadata
    ids = {step.id for step in trajectory.steps}
    remaining = [goal for goal in goals if goal in selected or goal not in ids]
    metadata = {key: value for key, value in trajectory.metadata.items() if key != "goals"}
    return {**metadata, "goals": remaining} if remaining else metadata


def _prune(
    data: JsonValue, path: str, ignored: frozenset[str], defaults: Mapping[str, str]
) -> JsonValue:
    """The arguments without those that are ignored or have their default value."""
    data = plain(data)
    if isinstance(data, list):
        return [_prune(member, path, ignored, defaults) for member in data]
    if not isinstance(data, dict):
        return data
    members = {}
    for key, member in data.items():
        member_path = join_path(path, key)
        is_default = member_path in defaults and canonical_json(member) == defaults[member_path]
        if member_path in ignored or is_default:
            continue
        pruned = _prune(member, member_path, ignored, defaults)
        # An object or list that lost all its members is left out too.
        if pruned or not member or not isinstance(pruned, dict | list):
            members[key] = pruned
    return members


def keep_compared(trajectory: Trajectory, compared: JsonValue) -> Trajectory:
    """Returns a run with only the arguments that count against a reference.

    Args:
        trajectory: a run.
        compared: the reference's list of arguments for each tool.
    """
    if not isinstance(compared, dict):
        return trajectory
    steps = []
    for step in trajectory.steps:
        keys, arguments = compared.get(step.tool or ""), step.arguments
        if isinstance(keys, list) and isinstance(arguments, dict):
            counting = {key: argument for key, argument in arguments.items() if key in keys}
            step = step.model_copy(update={"arguments": counting})
        steps.append(step)
    return trajectory.model_copy(update={"steps": tuple(steps)})
