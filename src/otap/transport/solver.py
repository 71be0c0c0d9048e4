"""The interface of the solver, for one problem or a batch."""

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

_CHUNK = 256  # problems whose costs are looked at together


def solve(
    problem: Problem,
    epsilon: float = 0.0,
    *,
    max_outer: int = 1000,
    tolerance: float = 1e-6,
    threads: int | None = None,
) -> Solution:
    """Minimises the objective (eq. 3) by conditional gradient with epsilon scaling.

    [Frank1956], [Schmitzer2019]. The linearisations are unbalanced problems with entropy
    [Chizat2018], solved by damped Newton on their duals. The result is a local minimum, the lowest
    of several starts if there may be several minima.

    Args:
        problem: the problem.
        epsilon: the entropy weight, 0 or from 1e-6 to 100. 0 solves without entropy: by decreasing
            weights, then by rounding to a partial permutation if this costs less.
        max_outer: linearisations per start, at least 1; at most a hundred if these are enough, or
            the problem is long. `converged` tells whether the coupling converged.
        tolerance: the coupling has converged if it changes by less (sum of absolute differences).
        threads: the number of threads, at least 1, by default one per processor. It does not change
            the result.

    Raises:
        ValueError: if epsilon, max_outer, tolerance or threads is out of range.
        ConfigError: if both sides are too long for NumPy, and no native core was built.
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
    """Returns the solution of each problem by `solve`; each is identical to solving it alone.

    Args:
        problems: problems of any shapes.
        epsilon: as for `solve`.
        max_outer: as for `solve`.
        tolerance: as for `solve`.
        threads: as for `solve`.

    Raises:
        ValueError: if epsilon, max_outer, tolerance or threads is out of range.
        ConfigError: as for `solve`.
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
    supports = _find_supports(problems)
    if not supports:
        return _solve_all(
            problems, epsilon, max_outer=max_outer, tolerance=tolerance, threads=threads
        )
    posed: dict[int, Problem] = {}
    for k, problem in enumerate(problems):
        if k not in supports:
            posed[k] = problem
        elif len(supports[k].rows):
            posed[k] = supports[k].restricted()
    solved = _solve_all(
        list(posed.values()), epsilon, max_outer=max_outer, tolerance=tolerance, threads=threads
    )
    solutions, by_index = Solutions(len(problems)), dict(zip(posed, solved, strict=True))
    for k in range(len(problems)):
        solutions.put(k, supports[k].extended(by_index.get(k)) if k in supports else by_index[k])
    return solutions


def _find_supports(problems: Sequence[Problem]) -> dict[int, "Support"]:
    """Returns the support of each problem with steps that may not move mass, by its index."""
    supports = {}
    for start in range(0, len(problems), _CHUNK):
        chunk = problems[start : start + _CHUNK]
        for k in _list_with_forbidden_pairs(chunk):
            support = support_of(chunk[k])
            if support is not None:
                supports[start + k] = support
    return supports


def _list_with_forbidden_pairs(problems: Sequence[Problem]) -> list[int]:
    """Returns the indices of the problems with a forbidden pair; long problems count as such.

    One call of NumPy for each problem would take as long as solving a small one.
    """
    long = [k for k, problem in enumerate(problems) if problem.packed is None]
    short = [k for k, problem in enumerate(problems) if problem.packed is not None]
    if not short:
        return long
    costs = [problems[k].C.ravel() for k in short]
    starts = np.cumsum([0, *map(len, costs[:-1])])
    largest = np.maximum.reduceat(np.concatenate(costs), starts)
    return long + [short[row] for row in np.flatnonzero(largest >= FORBIDDEN).tolist()]


def _solve_all(
    problems: Sequence[Problem], epsilon: float, *, max_outer: int, tolerance: float, threads: int
) -> Solutions:
    """Solves problems in which every step may move mass, like `solve_batch`."""
    if native() is None:
        solutions, left = Solutions(len(problems)), list(range(len(problems)))
    else:
        solutions, left = solve_in_core(
            problems, epsilon, max_outer=max_outer, tolerance=tolerance, threads=threads
        )
    for k in left:
        limit = max_outer if problems[k].packed is not None else min(max_outer, QUICK)
        solutions.put(k, solve_plainly(problems[k], epsilon, max_outer=limit, tolerance=tolerance))
    return solutions


def quick_losses(problems: Sequence[Problem]) -> Array:
    """Returns losses slightly above those of `solve_batch`, in a tenth of the time.

    For comparing many problems of which few are used: a descent ends after four linearisations.
    Most losses are within a thousandth; some belong to another local minimum. Problems that are
    long, may be isomorphic, or are not solved by the native core are solved completely.

    Args:
        problems: problems of any shapes.
    """
    losses = np.full(len(problems), np.nan)
    if native() is not None:
        short = [k for k, problem in enumerate(problems) if problem.packed is not None]
        losses[short] = solve_briefly([problems[k] for k in short], solving_threads())
    left = np.flatnonzero(np.isnan(losses)).tolist()
    losses[left] = [solution.loss for solution in solve_batch([problems[k] for k in left])]
    return losses


def contributions(problem: Problem, T: Array) -> Array:
    """Returns the share of each pair in the node and structure terms of eq. 3, (n, m), >= 0.

    W_ij = T_ij ((1 - theta) C_ij + theta sum_kl (D_p_ik - D_r_jl)^2 T_kl). Their sum is the sum of
    the two terms, up to rounding errors below 0, which are cut. Above SMALL steps the native core,
    if there is one, uses a faster method that agrees to 1e-6.

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
    """A problem with its steps that may move mass.

    A pair with a node cost of FORBIDDEN or more is forbidden. A step with only forbidden pairs
    moves no mass in any optimal coupling: its whole mass is penalised, and it can be removed from
    the problem.
    """

    problem: Problem
    rows: Index
    columns: Index

    def restricted(self) -> Problem:
        """Returns the problem of the steps that may move mass, if there are any."""
        p, rows, columns = self.problem, self.rows, self.columns
        C, numbers = p.C[rows][:, columns], [len(rows), len(columns), p.theta]
        sides = p.mu[rows], p.nu[columns]
        penalties = p.lambda_1[rows], p.lambda_2[columns]
        D_p, D_r = _submatrix(p.D_p, rows), _submatrix(p.D_r, columns)
        if isinstance(D_p, Hops) or isinstance(D_r, Hops) or p.packed is None:
            return Problem(C, D_p, D_r, *sides, p.theta, *penalties)
        # A part of a valid short problem is valid.
        parts = C.ravel(), D_p.ravel(), D_r.ravel()
        return Problem.of_packed(np.concatenate([numbers, *parts, *sides, *penalties]))

    def extended(self, restricted: Solution | None) -> Solution:
        """Returns the solution of the whole problem.

        Args:
            restricted: the solution of the restricted problem; None if no step may move mass.
        """
        p = self.problem
        agent, reference = p.lambda_1 * p.mu, p.lambda_2 * p.nu
        if restricted is None:
            parts = Terms(0.0, 0.0, float(agent.sum()), float(reference.sum()))
            return Solution(p, np.zeros(p.shape), parts, 0.0, True, 0, 0, 0.0)
        T = np.zeros(p.shape, dtype=restricted.T.dtype)
        T[self.rows[:, None], self.columns] = restricted.T
        terms = restricted.terms
        idle = _exclude(agent, self.rows), _exclude(reference, self.columns)
        parts = terms._replace(
            agent_mass=terms.agent_mass + float(idle[0].sum()),
            reference_mass=terms.reference_mass + float(idle[1].sum()),
        )
        return replace(restricted, problem=p, T=T, terms=parts)


def support_of(problem: Problem) -> Support | None:
    """Returns the steps of a problem that may move mass, or None if all may."""
    allowed = problem.C < FORBIDDEN
    rows, columns = allowed.any(axis=1), allowed.any(axis=0)
    if rows.all() and columns.all():
        return None
    return Support(problem, np.flatnonzero(rows), np.flatnonzero(columns))


def _submatrix(D: Structure, steps: Index) -> Structure:
    if isinstance(D, Hops):
        return Hops(D.counts[steps][:, steps], D.height)
    return D[steps][:, steps]


def _exclude(values: Array, steps: Index) -> Array:
    """The values without those of some steps."""
    is_left = np.ones(len(values), dtype=np.bool_)
    is_left[steps] = False
    return values[is_left]
