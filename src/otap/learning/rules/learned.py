"""All rules that some runs teach, kind by kind."""

from collections.abc import Callable, Collection, Iterator, Sequence

from otap.learning.rules.arguments import arguments
from otap.learning.rules.compared import Compared, compared
from otap.learning.rules.failures import failures
from otap.learning.rules.hand_overs import hand_overs
from otap.learning.rules.order import order
from otap.learning.rules.rule import Rule
from otap.learning.rules.substitutes import substitutes
from otap.learning.rules.trials import Trials
from otap.learning.runs import Scores
from otap.scoring import Config

_KINDS: Sequence[Callable[[Sequence[Compared], Trials], Iterator[Rule]]] = (
    failures,
    hand_overs,
    substitutes,
    arguments,
    order,
)


def learned_rules(scores: Scores, tasks: Collection[str], config: Config) -> Sequence[Rule]:
    """Returns the rules that were looked at, of each kind at least one; kept are the proven ones.

    Args:
        scores: of the cases, under any settings.
        tasks: those whose cases are looked at.
        config: the settings as they are, what was learned of tools included: no rule contradicts
            what they say.

    Raises:
        OtapError: if a case cannot be scored.
    """
    known = frozenset(tasks)
    cases = compared(scores, known, config)
    trials = Trials(scores, known, config)
    return [rule for kind in _KINDS for rule in kind(cases, trials)]
