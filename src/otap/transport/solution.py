"""The result as a record: a coupling, how it was found, and every number recomputed from it."""

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
        problem: what was solved.
        T: the coupling, (n, m), not negative.
        terms: the four terms of eq. 3 at T, without entropy.
        epsilon: the entropy weight at which T is stationary: what was asked for; with 0 asked for,
            the last of epsilon scaling, or 0 where a partial permutation was better.
        converged: whether the last change was below the tolerance; in single precision and
            without entropy also where the objective stood still.
        iterations: linearisations used.
        starts: descents of which this was the best; 0 where none was needed.
        change: the last |dT|_1.
        precision: of the arithmetic; in single precision terms and T are good to about 1e-5.
        structure_error: relative Frobenius norm of what the solver left out of D_r where it worked
            with factors of low rank; the terms do not leave it out.
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
        """A certificate: how the objective changes as T is scaled, which is 0 at an exact optimum.

        The derivative of the objective at (1 + s) T in s, at s = 0:

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

    A record is made when it is first read: to make one takes about as long as to solve a small
    problem, and who trains on losses reads few.
    """

    def __init__(
        self,
        count: int,
        record: Callable[[int], Solution] | None = None,
        places: Sequence[int] = (),
    ) -> None:
        """Room for count solutions; `record(row)` makes the one of the row-th of the places."""
        self._made: list[Solution | None] = [None] * count
        self._record = record
        self._row = dict(zip(places, range(len(places)), strict=True))

    def put(self, index: int, solution: Solution) -> None:
        """Holds this as the solution of the problem at this place."""
        self._made[index] = solution

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, index: int) -> Solution: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Solution]: ...
    def __getitem__(self, index: int | slice) -> Solution | Sequence[Solution]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        known = self._made[index]
        if known is None:
            assert self._record is not None  # without it all are put
            index %= len(self._made)
            known = self._made[index] = self._record(self._row[index])
        return known
