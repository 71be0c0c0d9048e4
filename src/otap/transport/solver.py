"""The solver: a problem, or many, in; solutions out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from otap.transport.core import native, one_thread, solving_threads
from otap.transport.native.long import long_contributions
from otap.transport.native.short import solve_briefly, solve_in_core
from otap.transport.objective import Terms, structure_gradient
from otap.transport.parameters import FORBIDDEN, LEAST_EPSILON, MOST_EPSILON, QUICK
from otap.transport.plain import solve_plainly
from otap.transport.problem import Problem
from otap.transport.solution import Solution, Solutions
from otap.transport.structure import SMALL, Array, Hops, Index, Structure


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
    supports: dict[int, Support] = {}
    posed: dict[int, Problem] = {}
    for k, problem in enumerate(problems):
        support = support_of(problem)
        if support is not None:
            supports[k] = support
        if support is None or len(support.rows):
            posed[k] = support.restricted() if support else problem
    found = _solve_all(
        list(posed.values()), epsilon, max_outer=max_outer, tolerance=tolerance, threads=threads
    )
    if not supports:
        return found
    solutions, solved = Solutions(len(problems)), dict(zip(posed, found, strict=True))
    for k in range(len(problems)):
        solutions.put(k, supports[k].extended(solved.get(k)) if k in supports else solved[k])
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


class Support(NamedTuple):
    """A problem, and its steps that may move mass at all.

    A pair is forbidden from a node cost of FORBIDDEN on. A step all of whose pairs are forbidden
    moves nothing in any optimal coupling: its whole mass is penalised, and the rest is a problem
    without it.
    """

    problem: Problem
    rows: Index
    columns: Index

    def restricted(self) -> Problem:
        """The problem of the steps that may move mass, of which there are some."""
        p, rows, columns = self.problem, self.rows, self.columns
        C, numbers = p.C[np.ix_(rows, columns)], [len(rows), len(columns), p.theta]
        sides = p.mu[rows], p.nu[columns]
        penalties = p.lambda_1[rows], p.lambda_2[columns]
        if p.packed is None:
            structures = _taken(p.D_p, rows), _taken(p.D_r, columns)
            return Problem(C, *structures, *sides, p.theta, *penalties)
        # What is a part of a short problem needs no second check.
        pairs = np.ix_(rows, rows), np.ix_(columns, columns)
        parts = C.ravel(), p.D_p[pairs[0]].ravel(), p.D_r[pairs[1]].ravel()
        return Problem.of_packed(np.concatenate([numbers, *parts, *sides, *penalties]))

    def extended(self, found: Solution | None) -> Solution:
        """The solution of the whole problem, by that of the restricted one; None: there is none."""
        p = self.problem
        own, other = p.lambda_1 * p.mu, p.lambda_2 * p.nu
        if found is None:
            parts = Terms(0.0, 0.0, float(own.sum()), float(other.sum()))
            return Solution(p, np.zeros(p.shape), parts, 0.0, True, 0, 0, 0.0)
        T = np.zeros(p.shape, dtype=found.T.dtype)
        T[np.ix_(self.rows, self.columns)] = found.T
        parts = found.terms._replace(
            agent_mass=found.terms.agent_mass + float(np.delete(own, self.rows).sum()),
            reference_mass=found.terms.reference_mass + float(np.delete(other, self.columns).sum()),
        )
        return replace(found, problem=p, T=T, terms=parts)


def support_of(problem: Problem) -> Support | None:
    """Returns the steps of a problem that may move mass; None where all of them may."""
    allowed = problem.C < FORBIDDEN
    rows, columns = allowed.any(axis=1), allowed.any(axis=0)
    if rows.all() and columns.all():
        return None
    return Support(problem, np.flatnonzero(rows), np.flatnonzero(columns))


def _taken(D: Structure, places: Index) -> Structure:
    if isinstance(D, Hops):
        return Hops(D.counts[np.ix_(places, places)], D.height)
    return D[np.ix_(places, places)]
