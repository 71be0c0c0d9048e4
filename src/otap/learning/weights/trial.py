"""Proposals are tried on held-out tasks, one upon the other; what gains is kept."""

from collections.abc import Collection, Mapping, Sequence

from otap.learning.held_out import Gain, gain
from otap.learning.runs import Scores
from otap.learning.setting import Setting, with_settings
from otap.learning.weights.priors import nobody_says
from otap.learning.weights.proposals import Proposal, role_proposals, weight_proposals
from otap.learning.weights.sight import Sight
from otap.learning.weights.strength import Strength
from otap.scoring import Config

TRIED = 12  # proposals that are scored exactly, each with all runs that it concerns: the surest
# Weights are tuned on top of roles: of many runs fewer are tried, as each is scored for long.
CASES, FEWEST = 6_000, 3
LEAST_GAIN = 0.002  # nats a run: less is rounding
# Where no name says anything, each tool may be tried besides that does not surely count.
DOUBT = 0.95
# A write that is taken for a read hides a wrong payment: of one whose name says that it writes this
# has to be worth more than a chance.
AGAINST_A_NAME = 2.0


class Trial:
    """Tries proposals on held-out tasks, one upon the other, and keeps those that gain."""

    def __init__(self, scores: Scores, tasks: Collection[str], config: Config) -> None:
        self._scores, self._tasks = scores, tasks
        self.config = config
        self.kept: dict[str, tuple[Setting, Gain]] = {}
        self.tried: dict[str, tuple[Setting, Gain]] = {}

    def roles(self, sight: Sight) -> None:
        """Tries what tools do that were recognised as something else."""
        proposals = role_proposals(sight)
        if nobody_says(sight.tools):
            # Then nothing is right yet that one change could be held against: they need each other.
            self._try(proposals)
            proposals = role_proposals(sight, DOUBT) if self.kept else []
        for proposal in proposals[:TRIED]:
            if proposal.tool not in self.kept:
                self._try([proposal], _errors(proposal, sight))

    def weights(self, sight: Sight, strengths: Mapping[str, Strength]) -> None:
        """Tries weights between and beyond what tools of any role weigh."""
        most = max(FEWEST, min(TRIED, CASES // len(sight.cases)))
        for proposal in weight_proposals(sight, strengths, self.kept)[:most]:
            self._try([proposal])

    def _try(self, proposals: Sequence[Proposal], errors: float = 1.0) -> None:
        if not proposals:
            return
        changed = with_settings(self.config, [one.setting for one in proposals])
        found = gain(self._scores, self._tasks, self.config, changed)
        judged = {one.tool: (one.setting, found) for one in proposals}
        self.tried |= judged
        if found.exceeds(errors) and found.mean > LEAST_GAIN:
            self.kept |= judged
            self.config = changed


def _errors(proposal: Proposal, sight: Sight) -> float:
    """Returns above how many of its standard errors the gain of a proposal has to be."""
    hides = sight.tools.role(proposal.tool) == "writes" and sight.tools.says(proposal.tool)
    return AGAINST_A_NAME if hides else 1.0
