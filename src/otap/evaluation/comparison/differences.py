"""How much each measure moved, over tasks."""

from collections.abc import Sequence
from math import isfinite
from statistics import fmean

from otap.evaluation.comparison.comparison import Difference
from otap.evaluation.comparison.inference import estimate, holm, sign_flip_test
from otap.evaluation.comparison.pairing import Task
from otap.evaluation.comparison.run import MEASURES

DECIDING = "score"  # the measure that the verdict rests on, named before anyone looks


def differences(tasks: Sequence[Task]) -> list[Difference]:
    """Returns the difference of each measure that both sides know, the deciding one first.

    That one is tested as it is. The others are looked at together, and their p values are corrected
    for how many they are.
    """
    found = [one for name in MEASURES if (one := difference(tasks, name)) is not None]
    beside = [one for one in found if one.measure != DECIDING]
    corrected = holm([one.p for one in beside])
    return [
        *(one for one in found if one.measure == DECIDING),
        *(
            one.model_copy(update={"p_corrected": p})
            for one, p in zip(beside, corrected, strict=True)
        ),
    ]


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
