"""The runs of both sides by task, and which of them are compared."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from otap._caching import cached_property
from otap.evaluation.comparison.run import MEASURES, Run


@dataclass(frozen=True)
class Task:
    """The runs of one task on both sides, in an order that no listing decides.

    Where both sides ran the same repetitions, by name, a repetition that one of them has no score
    of is left out on both. Elsewhere repetitions are exchangeable, and all that are scored count.
    """

    name: str
    base: tuple[Run, ...]
    new: tuple[Run, ...]

    @property
    def paired(self) -> bool:
        """Whether both sides ran the same repetitions, each once."""
        sides = [[run.trial for run in side] for side in (self.base, self.new)]
        once = all(len(set(side)) == len(side) and None not in side for side in sides)
        return once and set(sides[0]) == set(sides[1])

    @cached_property
    def counted(self) -> tuple[tuple[Run, ...], tuple[Run, ...]]:
        """The runs of each side that are compared."""
        base, new = _scored(self.base), _scored(self.new)
        return (_of_trials(base, new), _of_trials(new, base)) if self.paired else (base, new)

    def means(self, measure: str) -> tuple[float, float] | None:
        """The mean of a measure on each side; None where a side knows none."""
        place = MEASURES.index(measure)
        sides = [[run.values[place] for run in side] for side in self.counted]
        known = [[value for value in side if value is not None] for side in sides]
        return (fmean(known[0]), fmean(known[1])) if all(known) else None

    def difference(self, measure: str) -> float | None:
        """How much a measure moved; None where a side knows none."""
        means = self.means(measure)
        return None if means is None else means[1] - means[0]


def tasks_of(base: Mapping[str, Sequence[Run]], new: Mapping[str, Sequence[Run]]) -> list[Task]:
    """Returns all tasks of both sides, by name."""
    names = sorted({*base, *new})
    return [Task(name, _sorted(base.get(name, ())), _sorted(new.get(name, ()))) for name in names]


def compared(tasks: Iterable[Task]) -> list[Task]:
    """Returns the tasks that both sides have a score of."""
    return [task for task in tasks if all(task.counted)]


def missing(tasks: Sequence[Task]) -> tuple[float, float]:
    """Returns which share of the runs that should be compared has no score, on each side.

    A task without any score on the other side asks for none. One that BASE has scored and NEW lacks
    is missing in NEW; what NEW has besides is new, and nothing is missing of it.
    """
    base = [(task.base, len(task.base)) for task in tasks if _any(task.new)]
    new = [(task.new, len(task.new or task.base)) for task in tasks if _any(task.base)]
    return _share(base), _share(new)


def _share(sides: Sequence[tuple[Sequence[Run], int]]) -> float:
    """The share of runs without a score, of sides with how many runs each should have."""
    wanted = sum(count for _, count in sides)
    scored = sum(run.scored for side, _ in sides for run in side)
    return (wanted - scored) / wanted if wanted else 0.0


def _scored(side: Iterable[Run]) -> tuple[Run, ...]:
    return tuple(run for run in side if run.scored)


def _of_trials(side: Sequence[Run], other: Sequence[Run]) -> tuple[Run, ...]:
    trials = {run.trial for run in other}
    return tuple(run for run in side if run.trial in trials)


def _any(side: Iterable[Run]) -> bool:
    return any(run.scored for run in side)


def _sorted(side: Sequence[Run]) -> tuple[Run, ...]:
    return tuple(sorted(side, key=_key))


def _key(run: Run) -> tuple[str, str, tuple[float, ...], str]:
    values = tuple(-1.0 if value is None else value for value in run.values)
    return run.trial or "", run.name, values, repr(run)
