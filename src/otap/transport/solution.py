"""The solution of a problem: a coupling, its terms, and how the solver found it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, overload

from otap.transport.objective import Terms, entropy
from otap.transport.parameters import ZERO
from otap.transport.problem import Problem
from otap.transport.structure import Array


@dataclass(frozen=True, eq=False)
class Solution:
    """The coupling that a solver found for a problem.

    Args:
        problem: the solved problem.
        T: the coupling, (n, m), not negative.
        terms: the four terms of eq. 3 at T, without entropy.
        epsilon: the entropy weight at which T is stationary: the requested weight or, if this is 0,
            the last weight of epsilon scaling, or 0 if a partial permutation was better.
        converged: whether the last change was below the tolerance; in single precision without
            entropy also if the objective stopped changing.
        iterations: the number of linearisations.
        starts: the number of descents of which this was the best; 0 if none was needed.
        change: the last |dT|_1.
        precision: of the arithmetic; single precision gives terms and T to about 1e-5.
        structure_error: relative Frobenius norm of the residual of D_r, if the solver used factors
            of low rank; the terms include the residual.
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
        loss = sum(self.terms)
        return 0.0 if loss < ZERO else loss

    @property
    def mass(self) -> float:
        """The transported mass, sum T_ij."""
        return float(self.T.sum())

    @property
    def residual(self) -> float:
        """A certificate of optimality, which is 0 at an exact optimum.

        The derivative of the objective at (1 + s) T with respect to s, at s = 0:

        |loss - sum lambda_1 (mu - r) - sum lambda_2 (nu - c) + theta Q + epsilon sum T log T|,
        with r and c the row and column sums of T.
        """
        problem, T, parts = self.problem, self.T, self.terms
        untouched = problem.lambda_1 @ (problem.mu - T.sum(axis=1))
        untouched += problem.lambda_2 @ (problem.nu - T.sum(axis=0))
        smoothing = self.epsilon * (entropy(T) + T.sum())
        return abs(float(parts.loss - untouched + parts.structure + smoothing))


class Solutions(Sequence[Solution]):
    """The solutions of a batch of problems, in their order.

    A solution is built when it is first read. Building one takes about as long as solving a small
    problem, and training on losses reads few of them.
    """

    def __init__(
        self,
        count: int,
        record: Callable[[int], Solution] | None = None,
        indices: Sequence[int] = (),
    ) -> None:
        """Reserves count solutions; `record(row)` builds the one at `indices[row]`."""
        self._solutions: list[Solution | None] = [None] * count
        self._record = record
        self._row = {index: row for row, index in enumerate(indices)}

    def put(self, index: int, solution: Solution) -> None:
        """Sets the solution of the problem at this index."""
        self._solutions[index] = solution

    def __len__(self) -> int:
        return len(self._solutions)

    @overload
    def __getitem__(self, index: int) -> Solution: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Solution]: ...
    def __getitem__(self, index: int | slice) -> Solution | Sequence[Solution]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        solution = self._solutions[index]
        if solution is None:
            assert self._record is not None  # without a record all solutions are set
            index %= len(self._solutions)
            solution = self._solutions[index] = self._record(self._row[index])
        return solution
