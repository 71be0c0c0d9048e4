"""Rules of order: a tool that must be called before another one, where no value flows.

In all good runs of at least twelve tasks that call both, some call of the one stands before each
call of the other, which writes; and runs that break it are bad more often than chance has it: the
outcomes of the runs of each task are permuted [Mehta1985], by the number of pairs. What good runs
do alike is a habit: it is no rule as long as no bad run does otherwise.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from otap._numbers import count_text
from otap.dependencies import common_mechanism, dependency_graph
from otap.learning.rules.chance import LEAST_TASKS, LEVEL, Stratum, none_good
from otap.learning.rules.compared import Compared
from otap.learning.rules.rule import Rule
from otap.learning.rules.trials import Trials
from otap.learning.setting import Setting
from otap.scoring import Config

_LOOKED_AT = 24  # good runs in which an edge by value flow is looked for
_FLOWS = 0.5  # the share of them with such an edge from which on no rule is needed

Pair = tuple[str, str]


class Met(NamedTuple):
    """A run that calls two tools: its task, its outcome, and whether it keeps their order."""

    task: str
    good: bool
    kept: bool


class Seen:
    """The runs that call two tools.

    Attributes:
        runs: how many, by task.
        good: the good ones.
        broken: those that break the order.
        broken_by_good: how many good runs do.
    """

    def __init__(self, met: Sequence[Met]) -> None:
        self.runs = Counter(one.task for one in met)
        self.good = Counter(one.task for one in met if one.good)
        self.broken = Counter(one.task for one in met if not one.kept)
        self.broken_by_good = sum(one.good and not one.kept for one in met)

    @property
    def tasks(self) -> int:
        """The tasks with a good run that calls both."""
        return len(self.good)

    @property
    def chance(self) -> float:
        """The probability that all runs that break the order are bad, by chance alone."""
        if self.broken_by_good:
            return 1.0
        return none_good(
            Stratum(self.runs[task], self.good[task], count)
            for task, count in sorted(self.broken.items())
        )


def order(cases: Sequence[Compared], trials: Trials) -> Iterator[Rule]:
    """Yields the rules of order.

    Raises:
        OtapError: if a case cannot be scored.
    """
    seen = _seen(cases, trials.config)
    enough = {pair: one for pair, one in seen.items() if len(one.runs) >= LEAST_TASKS}
    found = {
        pair: one
        for pair, one in enough.items()
        if one.tasks >= LEAST_TASKS and one.chance < LEVEL / len(enough)
        if not _flows(pair, cases)
    }
    if not found:
        yield Rule("order", "", _missing(seen))
    for pair in sorted(found):
        if not _follows(pair, found):
            yield _rule(pair, found[pair], trials)


def _rule(pair: Pair, seen: Seen, trials: Trials) -> Rule:
    chain = list(pair)
    said = f"{_said(pair, seen)}; by chance: p = {seen.chance:.1g}"
    if not trials.holds([Setting(("order",), chain, "")]):
        return Rule("order", " before ".join(pair), f"{said}; but on tasks held out it loses")
    return Rule("order", " before ".join(pair), said, (Setting(("order",), chain, said),))


def _said(pair: Pair, seen: Seen) -> str:
    broken, bad = seen.broken.total(), seen.runs.total() - seen.good.total()
    return (
        f"{' before '.join(pair)} in {seen.good.total() - seen.broken_by_good} of"
        f" {count_text(seen.good.total(), 'good run')} that call both, of"
        f" {count_text(seen.tasks, 'task')};"
        f" {broken - seen.broken_by_good} of {bad} bad ones break it"
    )


def _missing(seen: Mapping[Pair, Seen]) -> str:
    kept = {pair: one for pair, one in seen.items() if not one.broken_by_good and one.tasks}
    if not kept:
        return "no good run calls two tools, one of which writes, in an order that all keep"
    # The pair that is nearest to a rule: the one that is broken least by chance, of most tasks.
    enough = [pair for pair in kept if kept[pair].tasks >= LEAST_TASKS]
    pair = min(enough or kept, key=lambda one: (kept[one].chance, -kept[one].tasks, one))
    if not enough:
        pair = min(kept, key=lambda one: (-kept[one].tasks, one))
        return (
            f"the pair of most tasks, {' before '.join(pair)}, is kept by the good runs of"
            f" {count_text(kept[pair].tasks, 'task')}; {LEAST_TASKS} are needed"
        )
    return f"nearest comes {_said(pair, kept[pair])}: not beyond chance"


def _follows(pair: Pair, found: Mapping[Pair, Seen]) -> bool:
    """Whether a pair is said by two others."""
    first, last = pair
    return any((first, one) in found and (one, last) in found for _, one in found)


def _seen(cases: Sequence[Compared], config: Config) -> dict[Pair, Seen]:
    """What was seen of each pair of tools whose order is not said, in sorted order."""
    met: defaultdict[Pair, list[Met]] = defaultdict(list)
    for one in cases:
        either = [Met(one.case.task, one.case.good, kept) for kept in (False, True)]
        for pair, kept in one.noted(_pairs):
            met[pair].append(either[kept])
    said = {pair for chain in config.order for pair in pairwise(chain)}
    return {pair: Seen(met[pair]) for pair in sorted(met) if pair not in said}


def _pairs(one: Compared) -> list[tuple[Pair, bool]]:
    """The pairs of tools that a run calls, the second of which writes, and whether they keep order.

    Steps of one turn ran in parallel: neither is before the other.
    """
    first = one.noted(_first_calls)
    return [
        ((tool, last), before < at and not (turn is not None and turn == its_turn))
        for last, (at, turn, writes) in first.items()
        for tool, (before, its_turn, _) in (first.items() if writes else ())
        if tool != last
    ]


def _first_calls(one: Compared) -> dict[str, tuple[int, int | None, bool]]:
    """The first call of each tool that worked: its place, its turn, and whether it writes."""
    found: dict[str, tuple[int, int | None, bool]] = {}
    run = one.recorded
    for place, step in enumerate(run.steps):
        if step.tool is not None and not run.failed[place]:
            found.setdefault(step.tool, (place, step.turn, run.roles[place] == "writes"))
    return found


def _flows(pair: Pair, cases: Sequence[Compared]) -> bool:
    """Whether the order of two tools is seen already, by what flows from one to the other."""
    both = [one for one in cases if one.case.good and set(pair) <= one.noted(_first_calls).keys()]
    looked_at = both[:: max(1, len(both) // _LOOKED_AT)]
    return sum(_depends(pair, one) for one in looked_at) >= _FLOWS * len(looked_at)


def _depends(pair: Pair, one: Compared) -> bool:
    """Whether some call of the second tool needs one of the first, directly or through others."""
    run = one.case.run.model_copy(update={"steps": tuple(one.recorded.steps)})
    mechanism = common_mechanism(run)
    if mechanism == "sequential":
        return False
    parents = dependency_graph(run, mechanism).parents
    needs: list[bool] = []
    for place, step in enumerate(run.steps):
        before = any(needs[k] or run.steps[k].tool == pair[0] for k in parents[place])
        needs.append(before)
        if before and step.tool == pair[1]:
            return True
    return False
