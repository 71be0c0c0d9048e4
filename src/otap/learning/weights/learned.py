"""What was learned of each tool, with the evidence for it."""

from collections.abc import Collection, Mapping, Sequence

from otap.learning.held_out import Gain
from otap.learning.runs import Scores
from otap.learning.setting import Setting
from otap.learning.weights.proposals import ROLE_OF
from otap.learning.weights.sight import Sight
from otap.learning.weights.strength import Strength
from otap.learning.weights.tool_weight import ToolWeight
from otap.learning.weights.trial import Trial
from otap.scoring import Config
from otap.scoring.prepare.recognition import Role

_WORDS: Mapping[Role, str] = {
    "reads": "reading",
    "writes": "writing",
    "thinks": "thinking",
    "hands_over": "handing over",
}


def learned_weights(scores: Scores, tasks: Collection[str], config: Config) -> Sequence[ToolWeight]:
    """Returns what outcomes say of each tool, in the order of their names.

    Args:
        scores: of the cases, under any settings.
        tasks: those whose cases are looked at.
        config: the settings that are there; what they say of a tool stays.

    Raises:
        OtapError: if a case cannot be scored.
    """
    before = Sight(scores, tasks, config)
    if not before.cases or not config.recognise:
        return ()
    trial = Trial(scores, tasks, config)
    trial.roles(before)
    after = Sight(scores, tasks, trial.config)
    strengths = _strengths(before, after)
    trial.weights(after, strengths)
    return [_told(tool, before, strengths[tool], trial) for tool in before.tools.names]


def _strengths(before: Sight, after: Sight) -> Mapping[str, Strength]:
    """Returns what tools weigh, each beside the others as they were learned."""
    odds = dict(zip(before.tools.names, before.log_odds.tolist(), strict=True))
    return {tool: after.strength(tool, odds[tool]) for tool in after.tools.names}


def _told(tool: str, before: Sight, found: Strength, trial: Trial) -> ToolWeight:
    kept, tried = tool in trial.kept, trial.tried.get(tool)
    weight = _weight(tool, before, trial.kept.get(tool))
    evidence = f"{_seen(tool, before)}; weight {weight:.2g} [{found.low:.2f}, {found.high:.2f}]"
    if tried:
        evidence += f"; {_gained(*tried, kept)}"
    settings = (
        [Setting(one.path, one.value, evidence) for one, _ in (tried,) if kept] if tried else []
    )
    return ToolWeight(
        tool,
        before.tools.role(tool),
        ROLE_OF.get(tried[0].path[1]) if tried else None,
        weight,
        found.low,
        found.high,
        kept,
        evidence,
        tuple(settings),
    )


def _weight(tool: str, before: Sight, kept: tuple[Setting, Gain] | None) -> float:
    if kept is None:
        return before.weight(tool)
    role = ROLE_OF.get(kept[0].path[1])
    return float(kept[0].value) if role is None else before.of_role(role)


def _seen(tool: str, before: Sight) -> str:
    """Returns what was recognised, and in how many good and bad runs calls depart."""
    place, found = before.tools.names.index(tool), before.found
    there = found.weight[:, place] > 0
    good, bad = (there & found.good, there & ~found.good)
    departed = found.departed[:, place]
    return (
        f"recognised as {_WORDS[before.tools.role(tool)]}; something else than the reference in"
        f" {(departed & good).sum()} of {good.sum()} good and {(departed & bad).sum()} of"
        f" {bad.sum()} bad runs"
    )


def _gained(setting: Setting, found: Gain, kept: bool) -> str:
    what = f"{found.mean:.3f} nats a run +- {found.standard_error:.3f} on held-out tasks"
    if kept:
        return f"gains {what}"
    role = ROLE_OF.get(setting.path[1])
    as_what = f"weighing {setting.value:g}" if role is None else _WORDS[role]
    return f"as {as_what} it would gain {what}: too little"
