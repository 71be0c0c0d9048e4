"""The role and the weight of each step."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from otap.config import Config
from otap.run.declarations import DeclaredTools
from otap.run.index import StepValues, ValueIndex
from otap.run.roles import ROLES, Role, infer_role
from otap.run.settings import RunSettings
from otap.trajectory import Step, Trajectory

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
_NO_FACTS = DeclaredTools({})


def step_roles(
    index: ValueIndex, settings: RunSettings, declared_tools: DeclaredTools
) -> list[Role]:
    """Returns the role of each step; without the setting ``recognise`` every step writes.

    Args:
        index: the values of the run.
        settings: may declare the roles of tools.
        declared_tools: the facts of its tools that count.
    """
    if not settings.config.recognise:
        return ["writes"] * len(index.steps)
    return [
        settings.roles.get(values.step.tool) or _infer_role(values, declared_tools)
        for values in index.steps
    ]


def _infer_role(values: StepValues, declared_tools: DeclaredTools) -> Role:
    if declared_tools.know(values.step.tool):
        return infer_role(values.step, declared_tools)
    return values.of(_infer_without_facts)


def _infer_without_facts(step: Step) -> Role:
    return infer_role(step, _NO_FACTS)


def failed_steps(steps: Sequence[Step], settings: RunSettings) -> Flags:
    """Returns which steps failed, (n,); none without the setting ``recognise``."""
    if not settings.config.recognise:
        return np.zeros(len(steps), dtype=np.bool_)
    return np.array([step.status == "error" for step in steps], dtype=np.bool_)


def full_weight_roles(
    reference: Trajectory, roles: Sequence[Role], settings: RunSettings
) -> frozenset[Role]:
    """Returns the roles that have full weight against a reference: changes.

    If the reference changes nothing, its weightiest role has full weight too, unless it says that
    only changes count.
    """
    if reference.metadata.get("only_changes", settings.config.only_changes) is True:
        return frozenset({"writes"})
    present = [role for role in ROLES if role in roles]
    return frozenset({"writes", *present[:1]})


def step_weights(
    steps: Sequence[Step],
    roles: Sequence[Role],
    full_weight: frozenset[Role],
    settings: RunSettings,
) -> Array:
    """Returns the weight of each step, (n,); an ordinary step weighs 1.

    Args:
        steps: the steps.
        roles: their roles.
        full_weight: the roles that weigh 1.
        settings: the weights of roles and tools.
    """
    counts = settings.config.counts
    by_role: Mapping[str, float] = {
        "forbidden": 1.0,
        "writes": 1.0,
        "reads": counts.reads,
        "thinks": counts.thinks,
        "handoff": counts.handoff,
        **dict.fromkeys(full_weight, 1.0),
    }
    weights = [by_role[role] for role in roles]
    if settings.config.tools.weight:
        weights = [
            settings.weights.get(step.tool) or weight
            for step, weight in zip(steps, weights, strict=True)
        ]
    failed = failed_steps(steps, settings)
    return np.where(failed, np.minimum(weights, counts.failed), weights)


def writing_steps(trajectory: Trajectory) -> list[bool]:
    """Returns which steps of a trajectory change something, under the default settings.

    Args:
        trajectory: the run as it was recorded.
    """
    settings = RunSettings(Config())
    failed = failed_steps(trajectory.steps, settings)
    declared_tools = DeclaredTools.of_reference(trajectory.tools, trajectory.steps)
    roles = step_roles(ValueIndex(trajectory), settings, declared_tools)
    return [
        role == "writes" and not has_failed
        for role, has_failed in zip(roles, failed.tolist(), strict=True)
    ]
