"""The solver in NumPy: what the native core is held to, and what solves where there is none."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otap.transport import starts
from otap.transport.descent import Descent, descend
from otap.transport.isomorphism import zero_loss
from otap.transport.objective import objective, terms
from otap.transport.problem import Array, Problem
from otap.transport.rounding import rounded
from otap.transport.schedule import PATIENCE, further, schedule
from otap.transport.solution import Solution
from otap.transport.stack import Stack
from otap.transport.threads import one_thread

_SAME_LOSS = 1e-9
# Members solved together: enough to share the cost of calls, few enough to stay in cache.
_ELEMENTS = 32768


def solve_in_numpy(
    problems: Sequence[Problem], epsilon: float, *, max_outer: int, tolerance: float
) -> list[Solution]:
    """The solution of each problem, in their order; each to the last bit as if alone."""
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


def _solve_bucket(problems: list[Problem], epsilon: float, **limits: Any) -> list[Solution]:
    """Those that are one graph listed twice cost nothing more; the others are solved together."""
    found = [zero_loss(problem) if epsilon == 0 else None for problem in problems]
    rest = [problem for problem, zero in zip(problems, found, strict=True) if zero is None]
    solved = iter(_solve_stack(rest, epsilon, **limits) if rest else [])
    return [next(solved) if zero is None else zero for zero in found]


def _solve_stack(problems: list[Problem], epsilon: float, **limits: Any) -> list[Solution]:
    stack = Stack.of(problems)
    owners, state = _descend_all(stack, schedule(epsilon, max(problems[0].shape)), **limits)
    run = stack.take(owners)
    if epsilon == 0:
        _round(run, state)
    # Of descents to the same loss, one that converged is preferred.
    losses = np.asarray(objective(run, state.T, epsilon)) + 2 * _SAME_LOSS * ~state.converged
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
    patience = min(max_outer, PATIENCE)
    more = descend(stack.take(owners), T, further(weights), patience, tolerance)
    return np.concatenate([members, owners]), first.joined(more)


def _round(stack: Stack, state: Descent) -> None:
    """Where a coupling of single steps costs less than the one found, take it instead."""
    X = rounded(stack, state.T)
    better = np.asarray(objective(stack, X)) < np.asarray(objective(stack, state.T))
    state.T[better], state.epsilon[better] = X[better], 0.0


def _best(problem: Problem, state: Descent, losses: Array, members: NDArray[np.intp]) -> Solution:
    # The first of those that are as good: which of them is least by a hair is left to rounding.
    as_good = losses[members] <= losses[members].min() + _SAME_LOSS
    best = members[as_good.argmax()]
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
