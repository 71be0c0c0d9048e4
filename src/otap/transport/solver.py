"""The solver: a problem, or many, in; solutions out."""

from collections.abc import Sequence

import numpy as np

from otap.transport.core import native, one_thread, solving_threads
from otap.transport.native.long import long_contributions
from otap.transport.native.short import solve_briefly, solve_in_core
from otap.transport.objective import structure_gradient
from otap.transport.parameters import LEAST_EPSILON, MOST_EPSILON, QUICK
from otap.transport.plain import solve_plainly
from otap.transport.problem import Problem
from otap.transport.solution import Solution, Solutions
from otap.transport.structure import SMALL, Array
from otap.transport.support import support_of


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
        ConfigError: if both sides are longer than NumPy solves, and no native core was built.
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
        ConfigError: as `solve`.
    """
    allowed = epsilon == 0 or LEAST_EPSILON <= epsilon <= MOST_EPSILON
    if not allowed or max_outer < 1 or tolerance <= 0:
        raise ValueError(
            f"epsilon must be 0, or from {LEAST_EPSILON:g} to {MOST_EPSILON:g}, max_outer "
            f"at least 1, tolerance positive: {epsilon}, {max_outer}, {tolerance}"
        )
    threads = solving_threads() if threads is None else threads
    if threads < 1:
        raise ValueError("threads must be at least 1")
    supports = list(map(support_of, problems))
    problems = [
        problem if support is None or support.is_empty else support.restricted()
        for problem, support in zip(problems, supports, strict=True)
    ]
    solved = [k for k, support in enumerate(supports) if support is None or not support.is_empty]
    found = _solve_all(
        [problems[k] for k in solved], epsilon, max_outer=max_outer, tolerance=tolerance,
        threads=threads,
    )  # fmt: skip
    if all(support is None for support in supports):
        return found
    solutions = Solutions(len(problems))
    at = {k: place for place, k in enumerate(solved)}
    for k, support in enumerate(supports):
        if support is None:
            solutions.put(k, found[at[k]])
        else:
            solutions.put(k, support.extended(found[at[k]] if k in at else None))
    return solutions


def _solve_all(
    problems: Sequence[Problem], epsilon: float, *, max_outer: int, tolerance: float, threads: int
) -> Solutions:
    """As `solve_batch`, of problems of which every step may move mass."""
    if native() is None:
        solutions, left = Solutions(len(problems)), list(range(len(problems)))
    else:
        solutions, left = solve_in_core(
            problems, epsilon, max_outer=max_outer, tolerance=tolerance, threads=threads
        )
    for k in left:
        most = max_outer if problems[k].packed is not None else min(max_outer, QUICK)
        solutions.put(k, solve_plainly(problems[k], epsilon, max_outer=most, tolerance=tolerance))
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
        losses[short] = solve_briefly([problems[k] for k in short], solving_threads())
    left = np.flatnonzero(np.isnan(losses)).tolist()
    losses[left] = [one.loss for one in solve_batch([problems[k] for k in left])]
    return losses


def contributions(problem: Problem, T: Array) -> Array:
    """What each pair adds to the node and the structure term of eq. 3, (n, m), none negative.

    W_ij = T_ij ((1 - theta) C_ij + theta sum_kl (D_p_ik - D_r_jl)^2 T_kl). Their sum is the two
    terms; what rounding leaves below 0 is cut. Beyond SMALL steps the native core, where there is
    one, takes a quicker way that agrees to 1e-6.

    Args:
        problem: the problem.
        T: its coupling, (n, m), not negative.
    """
    if max(T.shape) > SMALL and native() is not None:
        return long_contributions(problem, T)
    with one_thread(max(T.shape)):
        mismatch = np.maximum(structure_gradient(problem.D_p, problem.D_r, T) / 2, 0.0)
    return T * ((1.0 - problem.theta) * problem.C + problem.theta * mismatch)
