"""What changed from one file to the other: conditions, scores of tasks, findings, solved tries."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import comb
from statistics import fmean

from otap.alignment import SEVERITIES, Severity
from otap.evaluation.comparison.comparison import (
    ConditionChange,
    FindingChange,
    TaskChange,
    Tries,
)
from otap.evaluation.comparison.inference import holm, sign_test
from otap.evaluation.comparison.runs import (
    MEASURED,
    MEASURES,
    FindingKey,
    FirstFinding,
    Runs,
    Task,
)

_OUTCOME = MEASURES.index("outcome")
PASSED = 1.0  # the outcome from which on a run has passed
SHOWN = (1, 2, 3, 4, 5, 8, 16, 32)  # numbers of tries
Passes = tuple[int, int]  # how many runs passed, and how many there are


def condition_changes(tasks: Iterable[Task], same_references: bool) -> list[ConditionChange]:
    """Returns what differs in how tasks were measured, for each in which something does.

    Args:
        tasks: those that are compared.
        same_references: whether both files are known to have had the same references.
    """
    found = []
    for task in tasks:
        seen = [_conditions_seen(side) for side in task.counted]
        # A run without anything to compare decides no condition.
        what = [
            f"{name}: {' or '.join(base)} -> {' or '.join(new)}"
            for name, base, new in zip(MEASURED, *seen, strict=True)
            if base and new and base != new
        ]
        files = [{run.references for run in side} for side in task.counted]
        if not same_references and files[0] != files[1]:
            what.append("references: other files")
        if what:
            found.append(ConditionChange(task=task.name, what=tuple(what)))
    return found


def _conditions_seen(side: Runs) -> list[list[str]]:
    """The values of each condition, in order."""
    known = [run.conditions for run in side if run.conditions]
    return [sorted({one[place][1] for one in known}) for place in range(len(MEASURED))]


def moved_tasks(tasks: Sequence[Task]) -> list[TaskChange]:
    """Returns the tasks whose score moved, the most first."""
    found = []
    for task in tasks:
        means = task.means("score")
        if means is None or means[0] == means[1]:
            continue
        first = _first_finding(task, fell=means[1] < means[0])
        change = TaskChange(
            task=task.name,
            base=means[0],
            new=means[1],
            difference=means[1] - means[0],
            runs=(len(task.counted[0]), len(task.counted[1])),
            kind=first and first.key[0],
            tool=(first and first.key[1]) or None,
            severity=first and first.severity,
            finding=first and first.sentence,
        )
        found.append(change)
    return sorted(found, key=lambda change: (-abs(change.difference), change.task))


def _first_finding(task: Task, *, fell: bool) -> FirstFinding | None:
    """What a person should look at first in a task that moved.

    Of a task that fell the first finding of NEW's worst run that no run of BASE has, else its first
    one; of a task that rose the same of BASE, which is what is gone.
    """
    base, new = task.counted
    worse, others = (new, base) if fell else (base, new)
    worst = min(worse, key=lambda run: run.score)
    known = {one.key for other in others for one in other.findings}
    fresh = [one for one in worst.findings if one.key not in known]
    return next(iter([*fresh, *worst.findings]), None)


def finding_changes(tasks: Sequence[Task]) -> list[FindingChange]:
    """Returns all findings of both sides, those first whose number of tasks moved most."""
    counts = Counter[FindingKey](), Counter[FindingKey]()
    came, went = Counter[FindingKey](), Counter[FindingKey]()
    severities: dict[FindingKey, set[Severity]] = defaultdict(set)
    for task in tasks:
        base, new = ([one for run in side for one in run.findings] for side in task.counted)
        before, after = (Counter(one.key for one in side) for side in (base, new))
        counts[0].update(before)
        counts[1].update(after)
        came.update(after.keys() - before.keys())
        went.update(before.keys() - after.keys())
        for one in [*base, *new]:
            severities[one.key].add(one.severity)
    keys = sorted(severities)
    corrected = holm([sign_test(came[key], went[key]) for key in keys])
    changes = [
        FindingChange(
            kind=key[0],
            tool=key[1] or None,
            severity=min(severities[key], key=SEVERITIES.index),
            base=counts[0][key],
            new=counts[1][key],
            came=came[key],
            went=went[key],
            p_corrected=p,
        )
        for key, p in zip(keys, corrected, strict=True)
    ]
    return sorted(changes, key=_importance)


def _importance(change: FindingChange) -> tuple[int, int, int, str, str]:
    moved = abs(change.came - change.went)
    severity = SEVERITIES.index(change.severity)
    return -moved, -abs(change.new - change.base), severity, change.kind, change.tool or ""


def pass_at(k: int, passed: int, runs: int) -> float:
    """Returns the chance that at least one of k runs passes, unbiased [Chen2021].

    Args:
        k: how many runs are drawn without putting back, at most ``runs``.
        passed: how many of them passed.
        runs: how many there are.
    """
    return 1 - comb(runs - passed, k) / comb(runs, k)


def pass_all(k: int, passed: int, runs: int) -> float:
    """Returns the chance that all of k runs pass, unbiased: pass^k of [Yao2024]."""
    return comb(passed, k) / comb(runs, k)


def tries(tasks: Sequence[Task]) -> list[Tries]:
    """Returns pass@k and pass^k, up to as many tries as each task has outcomes of on both sides."""
    both = [[_passes(side) for side in task.counted] for task in tasks]
    known = [(base, new) for base, new in both if base[1] and new[1]]
    # The fewest runs of a side: as many tries can be drawn of all.
    most = min((runs for sides in known for _, runs in sides), default=0)
    base, new = [sides[0] for sides in known], [sides[1] for sides in known]
    return [
        Tries(
            k=k,
            tasks=len(known),
            pass_at=(_mean_chance(pass_at, k, base), _mean_chance(pass_at, k, new)),
            pass_all=(_mean_chance(pass_all, k, base), _mean_chance(pass_all, k, new)),
        )
        for k in SHOWN
        if k <= most
    ]


def _passes(side: Runs) -> Passes:
    outcomes = [value for run in side if (value := run.values[_OUTCOME]) is not None]
    return sum(outcome >= PASSED for outcome in outcomes), len(outcomes)


def _mean_chance(chance: Callable[[int, int, int], float], k: int, side: Sequence[Passes]) -> float:
    return fmean(chance(k, *task) for task in side)
