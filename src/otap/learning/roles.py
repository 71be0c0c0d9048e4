"""What tools do, learned from outcomes, and what of it gains on tasks held out.

Proposals come from the posterior of which tools count. They are tried one upon the other, and kept
if they gain on held-out tasks.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from otap._caching import cached_property
from otap.learning.held_out import Array, Gain, gain
from otap.learning.learned import Tool, tool_setting
from otap.learning.parameters import (
    AGAINST_A_NAME,
    DOUBT,
    ENDS,
    LEAST_GAIN,
    TRIED,
)
from otap.learning.posterior import counting, log_odds, nobody_says
from otap.learning.scores import Scores
from otap.learning.setting import with_settings
from otap.learning.tools import SampleTools, departures
from otap.run.roles import Role
from otap.scoring import Config

_WORDS: Mapping[Role, str] = {
    "reads": "reading", "writes": "writing", "thinks": "thinking", "hands_over": "handing over",
}  # fmt: skip


@dataclass(frozen=True)
class Proposal:
    """A role of a tool to put into the settings, and how sure it is."""

    tool: str
    role: Role
    sure: float


class Evidence:
    """What the cases of some tasks show under a configuration."""

    def __init__(self, scores: Scores, tasks: Collection[str], config: Config) -> None:
        every, found = scores.sample.cases, scores.of(config)
        places = [place for place, case in enumerate(every) if case.task in tasks]
        self.cases = [every[place] for place in places]
        self.tools = SampleTools(self.cases, config)
        self.departures = departures(self.cases, [found[place] for place in places], self.tools)

    @cached_property
    def counting(self) -> Array:
        """By names and outcomes: the probability that each tool counts."""
        return counting(self.departures, log_odds(self.tools, self.cases))

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
    """Proposals tried on held-out tasks, one upon the other; those that gain are kept."""

    def __init__(
        self, scores: Scores, tasks: Collection[str], config: Config, evidence: Evidence
    ) -> None:
        self._scores, self._tasks, self._config = scores, tasks, config
        self.tried: dict[str, tuple[Proposal, Gain]] = {}
        self.kept: set[str] = set()
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

    def _try(self, proposals: Sequence[Proposal], errors: float = 1.0) -> None:
        if not proposals:
            return
        settings = [tool_setting(one.tool, one.role) for one in proposals]
        changed = with_settings(self._config, settings)
        found = gain(self._scores, self._tasks, self._config, changed)
        self.tried |= {one.tool: (one, found) for one in proposals}
        if found.exceeds(errors) and found.mean > LEAST_GAIN:
            self.kept |= {one.tool for one in proposals}
            self._config = changed


def learned_tools(scores: Scores, tasks: Collection[str], config: Config) -> list[Tool]:
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
    trials = Trials(scores, tasks, config, before)
    return [_tool(tool, before, trials) for tool in before.tools.names]


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
            found.append(Proposal(tool, role, abs(rate - float(writes))))
    return sorted(found, key=lambda one: (-one.sure, one.tool))


def _tool(tool: str, before: Evidence, trials: Trials) -> Tool:
    kept, tried = tool in trials.kept, trials.tried.get(tool)
    evidence = _departures_text(tool, before)
    return Tool(
        name=tool,
        recognised=dict(sorted(before.tools.roles[tool].items())),
        learned=tried[0].role if tried else None,
        kept=kept,
        evidence=f"{evidence}; {_gain_text(*tried, kept)}" if tried else evidence,
    )


def _departures_text(tool: str, before: Evidence) -> str:
    """What was recognised, and in how many good and bad runs calls depart."""
    place, found = before.tools.names.index(tool), before.departures
    good, bad = (found.called[:, place] & side for side in (found.good, ~found.good))
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
    return f"as {_WORDS[proposal.role]} it would gain {what}: too little"
