"""What some tasks teach: what tools weigh, and which rules hold."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from otap.learning.rules import Rule, learned_rules
from otap.learning.runs import Scores
from otap.learning.setting import Setting, with_settings
from otap.learning.weights import ToolWeight, learned_weights
from otap.scoring import Config


@dataclass(frozen=True)
class Taught:
    """What was found of tools, and the rules that were looked at."""

    weights: Sequence[ToolWeight] = ()
    rules: Sequence[Rule] = ()

    @property
    def settings(self) -> list[Setting]:
        """What is put into the settings."""
        of_tools = [setting for one in self.weights for setting in one.settings]
        return [*of_tools, *(setting for rule in self.rules for setting in rule.settings)]


def taught(scores: Scores, tasks: Collection[str], config: Config) -> Taught:
    """Returns what the cases of some tasks teach; nothing where their outcomes are all the same.

    Args:
        scores: of the cases, under any settings.
        tasks: those whose cases are looked at.
        config: the settings to begin with.

    Raises:
        OtapError: if a case cannot be scored.
    """
    if len({case.good for case in scores.sample.cases if case.task in tasks}) < 2:
        return Taught()
    weights = learned_weights(scores, tasks, config)
    changed = with_settings(config, [setting for one in weights for setting in one.settings])
    return Taught(weights, learned_rules(scores, tasks, changed))
