"""What moved against the results from before: by run, by task, and the comparison as a whole."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean

from otap._caching import cached_property
from otap.evaluation import Result
from otap.evaluation.comparison import Comparison

_Key = tuple[str | None, str | None]  # task and trial


@dataclass(frozen=True)
class Before:
    """The results from before, and what comparing them says.

    Attributes:
        comparison: of those with the runs of the page.
        results: those from before.
    """

    comparison: Comparison
    results: Iterable[Result] = field(repr=False)

    @cached_property
    def tasks(self) -> Mapping[str, float]:
        """The mean score of each task."""
        found: dict[str, list[float]] = {}
        for (task, _), scores in self._scores.items():
            if task is not None:
                found.setdefault(task, []).extend(scores)
        return {task: fmean(scores) for task, scores in found.items()}

    def score(self, result: Result) -> float | None:
        """Returns what a run scored before: the same trial, else its task in the mean."""
        same = self._scores.get(_key(result), ())
        if len(same) == 1 and result.trial is not None:
            return same[0]
        return None if result.task is None else self.tasks.get(result.task)

    @cached_property
    def _scores(self) -> Mapping[_Key, list[float]]:
        found: dict[_Key, list[float]] = {}
        for one in self.results:
            if one.score is not None and one.understood:
                found.setdefault(_key(one), []).append(one.score)
        return found


def _key(result: Result) -> _Key:
    return result.task, None if result.trial is None else str(result.trial)
