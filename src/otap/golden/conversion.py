"""Turns a recorded run into a plan that judges as nearly as possible like the run.

Each call of the run becomes a required step with the recorded arguments. The steps have the names
that ids of findings are made from, so the ids of other findings stay. The metadata of the plan have
the calls that show where a hidden value comes from.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from otap.config import Config
from otap.findings.identity import name_steps
from otap.learning.plans import without_nulls
from otap.plans.model import MAX_PLAN_STEPS, SCHEMA_VERSION
from otap.plans.patterns import as_literal
from otap.run.declarations import DeclaredTools
from otap.run.placeholders import REDACTED, has_placeholder
from otap.run.recorded_texts import iterate_recorded_steps
from otap.run.roles import infer_role
from otap.run.run import Run, prepare
from otap.run.settings import RunSettings
from otap.scoring.hidden_values import REDACTED_STEPS
from otap.trajectory import Step, Trajectory

_MECHANISMS = ("explicit", "traced", "conflicts")
# Whether the order counts, whether the look-ups of the run are free, and the other calls allowed.
_VARIANTS = (
    (True, False, "reads"),
    (True, False, "none"),
    (False, False, "reads"),
    (True, True, "reads"),
    (False, True, "reads"),
)


class Conversion(NamedTuple):
    """A plan made from a recorded run.

    Attributes:
        data: the plan as plain data.
        ids: the id of the plan's step for each step of the run that is in it.
    """

    data: dict[str, Any]
    ids: Mapping[str, str]


def convert_run(reference: Trajectory, config: Config) -> Iterator[Conversion]:
    """Yields plans made from a recorded run, which judge look-ups and order more or less exactly.

    Thoughts are free in all of them.

    Args:
        reference: the recorded run.
        config: the settings.
    """
    run = prepare(reference, RunSettings(config))
    names = name_steps(run.scored.steps)
    ids: dict[str, str] = {}
    used_ids: set[str] = set()
    for step, failed in zip(run.scored.steps, run.failed, strict=True):
        if step.tool is None or failed or len(ids) >= MAX_PLAN_STEPS:
            continue
        ids[step.id] = _name_unused(names[step.id], used_ids)
        used_ids.add(ids[step.id])
    for has_order, has_free_reads, others in _VARIANTS:
        free_roles = {"thinks", "reads"} if has_free_reads else {"thinks"}
        steps = list(_list_steps(run, ids, has_order, free_roles))
        yield Conversion(_write_data(reference, steps, others, ids), ids)


def _name_unused(name: str, used_ids: set[str]) -> str:
    unused, number = name, 2
    while unused in used_ids:
        unused, number = f"{name}-{number}", number + 1
    return unused


def _write_data(
    reference: Trajectory, steps: list[dict[str, Any]], others: str, ids: Mapping[str, str]
) -> dict[str, Any]:
    data: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    if reference.id is not None:
        data["id"] = reference.id
    if reference.task is not None:
        data["task"] = reference.task
    if reference.request:
        data["request"] = list(reference.request)
    if reference.required_answers:
        data["required_answers"] = list(reference.required_answers)
    if others != "reads":
        data["others"] = others
    if isinstance(reference.metadata.get("only_changes"), bool):
        data["only_changes"] = reference.metadata["only_changes"]
    data["steps"] = steps
    names = ("recorded", REDACTED)
    metadata: dict[str, Any] = {
        name: reference.metadata[name] for name in names if name in reference.metadata
    }
    if REDACTED in metadata:
        metadata[REDACTED_STEPS] = _list_redacted_steps(reference, ids)
    return {**data, "metadata": without_nulls(metadata)} if metadata else data


def _list_steps(
    run: Run, ids: Mapping[str, str], has_order: bool, free_roles: Collection[str]
) -> Iterator[dict[str, Any]]:
    """Yields the steps of the plan: those of free roles once for each tool, as often as it likes.

    Args:
        run: the recorded run.
        ids: the ids of the plan's steps.
        has_order: whether a step comes after those whose results it needs.
        free_roles: roles whose calls are free.
    """
    before = _find_predecessors(run) if has_order else {}
    tools = {step.id: step.tool for step in run.scored.steps}
    free_tools = set(_list_free_tools(run, free_roles))
    yielded_tools: set[str | None] = set()
    for step in run.scored.steps:
        if step.id not in ids or step.tool in yielded_tools:
            continue
        if step.tool in free_tools:
            yielded_tools.add(step.tool)
            yield {"id": ids[step.id], "tool": step.tool, "times": [0]}
            continue
        data: dict[str, Any] = {"id": ids[step.id], "tool": step.tool}
        sources = [step_id for step_id in before.get(step.id, ()) if step_id in ids]
        earlier = [ids[step_id] for step_id in sources if tools[step_id] not in free_tools]
        if earlier:
            data["after"] = earlier
        arguments = without_nulls(step.arguments)
        if isinstance(arguments, dict):
            data["arguments"] = as_literal(arguments)
        yield data


def _list_free_tools(run: Run, free_roles: Collection[str]) -> Iterator[str]:
    """Yields the tools that have a free role in every call of the run, and by their names alone.

    A shell only reads in one call and deletes in the next, so its calls are never free.
    """
    declared = DeclaredTools(run.scored.tools)
    roles: dict[str, set[str]] = {}
    for step, role in zip(run.scored.steps, run.roles, strict=True):
        if step.tool is not None:
            roles.setdefault(step.tool, set()).add(role)
    for tool, roles_of_calls in roles.items():
        bare_role = run.settings.roles.get(tool) or infer_role(Step(id="call", tool=tool), declared)
        if {bare_role, *roles_of_calls} <= set(free_roles):
            yield tool


def _list_redacted_steps(reference: Trajectory, ids: Mapping[str, str]) -> list[dict[str, Any]]:
    """The calls of a recording that show where its hidden values come from."""
    redacted = []
    for step in iterate_recorded_steps(reference.steps):
        fields = {name: getattr(step, name) for name in ("arguments", "effect", "state")}
        if step.tool is None or not has_placeholder(list(fields.values())):
            continue
        plan_id = {"id": ids[step.id]} if step.id in ids else {}
        pruned = {
            name: _prune(data)
            for name, data in fields.items()
            if name == "arguments" or has_placeholder(data)
        }
        redacted.append({**plan_id, "tool": step.tool, **pruned})
    return redacted


def _prune(data: Any) -> Any:
    """Data without the objects and lists that hide nothing."""
    if isinstance(data, dict):
        return {
            key: _prune(member)
            for key, member in data.items()
            if not isinstance(member, dict | list) or has_placeholder({key: member})
        }
    return [_prune(member) for member in data] if isinstance(data, list) else data


def _find_predecessors(run: Run) -> dict[str, list[str]]:
    """The ids of the steps that each step needs, by the best evidence, without implied ones."""
    mechanism = next((name for name in _MECHANISMS if name in run.mechanisms), None)
    if mechanism is None:
        return {}
    graph = run.graph(mechanism)
    step_ids = [step.id for step in run.scored.steps]
    parents: dict[int, set[int]] = {}
    for edge in graph.edges:
        parents.setdefault(edge.target, set()).add(edge.source)
    earlier: dict[int, set[int]] = {}
    for node in graph.order:
        earlier[node] = set().union(*({k} | earlier.get(k, set()) for k in parents.get(node, ())))
    return {
        step_ids[node]: [
            step_ids[k]
            for k in sorted(sources)
            if not any(k in earlier[other] for other in sources)
        ]
        for node, sources in parents.items()
    }
