"""Solves problems in the native core: short ones in a batch, long ones one by one."""

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

# Status::maybe_alike of batch.hpp: solved, but the sides may be isomorphic. A lower status is
# final, and a higher one means not solved.
_MAYBE_ISOMORPHIC = 2


class CoreSolutions(NamedTuple):
    """The solutions of a list of problems by the core.

    problems: the solved problems; T: all couplings, concatenated; numbers: for each problem the
    four terms, epsilon and change, (count, 6); counts: for each problem its status, converged,
    iterations, starts, and the start of its coupling in T, (count, 5); operations: floating-point
    operations of the kernels, if they were counted.
    """

    problems: Sequence[Problem]
    T: Array
    numbers: Array
    counts: NDArray[np.int64]
    operations: float

    def solution(self, row: int) -> Solution:
        """Returns the solution of a problem by its index in the list."""
        problem = self.problems[row]
        *parts, epsilon, change = self.numbers[row].tolist()
        _, converged, iterations, starts, offset = self.counts[row].tolist()
        T = self.T[offset : offset + problem.C.size].reshape(problem.C.shape)
        terms = Terms(*parts)
        return Solution(problem, T, terms, epsilon, converged == 1, iterations, starts, change)


def solve_in_core(
    problems: Sequence[Problem], epsilon: float, *, max_outer: int, tolerance: float, threads: int
) -> tuple[Solutions, list[int]]:
    """Returns the solutions of the core, and the indices of the problems left to NumPy.

    Args:
        problems: problems of any shapes.
        epsilon: the entropy weight, or 0 for epsilon scaling and rounding.
        max_outer: linearisations per start; short problems get a hundred at first, and long ones a
            hundred at most.
        tolerance: the coupling has converged if it changes by less.
        threads: the number of threads.
    """
    short = [k for k, problem in enumerate(problems) if problem.packed is not None]
    long = [k for k, problem in enumerate(problems) if problem.packed is None]
    quick = min(max_outer, QUICK)
    packed = [problems[k] for k in short]
    solved = solve_short(packed, epsilon, max_outer=quick, tolerance=tolerance, threads=threads)
    solutions, left = Solutions(len(problems), solved.solution, short), []
    status, converged = solved.counts[:, 0], solved.counts[:, 1]
    slow = np.flatnonzero((status < _MAYBE_ISOMORPHIC) & (converged == 0)).tolist()
    if max_outer > quick and slow:
        solved_again = solve_short(
            [packed[row] for row in slow],
            epsilon,
            max_outer=max_outer,
            tolerance=tolerance,
            threads=threads,
        )
        for k, row in enumerate(slow):
            solutions.put(short[row], solved_again.solution(k))
    for row in np.flatnonzero(status >= _MAYBE_ISOMORPHIC).tolist():
        if status[row] > _MAYBE_ISOMORPHIC:
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
    count_operations: bool = False,
) -> CoreSolutions:
    """Solves packed problems by conditional gradient with epsilon scaling in the native core.

    Args:
        problems: problems with at most SMALL steps per side, which are packed.
        epsilon: the entropy weight, or 0 for epsilon scaling and rounding.
        max_outer: linearisations from the product coupling; if these are at most a hundred, other
            starts have at most 40.
        tolerance: the coupling has converged if it changes by less.
        threads: the number of threads.
        count_operations: whether to count floating-point operations, which takes longer.

    Raises:
        RuntimeError: if there is no native core.
    """
    core = native()
    if core is None:
        raise RuntimeError("no native core was built")
    weights = epsilons(epsilon, 1)
    patience = min(max_outer, PATIENCE) if max_outer <= QUICK else max_outer
    T, numbers, counts, operations = core.solve(
        list(problems), weights, weights[1:] or weights, epsilon == 0, max_outer, patience,
        tolerance, threads, random_matchings, count_operations,
    )  # fmt: skip
    return CoreSolutions(problems, T, numbers.reshape(-1, 6), counts.reshape(-1, 5), operations)


def read_shares(problem: Problem, *arguments: Any) -> tuple[Array, list[tuple[int, int]]] | None:
    """Returns the share of each step in a coupling; None if the core cannot, and NumPy must.

    Args:
        problem: the solved problem; the core supports short ones only.
        arguments: the coupling, node costs, fields, flags, order and limits of core/shares.hpp.
    """
    core = native()
    if core is None or problem.packed is None:
        return None
    shares: tuple[Array, list[tuple[int, int]]] = core.shares(problem.packed, *arguments)
    return shares


def solve_briefly(problems: Sequence[Problem], threads: int) -> Array:
    """Returns losses by few linearisations from the product coupling and rounding; NaN if unsure.

    Args:
        problems: as for `solve_short`.
        threads: the number of threads.
    """
    core, (weights, max_outer, change) = native(), BRIEF
    assert core is not None  # checked by solver.py
    _, numbers, counts, _ = core.solve(
        list(problems), weights, weights[1:], True, max_outer, max_outer, change, threads,
        _no_matchings, False,
    )  # fmt: skip
    losses: Array = numbers.reshape(-1, 6)[:, :4].sum(axis=1)
    losses[losses < ZERO] = 0.0
    losses[counts.reshape(-1, 5)[:, 0] >= _MAYBE_ISOMORPHIC] = np.nan
    return losses


def _no_matchings(n: int, m: int) -> NDArray[np.int64]:
    return np.empty((0, 2, min(n, m)), dtype=np.int64)
