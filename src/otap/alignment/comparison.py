"""One run held against one reference: everything that an alignment is read from."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.alignment.problem import NOTHING_ASKED, Answers, StepProblem
from otap.alignment.shares import Shares, compute_shares
from otap.matrices import Nodes
from otap.prepare.prepared import PreparedRun
from otap.trajectory import Trajectory
from otap.transport import Solution

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Comparison:
    """A problem between steps with its solution."""

    problem: StepProblem
    solution: Solution

    @property
    def run(self) -> Nodes:
        """The nodes of the run."""
        return self.problem.run

    @property
    def reference(self) -> Nodes:
        """The nodes of the reference."""
        return self.problem.reference

    @property
    def answers(self) -> Answers:
        """What the run told of what it must."""
        return self.problem.answers

    @cached_property
    def loss(self) -> float:
        """The loss of the coupling, and of the answers that were not given."""
        return self.solution.loss + self.problem.answers.loss

    @property
    def losses(self) -> Mapping[str, float]:
        """The parts of the loss: a field each, ``structure``, both penalties of mass, answers."""
        terms = self.solution.terms
        return {
            **self.shares.losses,
            "structure": float(terms.structure),
            "agent_mass": float(terms.agent_mass),
            "reference_mass": float(terms.reference_mass),
            "told": self.problem.answers.loss,
        }

    @property
    def converged(self) -> bool:
        """Whether the solver reached its tolerance."""
        return self.solution.converged

    @property
    def mass(self) -> float:
        """The mass that moves."""
        return self.solution.mass

    @cached_property
    def shares(self) -> Shares:
        """What each step has of the coupling: its quality and its contribution to the loss."""
        return compute_shares(self.problem, self.solution)

    @cached_property
    def reference_of(self) -> Mapping[int, int]:
        """The counterparts, one to one: nodes of the run with those of the reference."""
        return dict(self.shares.counterparts)

    @cached_property
    def run_of(self) -> Mapping[int, int]:
        """The same by nodes of the reference."""
        return {j: i for i, j in self.shares.counterparts}

    @property
    def precision(self) -> float:
        """How much of the run the reference has, in [0, 1].

        sum min(w_i, w_j) (1 - C_ij) / W_run over counterparts; or the mean quality of the run's
        steps, by their mass.
        """
        if self.problem.counts_pairs:
            return self._matched_shares[0]
        mu = self.solution.problem.mu
        return _share(float(mu @ self.shares.agent_quality), float(mu.sum()))

    @property
    def recall(self) -> float:
        """How much of the reference the run has: the same over W_reference, answers included."""
        if not self.problem.counts_pairs:
            nu = self.solution.problem.nu
            return _share(float(nu @ self.shares.reference_quality), float(nu.sum()))
        found, answers = self._matched_shares[1], self.problem.answers
        if not answers.reference:
            return found
        steps = math.fsum(self.problem.reference.own.tolist())
        return (found * steps + answers.run) / (steps + answers.reference)

    @cached_property
    def _matched_shares(self) -> tuple[float, float]:
        """The matched share of each side's weight; a union and what it stands for are one pair."""
        run, reference = self.problem.run, self.problem.reference
        i, j = list(self.reference_of), list(self.reference_of.values())
        similarity = 1 - self.problem.costs.total[i, j]
        lighter = np.minimum(run.weights[i], reference.weights[j])
        ours = run.own[i] * (lighter / run.weights[i] * similarity)
        theirs = reference.own[j] * (lighter / reference.weights[j] * similarity)
        return (
            _share(math.fsum(ours.tolist()), math.fsum(run.own.tolist())),
            _share(math.fsum(theirs.tolist()), math.fsum(reference.own.tolist())),
        )


@dataclass(frozen=True)
class WithoutSteps:
    """A run and a reference of which at least one has no steps: there is nothing to transport.

    Two empty trajectories are the same. ``agent_mass`` and ``reference_mass`` are what it costs to
    leave the steps of either side unmatched, ``reference_weight`` what those of the reference
    weigh; ``recorded`` are both sides as in `StepProblem`.
    """

    run: Trajectory
    reference: Trajectory
    agent_mass: float
    reference_mass: float
    recorded: tuple[PreparedRun, PreparedRun]
    reference_weight: float = 0.0
    answers: Answers = NOTHING_ASKED

    @property
    def loss(self) -> float:
        """The loss against this reference."""
        return float(sum(self.losses.values()))

    @property
    def losses(self) -> Mapping[str, float]:
        """Its parts."""
        told = {"told": self.answers.loss}
        if not self.run.steps and not self.reference.steps:
            return told
        return {**told, "agent_mass": self.agent_mass, "reference_mass": self.reference_mass}

    @property
    def converged(self) -> bool:
        """There is nothing to solve."""
        return True

    @property
    def mass(self) -> None:
        """No mass could move."""
        return None

    @property
    def precision(self) -> float | None:
        """None if the run has no steps but the reference has."""
        return _matched_without_steps(self.run, self.reference)

    @property
    def recall(self) -> float | None:
        """None if the reference asks for nothing but the run has steps."""
        answers = self.answers
        if not answers.reference:
            return _matched_without_steps(self.reference, self.run)
        return answers.run / (answers.reference + self.reference_weight)


Compared = Comparison | WithoutSteps


def _share(part: float, whole: float) -> float:
    """The share of a whole, in [0, 1]: two sums of one thing may differ by their rounding."""
    return min(1.0, part / whole)


def _matched_without_steps(side: Trajectory, other: Trajectory) -> float | None:
    """Precision or recall where a side has no steps: 0 of steps, 1 if both have none, else None."""
    if side.steps:
        return 0.0
    return None if other.steps else 1.0
