"""The rule of the verdict: better, equal, worse, or not enough evidence."""

from collections.abc import Sequence

from otap.evaluation.comparison.comparison import Difference, Judgement, Verdict
from otap.evaluation.comparison.differences import DECIDING, difference
from otap.evaluation.comparison.inference import FEWEST, LEVEL
from otap.evaluation.comparison.more import more
from otap.evaluation.comparison.pairing import Task

MOST_MISSING = 0.1  # of the runs of a side that should be compared


def judged(tasks: Sequence[Task], tolerance: float) -> Judgement:
    """Returns the verdict on some tasks, by how much their score moved."""
    score = difference(tasks, DECIDING)
    if score is None:
        return _nothing("no task has a score on both sides")
    verdict, reason = _rule(score, tolerance)
    undecided = verdict == "not enough evidence"
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
            return "not enough evidence", lacks
    if same is None or everywhere.verdict not in ("better", "worse"):
        return everywhere.verdict, everywhere.reason
    if same.tasks == 0:
        return "not enough evidence", "no task was measured in the same way on both sides"
    if same.verdict in ("not enough evidence", everywhere.verdict):
        return everywhere.verdict, everywhere.reason
    where = f"{everywhere.verdict} only with the tasks whose conditions differ"
    return "not enough evidence", f"{where}; {same.verdict} without them"


def _rule(score: Difference, tolerance: float) -> tuple[Verdict, str]:
    """Equal inside the tolerance; better or worse where interval and test both say so."""
    if score.moved == 0:
        return "equal", "no task moved"
    if score.low is None or score.high is None:
        return "not enough evidence", "a single task says nothing of others"
    if -tolerance <= score.low and score.high <= tolerance:
        return "equal", f"the interval lies within the tolerance of {tolerance:g}"
    if score.p <= 1 - LEVEL and score.high < 0:
        return "worse", "the interval lies below 0, and so does the test say"
    if score.p <= 1 - LEVEL and score.low > 0:
        return "better", "the interval lies above 0, and so does the test say"
    return "not enough evidence", _why_not(score)


def _why_not(score: Difference) -> str:
    if score.tasks < FEWEST:
        return f"fewer than {FEWEST} tasks cannot show a difference"
    return "the difference may be nothing, and may be more than the tolerance"


def _nothing(reason: str) -> Judgement:
    return Judgement(verdict="not enough evidence", reason=reason, tasks=0, score=None)
