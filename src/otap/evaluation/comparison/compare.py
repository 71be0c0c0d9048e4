"""Two result files in, a comparison out: how much each measure moved, the verdict, what changed."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from math import comb, isfinite
from statistics import fmean, variance

from otap.alignment import SEVERITIES, Severity
from otap.errors import ConfigError, shown, shown_path
from otap.evaluation.comparison.comparison import (
    Comparison,
    ConditionChange,
    Difference,
    FindingChange,
    Judgement,
    More,
    TaskChange,
    Tries,
    Verdict,
)
from otap.evaluation.comparison.inference import (
    FEWEST,
    LEVEL,
    estimate,
    holm,
    sign_flip_test,
    sign_test,
)
from otap.evaluation.comparison.runs import (
    MEASURED,
    MEASURES,
    FindingKey,
    FirstFinding,
    ReadFile,
    Runs,
    Task,
    check_signatures,
    missing,
    pair_by_file,
    read_file,
    side_of,
    tasks_of,
)
from otap.formats.json.lines import sha256_of

TOLERANCE = 0.05
DECIDING = "score"  # the measure that the verdict rests on, named before anyone looks
MOST_MISSING = 0.1  # of the runs of a side that should be compared
UNDECIDED: Verdict = "not enough evidence"
TASKS_NAMED = 5  # of each side, where none is on both
PAIRING = "evaluate both with --task-from, which says where a run's task stands"
_OUTCOME = MEASURES.index("outcome")
PASSED = 1.0  # the outcome from which on a run has passed
SHOWN = (1, 2, 3, 4, 5, 8, 16, 32)  # numbers of tries


def compare(
    base: str | os.PathLike[str], new: str | os.PathLike[str], *, tolerance: float = TOLERANCE
) -> Comparison:
    """Compares two files of ``otap evaluate``, task by task.

    Args:
        base: the results that were there before.
        new: the results that are judged.
        tolerance: the difference of score that counts as none; in [0, 1).

    Raises:
        FormatError: if a file cannot be read, or both were not made in the same way.
        ConfigError: for a tolerance out of its range.
    """
    if not 0 <= tolerance < 1:
        raise ConfigError("--tolerance must be at least 0 and below 1")
    before, after = read_file(base), read_file(new)
    check_signatures(before, after)
    by_file = pair_by_file(before, after)
    tasks = tasks_of(before, after)
    both = [task for task in tasks if all(task.counted)]
    changes = condition_changes(both, before.references == after.references)
    apart = {change.task for change in changes}
    everywhere = judged(both, tolerance)
    same = judged([t for t in both if t.name not in apart], tolerance) if apart else None
    lacks = missing(tasks)
    verdict, reason = overall(everywhere, same, lacks)
    if not before.runs.keys() & after.runs.keys():
        reason = f"no task is on both sides: {_list_tasks(before)}; {_list_tasks(after)}; {PAIRING}"
    elif by_file:
        reason = f"{reason}; runs without a task were paired by the names of their files"
    if sha256_of(os.fspath(base)) == sha256_of(os.fspath(new)):
        verdict, reason = "equal", "both files are the same, byte for byte"
    return Comparison(
        base=side_of(before, tasks, both, 0, lacks[0]),
        new=side_of(after, tasks, both, 1, lacks[1]),
        tolerance=tolerance,
        verdict=verdict,
        reason=reason,
        everywhere=everywhere,
        same_conditions=same,
        measures=tuple(differences(both)),
        tasks=tuple(moved_tasks(both)),
        findings=tuple(finding_changes(both)),
        conditions=tuple(changes),
        tries=tuple(tries(both)),
        signature=dict(before.signature),
    )


def _list_tasks(file: ReadFile) -> str:
    names = sorted(file.runs)
    more = f" and {len(names) - TASKS_NAMED} more" if len(names) > TASKS_NAMED else ""
    listed = ", ".join(shown(name, 40) for name in names[:TASKS_NAMED])
    return f"{shown_path(file.path)} has {listed}{more}"


def differences(tasks: Sequence[Task]) -> list[Difference]:
    """Returns the difference of each measure that both sides know, the deciding one first.

    That one is tested as it is. The others are looked at together, and their p values are corrected
    for how many they are.
    """
    found = [one for name in MEASURES if (one := difference(tasks, name)) is not None]
    beside = [one for one in found if one.measure != DECIDING]
    corrected = zip(beside, holm([one.p for one in beside]), strict=True)
    deciding = [one for one in found if one.measure == DECIDING]
    return deciding + [one.model_copy(update={"p_corrected": p}) for one, p in corrected]


def difference(tasks: Sequence[Task], measure: str) -> Difference | None:
    """Returns how much one measure moved; None if no task knows it on both sides."""
    pairs = _list_means(tasks, measure)
    if not pairs:
        return None
    moved = [new - base for base, new in pairs]
    found, p = estimate(moved), sign_flip_test(moved)
    low, high = found.mean - found.half, found.mean + found.half
    return Difference(
        measure=measure,
        tasks=found.tasks,
        moved=found.moved,
        base=fmean(base for base, _ in pairs),
        new=fmean(new for _, new in pairs),
        difference=found.mean,
        low=low if isfinite(low) else None,
        high=high if isfinite(high) else None,
        p=p,
        p_corrected=p,
        detectable=found.detectable,
    )


def _list_means(tasks: Sequence[Task], measure: str) -> list[tuple[float, float]]:
    return [means for task in tasks if (means := task.means(measure)) is not None]


def more(tasks: Sequence[Task], tolerance: float) -> More:
    """Returns how many tasks, or repetitions of these, would tell.

    So many that in four of five cases a difference of the tolerance is shown, if there is one, and
    equality, if there is none.
    """
    found = estimate([new - base for base, new in _list_means(tasks, DECIDING)])
    wanted = found.tasks_for(tolerance)
    if wanted is None or wanted <= found.tasks:  # it was bad luck: twice as many
        return More(tasks=wanted and 2 * found.tasks, repetitions=None)
    return More(tasks=wanted, repetitions=_repetitions(tasks, found.error**2, wanted))


def _repetitions(tasks: Sequence[Task], square: float, wanted: int) -> float | None:
    """How many times the repetitions would do as well; None: no number, or tasks have one run.

    Args:
        tasks: what was compared.
        square: the squared standard error that they reach.
        wanted: how many tasks like these would do.
    """
    within = [value for task in tasks if (value := _within(task)) is not None]
    if len(within) < len(tasks):
        return None
    noise = min(fmean(within) / len(tasks), square)
    left = square * len(tasks) / wanted - (square - noise)
    return noise / left if left > 0 else None


def _within(task: Task) -> float | None:
    """The variance of a task's difference that its repetitions make; None: it has one run."""
    base, new = ([run.score for run in side] for side in task.counted)
    if min(len(base), len(new)) < 2:
        return None
    if task.paired:
        return variance([b - a for a, b in zip(base, new, strict=True)]) / len(base)
    return variance(base) / len(base) + variance(new) / len(new)


def judged(tasks: Sequence[Task], tolerance: float) -> Judgement:
    """Returns the verdict on some tasks, by how much their score moved."""
    score = difference(tasks, DECIDING)
    if score is None:
        reason = "no task has a score on both sides"
        return Judgement(verdict=UNDECIDED, reason=reason, tasks=0, score=None)
    verdict, reason = _rule(score, tolerance)
    undecided = verdict == UNDECIDED
    return Judgement(
        verdict=verdict,
        reason=reason,
        tasks=len(tasks),
        score=score,
        more=more(tasks, tolerance) if undecided else None,
    )


def overall(
    everywhere: Judgement, same: Judgement | None, missing: Sequence[float]
) -> tuple[Verdict, str]:
    """Returns the verdict on the whole, and why.

    It is that on all tasks, unless too much is missing, or those tasks that were measured in the
    same way on both sides say that the difference comes from how the others were measured.

    Args:
        everywhere: the verdict on all tasks.
        same: that on the tasks of equal conditions; None: all are.
        missing: the share of runs that each side lacks.
    """
    for side, share in zip(("BASE", "NEW"), missing, strict=True):
        if share > MOST_MISSING:
            lacks = f"{side} has no score of {share:.0%} of the runs that should be compared"
            return UNDECIDED, lacks
    if same is None or everywhere.verdict not in ("better", "worse"):
        return everywhere.verdict, everywhere.reason
    if same.tasks == 0:
        return UNDECIDED, "no task was measured in the same way on both sides"
    if same.verdict in (UNDECIDED, everywhere.verdict):
        return everywhere.verdict, everywhere.reason
    where = f"{everywhere.verdict} only with the tasks whose conditions differ"
    return UNDECIDED, f"{where}; {same.verdict} without them"


def _rule(score: Difference, tolerance: float) -> tuple[Verdict, str]:
    """Equal inside the tolerance; better or worse where interval and test both say so."""
    if score.moved == 0:
        return "equal", "no task moved"
    if score.low is None or score.high is None:
        return UNDECIDED, "a single task says nothing of others"
    if -tolerance <= score.low and score.high <= tolerance:
        return "equal", f"the interval lies within the tolerance of {tolerance:g}"
    if score.p <= 1 - LEVEL and score.high < 0:
        return "worse", "the interval lies below 0, and so does the test say"
    if score.p <= 1 - LEVEL and score.low > 0:
        return "better", "the interval lies above 0, and so does the test say"
    if score.tasks < FEWEST:
        return UNDECIDED, f"fewer than {FEWEST} tasks cannot show a difference"
    return UNDECIDED, "the difference may be nothing, and may be more than the tolerance"


def condition_changes(tasks: Iterable[Task], same_references: bool) -> list[ConditionChange]:
    """Returns what differs in how tasks were measured, for each in which something does.

    Args:
        tasks: those that are compared.
        same_references: whether both files are known to have had the same references.
    """
    found = []
    for task in tasks:
        # A run without anything to compare decides no condition.
        known = [[run.conditions for run in side if run.conditions] for side in task.counted]
        seen = [[sorted(set(values)) for values in zip(*side, strict=True)] for side in known]
        what = [
            f"{name}: {' or '.join(base)} -> {' or '.join(new)}"
            for name, base, new in zip(MEASURED, *seen, strict=False)
            if base != new
        ]
        files = [{run.references for run in side} for side in task.counted]
        if not same_references and files[0] != files[1]:
            what.append("references: other files")
        if what:
            found.append(ConditionChange(task=task.name, what=tuple(what)))
    return found


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
    base, new, came, went = (Counter[FindingKey]() for _ in range(4))
    severities: dict[FindingKey, set[Severity]] = defaultdict(set)
    for task in tasks:
        sides = [[one for run in side for one in run.findings] for side in task.counted]
        before, after = (Counter(one.key for one in side) for side in sides)
        base.update(before)
        new.update(after)
        came.update(after.keys() - before.keys())
        went.update(before.keys() - after.keys())
        for one in chain(*sides):
            severities[one.key].add(one.severity)
    keys = sorted(severities)
    corrected = holm([sign_test(came[key], went[key]) for key in keys])
    changes = [
        FindingChange(
            kind=key[0],
            tool=key[1] or None,
            severity=min(severities[key], key=SEVERITIES.index),
            base=base[key],
            new=new[key],
            came=came[key],
            went=went[key],
            p_corrected=p,
        )
        for key, p in zip(keys, corrected, strict=True)
    ]
    return sorted(changes, key=_rank_change)


def _rank_change(change: FindingChange) -> tuple[int, int, int, str, str]:
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
    sides = list(zip(*(one for one in both if all(one)), strict=True))
    # The fewest runs of a side: as many tries can be drawn of all.
    most = min((len(passes) for side in sides for passes in side), default=0)
    return [
        Tries(
            k=k,
            tasks=len(sides[0]),
            pass_at=(_mean_chance(pass_at, k, sides[0]), _mean_chance(pass_at, k, sides[1])),
            pass_all=(_mean_chance(pass_all, k, sides[0]), _mean_chance(pass_all, k, sides[1])),
        )
        for k in SHOWN
        if k <= most
    ]


def _passes(side: Runs) -> list[bool]:
    """Whether each run passed whose outcome is known."""
    outcomes = [run.values[_OUTCOME] for run in side]
    return [outcome >= PASSED for outcome in outcomes if outcome is not None]


def _mean_chance(
    chance: Callable[[int, int, int], float], k: int, side: Sequence[list[bool]]
) -> float:
    return fmean(chance(k, sum(one), len(one)) for one in side)
