"""The solver: a problem, or many, in; solutions out."""

from collections.abc import Sequence

import numpy as np

from otap.transport.arrays import Array
from otap.transport.core import native
from otap.transport.native.short import solve_briefly
from otap.transport.native.solver import solve_in_core
from otap.transport.numpy.solver import solve_in_numpy
from otap.transport.problem import Problem
from otap.transport.solution import ZERO, Solution, Solutions
from otap.transport.threads import solving_threads

# Linearisations that are enough for all but one problem in some hundreds: those few zigzag.
_QUICK = 100
# Below, exp(cost / epsilon) is beyond double precision, and 0 asks for the limit; above, entropy
# drowns all costs.
_LEAST_EPSILON, _MOST_EPSILON = 1e-6, 100.0


def solve(
    problem: Problem,
    epsilon: float = 0.0,
    *,
    max_outer: int = 1000,
    tolerance: float = 1e-6,
    threads: int | None = None,
) -> Solution:
    """A coupling of least objective (eq. 3), by conditional gradient with epsilon scaling.

    [Frank1956], [Schmitzer2019]; the linearisations are unbalanced problems with entropy
    [Chizat2018], solved by damped Newton on their duals. It is a local minimum, and the least of
    those that several starts lead to where there may be several.

    Args:
        problem: what is to be solved.
        epsilon: the entropy weight, 0 or from 1e-6 to 100. 0 solves without entropy: by a falling
            weight, then by rounding to a partial permutation where that costs less.
        max_outer: linearisations a start, at least 1; at most a hundred where these are enough, or
            the problem is long. `converged` says whether the coupling settled.
        tolerance: the change of the coupling (sum of absolute differences) at which it is settled.
        threads: the threads that may work, at least 1, by default one for each processor. Their
            number changes no bit of the result.

    Raises:
        ValueError: if epsilon, max_outer, tolerance or threads is out of range.
    """
    return solve_batch(
        [problem], epsilon, max_outer=max_outer, tolerance=tolerance, threads=threads
    )[0]


def solve_batch(
    problems: Sequence[Problem],
    epsilon: float = 0.0,
    *,
    max_outer: int = 1000,
    tolerance: float = 1e-6,
    threads: int | None = None,
) -> Solutions:
    """The solution of each problem by `solve`, in their order; each to the last bit as if alone.

    Args:
        problems: any number of problems, of any shapes.
        epsilon: as for `solve`, like the others.
        max_outer: the same.
        tolerance: the same.
        threads: the same.

    Raises:
        ValueError: if epsilon, max_outer, tolerance or threads is out of range.
    """
    _check(epsilon, max_outer, tolerance, threads)
    quick = min(max_outer, _QUICK)
    if native() is None:
        return Solutions.of(solve_in_numpy(problems, epsilon, max_outer=quick, tolerance=tolerance))
    solutions, left = solve_in_core(
        problems, epsilon, max_outer=quick, patient=max_outer, tolerance=tolerance,
        threads=threads or solving_threads(),
    )  # fmt: skip
    others = solve_in_numpy(
        [problems[k] for k in left], epsilon, max_outer=quick, tolerance=tolerance
    )
    for k, solution in zip(left, others, strict=True):
        solutions.put(k, solution)
    return solutions


def quick_losses(problems: Sequence[Problem]) -> Array:
    """Losses that are hardly above those of `solve_batch`, at a tenth of the time.

    For who holds many against each other and looks at few: a descent ends after four
    linearisations. Most losses are within a thousandth, some are of another local minimum. What is
    long, may be isomorphic, or is not solved by the native core is solved in full.

    Args:
        problems: any number of problems, of any shapes.
    """
    losses = np.full(len(problems), np.nan)
    if native() is not None:
        short = [k for k, problem in enumerate(problems) if problem.packed is not None]
        found = solve_briefly([problems[k] for k in short], threads=solving_threads())
        losses[short] = np.where(found.losses < ZERO, 0.0, found.losses)
        losses[[short[row] for row, _ in found.flagged]] = np.nan
    left = np.flatnonzero(np.isnan(losses)).tolist()
    losses[left] = [one.loss for one in solve_batch([problems[k] for k in left])] if left else []
    return losses


def _check(epsilon: float, max_outer: int, tolerance: float, threads: int | None) -> None:
    allowed = epsilon == 0 or _LEAST_EPSILON <= epsilon <= _MOST_EPSILON
    if not allowed or max_outer < 1 or tolerance <= 0:
        raise ValueError(
            f"epsilon must be 0, or from {_LEAST_EPSILON:g} to {_MOST_EPSILON:g}, max_outer "
            f"at least 1, tolerance positive: {epsilon}, {max_outer}, {tolerance}"
        )
    if threads is not None and threads < 1:
        raise ValueError("threads must be at least 1")
