"""Substitutes: tools that are in each other's place in good runs.

In place of a call of the reference stands a call of another tool that does as much to the world
(its role), with most of its arguments or with its effect, and the run has no call of the tool
itself for it. Two tools that are called side by side for the same thing are no substitutes,
wherever that is: each does something that the other does not.

The distance is what outcomes say: 1 less how often runs with the other tool are good, over how
often those with the tool itself are. At least .1, since that two tools are the same is more than
outcomes can say; above .5 they are no substitutes.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice, product

from pydantic import JsonValue

from otap._numbers import count_text
from otap.dependencies.conflicts import shows_new_value
from otap.learning.rules.chance import LEAST_TASKS, LEVEL
from otap.learning.rules.compared import Compared, Side, same_tool
from otap.learning.rules.rule import Rule
from otap.learning.rules.trials import Trials
from otap.learning.setting import Setting
from otap.matrices import Value, plain
from otap.scoring import Config
from otap.trajectory import Step

_TRIED = 4  # pairs that are scored as substitutes, those of most tasks
_NEAREST, _FARTHEST = 0.1, 0.5
_ALIKE = 0.5  # the share of values that two calls have in common, of all that either has
_LOOKED_AT = 40  # steps of a side without a counterpart, or in all, that are held against others
_SIDE_BY_SIDE = 0.1  # tasks where both were called, as a share of those where one stood for one

Pair = tuple[str, str]


@dataclass(eq=False)
class Found:
    """What was seen of two tools: runs by outcome, with one for the other and each for itself."""

    instead: Counter[bool] = field(default_factory=Counter)
    itself: Counter[bool] = field(default_factory=Counter)
    tasks: set[str] = field(default_factory=set)
    side_by_side: set[str] = field(default_factory=set)

    @property
    def distance(self) -> float | None:
        """The distance of both; None: outcomes say that one does not stand for the other."""
        usual = _share(self.itself)
        far = 1 - _share(self.instead) / usual if usual else 0.0
        return None if far > _FARTHEST else max(_NEAREST, round(far, 1))

    @property
    def apart(self) -> bool:
        """Whether they are called side by side, as different things."""
        return len(self.side_by_side) > _SIDE_BY_SIDE * len(self.tasks)


def substitutes(cases: Sequence[Compared], trials: Trials) -> Iterator[Rule]:
    """Yields the rules of pairs of tools.

    Raises:
        OtapError: if a case cannot be scored.
    """
    found = _found(cases, trials.config)
    enough = sum(len(one.tasks) >= LEAST_TASKS for one in found.values())
    looked_at = dict(islice(found.items(), _TRIED))
    for one in cases if looked_at else ():
        _note(one, looked_at)
    for pair, seen in looked_at.items():
        if len(seen.tasks) >= LEAST_TASKS:
            yield _rule(pair, seen, trials, LEVEL / enough)
    if not enough:
        yield Rule("substitutes", "", _missing(looked_at))


def _rule(pair: Pair, found: Found, trials: Trials, level: float) -> Rule:
    about, said = " and ".join(pair), _said(found)
    if found.apart:
        tasks = count_text(len(found.side_by_side), "task")
        return Rule("substitutes", about, f"{said}; but both are called for one thing in {tasks}")
    if found.distance is None:
        return Rule("substitutes", about, f"{said}: no substitutes")
    value = {"tools": list(pair), "distance": found.distance}
    trial = trials.of([Setting(("substitutes",), value, "")])
    if not trial.proves(level):
        return Rule("substitutes", about, f"{said}; not beyond chance: {trial}")
    evidence = f"{said}; {trial}"
    return Rule("substitutes", about, evidence, (Setting(("substitutes",), value, evidence),))


def _said(found: Found) -> str:
    instead, itself = found.instead, found.itself
    return (
        f"one in place of the other in {count_text(instead.total(), 'run')} of"
        f" {count_text(len(found.tasks), 'task')}, {instead[True]} of them good;"
        f" of {itself.total()} with the tool itself, {itself[True]}"
    )


def _missing(found: Mapping[Pair, Found]) -> str:
    if not found:
        return "no tool stands in the place of another"
    pair, most = next(iter(found.items()))
    return f"most often {' and '.join(pair)}, {_said(most)}; {LEAST_TASKS} tasks are needed"


def _found(cases: Sequence[Compared], config: Config) -> dict[Pair, Found]:
    """What was seen of each pair that is not said to be substitutes, those of most tasks first."""
    found: defaultdict[Pair, Found] = defaultdict(Found)
    for one in cases:
        for pair in one.noted(_instead):
            found[pair].instead[one.case.good] += 1
            found[pair].tasks.add(one.case.task)
    for group in config.substitutes:
        for a, b in combinations(sorted(group.tools), 2):
            found.pop((a, b), None)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1].tasks), item[0])))


def _note(one: Compared, found: Mapping[Pair, Found]) -> None:
    """Counts a case where a tool is called for itself, or two are called side by side."""
    own, instead = one.noted(_own), one.noted(_instead)
    both = one.noted(_both)
    for pair, seen in found.items():
        if pair not in instead and not own.isdisjoint(pair):
            seen.itself[one.case.good] += 1
        if pair in both:
            seen.side_by_side.add(one.case.task)


def _own(one: Compared) -> set[str]:
    """The tools of the reference that the run called where it should."""
    return {
        tool
        for i, j in one.counterparts.items()
        if (tool := one.reference.steps[j].tool) is not None
        if _tools(one.recorded.steps[i], one.reference.steps[j]) is None
    }


def _instead(one: Compared) -> set[Pair]:
    """The pairs of tools of which the run called one where the reference has the other."""
    return {
        pair
        for i, j in (*one.counterparts.items(), *_left(one))
        if one.recorded.roles[i] == one.reference.roles[j]
        if not one.recorded.failed[i] and not one.reference.failed[j]
        if (pair := _tools(one.recorded.steps[i], one.reference.steps[j])) is not None
        if _alike(one.run.steps[i], one.reference.steps[j])
    }


def _left(one: Compared) -> Iterable[tuple[int, int]]:
    """The steps of both sides without a counterpart, each with each."""
    met = set(one.counterparts.values())
    extra = [i for i in range(len(one.recorded.steps)) if i not in one.counterparts]
    unmet = [j for j in range(len(one.reference.steps)) if j not in met]
    return product(extra[:_LOOKED_AT], unmet[:_LOOKED_AT])


def _both(one: Compared) -> set[Pair]:
    return _side_by_side(one.recorded) | _side_by_side(one.reference)


def _side_by_side(side: Side) -> set[Pair]:
    """The pairs of tools that a side calls for the same thing."""
    worked = [step for step, failed in zip(side.steps, side.failed, strict=True) if not failed]
    return {
        pair
        for one, other in combinations(worked[:_LOOKED_AT], 2)
        if (pair := _tools(one, other)) is not None and _alike(one, other)
    }


def _tools(one: Step, other: Step) -> Pair | None:
    """The tools of two steps, in sorted order; None where it is the same one, or none."""
    if one.tool is None or other.tool is None or same_tool(one.tool, other.tool):
        return None
    first, second = sorted((one.tool, other.tool))
    return first, second


def _alike(one: Step, other: Step) -> bool:
    """Whether two calls have most of their arguments in common, or the same was shown to both."""
    ours, theirs = _values(one.arguments), _values(other.arguments)
    common, all_of_both = (ours & theirs).total(), (ours | theirs).total()
    if common and common >= _ALIKE * all_of_both:
        return True
    return one.effect == other.effect and shows_new_value(one) and shows_new_value(other)


def _values(data: JsonValue) -> Counter[str]:
    """The leaves of some data, each in its canonical spelling."""
    found: Counter[str] = Counter()
    left = [plain(data)]
    while left:
        value = left.pop()
        if isinstance(value, dict | list):
            inside = value.values() if isinstance(value, dict) else value
            left += [plain(member) for member in inside]
        elif value is not None:
            found[Value(value).canonical] += 1
    return found


def _share(runs: Counter[bool]) -> float:
    """The share of good runs."""
    return runs[True] / runs.total() if runs else 0.0
