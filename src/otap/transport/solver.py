"""The solver: a problem, or many, in; solutions out."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otap.transport import starts
from otap.transport.descent import Descent, descend
from otap.transport.isomorphism import isomorphism, matched
from otap.transport.objective import objective, terms
from otap.transport.problem import Array, Problem
from otap.transport.rounding import rounded
from otap.transport.solution import Solution
from otap.transport.stack import Stack
from otap.transport.threads import one_thread

_FIRST_EPSILON = 0.05
_RATIO = 0.25
# The last epsilon by the longer side. What it adds to the loss falls with its square: 1e-3 leaves
# 1e-4 at 5 to 12 steps where node costs are flat, 1e-4 leaves 1e-6. Longer sides pay more for it.
_LAST_EPSILON = {200: 1e-4, 1000: 1e-3}
_LAST_EPSILON_BEYOND = 5e-3
_SAME_LOSS = 1e-9
# Linearisations that a further start may use: those that need more lead nowhere better.
_PATIENCE = 40
# Members solved together: enough to share the cost of calls, few enough to stay in cache.
_ELEMENTS = 32768


def solve(
    problem: Problem, epsilon: float = 0.0, *, max_outer: int = 100, tolerance: float = 1e-6
) -> Solution:
    """A coupling of least objective (eq. 3), and how it was found.

    epsilon = 0 solves the problem without entropy, by continuation and rounding. epsilon > 0
    solves it with that entropy weight. At most max_outer linearisations a start; `converged`
    says whether they were enough for the coupling to settle within the tolerance.
    """
    return solve_batch([problem], epsilon, max_outer=max_outer, tolerance=tolerance)[0]


def solve_batch(
    problems: Sequence[Problem],
    epsilon: float = 0.0,
    *,
    max_outer: int = 100,
    tolerance: float = 1e-6,
) -> list[Solution]:
    """The solution of each problem, in their order; each to the last bit as if alone."""
    if epsilon < 0 or max_outer < 1 or tolerance <= 0:
        raise ValueError("epsilon must be at least 0, max_outer at least 1, tolerance positive")
    solutions: dict[int, Solution] = {}
    for bucket in _buckets(problems):
        with one_thread(max(problems[bucket[0]].shape)):
            found = _solve_bucket(
                [problems[k] for k in bucket], epsilon, max_outer=max_outer, tolerance=tolerance
            )
        solutions.update(zip(bucket, found, strict=True))
    return [solutions[k] for k in range(len(problems))]


def _buckets(problems: Sequence[Problem]) -> Iterator[list[int]]:
    """Indices of problems of one shape, in portions that fit the cache."""
    by_shape: dict[tuple[int, int], list[int]] = defaultdict(list)
    for index, problem in enumerate(problems):
        by_shape[problem.shape].append(index)
    for (n, m), indices in by_shape.items():
        size = max(1, _ELEMENTS // (n * m))
        for start in range(0, len(indices), size):
            yield indices[start : start + size]


def schedule(epsilon: float, size: int) -> list[float]:
    """The entropy weights to pass through: the one asked for, or from .05 down by quarters."""
    if epsilon > 0:
        return [epsilon]
    fine = [last for longest, last in _LAST_EPSILON.items() if size <= longest]
    last = fine[0] if fine else _LAST_EPSILON_BEYOND
    stages, weight = [], _FIRST_EPSILON
    while weight > 1.5 * last:
        stages.append(weight)
        weight *= _RATIO
    return [*stages, last]


def _solve_bucket(problems: list[Problem], epsilon: float, **limits: Any) -> list[Solution]:
    """Those that are one graph listed twice cost nothing more; the others are solved together."""
    found = [_zero_loss(problem) if epsilon == 0 else None for problem in problems]
    rest = [problem for problem, zero in zip(problems, found, strict=True) if zero is None]
    solved = iter(_solve_stack(rest, epsilon, **limits) if rest else [])
    return [next(solved) if zero is None else zero for zero in found]


def _zero_loss(problem: Problem) -> Solution | None:
    mapping = isomorphism(problem)
    if mapping is None:
        return None
    T = matched(problem, mapping)
    parts = terms(problem, T)
    return Solution(problem, T, parts, 0.0, converged=True, iterations=0, starts=0, change=0.0)


def _solve_stack(problems: list[Problem], epsilon: float, **limits: Any) -> list[Solution]:
    stack = Stack.of(problems)
    owners, state = _descend_all(stack, schedule(epsilon, max(problems[0].shape)), **limits)
    run = stack.take(owners)
    if epsilon == 0:
        _round(run, state)
    # Of descents to the same loss, one that converged is preferred.
    losses = np.asarray(objective(run, state.T, epsilon)) + _SAME_LOSS * ~state.converged
    return [
        _best(problem, state, losses, np.flatnonzero(owners == member))
        for member, problem in enumerate(problems)
    ]


def _descend_all(
    stack: Stack, weights: list[float], max_outer: int, tolerance: float
) -> tuple[NDArray[np.intp], Descent]:
    """The descents from all starts, and the member that each belongs to."""
    first = descend(stack, starts.product(stack), weights, max_outer, tolerance)
    owners, T = starts.others(stack)
    members = np.arange(len(stack.C))
    if not len(owners):
        return members, first
    # The first weight blurs: after it, a start would have forgotten where it began.
    patience = min(max_outer, _PATIENCE)
    more = descend(stack.take(owners), T, weights[1:] or weights, patience, tolerance)
    return np.concatenate([members, owners]), first.joined(more)


def _round(stack: Stack, state: Descent) -> None:
    """Where a coupling of single steps costs less than the one found, take it instead."""
    X = rounded(stack, state.T)
    better = np.asarray(objective(stack, X)) < np.asarray(objective(stack, state.T))
    state.T[better], state.epsilon[better] = X[better], 0.0


def _best(problem: Problem, state: Descent, losses: Array, members: NDArray[np.intp]) -> Solution:
    best = members[losses[members].argmin()]
    T = state.T[best].copy()
    return Solution(
        problem,
        T,
        terms(problem, T),
        float(state.epsilon[best]),
        bool(state.converged[best]),
        int(state.iterations[best]),
        len(members),
        float(state.change[best]),
    )
