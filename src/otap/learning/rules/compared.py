"""A case as it was compared: the steps of both sides that count, and which stands for which."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from otap.learning.runs import Case, Scores
from otap.scoring import Config, Score
from otap.scoring.prepare.filtering import RunFilter
from otap.scoring.prepare.prepared import PreparedRun, PreparedRuns
from otap.scoring.prepare.recognition import Role
from otap.trajectory import Step


@dataclass(frozen=True, eq=False)
class Side:
    """The steps of a run or a reference that count, in the names in which they are compared.

    ``roles`` is what each does; ``failed`` whether it failed.
    """

    steps: Sequence[Step]
    roles: Sequence[Role]
    failed: Sequence[bool]


@dataclass(frozen=True, eq=False)
class Compared:
    """A case beside its best reference.

    Args:
        case: the run, its task and its outcome.
        run: what counts of it.
        reference: what counts of the reference.
        counterparts: places of steps of the run, each with the place of what it stands for.
    """

    case: Case
    run: Side
    reference: Side
    counterparts: Mapping[int, int]


def compared(scores: Scores, tasks: Collection[str], config: Config) -> list[Compared]:
    """Returns the cases of some tasks as they are compared under a configuration.

    Raises:
        OtapError: if a case cannot be scored.
    """
    runs = PreparedRuns(RunFilter(config))
    pairs = zip(scores.sample.cases, scores.of(config), strict=True)
    return [_compared(case, score, runs) for case, score in pairs if case.task in tasks]


def _compared(case: Case, score: Score, runs: PreparedRuns) -> Compared:
    reference = runs.of(case.references[score.best_place])
    run = runs.passing(case.run).beside(reference).in_names_of(reference)
    ours, theirs = _side(run), _side(reference)
    places = {step.id: place for place, step in enumerate(theirs.steps)}
    alone = {one.id: one.counterpart for one in score.alignment.agent}
    counterparts = {
        place: places[other]
        for place, step in enumerate(ours.steps)
        if (other := alone.get(step.id)) is not None
    }
    return Compared(case, ours, theirs, counterparts)


def _side(run: PreparedRun) -> Side:
    return Side(run.trajectory.steps, run.roles, run.failed.tolist())
