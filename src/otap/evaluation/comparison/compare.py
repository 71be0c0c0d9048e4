"""Two result files in, a comparison out: how much each measure moved, and the verdict."""

import hashlib
import os
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from statistics import fmean, variance

from otap.errors import ConfigError
from otap.evaluation.comparison.changes import (
    condition_changes,
    finding_changes,
    moved_tasks,
    tries,
)
from otap.evaluation.comparison.comparison import Comparison, Difference, Judgement, More, Verdict
from otap.evaluation.comparison.inference import FEWEST, LEVEL, estimate, holm, sign_flip_test
from otap.evaluation.comparison.runs import (
    MEASURES,
    Task,
    check_signatures,
    missing,
    read_file,
    side_of,
    tasks_of,
)

TOLERANCE = 0.05
DECIDING = "score"  # the measure that the verdict rests on, named before anyone looks
MOST_MISSING = 0.1  # of the runs of a side that should be compared
UNDECIDED: Verdict = "not enough evidence"


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
    tasks = tasks_of(before, after)
    both = [task for task in tasks if all(task.counted)]
    changes = condition_changes(both, before.references == after.references)
    apart = {change.task for change in changes}
    everywhere = judged(both, tolerance)
    same = judged([t for t in both if t.name not in apart], tolerance) if apart else None
    lacks = missing(tasks)
    verdict, reason = overall(everywhere, same, lacks)
    if _digest_file(base) == _digest_file(new):
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


def _digest_file(path: str | os.PathLike[str]) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
    pairs = [means for task in tasks if (means := task.means(measure)) is not None]
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


def more(tasks: Sequence[Task], tolerance: float) -> More:
    """Returns how many tasks, or repetitions of these, would tell.

    So many that in four of five cases a difference of the tolerance is shown, if there is one, and
    equality, if there is none.
    """
    moved = [value for task in tasks if (value := task.difference(DECIDING)) is not None]
    found = estimate(moved)
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
