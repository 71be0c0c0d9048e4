"""One run held against one reference: everything that an alignment is read from."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.alignment.matching import Matching
from otap.alignment.problem import Recorded, StepProblem
from otap.alignment.shares import Credit, Shares, shares
from otap.alignment.telling import NOTHING_ASKED, Telling
from otap.matrices import Nodes
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
    def cost(self) -> Array:
        """The node cost C, (n, m), in [0, 1]."""
        return self.problem.costs.total

    @cached_property
    def loss(self) -> float:
        """The loss of the coupling, and of what was not told."""
        return self.solution.loss + self.telling.loss

    @property
    def telling(self) -> Telling:
        """What the run told of what it must."""
        return self.problem.telling

    @cached_property
    def losses(self) -> Mapping[str, float]:
        """The parts of the loss: a field each, ``structure``, and both penalties of mass."""
        solution = self.solution
        return {
            **self._shares.losses,
            "structure": float(solution.terms.structure),
            "agent_mass": float(solution.terms.agent_mass),
            "reference_mass": float(solution.terms.reference_mass),
            "told": self.telling.loss,
        }

    @property
    def converged(self) -> bool:
        """Whether the solver reached its tolerance."""
        return self.solution.converged

    @property
    def mass(self) -> float:
        """The mass that moves."""
        return self.solution.mass

    @property
    def agent_quality(self) -> Array:
        """q_i = sum_j T_ij^2 (1 - C_ij) / sum_j T_ij^2: how well each step of the run is matched.

        1 for a step that stands for an equal one, 0 for a step that stands for nothing like it.
        """
        return self._shares.agent_quality

    @property
    def reference_quality(self) -> Array:
        """The same for each step of the reference."""
        return self._shares.reference_quality

    @cached_property
    def matching(self) -> Matching:
        """Which step stands for which, one to one."""
        return Matching(self, self._shares.counterparts)

    @property
    def precision(self) -> float:
        """How much of the run the reference has, in [0, 1].

        sum min(w_i, w_j) (1 - C_ij) / W_run over counterparts; or the mean quality of the run's
        steps, by their mass.
        """
        if self.problem.counts_pairs:
            return self._matched(self.run)
        mu = self.solution.problem.mu
        return _share(float(mu @ self.agent_quality), float(mu.sum()))

    @property
    def recall(self) -> float:
        """How much of the reference the run has: the same over W_reference, answers included."""
        if self.problem.counts_pairs:
            found, telling = self._matched(self.reference), self.telling
            if not telling.reference:
                return found
            steps = math.fsum(self.reference.own.tolist())
            return (found * steps + telling.run) / (steps + telling.reference)
        nu = self.solution.problem.nu
        return _share(float(nu @ self.reference_quality), float(nu.sum()))

    @property
    def agent_contribution(self) -> Array:
        """What each step of the run adds to the loss: half of its pairs, and its own mass penalty.

        Not negative; with ``reference_contribution`` it sums to the loss of the coupling.
        """
        return self._shares.agent_contribution

    @property
    def reference_contribution(self) -> Array:
        """What each step of the reference adds to the loss, in the same way."""
        return self._shares.reference_contribution

    @cached_property
    def _shares(self) -> Shares:
        return shares(self.problem, self.solution)

    @property
    def credit(self) -> Credit:
        """What the loss of the coupling is made of, step by step of the run."""
        return self._shares.credit

    def _matched(self, side: Nodes) -> float:
        """The matched share of a side's weight; a union and what it stands for count as one."""
        own, parts = side.own.tolist(), []
        for i, j, ours, theirs, cost in self._counterparts:
            node, weight = (i, ours) if side is self.run else (j, theirs)
            parts.append(own[node] * (min(ours, theirs) / weight * (1 - cost)))
        return _share(math.fsum(parts), math.fsum(own))

    @cached_property
    def _counterparts(self) -> Sequence[tuple[int, int, float, float, float]]:
        """The counterparts by node, the weights of both, and their node cost."""
        pairs = self.matching.reference_of
        i, j = list(pairs), list(pairs.values())
        weights = self.run.weights[i].tolist(), self.reference.weights[j].tolist()
        return list(zip(i, j, *weights, self.cost[i, j].tolist(), strict=True))


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
    recorded: tuple[Recorded, Recorded]
    reference_weight: float = 0.0
    telling: Telling = NOTHING_ASKED

    @property
    def loss(self) -> float:
        """The loss against this reference."""
        return float(sum(self.losses.values()))

    @property
    def losses(self) -> Mapping[str, float]:
        """Its parts."""
        told = {"told": self.telling.loss}
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
        return _matched(self.run, self.reference)

    @property
    def recall(self) -> float | None:
        """None if the reference asks for nothing but the run has steps."""
        telling = self.telling
        if not telling.reference:
            return _matched(self.reference, self.run)
        return telling.run / (telling.reference + self.reference_weight)


Compared = Comparison | WithoutSteps


def _share(part: float, whole: float) -> float:
    """The share of a whole, in [0, 1]: two sums of one thing may differ by their rounding."""
    return min(1.0, part / whole)


def _matched(side: Trajectory, other: Trajectory) -> float | None:
    """Precision or recall where a side has no steps: 0 of steps, 1 if both have none, else None."""
    if side.steps:
        return 0.0
    return None if other.steps else 1.0
