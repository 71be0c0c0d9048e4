"""A case as it was compared: the steps of both sides that count, and which stands for which."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from otap._caching import cached_property
from otap.dependencies.tool_names import canonical_tool
from otap.learning.runs import Case, Outline, Scores
from otap.scoring import Config
from otap.scoring.prepare.filtering import RunFilter
from otap.scoring.prepare.prepared import PreparedRun, PreparedRuns
from otap.scoring.prepare.recognition import Role
from otap.trajectory import Step

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Side:
    """The steps of a run or a reference that count, what each does, and whether it failed."""

    steps: Sequence[Step]
    roles: Sequence[Role]
    failed: Sequence[bool]


class Compared:
    """A case beside its best reference.

    Args:
        case: the run, its task and its outcome.
        prepared: the run and the reference as they were prepared.
        counterparts: places of steps of the run, each with the place of what it stands for.
    """

    def __init__(
        self, case: Case, prepared: tuple[PreparedRun, PreparedRun], counterparts: Mapping[int, int]
    ) -> None:
        self.case, self.counterparts = case, counterparts
        self._prepared = prepared
        self._noted: dict[Callable[[Compared], Any], Any] = {}

    def noted(self, look: Callable[["Compared"], T]) -> T:
        """Returns what a function sees in this case; it is asked once, however often one learns."""
        if look not in self._noted:
            self._noted[look] = look(self)
        found: T = self._noted[look]
        return found

    @cached_property
    def recorded(self) -> Side:
        """What counts of the run, in its own names."""
        return _side(self._prepared[0])

    @cached_property
    def run(self) -> Side:
        """The same in the names of the reference, which takes a look at all that was shown."""
        run, reference = self._prepared
        return _side(run.in_names_of(reference))

    @cached_property
    def reference(self) -> Side:
        """What counts of the reference."""
        return _side(self._prepared[1])


def compared(scores: Scores, tasks: Collection[str], config: Config) -> list[Compared]:
    """Returns the cases of some tasks as they are compared under a configuration.

    Raises:
        OtapError: if a case cannot be scored.
    """
    every = scores.once("compared", config, lambda config: _every(scores, config))
    return [one for one in every if one.case.task in tasks]


def _every(scores: Scores, config: Config) -> list[Compared]:
    runs = PreparedRuns(RunFilter(config))
    pairs = zip(scores.sample.cases, scores.of(config), strict=True)
    return [_compared(case, score, runs) for case, score in pairs]


def _compared(case: Case, score: Outline, runs: PreparedRuns) -> Compared:
    reference = runs.of(case.references[score.best_place])
    run = runs.passing(case.run).beside(reference)
    places = {step.id: place for place, step in enumerate(reference.trajectory.steps)}
    alone = {one.id: one.counterpart for one in score.agent}
    counterparts = {
        place: places[other]
        for place, step in enumerate(run.trajectory.steps)
        if (other := alone.get(step.id)) is not None
    }
    return Compared(case, (run, reference), counterparts)


def _side(run: PreparedRun) -> Side:
    return Side(run.trajectory.steps, run.roles, run.failed.tolist())


def same_tool(one: str | None, other: str | None) -> bool:
    """Whether two names are of one tool, however it is written and whatever its server."""
    if one is None or other is None:
        return False
    return canonical_tool(one).bare == canonical_tool(other).bare
