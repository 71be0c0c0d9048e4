"""What a score was read off, for those who look at it: both sides step by step, pair by pair."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from otap.alignment import Calculation, PairDetails, calculate, details
from otap.dependencies import DependencyGraph
from otap.prepare.prepared import PreparedRun
from otap.scoring.result import Score, shown_by
from otap.scoring.search import Search
from otap.trajectory import Step, Trajectory

EXPLAINED = 8  # references of one run, the nearest first, if nobody says how many


@dataclass(frozen=True)
class Side:
    """The steps of one side that are compared, as they were recorded; those inside a step opened.

    Attributes:
        recorded: the trajectory that they are of.
        steps: those that count; the ids of an alignment are theirs.
        left_out: those that do not count.
        roles: what each step of ``steps`` does: "writes", "reads", "thinks" or "hands_over".
        weights: what each of them weighs; an ordinary one weighs 1.
        failed: which of them failed, as far as that is looked at.
        graph: who needed whom, and the values that prove it; by place in ``steps``.
    """

    recorded: Trajectory
    steps: tuple[Step, ...]
    left_out: tuple[Step, ...]
    roles: tuple[str, ...]
    weights: tuple[float, ...]
    failed: tuple[bool, ...]
    graph: DependencyGraph


@dataclass(frozen=True)
class Against:
    """A run held against one reference.

    Attributes:
        place: of the reference among those that were given.
        score: of the run against this reference alone.
        run: the run's side.
        reference: the reference's.
        details: of the pairs that share mass, by the ids of their steps.
        calculation: of the loss against this reference.
    """

    place: int
    score: Score
    run: Side
    reference: Side
    details: Mapping[tuple[str, str], PairDetails] = field(repr=False)
    calculation: Calculation = field(repr=False)


@dataclass(frozen=True)
class Explanation:
    """A score, and what it was read off.

    Attributes:
        score: against all references.
        against: the nearest references one by one, the best first.
    """

    score: Score
    against: tuple[Against, ...]

    @property
    def best(self) -> Against:
        """The best reference, of which the score's alignment and findings are."""
        return self.against[0]

    def _repr_html_(self) -> str:
        """What a notebook shows of it, as of its score."""
        card: str = shown_by("card").explanation_card(self)
        return card


def explanation(
    search: Search, score: Score, alone: Callable[[int], Score], most: int = EXPLAINED
) -> Explanation:
    """Returns what a score was read off.

    Args:
        search: the run and its references, solved.
        score: what it says.
        alone: gives the score against one reference, by its place.
        most: how many references, the nearest first.
    """
    losses = {place: compared.loss for place, compared in search.found.items()}
    nearest = sorted(losses, key=lambda place: (place != score.best_place, losses[place], place))
    against = (_against(search, place, alone(place)) for place in nearest[:most])
    return Explanation(score, tuple(against))


def _against(search: Search, place: int, score: Score) -> Against:
    compared, (run, reference) = search.found[place], search.prepared[place]
    recorded = search.given[0], search.given[1][place]
    mechanisms = score.conditions.dependencies
    ours = _side(recorded[0], run, reference, mechanisms.run)
    theirs = _side(recorded[1], reference, reference, mechanisms.reference)
    calculation = calculate(compared, score.findings)
    return Against(place, score, ours, theirs, details(compared), calculation)


def _side(
    recorded: Trajectory, prepared: PreparedRun, reference: PreparedRun, mechanism: str
) -> Side:
    kept = set(prepared.kept)
    return Side(
        recorded=recorded,
        steps=tuple(prepared.counted.steps),
        left_out=tuple(s for k, s in enumerate(prepared.whole.steps) if k not in kept),
        roles=tuple(prepared.roles),
        weights=tuple(prepared.weights(reference.in_full).tolist()),
        failed=tuple(prepared.failed.tolist()),
        graph=prepared.graph(mechanism),
    )
