"""The result as a record: a coupling, how it was found, and every number recomputed from it."""

from dataclasses import dataclass
from typing import Literal

from otap.transport.objective import Terms, entropy
from otap.transport.problem import Array, Problem

# A loss below this is the rounding of a zero.
_ZERO = 1e-12


@dataclass(frozen=True, eq=False)
class Solution:
    """The coupling that a solver found for a problem.

    T: the coupling, (n, m).
    terms: the parts of the objective at T, without entropy.
    epsilon: the entropy weight at which T is stationary: what was asked for; with 0 asked for,
        the last of the continuation, or 0 where a coupling of single steps was better.
    converged: whether the last change was below the tolerance.
    iterations: linearisations used; starts: descents from which this was the best;
    change: the last |dT|_1.
    precision: of the arithmetic; in single precision terms and T are good to about 1e-5.
    structure_error: relative Frobenius norm of what the solver left out of D_p and D_r where it
        worked with factors of them; the terms do not leave it out.
    """

    problem: Problem
    T: Array
    terms: Terms
    epsilon: float
    converged: bool
    iterations: int
    starts: int
    change: float
    precision: Literal["double", "single"] = "double"
    structure_error: float = 0.0

    @property
    def loss(self) -> float:
        """The sum of the terms; exactly 0 below 1e-12."""
        loss = float(self.terms.loss)
        return 0.0 if loss < _ZERO else loss

    @property
    def mass(self) -> float:
        """The mass that is transported."""
        return float(self.T.sum())

    @property
    def residual(self) -> float:
        """How far T is from stationary in its scale; 0 at any exact optimum.

        |loss - sum lambda_1 (mu - r) - sum lambda_2 (nu - c) + theta Q + epsilon sum T log T|,
        the derivative of the objective in a factor on T.
        """
        problem, T, parts = self.problem, self.T, self.terms
        untouched = problem.lambda_1 @ (problem.mu - T.sum(axis=1))
        untouched += problem.lambda_2 @ (problem.nu - T.sum(axis=0))
        blur = self.epsilon * (float(entropy(T)) + T.sum())
        return abs(float(parts.loss - untouched + parts.structure + blur))
