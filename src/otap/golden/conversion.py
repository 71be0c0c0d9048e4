"""Turns a recorded run into a plan that judges as nearly as possible like the run.

Each call of the run becomes a required step with the recorded arguments. The steps have the names
that ids of findings are made from, so the ids of other findings stay.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from otap.config import Config
from otap.findings.identity import name_steps
from otap.learning.plans import without_nulls
from otap.plans.model import MAX_PLAN_STEPS, SCHEMA_VERSION
from otap.plans.patterns import as_literal
from otap.run.placeholders import PLACEHOLDER
from otap.run.run import Run, prepare
from otap.run.settings import RunSettings
from otap.trajectory import Trajectory

_MECHANISMS = ("explicit", "traced", "conflicts")


class Conversion(NamedTuple):
    """A plan made from a recorded run.

    Attributes:
        data: the plan as plain data.
        ids: the id of the plan's step for each step of the run that is in it.
    """

    data: dict[str, Any]
    ids: Mapping[str, str]


def convert_run(reference: Trajectory, config: Config) -> Iterator[Conversion]:
    """Yields plans made from a recorded run, which judge extra look-ups and order differently.

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
    for has_order in (True, False):
        steps = list(_list_steps(run, ids, has_order))
        for others in ("reads", "none"):
            yield Conversion(_write_data(reference, steps, others), ids)


def _name_unused(name: str, used_ids: set[str]) -> str:
    unused, number = name, 2
    while unused in used_ids:
        unused, number = f"{name}-{number}", number + 1
    return unused


def _write_data(reference: Trajectory, steps: list[dict[str, Any]], others: str) -> dict[str, Any]:
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
    kept_keys = ("recorded", "redacted")
    metadata = {key: reference.metadata[key] for key in kept_keys if key in reference.metadata}
    return {**data, "metadata": without_nulls(metadata)} if metadata else data


def _list_steps(run: Run, ids: Mapping[str, str], has_order: bool) -> Iterator[dict[str, Any]]:
    before = _find_predecessors(run) if has_order else {}
    for step in run.scored.steps:
        if step.id not in ids:
            continue
        data: dict[str, Any] = {"id": ids[step.id], "tool": step.tool}
        earlier = [ids[step_id] for step_id in before.get(step.id, ()) if step_id in ids]
        if earlier:
            data["after"] = earlier
        arguments = without_nulls(step.arguments)
        if isinstance(arguments, dict):
            data["arguments"] = free_placeholders(as_literal(arguments))
        yield data


def free_placeholders(data: Any) -> Any:
    """Returns arguments of a plan in which any value is allowed where a value was redacted."""
    if isinstance(data, dict):
        return {key: free_placeholders(member) for key, member in data.items()}
    if isinstance(data, list):
        return [free_placeholders(member) for member in data]
    is_redacted = isinstance(data, str) and PLACEHOLDER.search(data)
    return {"any": True} if is_redacted else data


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
