"""What could be put into the settings, the surest first."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from otap.learning.setting import Setting
from otap.learning.weights.sight import Sight
from otap.learning.weights.strength import Strength
from otap.scoring.prepare.recognition import Role

ENDS = 3  # tasks whose runs a tool must have ended, and always, to hand over

PLACE: Mapping[Role, str] = {
    "reads": "read_only",
    "writes": "writes",
    "thinks": "thinks",
    "hands_over": "hands_over",
}

ROLE_OF: Mapping[str, Role] = {name: role for role, name in PLACE.items()}


@dataclass(frozen=True)
class Proposal:
    """Something to put into the settings, and how sure it is."""

    tool: str
    setting: Setting
    sure: float


def role_proposals(sight: Sight, doubt: float = 0.5) -> list[Proposal]:
    """Returns what tools seem to do that were recognised as something else, the surest first."""
    tools = sight.tools
    found = []
    for tool, rate in zip(tools.names, sight.counting.tolist(), strict=True):
        wrong = rate < doubt if tools.role(tool) == "writes" else rate > 1 - doubt
        if wrong and not tools.varies(tool) and tool not in tools.fixed:
            role: Role = "hands_over" if _ends(tool, sight) else "reads"
            role = role if tools.role(tool) == "writes" else "writes"
            setting = Setting(("tools", PLACE[role]), tool, "")
            found.append(Proposal(tool, setting, abs(rate - float(tools.role(tool) == "writes"))))
    return sorted(found, key=lambda one: (-one.sure, one.tool))


def _ends(tool: str, sight: Sight) -> bool:
    """Whether a tool's calls are always the last of their runs, in runs of several tasks."""
    place, tasks = sight.tools.names.index(tool), set()
    for case in sight.cases:
        at = [k for k, step in enumerate(case.run.steps) if sight.tools.place(step) == place]
        if at and at != [len(case.run.steps) - 1]:
            return False
        tasks |= {case.task} if at else set()
    return len(tasks) >= ENDS


def weight_proposals(
    sight: Sight, strengths: Mapping[str, Strength], settled: Iterable[str]
) -> list[Proposal]:
    """Returns weights of tools that are surely another one than what they weigh."""
    free = set(strengths) - set(settled) - sight.tools.fixed - sight.weighed.keys()
    found = []
    for tool in sorted(free):
        one, now = strengths[tool], sight.weight(tool)
        if one.excludes(now) and not sight.tools.varies(tool):
            setting = Setting(("tools", "weight", tool), _rounded(one.median), "")
            found.append(Proposal(tool, setting, abs(float(np.log(one.median / now)))))
    return sorted(found, key=lambda one: (-one.sure, one.tool))


def _rounded(weight: float) -> float:
    """Returns a weight as a person would write it."""
    return float(f"{weight:.1g}" if weight < 1 else f"{weight:.2g}")
