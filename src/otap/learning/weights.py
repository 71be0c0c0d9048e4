"""What tools do and weigh, learned from outcomes, and what of it gains on tasks held out.

Proposals come from the posterior of which tools count and of what each weighs. They are tried one
upon the other, and kept if they gain on held-out tasks.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from otap._caching import cached_property
from otap.dependencies.tool_names import ByTool
from otap.learning.held_out import Array, Gain, gain
from otap.learning.learned import Tool, tool_setting
from otap.learning.parameters import (
    AGAINST_A_NAME,
    CASES,
    DOUBT,
    ENDS,
    FEWEST_TRIED,
    LEAST_GAIN,
    TRIED,
)
from otap.learning.posterior import Strength, counting, log_odds, nobody_says, strength
from otap.learning.scores import Scores
from otap.learning.setting import with_settings
from otap.learning.tools import SampleTools, departures
from otap.prepare.recognition import Role
from otap.scoring import Config

_WORDS: Mapping[Role, str] = {
    "reads": "reading", "writes": "writing", "thinks": "thinking", "hands_over": "handing over",
}  # fmt: skip


@dataclass(frozen=True)
class Proposal:
    """Something to put into the settings, and how sure it is: a role of a tool, or a weight."""

    tool: str
    role: Role | None
    weight: float
    sure: float


class Evidence:
    """What the cases of some tasks show under a configuration."""

    def __init__(self, scores: Scores, tasks: Collection[str], config: Config) -> None:
        self.config = config
        every, found = scores.sample.cases, scores.of(config)
        places = [place for place, case in enumerate(every) if case.task in tasks]
        self.cases = [every[place] for place in places]
        self.tools = SampleTools(self.cases, config)
        self.departures = departures(self.cases, [found[place] for place in places], self.tools)

    @cached_property
    def log_odds(self) -> Array:
        """Before outcomes: that each tool counts."""
        return log_odds(self.tools, self.cases)

    @cached_property
    def counting(self) -> Array:
        """By outcomes: the probability that each tool counts."""
        return counting(self.departures, self.log_odds)

    @cached_property
    def weighed(self) -> Mapping[str, float]:
        """The tools whose weights the settings say."""
        said = ByTool(self.config.tools.weight)
        weights = {tool: said.get(tool) for tool in self.tools.names}
        return {tool: weight for tool, weight in weights.items() if weight is not None}

    def weight(self, tool: str) -> float:
        """What a call of a tool weighs."""
        return self.weighed.get(tool, self.weight_of_role(self.tools.role(tool)))

    def weight_of_role(self, role: Role) -> float:
        """What a call of a role weighs."""
        return 1.0 if role == "writes" else float(getattr(self.config.counts, role))

    def strength(self, tool: str, odds: float) -> Strength:
        """What a tool weighs as far as outcomes say it."""
        roles = 1.0, self.weight_of_role("reads")
        place = self.tools.names.index(tool)
        return strength(self.departures, place, self.weight(tool), roles, odds)

    def ends_runs(self, tool: str) -> bool:
        """Whether a tool's calls are always the last of their runs, in runs of several tasks."""
        place, tasks = self.tools.names.index(tool), set()
        for case in self.cases:
            at = [k for k, step in enumerate(case.run.steps) if self.tools.place(step) == place]
            if at and at != [len(case.run.steps) - 1]:
                return False
            tasks |= {case.task} if at else set()
        return len(tasks) >= ENDS


class Trials:
    """Tries proposals on held-out tasks, one upon the other, and keeps those that gain."""

    def __init__(self, scores: Scores, tasks: Collection[str], config: Config) -> None:
        self._scores, self._tasks = scores, tasks
        self.config = config
        self.tried: dict[str, tuple[Proposal, Gain]] = {}
        self.kept: set[str] = set()

    def try_roles(self, evidence: Evidence) -> None:
        """Tries what tools do that were recognised as something else."""
        proposals = _role_proposals(evidence)
        if nobody_says(evidence.tools):
            # Then nothing is right yet that one change could be held against: they need each other.
            self._try(proposals)
            proposals = _role_proposals(evidence, DOUBT) if self.kept else []
        for proposal in proposals[:TRIED]:
            tool, tools = proposal.tool, evidence.tools
            if tool not in self.kept:
                hides = tools.role(tool) == "writes" and tools.says(tool)
                self._try([proposal], AGAINST_A_NAME if hides else 1.0)

    def try_weights(self, evidence: Evidence, strengths: Mapping[str, Strength]) -> None:
        """Tries weights between and beyond what tools of any role weigh."""
        most = max(FEWEST_TRIED, min(TRIED, CASES // len(evidence.cases)))
        for proposal in _weight_proposals(evidence, strengths, self.kept)[:most]:
            self._try([proposal])

    def _try(self, proposals: Sequence[Proposal], errors: float = 1.0) -> None:
        if not proposals:
            return
        settings = [tool_setting(one.tool, one.role, one.weight) for one in proposals]
        changed = with_settings(self.config, settings)
        found = gain(self._scores, self._tasks, self.config, changed)
        self.tried |= {one.tool: (one, found) for one in proposals}
        if found.exceeds(errors) and found.mean > LEAST_GAIN:
            self.kept |= {one.tool for one in proposals}
            self.config = changed


def learned_weights(scores: Scores, tasks: Collection[str], config: Config) -> list[Tool]:
    """Returns what outcomes say of each tool, in the order of their names.

    Args:
        scores: of the cases, under any settings.
        tasks: those whose cases are looked at.
        config: the settings that are there; what they say of a tool stays.

    Raises:
        OtapError: if a case cannot be scored.
    """
    before = Evidence(scores, tasks, config)
    if not before.cases or not config.recognise:
        return []
    trials = Trials(scores, tasks, config)
    trials.try_roles(before)
    after = Evidence(scores, tasks, trials.config)
    odds = dict(zip(before.tools.names, before.log_odds.tolist(), strict=True))
    # What tools weigh, each beside the others as they were learned.
    strengths = {tool: after.strength(tool, odds[tool]) for tool in after.tools.names}
    trials.try_weights(after, strengths)
    return [_tool(tool, before, strengths[tool], trials) for tool in before.tools.names]


def _role_proposals(evidence: Evidence, doubt: float = 0.5) -> list[Proposal]:
    """What tools seem to do that were recognised as something else, the surest first."""
    tools = evidence.tools
    found = []
    for tool, rate in zip(tools.names, evidence.counting.tolist(), strict=True):
        writes = tools.role(tool) == "writes"
        wrong = rate < doubt if writes else rate > 1 - doubt
        if wrong and not tools.varies(tool) and tool not in tools.fixed:
            other: Role = "hands_over" if evidence.ends_runs(tool) else "reads"
            role: Role = other if writes else "writes"
            sure = abs(rate - float(writes))
            found.append(Proposal(tool, role, evidence.weight_of_role(role), sure))
    return sorted(found, key=lambda one: (-one.sure, one.tool))


def _weight_proposals(
    evidence: Evidence, strengths: Mapping[str, Strength], settled: Iterable[str]
) -> list[Proposal]:
    """Weights of tools that surely are another one than what they weigh."""
    free = set(strengths) - set(settled) - evidence.tools.fixed - evidence.weighed.keys()
    found = []
    for tool in sorted(free):
        one, now = strengths[tool], evidence.weight(tool)
        if not one.low <= now <= one.high and not evidence.tools.varies(tool):
            # As a person would write it.
            weight = float(f"{one.median:.1g}" if one.median < 1 else f"{one.median:.2g}")
            found.append(Proposal(tool, None, weight, abs(float(np.log(one.median / now)))))
    return sorted(found, key=lambda one: (-one.sure, one.tool))


def _tool(tool: str, before: Evidence, found: Strength, trials: Trials) -> Tool:
    kept, tried = tool in trials.kept, trials.tried.get(tool)
    weight = tried[0].weight if tried and kept else before.weight(tool)
    evidence = (
        f"{_departures_text(tool, before)}; weight {weight:.2g} [{found.low:.2f}, {found.high:.2f}]"
    )
    if tried:
        evidence += f"; {_gain_text(*tried, kept)}"
    return Tool(
        name=tool, recognised=dict(sorted(before.tools.roles[tool].items())),
        learned=tried[0].role if tried else None, weight=weight, low=found.low, high=found.high,
        kept=kept, evidence=evidence,
    )  # fmt: skip


def _departures_text(tool: str, before: Evidence) -> str:
    """What was recognised, and in how many good and bad runs calls depart."""
    place, found = before.tools.names.index(tool), before.departures
    there = found.weight[:, place] > 0
    good, bad = (there & found.good, there & ~found.good)
    departed = found.departed[:, place]
    return (
        f"recognised as {_WORDS[before.tools.role(tool)]}; something else than the reference in"
        f" {(departed & good).sum()} of {good.sum()} good and {(departed & bad).sum()} of"
        f" {bad.sum()} bad runs"
    )


def _gain_text(proposal: Proposal, found: Gain, kept: bool) -> str:
    what = f"{found.mean:.3f} nats a run +- {found.standard_error:.3f} on held-out tasks"
    if kept:
        return f"gains {what}"
    as_what = _WORDS[proposal.role] if proposal.role else f"weighing {proposal.weight:g}"
    return f"as {as_what} it would gain {what}: too little"
