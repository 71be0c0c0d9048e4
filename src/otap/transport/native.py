"""Problems of up to a hundred steps, solved by the native core."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from otap.transport.core import native
from otap.transport.isomorphism import zero_loss
from otap.transport.objective import Terms
from otap.transport.problem import Problem
from otap.transport.schedule import PATIENCE, further, schedule
from otap.transport.solution import Solution
from otap.transport.starts import shuffles

# What the core says of a problem; batch.hpp has the same list.
_MAYBE_ALIKE, _UNSOLVED = 2, 3


def solve_short(
    problems: list[Problem], epsilon: float, *, max_outer: int, tolerance: float, threads: int
) -> list[Solution | None]:
    """The solution of each problem; None where the core could not solve an inner problem."""
    core = native()
    assert core is not None  # solver.py asks first
    weights = schedule(epsilon, 1)
    T, numbers, counts = core.solve(
        problems, weights, further(weights), epsilon == 0, max_outer, min(max_outer, PATIENCE),
        tolerance, threads, _permutations,
    )  # fmt: skip
    solutions: list[Solution | None] = []
    start = 0
    for problem, found, how in zip(
        problems, numbers.reshape(-1, 6).tolist(), counts.reshape(-1, 4).tolist(), strict=True
    ):
        end = start + problem.C.size
        solutions.append(_solution(problem, T[start:end], found, how))
        start = end
    return solutions


def _solution(
    problem: Problem, T: NDArray[np.float64], found: list[float], how: list[int]
) -> Solution | None:
    status, converged, iterations, starts = how
    if status == _UNSOLVED:
        return None
    zero = zero_loss(problem) if status == _MAYBE_ALIKE else None
    if zero is not None:
        return zero
    *parts, epsilon, change = found
    return Solution(
        problem, T.reshape(problem.C.shape), Terms(*parts), epsilon, converged == 1, iterations,
        starts, change,
    )  # fmt: skip


def _permutations(n: int, m: int) -> NDArray[np.int64]:
    """The permutations of starts.py as one array: start, side, place."""
    return np.array(shuffles(n, m), dtype=np.int64).reshape(-1, 2, min(n, m))
