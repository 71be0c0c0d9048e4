"""Problems of up to SMALL steps a side, solved by the native core in double precision."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap.transport.arrays import Array
from otap.transport.core import native
from otap.transport.epsilon_scaling import PATIENCE, epsilons, further
from otap.transport.objective import Terms
from otap.transport.problem import Problem
from otap.transport.solution import Solution
from otap.transport.starts import shuffles

# The weights and the linearisations of a brief descent, and the change at which it may end sooner.
_BRIEF, _FEW, _CHANGE = [0.05, 0.01], 4, 1e-2
# Status::maybe_alike of batch.hpp: solved, but the sides may be isomorphic. What is below is solved
# for good, what is above is not solved.
_MAYBE_ALIKE = 2


@dataclass(frozen=True, eq=False)
class Found:
    """What the core found for a list of problems.

    Args:
        problems: those that were solved.
        T: all couplings, one after the other.
        numbers: for each problem the four terms, epsilon and change, (count, 6).
        counts: for each problem its status, converged, iterations, starts, and where its coupling
            begins in T, (count, 5).
        operations: floating-point operations of the kernels, where they were counted.
    """

    problems: Sequence[Problem]
    T: Array
    numbers: Array
    counts: NDArray[np.int64]
    operations: float

    @property
    def unsettled(self) -> list[int]:
        """Problems that the core solved, but whose coupling was still moving, by place."""
        solved = self.counts[:, 0] < _MAYBE_ALIKE
        return np.flatnonzero(solved & (self.counts[:, 1] == 0)).tolist()

    @property
    def flagged(self) -> Iterator[tuple[int, bool]]:
        """Problems that the core did not finish, by place, and whether it has a solution of them.

        It has one where the sides may be isomorphic, which it does not find out itself.
        """
        for row in np.flatnonzero(self.counts[:, 0] >= _MAYBE_ALIKE).tolist():
            yield row, self.counts[row, 0] == _MAYBE_ALIKE

    @property
    def losses(self) -> Array:
        """The loss of each problem."""
        return np.array(self.numbers[:, :4].sum(axis=1))

    def solution(self, index: int) -> Solution:
        """The solution of a problem by its place in the list."""
        problem = self.problems[index]
        *parts, epsilon, change = self._numbers[index]
        _, converged, iterations, starts, place = self._counts[index]
        T = self.T[place : place + problem.C.size].reshape(problem.C.shape)
        return Solution(
            problem, T, Terms(*parts), epsilon, converged == 1, iterations, starts, change
        )

    @cached_property
    def _numbers(self) -> list[list[float]]:
        rows: list[list[float]] = self.numbers.tolist()  # one by one, each costs as much as ten
        return rows

    @cached_property
    def _counts(self) -> list[list[int]]:
        rows: list[list[int]] = self.counts.tolist()
        return rows


def solve_short(
    problems: Sequence[Problem],
    epsilon: float,
    *,
    max_outer: int,
    tolerance: float,
    threads: int,
    patience: int = PATIENCE,
    counted: bool = False,
) -> Found:
    """Conditional gradient with epsilon scaling in the native core, for problems held packed.

    Args:
        problems: of up to SMALL steps a side, so that `packed` is there.
        epsilon: the entropy weight, or 0 for epsilon scaling and rounding.
        max_outer: linearisations from the product coupling.
        tolerance: the change of the coupling at which it is settled.
        threads: the threads that may work.
        patience: linearisations from a further start.
        counted: whether floating-point operations are counted, which takes longer.

    Raises:
        RuntimeError: where there is no native core.
    """
    core = native()
    if core is None:
        raise RuntimeError("no native core was built")
    weights = epsilons(epsilon, 1)
    T, numbers, counts, operations = core.solve(
        list(problems), weights, further(weights), epsilon == 0, max_outer,
        min(max_outer, patience), tolerance, threads, _permutations, counted,
    )  # fmt: skip
    return Found(problems, T, numbers.reshape(-1, 6), counts.reshape(-1, 5), operations)


def solve_briefly(problems: Sequence[Problem], *, threads: int) -> Found:
    """Few linearisations from the product coupling, without random starts, and then rounding.

    Args:
        problems: as for `solve_short`.
        threads: the threads that may work.

    Raises:
        RuntimeError: where there is no native core.
    """
    core = native()
    if core is None:
        raise RuntimeError("no native core was built")
    T, numbers, counts, operations = core.solve(
        list(problems), _BRIEF, further(_BRIEF), True, _FEW, _FEW, _CHANGE, threads, _none, False
    )
    return Found(problems, T, numbers.reshape(-1, 6), counts.reshape(-1, 5), operations)


def _none(n: int, m: int) -> NDArray[np.int64]:
    """No permutations."""
    return np.empty((0, 2, min(n, m)), dtype=np.int64)


@lru_cache(maxsize=2048)  # of at most 9 kB, fewer the larger the shape: a corpus has hundreds
def _permutations(n: int, m: int) -> NDArray[np.int64]:
    """The permutations of starts.shuffles as one array, (starts, 2 sides, min(n, m))."""
    return np.array(shuffles(n, m), dtype=np.int64).reshape(-1, 2, min(n, m))
