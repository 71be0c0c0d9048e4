"""What a configuration says of single runs, ready to be asked by tool: roles, weights, rules."""

import hashlib
import json
from collections.abc import Container, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otap.config import Config, Parameters
from otap.config.tables import EVERY_TOOL, tolerance_parts
from otap.dependencies.tool_names import ByTool
from otap.matrices import Rule, Rules
from otap.prepare.recognition import ROLES, Role, recognised
from otap.trajectory import Step, Trajectory

# Factor of lambda_agent on a look too many where looks count in full: it costs a little less than a
# change too many, or than a look too few.
BESIDES_IN_FULL = 0.9

Array = NDArray[np.float64]
Marks = NDArray[np.bool_]


class RunSettings:
    """The settings that decide what of a run is compared.

    Args:
        config: all settings.

    Attributes:
        roles: what is said of tools, which beats what is recognised.
        leaves_all: whether they leave all that is no sub-step as it was recorded.
        opens: whether steps inside a step count beside it.
        digest: short, and equal for settings of equal effect.
    """

    def __init__(self, config: Config) -> None:
        tools, canonical = config.tools, _canonical(config)
        said: Mapping[Role, Sequence[str]] = {
            "reads": tools.read_only,
            "writes": tools.writes,
            "thinks": tools.thinks,
            "hands_over": tools.hands_over,
        }
        self.config = config
        self.roles = ByTool({tool: role for role, names in said.items() for tool in names})
        self.weights = ByTool(tools.weight)
        self.ignored = ByTool(dict.fromkeys(tools.ignore, True))
        self.leaves_all = canonical == _canonical(Config(subagents=config.subagents))
        self.opens = config.subagents == "opened"
        self.digest = hashlib.sha256(json.dumps(canonical, sort_keys=True).encode()).hexdigest()[
            :16
        ]
        self._by_tool = ByTool(config.parameters)
        self._known: dict[str | None, tuple[Parameters, Rules | None]] = {}

    def rules(self, tool: str | None) -> Rules | None:
        """How the arguments of a tool are compared; None: no rule."""
        return (self._known.get(tool) or self._look_up(tool))[1]

    def parameters(self, tool: str | None) -> Parameters:
        """How the arguments of a tool count."""
        return (self._known.get(tool) or self._look_up(tool))[0]

    def _look_up(self, tool: str | None) -> tuple[Parameters, Rules | None]:
        found = self.config.parameters.get(EVERY_TOOL, Parameters())
        own = self._by_tool.get(tool) if tool != EVERY_TOOL else None
        if own is not None:
            found = own.over(found)
        self._known[tool] = found, _rules_of(found) if found.compares else None
        return self._known[tool]


def step_roles(
    trajectory: Trajectory, settings: RunSettings, handing: Container[int] = ()
) -> list[Role]:
    """Returns what each step does; without ``recognise`` every step writes.

    Args:
        trajectory: the run.
        settings: say of some tools what they do.
        handing: the positions of calls whose work is done by the steps inside them.
    """
    if not settings.config.recognise:
        return ["writes"] * len(trajectory.steps)
    roles: list[Role] = []
    for place, step in enumerate(trajectory.steps):
        role = settings.roles.get(step.tool) or ("hands_over" if place in handing else None)
        roles.append(role or recognised(step, trajectory.tools))
    return roles


def failed_steps(steps: Sequence[Step], settings: RunSettings) -> Marks:
    """Returns which steps failed; none where nothing is recognised."""
    if not settings.config.recognise:
        return np.zeros(len(steps), dtype=np.bool_)
    failed: Marks = np.array(list(map(attrgetter("status"), steps)), dtype=object) == "error"
    return failed


def roles_in_full(
    reference: Trajectory, roles: Sequence[Role], settings: RunSettings
) -> frozenset[Role]:
    """Returns what counts in full against a reference: its changes.

    Where it changes nothing, and does not say that only changes count, what it does instead.
    """
    if reference.metadata.get("only_changes", settings.config.only_changes) is True:
        return frozenset({"writes"})
    return frozenset({"writes", next(filter(roles.__contains__, ROLES), "writes")})


def step_weights(
    steps: Sequence[Step], roles: Sequence[Role], in_full: frozenset[Role], settings: RunSettings
) -> Array:
    """Returns what each step weighs where some roles count in full; an ordinary one weighs 1."""
    counts = settings.config.counts
    by_role = {"writes": 1.0, "reads": counts.reads, "thinks": counts.thinks}
    by_role |= {"hands_over": counts.hands_over, **dict.fromkeys(in_full, 1.0)}
    weights = list(map(by_role.__getitem__, roles))
    if settings.config.tools.weight:
        said = (settings.weights.get(step.tool) for step in steps)
        weights = [own or weight for own, weight in zip(said, weights, strict=True)]
    failed = failed_steps(steps, settings)
    return np.where(failed, np.minimum(weights, counts.failed), weights)


def step_penalties(
    steps: Sequence[Step], roles: Sequence[Role], in_full: frozenset[Role], settings: RunSettings
) -> Array:
    """Returns the factor of lambda_agent of each step: lower on what changes nothing."""
    if not settings.config.recognise:
        return np.ones(len(steps))
    besides = settings.config.counts.besides
    by_role = {**dict.fromkeys(ROLES, besides), **dict.fromkeys(in_full, BESIDES_IN_FULL)}
    if "writes" in in_full:
        by_role["writes"] = 1.0
    factors = list(map(by_role.__getitem__, roles))
    return np.where(failed_steps(steps, settings), besides, factors)


def writing(trajectory: Trajectory) -> list[bool]:
    """Returns which steps of a trajectory change something, as far as that is recognised.

    Args:
        trajectory: the run as it was recorded.
    """
    settings = RunSettings(Config())
    writes = np.array(step_roles(trajectory, settings), dtype=object) == "writes"
    found: list[bool] = (writes & ~failed_steps(trajectory.steps, settings)).tolist()
    return found


def _canonical(config: Config) -> dict[str, Any]:
    """What decides what counts, such that settings of equal effect are equal."""
    tools, parameters = config.tools, config.parameters
    return {
        "failed": config.failed,
        "subagents": config.subagents,
        "ignore": sorted(tools.ignore),
        "read_only": sorted(tools.read_only),
        "writes": sorted(tools.writes),
        "thinks": sorted(tools.thinks),
        "hands_over": sorted(tools.hands_over),
        "weight": dict(sorted(tools.weight.items())),
        "parameters": {
            tool: {
                name: sorted(value) if isinstance(value, list) else value
                for name, value in one.model_dump(mode="json").items()
            }
            for tool, one in parameters.items()
            if one != Parameters()
        },
    }


def _rules_of(parameters: Parameters) -> Rules:
    found: dict[str, Rule] = {}
    lists = {*parameters.sets, *parameters.ordered}
    for path in {*parameters.exact, *parameters.text, *parameters.tolerance, *lists}:
        absolute, relative = tolerance_parts(parameters.tolerance.get(path, 0.0))
        found[path] = Rule(
            exact=path in parameters.exact,
            text=path in parameters.text,
            as_set=path in parameters.sets,
            ordered=path in parameters.ordered,
            absolute=absolute,
            relative=relative,
        )
    return Rules(found)
