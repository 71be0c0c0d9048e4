"""Problems for the native core: short ones in a batch, in double precision, long ones in turn."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap.transport.core import native
from otap.transport.isomorphism import zero_loss
from otap.transport.native.long import solve_long
from otap.transport.objective import Terms
from otap.transport.parameters import BRIEF, PATIENCE, QUICK, ZERO
from otap.transport.problem import Problem
from otap.transport.schedule import epsilons, random_matchings
from otap.transport.solution import Solution, Solutions
from otap.transport.structure import Array

# Status::maybe_alike of batch.hpp: solved, but the sides may be isomorphic. What is below is solved
# for good, what is above is not solved.
_MAYBE_ALIKE = 2


class Found(NamedTuple):
    """What the core found for a list of problems.

    problems: those that were solved; T: all couplings, one after the other; numbers: for each
    problem the four terms, epsilon and change, (count, 6); counts: its status, converged,
    iterations, starts, and where its coupling begins in T, (count, 5); operations: floating-point
    operations of the kernels, where they were counted.
    """

    problems: Sequence[Problem]
    T: Array
    numbers: Array
    counts: NDArray[np.int64]
    operations: float

    def solution(self, row: int) -> Solution:
        """The solution of a problem by its place in the list."""
        problem = self.problems[row]
        *parts, epsilon, change = self.numbers[row].tolist()
        _, converged, iterations, starts, place = self.counts[row].tolist()
        T = self.T[place : place + problem.C.size].reshape(problem.C.shape)
        found = Terms(*parts), epsilon, converged == 1, iterations, starts, change
        return Solution(problem, T, *found)


def solve_in_core(
    problems: Sequence[Problem], epsilon: float, *, max_outer: int, tolerance: float, threads: int
) -> tuple[Solutions, list[int]]:
    """The solutions that the core finds, and the places of the problems that it leaves to NumPy.

    Args:
        problems: of any shapes.
        epsilon: the entropy weight, or 0 for epsilon scaling and rounding.
        max_outer: linearisations a start, of which short problems have a hundred at first, and long
            ones at most.
        tolerance: the change of the coupling at which it is settled.
        threads: the threads that may work.
    """
    short: list[int] = []
    long: list[int] = []
    for place, problem in enumerate(problems):
        (long if problem.packed is None else short).append(place)
    quick = min(max_outer, QUICK)
    packed = list(map(problems.__getitem__, short))
    found = solve_short(packed, epsilon, max_outer=quick, tolerance=tolerance, threads=threads)
    solutions, left = Solutions(len(problems), found.solution, short), []
    status, converged = found.counts[:, 0], found.counts[:, 1]
    slow = np.flatnonzero((status < _MAYBE_ALIKE) & (converged == 0)).tolist()
    if max_outer > quick and slow:
        some = list(map(packed.__getitem__, slow))
        again = solve_short(
            some, epsilon, max_outer=max_outer, tolerance=tolerance, threads=threads
        )
        for row, place in enumerate(slow):
            solutions.put(short[place], again.solution(row))
    for row in np.flatnonzero(status >= _MAYBE_ALIKE).tolist():
        if status[row] > _MAYBE_ALIKE:
            left.append(short[row])
        elif (zero := zero_loss(packed[row])) is not None:
            solutions.put(short[row], zero)
    for k in long:
        solution = solve_long(
            problems[k], epsilon, max_outer=quick, tolerance=tolerance, threads=threads
        )
        if solution is None:
            left.append(k)
        else:
            solutions.put(k, solution)
    return solutions, left


def solve_short(
    problems: Sequence[Problem],
    epsilon: float,
    *,
    max_outer: int,
    tolerance: float,
    threads: int,
    counted: bool = False,
) -> Found:
    """Conditional gradient with epsilon scaling in the native core, for problems held packed.

    Args:
        problems: of up to SMALL steps a side, so that `packed` is there.
        epsilon: the entropy weight, or 0 for epsilon scaling and rounding.
        max_outer: linearisations from the product coupling; a further start has at most 40 where
            these are at most a hundred.
        tolerance: the change of the coupling at which it is settled.
        threads: the threads that may work.
        counted: whether floating-point operations are counted, which takes longer.

    Raises:
        RuntimeError: where there is no native core.
    """
    core = native()
    if core is None:
        raise RuntimeError("no native core was built")
    weights = epsilons(epsilon, 1)
    patience = min(max_outer, PATIENCE) if max_outer <= QUICK else max_outer
    T, numbers, counts, operations = core.solve(
        list(problems), weights, weights[1:] or weights, epsilon == 0, max_outer, patience,
        tolerance, threads, random_matchings, counted,
    )  # fmt: skip
    return Found(problems, T, numbers.reshape(-1, 6), counts.reshape(-1, 5), operations)


def read_shares(problem: Problem, *given: Any) -> tuple[Array, list[tuple[int, int]]] | None:
    """What each step has of a coupling, by core/shares.hpp; None where NumPy says it.

    Args:
        problem: what was solved; the core reads short ones alone.
        given: the coupling, node costs, fields, flags, order and limits, as core/shares.hpp says.
    """
    core = native()
    if core is None or problem.packed is None:
        return None
    found: tuple[Array, list[tuple[int, int]]] = core.shares(problem.packed, *given)
    return found


def solve_briefly(problems: Sequence[Problem], threads: int) -> Array:
    """Losses by few linearisations from the product coupling and rounding; NaN where in doubt.

    Args:
        problems: as for `solve_short`.
        threads: the threads that may work.
    """
    core, (weights, few, change) = native(), BRIEF
    assert core is not None  # solver.py asks first
    _, numbers, counts, _ = core.solve(
        list(problems), weights, weights[1:], True, few, few, change, threads, _none, False
    )
    losses: Array = numbers.reshape(-1, 6)[:, :4].sum(axis=1)
    losses[losses < ZERO] = 0.0
    losses[counts.reshape(-1, 5)[:, 0] >= _MAYBE_ALIKE] = np.nan
    return losses


def _none(n: int, m: int) -> NDArray[np.int64]:
    """No permutations."""
    return np.empty((0, 2, min(n, m)), dtype=np.int64)
