"""What the cases of some tasks show under a configuration."""

from collections.abc import Collection, Mapping, Sequence

from otap._caching import cached_property
from otap.dependencies.tool_names import ByTool
from otap.learning.held_out import Array
from otap.learning.runs import Case, Scores
from otap.learning.weights.departures import departures
from otap.learning.weights.priors import log_odds
from otap.learning.weights.roles import counting
from otap.learning.weights.strength import Strength, strength
from otap.learning.weights.tools import Tools
from otap.scoring import Config
from otap.scoring.prepare.recognition import Role


class Sight:
    """What the cases of some tasks show under a configuration."""

    def __init__(self, scores: Scores, tasks: Collection[str], config: Config) -> None:
        self.config = config
        places = [k for k, case in enumerate(scores.sample.cases) if case.task in tasks]
        self.cases: Sequence[Case] = [scores.sample.cases[place] for place in places]
        self.tools = Tools(self.cases, config)
        found = scores.of(config)
        self.found = departures(self.cases, [found[place] for place in places], self.tools)

    @cached_property
    def log_odds(self) -> Array:
        """Before outcomes: that each tool counts."""
        return log_odds(self.tools, self.cases)

    @cached_property
    def counting(self) -> Array:
        """By outcomes: the probability that each tool counts."""
        return counting(self.found, self.log_odds)

    @cached_property
    def weighed(self) -> Mapping[str, float]:
        """The tools whose weights the settings say."""
        said = ByTool(self.config.tools.weight)
        found = {tool: said.get(tool) for tool in self.tools.names}
        return {tool: weight for tool, weight in found.items() if weight is not None}

    def weight(self, tool: str) -> float:
        """What a call of a tool weighs."""
        return self.weighed.get(tool, self.of_role(self.tools.role(tool)))

    def strength(self, tool: str, log_odds: float) -> Strength:
        """What a tool weighs as far as outcomes say it."""
        roles = 1.0, self.of_role("reads")
        place = self.tools.names.index(tool)
        return strength(self.found, place, self.weight(tool), roles, log_odds)

    def of_role(self, role: Role) -> float:
        """What a call of a role weighs."""
        counts: Mapping[str, float] = {"writes": 1.0, **self.config.counts.model_dump()}
        return counts[role]
