"""What a run costs against one reference, with the conventions for trajectories without steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from otap.alignment import Alignment, Comparison, Finding, align, find, find_without_coupling
from otap.scoring.pairing import Pairing, Setting, compare
from otap.scoring.score import Losses
from otap.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class Outcome:
    """The loss against one reference in parts; ``comparison`` is None if a side has no steps.

    Two empty trajectories are the same. A run with steps against none, or none against steps,
    costs ``lambda_agent + lambda_reference``, what leaving all mass unmatched costs.
    """

    run: Trajectory
    reference: Trajectory
    losses: Losses
    weights: Mapping[str, float]
    comparison: Comparison | None

    @property
    def loss(self) -> float:
        """The loss against this reference."""
        return self.comparison.loss if self.comparison else self.losses.total

    @property
    def converged(self) -> bool:
        """Whether the solver reached its tolerance."""
        return self.comparison is None or self.comparison.solution.converged

    @property
    def mass(self) -> float | None:
        """The mass that moves; None if a side has no steps."""
        return self.comparison.solution.mass if self.comparison else None

    @property
    def precision(self) -> float | None:
        """The mean quality of the run's steps; None if it has none but the reference has."""
        if self.comparison:
            return self.comparison.precision
        return _without_coupling(self.run, self.reference)

    @property
    def recall(self) -> float | None:
        """The mean quality of the reference's steps; None if it has none but the run has."""
        if self.comparison:
            return self.comparison.recall
        return _without_coupling(self.reference, self.run)

    @property
    def alignment(self) -> Alignment:
        """Which step stands for which; empty if a side has no steps."""
        return align(self.comparison) if self.comparison else Alignment()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What to look at first."""
        if self.comparison:
            return find(self.comparison)
        return find_without_coupling(self.run, self.reference)


def outcomes(pairings: Sequence[Pairing]) -> list[Outcome]:
    """Returns the outcome of each pairing, all solved together."""
    found = zip(pairings, compare(pairings), strict=True)
    return [_compared(pairing, comparison) for pairing, comparison in found]


def _compared(pairing: Pairing, comparison: Comparison) -> Outcome:
    problem, T = comparison.solution.problem, comparison.solution.T
    terms = comparison.solution.terms
    fields = {
        name: (1 - problem.theta) * _total(matrix * T)
        for name, matrix in comparison.field_costs.items()
    }
    losses = Losses(
        **fields,
        structure=float(terms.structure),
        agent_mass=float(terms.agent_mass),
        reference_mass=float(terms.reference_mass),
    )
    return Outcome(pairing.run, pairing.reference, losses, pairing.costs.weights, comparison)


def outcome_without_steps(run: Trajectory, reference: Trajectory, setting: Setting) -> Outcome:
    """Returns the outcome where a side has no steps."""
    if not run.steps and not reference.steps:
        return Outcome(run, reference, Losses(), {}, None)
    config = setting.config
    losses = Losses(agent_mass=config.lambda_agent, reference_mass=config.lambda_reference)
    return Outcome(run, reference, losses, {}, None)


def _without_coupling(side: Trajectory, other: Trajectory) -> float | None:
    """Nothing of a side that the other has nothing of is matched; nothing matches nothing."""
    if side.steps:
        return 0.0
    return None if other.steps else 1.0


def _total(matrix: npt.NDArray[np.float64]) -> float:
    return float(matrix.sum())
