"""The reference that a whole grid is held against: the one that most runs are nearest to."""

from collections import Counter
from collections.abc import Sequence

from otap.errors import ConfigError
from otap.scoring import Against, Explanation
from otap.trajectory import Step, Trajectory


def common(found: Sequence[Explanation]) -> list[Against | None]:
    """Returns each run beside one reference, the same for all.

    Of references that are nearest to as many runs it is the one against which the runs lose least,
    and of equal ones the first by its text: never does it depend on the order of the runs. One that
    a run was never held against, and cannot be held against any more, is left for the next. If
    there is such a run with every reference, it is the one with the fewest; they are None.

    Args:
        found: runs of one task, at least one.
    """
    texts = _Texts()
    nearest = Counter(texts.of(one.best.reference.recorded) for one in found)
    known = [{texts.of(one.reference.recorded): one for one in each.against} for each in found]
    listed = {text: one.reference.recorded for each in known for text, one in each.items()}
    ranked = sorted(listed, key=lambda text: (-nearest[text], *_missed(known, text), text))
    held: list[list[Against | None]] = []
    for text in ranked:
        held.append(
            [
                each.get(text) or _held(one, listed[text])
                for one, each in zip(found, known, strict=True)
            ]
        )
        if None not in held[-1]:
            return held[-1]
    return min(held, key=lambda each: each.count(None))


def _held(found: Explanation, reference: Trajectory) -> Against | None:
    """A run beside a reference that it was never held against; None where the run is not known."""
    try:
        return found.score.explain([reference]).best
    except ConfigError:
        return None


def steps(against: Sequence[Against]) -> list[Step]:
    """Returns the steps of the reference that are compared with any of the runs, in order.

    With a run that shows no steps inside steps there may be fewer of them.

    Args:
        against: the runs beside it.
    """
    listed = sorted((one.reference.steps for one in against), key=_longest_first)
    found = list(listed[0])
    for each in listed[1:]:
        known = [step.id for step in found]
        at = 0
        for step in each:
            if step.id not in known:
                found.insert(at, step)
                known.insert(at, step.id)
            at = known.index(step.id) + 1
    return found


def _longest_first(steps: Sequence[Step]) -> tuple[int, list[str]]:
    return -len(steps), [step.id for step in steps]


def _missed(known: Sequence[dict[str, Against]], text: str) -> tuple[int, float]:
    """How many runs were not held against a reference, and what the others lose."""
    losses = sorted(each[text].score.loss for each in known if text in each)
    return len(known) - len(losses), sum(losses)


class _Texts:
    """The text of each reference, made once: runs of one task mostly share theirs."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Trajectory, str]] = {}

    def of(self, reference: Trajectory) -> str:
        """Returns what tells a reference apart from others."""
        if id(reference) not in self._known:
            # It is held, too: a number of an object is given away again when that is gone.
            self._known[id(reference)] = reference, reference.to_json()
        return self._known[id(reference)][1]
