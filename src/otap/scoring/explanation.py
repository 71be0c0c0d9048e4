"""The source of a score, for people who inspect it: both sides step by step, pair by pair."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from otap._caching import cached_property
from otap.graph import DependencyGraph
from otap.run.run import RunView
from otap.scoring.alignment import PairDetails, details
from otap.scoring.calculation import Calculation, calculate
from otap.scoring.references import ReferenceComparisons
from otap.scoring.result import Score, load_report_module
from otap.trajectory import Step, Trajectory

EXPLAINED = 8  # the default number of references of one run, the nearest first


@dataclass(frozen=True)
class Side:
    """The compared steps of one side as they were recorded, with sub-steps expanded.

    Attributes:
        recorded: the trajectory.
        steps: the steps that count; an alignment refers to their ids.
        left_out: the steps that do not count.
        roles: the role of each step of ``steps``: "writes", "reads", "thinks" or "handoff".
        is_assumed: whether a step counts as a write only because nothing shows that it does not.
        weights: the weight of each step; an ordinary step weighs 1.
        failed: which steps failed, as far as that is evaluated.
        graph: the dependencies and the values that prove them, by index in ``steps``.
    """

    recorded: Trajectory
    steps: tuple[Step, ...]
    left_out: tuple[Step, ...]
    roles: tuple[str, ...]
    is_assumed: tuple[bool, ...]
    weights: tuple[float, ...]
    failed: tuple[bool, ...]
    graph: DependencyGraph

    @cached_property
    def step_indices(self) -> Mapping[str, int]:
        """The index of each step, by its id."""
        return {step.id: index for index, step in enumerate(self.steps)}

    @cached_property
    def by_id(self) -> Mapping[str, Step]:
        """The steps that count, by their ids."""
        return {step.id: step for step in self.steps}


@dataclass(frozen=True)
class Against:
    """A run compared with one reference.

    Attributes:
        reference_index: the index of the reference among those passed in.
        score: the score of the run against this reference alone.
        run: the run's side.
        reference: the reference's side.
        details: the details of the pairs that share mass, by the ids of their steps.
        calculation: the calculation of the loss against this reference.
    """

    reference_index: int
    score: Score
    run: Side
    reference: Side
    details: Mapping[tuple[str, str], PairDetails] = field(repr=False)
    calculation: Calculation = field(repr=False)


@dataclass(frozen=True)
class Explanation:
    """A score and its source.

    Attributes:
        score: the score against all references.
        against: the run compared with the nearest references one by one, the best first.
    """

    score: Score
    against: tuple[Against, ...]

    @property
    def best(self) -> Against:
        """The best reference, from which the score's alignment and findings come."""
        return self.against[0]

    def _repr_html_(self) -> str:
        """The card that a notebook shows."""
        card: str = load_report_module("card").explanation_card(self)
        return card


def explanation(
    comparisons: ReferenceComparisons,
    score: Score,
    alone: Callable[[int], Score],
    most: int = EXPLAINED,
) -> Explanation:
    """Returns a score with its source.

    Args:
        comparisons: the comparisons with all references that can matter.
        score: the score that follows from it.
        alone: returns the score against one reference, by its index.
        most: the maximum number of references, the nearest first.
    """
    losses = {index: compared.loss for index, compared in comparisons.solved.items()}
    nearest = sorted(losses, key=lambda index: (index != score.best_place, losses[index], index))
    against = (_against(comparisons, index, alone(index)) for index in nearest[:most])
    return Explanation(score, tuple(against))


def _against(comparisons: ReferenceComparisons, index: int, score: Score) -> Against:
    compared, (run, reference) = comparisons.solved[index], comparisons.views[index]
    recorded_run, recorded_reference = comparisons.run, comparisons.references[index]
    mechanisms = score.conditions.dependencies
    return Against(
        reference_index=index,
        score=score,
        run=_side(recorded_run, run, reference, mechanisms.run),
        reference=_side(recorded_reference, reference, reference, mechanisms.reference),
        details=details(compared),
        calculation=calculate(compared, score.findings),
    )


def _side(recorded: Trajectory, view: RunView, reference: RunView, mechanism: str) -> Side:
    run = view.run
    scored, steps = set(run.scored_indices), run.flat.trajectory.steps
    return Side(
        recorded=recorded,
        steps=tuple(run.scored.steps),
        left_out=tuple(step for k, step in enumerate(steps) if k not in scored),
        roles=tuple(view.roles),
        is_assumed=tuple(run.is_assumed_write(step) for step in run.scored.steps),
        weights=tuple(view.weights(reference.run.full_weight).tolist()),
        failed=tuple(run.failed.tolist()),
        graph=run.graph(mechanism),
    )
