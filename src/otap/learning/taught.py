"""What some tasks teach: what tools weigh, and which rules hold."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from otap.learning.rules import Rule, learned_rules
from otap.learning.runs import Scores
from otap.learning.setting import Setting, with_settings
from otap.scoring import Config


@dataclass(frozen=True)
class Taught:
    """What was found of tools, and the rules that were looked at."""

    rules: Sequence[Rule] = ()

    @property
    def settings(self) -> list[Setting]:
        """What is put into the settings."""
        return [setting for rule in self.rules for setting in rule.settings]


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
    return Taught(learned_rules(scores, tasks, with_settings(config, [])))
