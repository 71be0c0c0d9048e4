"""The reference that a whole grid is held against: the one that most runs are nearest to."""

from collections import Counter
from collections.abc import Mapping, Sequence

from otap.errors import ConfigError
from otap.scoring import Against, Explanation
from otap.trajectory import Step, Trajectory


def share_reference(found: Sequence[Explanation]) -> list[Against | None]:
    """Returns each run beside one reference, the same for all.

    Of references that are nearest to as many runs it is the one against which the runs lose least,
    and of equal ones the first by its text: never does it depend on the order of the runs. One that
    a run was never held against, and cannot be held against any more, is left for the next. If
    there is such a run with every reference, it is the one with the fewest; they are None.

    Args:
        found: runs of one task, at least one.
    """
    # Runs of one task mostly share their references: each is written once.
    recorded = {
        id(a.reference.recorded): a.reference.recorded for one in found for a in one.against
    }
    texts = {key: one.to_json() for key, one in recorded.items()}
    listed = {texts[key]: one for key, one in recorded.items()}
    nearest = Counter(texts[id(one.best.reference.recorded)] for one in found)
    known = [{texts[id(a.reference.recorded)]: a for a in one.against} for one in found]
    ranked = sorted(listed, key=lambda text: (-nearest[text], *_count_missed(known, text), text))
    held: list[list[Against | None]] = []
    for text in ranked:
        pairs = zip(found, known, strict=True)
        held.append([each.get(text) or _explain_against(one, listed[text]) for one, each in pairs])
        if None not in held[-1]:
            return held[-1]
    return min(held, key=lambda each: each.count(None))


def _explain_against(found: Explanation, reference: Trajectory) -> Against | None:
    """A run beside a reference that it was never held against; None where the run is not known."""
    try:
        return found.score.explain([reference]).best
    except ConfigError:
        return None


def _count_missed(known: Sequence[Mapping[str, Against]], text: str) -> tuple[int, float]:
    """How many runs were not held against a reference, and what the others lose."""
    losses = sorted(each[text].score.loss for each in known if text in each)
    return len(known) - len(losses), sum(losses)


def merge_steps(against: Sequence[Against]) -> list[Step]:
    """Returns the steps of the reference that are compared with any of the runs, in order.

    With a run that shows no steps inside steps there may be fewer of them.

    Args:
        against: the runs beside it.
    """
    listed = [one.reference.steps for one in against]
    listed.sort(key=lambda steps: (-len(steps), [step.id for step in steps]))
    found = list(listed[0])
    for steps in listed[1:]:
        known, at = [step.id for step in found], 0
        for step in steps:
            if step.id not in known:
                found.insert(at, step)
                known.insert(at, step.id)
            at = known.index(step.id) + 1
    return found
