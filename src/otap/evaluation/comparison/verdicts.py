"""Compares two result files: the change of each measure, a verdict, and the changes of tasks."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import comb, isfinite
from statistics import fmean, variance

from otap.errors import ConfigError, shown, shown_path
from otap.evaluation.comparison.differences import (
    Comparison,
    ConditionChange,
    Difference,
    FindingChange,
    More,
    TaskChange,
    TasksVerdict,
    Tries,
    Verdict,
)
from otap.evaluation.comparison.inference import (
    LEVEL,
    MIN_TASKS,
    estimate,
    holm,
    sign_flip_test,
    sign_test,
)
from otap.evaluation.comparison.sides import (
    CONDITIONS,
    MEASURES,
    ComparedFinding,
    FindingKey,
    Runs,
    RunsByTask,
    Task,
    check_signatures,
    describe_side,
    list_tasks,
    missing_shares,
    pair_by_file,
    read_runs,
)
from otap.findings import SEVERITIES, Severity
from otap.formats.json.lines import sha256_of

TOLERANCE = 0.05
PRIMARY_MEASURE = "score"  # the verdict rests on this measure, chosen in advance
MAX_MISSING = 0.1  # the largest missing share of the runs to compare on each side
UNDECIDED: Verdict = "not enough evidence"
MAX_TASKS_LISTED = 5  # of each side, if no task is in both files
_OUTCOME = MEASURES.index("outcome")
MIN_PASSING_OUTCOME = 1.0
TRY_COUNTS = (1, 2, 3, 4, 5, 8, 16, 32)  # the values of k in pass@k


def compare(
    base: str | os.PathLike[str], new: str | os.PathLike[str], *, tolerance: float = TOLERANCE
) -> Comparison:
    """Compares two files of ``otap evaluate``, task by task.

    Args:
        base: the earlier results.
        new: the results to judge.
        tolerance: score differences up to this size count as equal; in [0, 1).

    Raises:
        FormatError: if a file cannot be read, or the files differ in their signatures.
        ConfigError: if the tolerance is out of its range.
    """
    if not 0 <= tolerance < 1:
        raise ConfigError("--tolerance must be at least 0 and below 1")
    base_runs, new_runs = read_runs(base), read_runs(new)
    check_signatures(base_runs, new_runs)
    is_paired_by_file = pair_by_file(base_runs, new_runs)
    tasks = list_tasks(base_runs, new_runs)
    shared_tasks = [task for task in tasks if all(task.compared)]
    changes = list_condition_changes(shared_tasks, base_runs.references == new_runs.references)
    changed_tasks = {change.task for change in changes}
    everywhere = judge(shared_tasks, tolerance)
    same_conditions = None
    if changes:
        unchanged = [task for task in shared_tasks if task.name not in changed_tasks]
        same_conditions = judge(unchanged, tolerance)
    missing = missing_shares(tasks)
    verdict, reason = decide(everywhere, same_conditions, missing)
    if not base_runs.runs.keys() & new_runs.runs.keys():
        names = f"{_list_names(base_runs)}; {_list_names(new_runs)}"
        advice = "evaluate both with --task-from, which says where a run names its task"
        reason = f"no task is in both files: {names}; {advice}"
    elif is_paired_by_file:
        reason = f"{reason}; runs without a task were paired by file name"
    if sha256_of(os.fspath(base)) == sha256_of(os.fspath(new)):
        verdict, reason = "equal", "both files are identical"
    return Comparison(
        base=describe_side(base_runs, tasks, shared_tasks, 0, missing[0]),
        new=describe_side(new_runs, tasks, shared_tasks, 1, missing[1]),
        tolerance=tolerance,
        verdict=verdict,
        reason=reason,
        everywhere=everywhere,
        same_conditions=same_conditions,
        measures=tuple(compare_measures(shared_tasks)),
        tasks=tuple(list_task_changes(shared_tasks)),
        findings=tuple(list_finding_changes(shared_tasks)),
        conditions=tuple(changes),
        tries=tuple(list_tries(shared_tasks)),
        signature=dict(base_runs.signature),
    )


def _list_names(file: RunsByTask) -> str:
    names = sorted(file.runs)
    omitted = len(names) - MAX_TASKS_LISTED
    ending = f" and {omitted} more" if omitted > 0 else ""
    text = ", ".join(shown(name, 40) for name in names[:MAX_TASKS_LISTED])
    return f"{shown_path(file.path)} has {text}{ending}"


def compare_measures(tasks: Sequence[Task]) -> list[Difference]:
    """Returns the difference of each measure that both sides have, the primary measure first.

    The p value of the primary measure is not corrected. Those of the other measures are corrected
    for their number.
    """
    differences = [compare_measure(tasks, measure) for measure in MEASURES]
    measured = [difference for difference in differences if difference is not None]
    primary = [difference for difference in measured if difference.measure == PRIMARY_MEASURE]
    secondary = [difference for difference in measured if difference.measure != PRIMARY_MEASURE]
    corrected = holm([difference.p for difference in secondary])
    return primary + [
        difference.model_copy(update={"p_corrected": p})
        for difference, p in zip(secondary, corrected, strict=True)
    ]


def compare_measure(tasks: Sequence[Task], measure: str) -> Difference | None:
    """Returns the difference of a measure, or None if no task has it on both sides."""
    pairs = _list_means(tasks, measure)
    if not pairs:
        return None
    differences = [new - base for base, new in pairs]
    mean = estimate(differences)
    p = sign_flip_test(differences)
    low, high = mean.mean - mean.half_width, mean.mean + mean.half_width
    base_mean = fmean(base for base, _ in pairs)
    if isfinite(low) and all(0 <= value <= 1 for pair in pairs for value in pair):
        low, high = max(low, -base_mean), min(high, 1 - base_mean)  # no mean leaves [0, 1]
    return Difference(
        measure=measure,
        tasks=mean.tasks,
        moved=mean.moved,
        base=base_mean,
        new=fmean(new for _, new in pairs),
        difference=mean.mean,
        low=low if isfinite(low) else None,
        high=high if isfinite(high) else None,
        p=p,
        p_corrected=p,
        detectable=mean.detectable,
    )


def _list_means(tasks: Sequence[Task], measure: str) -> list[tuple[float, float]]:
    return [means for task in tasks if (means := task.means(measure)) is not None]


def required_sample(tasks: Sequence[Task], tolerance: float) -> More:
    """Returns the number of tasks, or of repetitions of these tasks, needed for a verdict.

    With this number, four of five comparisons show a difference of the tolerance if there is one,
    and equality if there is none.
    """
    pairs = _list_means(tasks, PRIMARY_MEASURE)
    mean = estimate([new - base for base, new in pairs])
    required = mean.tasks_for(tolerance)
    if required is None:
        return More(tasks=None, repetitions=None)
    if required <= mean.tasks:  # the sample was large enough but unlucky: recommend twice as many
        return More(tasks=2 * mean.tasks, repetitions=None)
    return More(tasks=required, repetitions=_required_repetitions(tasks, mean.error**2, required))


def _required_repetitions(tasks: Sequence[Task], error: float, required: int) -> float | None:
    """Returns the factor by which to multiply the repetitions for the same effect.

    Args:
        tasks: the compared tasks.
        error: their squared standard error.
        required: the number of tasks like these that would be enough.

    Returns:
        None if no factor is enough, or if a task has only one run on a side.
    """
    spreads = [_variance_of_repetitions(task) for task in tasks]
    variances = [spread for spread in spreads if spread is not None]
    if len(variances) < len(tasks):
        return None
    noise = min(fmean(variances) / len(tasks), error)
    allowed = error * len(tasks) / required - (error - noise)
    return noise / allowed if allowed > 0 else None


def _variance_of_repetitions(task: Task) -> float | None:
    """Returns the part of a difference's variance that is due to repetitions.

    None if a side has only one run.
    """
    base, new = ([run.score for run in side] for side in task.compared)
    if min(len(base), len(new)) < 2:
        return None
    if task.is_paired:
        differences = [after - before for before, after in zip(base, new, strict=True)]
        return variance(differences) / len(base)
    return variance(base) / len(base) + variance(new) / len(new)


def judge(tasks: Sequence[Task], tolerance: float) -> TasksVerdict:
    """Returns the verdict on some tasks, by the change of their scores."""
    score = compare_measure(tasks, PRIMARY_MEASURE)
    if score is None:
        reason = "no task has a score on both sides"
        return TasksVerdict(verdict=UNDECIDED, reason=reason, tasks=0, score=None)
    verdict, reason = _judge_score(score, tolerance)
    return TasksVerdict(
        verdict=verdict,
        reason=reason,
        tasks=len(tasks),
        score=score,
        more=required_sample(tasks, tolerance) if verdict == UNDECIDED else None,
    )


def decide(
    everywhere: TasksVerdict, same_conditions: TasksVerdict | None, missing: Sequence[float]
) -> tuple[Verdict, str]:
    """Returns the overall verdict and its reason.

    This is the verdict on all tasks, with two exceptions. There is not enough evidence if too many
    runs are missing, or if the tasks of equal conditions contradict a difference: then the change
    of conditions may explain it.

    Args:
        everywhere: the verdict on all tasks.
        same_conditions: the verdict on the tasks of equal conditions; None if all tasks have these.
        missing: for each side, the missing share of the runs to compare.
    """
    for side, share in zip(("BASE", "NEW"), missing, strict=True):
        if share > MAX_MISSING:
            return UNDECIDED, f"{share:.0%} of the runs to compare have no score in {side}"
    if same_conditions is None or everywhere.verdict not in ("better", "worse"):
        return everywhere.verdict, everywhere.reason
    if same_conditions.tasks == 0:
        return UNDECIDED, "no task was measured under the same conditions on both sides"
    if same_conditions.verdict in (UNDECIDED, everywhere.verdict):
        return everywhere.verdict, everywhere.reason
    reason = f"{everywhere.verdict} only with the tasks whose conditions differ"
    return UNDECIDED, f"{reason}; {same_conditions.verdict} without them"


def _judge_score(score: Difference, tolerance: float) -> tuple[Verdict, str]:
    """Equal inside the tolerance; better or worse if the interval and the test agree."""
    if score.moved == 0:
        return "equal", "no task changed its score"
    if score.low is None or score.high is None:
        return UNDECIDED, "a single task is not enough for an interval"
    if -tolerance <= score.low and score.high <= tolerance:
        return "equal", f"the interval is within the tolerance of {tolerance:g}"
    if score.p <= 1 - LEVEL and score.high < 0:
        return "worse", "the interval is below 0, and the test agrees"
    if score.p <= 1 - LEVEL and score.low > 0:
        return "better", "the interval is above 0, and the test agrees"
    if score.tasks < MIN_TASKS:
        return UNDECIDED, f"fewer than {MIN_TASKS} tasks cannot show a difference"
    return UNDECIDED, "the difference may be 0, and may be larger than the tolerance"


def list_condition_changes(
    tasks: Iterable[Task], is_same_references: bool
) -> list[ConditionChange]:
    """Returns the tasks that were measured under different conditions, with the differences.

    Args:
        tasks: the compared tasks.
        is_same_references: whether both files are known to have had the same references.
    """
    changes = []
    for task in tasks:
        # A run with nothing to compare has no conditions.
        sides = [[run.conditions for run in side if run.conditions] for side in task.compared]
        distinct = [[sorted(set(texts)) for texts in zip(*side, strict=True)] for side in sides]
        differences = [
            f"{name}: {' or '.join(base)} -> {' or '.join(new)}"
            for name, base, new in zip(CONDITIONS, *distinct, strict=False)
            if base != new
        ]
        files = [{run.references for run in side} for side in task.compared]
        if not is_same_references and files[0] != files[1]:
            differences.append("references: other files")
        if differences:
            changes.append(ConditionChange(task=task.name, what=tuple(differences)))
    return changes


def list_task_changes(tasks: Sequence[Task]) -> list[TaskChange]:
    """Returns the tasks whose score changed, by the size of the change, largest first."""
    changes = []
    for task in tasks:
        means = task.means("score")
        if means is None or means[0] == means[1]:
            continue
        finding = _first_finding(task, fell=means[1] < means[0])
        change = TaskChange(
            task=task.name,
            base=means[0],
            new=means[1],
            difference=means[1] - means[0],
            runs=(len(task.compared[0]), len(task.compared[1])),
            kind=finding and finding.key[0],
            tool=(finding and finding.key[1]) or None,
            severity=finding and finding.severity,
            finding=finding and finding.sentence,
        )
        changes.append(change)
    return sorted(changes, key=lambda change: (-abs(change.difference), change.task))


def _first_finding(task: Task, *, fell: bool) -> ComparedFinding | None:
    """Returns the finding that a person should read first in a task whose score changed.

    If the score fell, it is a finding of the worst run of NEW: the first that no run of BASE has,
    else its first. If the score rose, it is the same with the sides exchanged: a finding that is
    gone.
    """
    base, new = task.compared
    worse_side, better_side = (new, base) if fell else (base, new)
    worst = min(worse_side, key=lambda run: run.score)
    better_keys = {finding.key for run in better_side for finding in run.findings}
    new_findings = [finding for finding in worst.findings if finding.key not in better_keys]
    return next(iter([*new_findings, *worst.findings]), None)


def list_finding_changes(tasks: Sequence[Task]) -> list[FindingChange]:
    """Returns all findings of both sides, by the change of their number of tasks, largest first."""
    base, new, came, went = (Counter[FindingKey]() for _ in range(4))
    severities: dict[FindingKey, set[Severity]] = defaultdict(set)
    for task in tasks:
        sides = [[finding for run in side for finding in run.findings] for side in task.compared]
        base_counts, new_counts = (Counter(finding.key for finding in side) for side in sides)
        base.update(base_counts)
        new.update(new_counts)
        came.update(new_counts.keys() - base_counts.keys())
        went.update(base_counts.keys() - new_counts.keys())
        for finding in [*sides[0], *sides[1]]:
            severities[finding.key].add(finding.severity)
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
    """Returns the unbiased estimate of the chance that at least one of k runs passes [Chen2021].

    Args:
        k: the number of runs drawn without replacement, at most ``runs``.
        passed: the number of runs that passed.
        runs: the number of runs.
    """
    return 1 - comb(runs - passed, k) / comb(runs, k)


def pass_all(k: int, passed: int, runs: int) -> float:
    """Returns the unbiased estimate of the chance that all of k runs pass, pass^k [Yao2024]."""
    return comb(passed, k) / comb(runs, k)


def list_tries(tasks: Sequence[Task]) -> list[Tries]:
    """Returns pass@k and pass^k for each k.

    The largest k is the smallest number of outcomes that a task has on a side.
    """
    pairs = [[_list_passes(side) for side in task.compared] for task in tasks]
    sides = list(zip(*(pair for pair in pairs if all(pair)), strict=True))
    largest = min((len(passes) for side in sides for passes in side), default=0)
    return [
        Tries(
            k=k,
            tasks=len(sides[0]),
            pass_at=(_mean_chance(pass_at, k, sides[0]), _mean_chance(pass_at, k, sides[1])),
            pass_all=(_mean_chance(pass_all, k, sides[0]), _mean_chance(pass_all, k, sides[1])),
        )
        for k in TRY_COUNTS
        if k <= largest
    ]


def _list_passes(side: Runs) -> list[bool]:
    """Returns whether each run with an outcome passed."""
    outcomes = [run.measures[_OUTCOME] for run in side]
    return [outcome >= MIN_PASSING_OUTCOME for outcome in outcomes if outcome is not None]


def _mean_chance(
    chance: Callable[[int, int, int], float], k: int, side: Sequence[list[bool]]
) -> float:
    return fmean(chance(k, sum(passes), len(passes)) for passes in side)
