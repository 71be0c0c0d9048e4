"""The solver: a problem, or many, in; solutions out."""

import os
from collections.abc import Sequence

from otap.transport.core import native
from otap.transport.native import solve_short
from otap.transport.numpy_solver import solve_in_numpy
from otap.transport.problem import Problem
from otap.transport.solution import Solution


def solve(
    problem: Problem,
    epsilon: float = 0.0,
    *,
    max_outer: int = 100,
    tolerance: float = 1e-6,
    threads: int | None = None,
) -> Solution:
    """A coupling of least objective (eq. 3), and how it was found.

    epsilon = 0 solves the problem without entropy, by continuation and rounding. epsilon > 0
    solves it with that entropy weight. At most max_outer linearisations a start; `converged`
    says whether they were enough for the coupling to settle within the tolerance. `threads` is
    the number that may work, by default one for each processor; it changes no bit of the result.
    """
    return solve_batch(
        [problem], epsilon, max_outer=max_outer, tolerance=tolerance, threads=threads
    )[0]


def solve_batch(
    problems: Sequence[Problem],
    epsilon: float = 0.0,
    *,
    max_outer: int = 100,
    tolerance: float = 1e-6,
    threads: int | None = None,
) -> list[Solution]:
    """The solution of each problem, in their order; each to the last bit as if alone."""
    if epsilon < 0 or max_outer < 1 or tolerance <= 0:
        raise ValueError("epsilon must be at least 0, max_outer at least 1, tolerance positive")
    if threads is not None and threads < 1:
        raise ValueError("threads must be at least 1")
    found: list[Solution | None] = [None] * len(problems)
    if native() is not None:
        short = [k for k, problem in enumerate(problems) if problem.packed is not None]
        solved = solve_short(
            [problems[k] for k in short],
            epsilon,
            max_outer=max_outer,
            tolerance=tolerance,
            threads=threads or _processors(),
        )
        for k, solution in zip(short, solved, strict=True):
            found[k] = solution
    rest = [k for k, solution in enumerate(found) if solution is None]
    others = solve_in_numpy(
        [problems[k] for k in rest], epsilon, max_outer=max_outer, tolerance=tolerance
    )
    for k, solution in zip(rest, others, strict=True):
        found[k] = solution
    return [solution for solution in found if solution is not None]


def _processors() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
