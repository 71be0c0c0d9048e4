"""The solver in NumPy: what the native core is held to, and what solves where there is none."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otap.transport import starts
from otap.transport.arrays import Array
from otap.transport.epsilon_scaling import PATIENCE, epsilons, further
from otap.transport.exchange import matchings
from otap.transport.isomorphism import zero_loss
from otap.transport.numpy.descent import Descent, begin, descend
from otap.transport.numpy.polish import STILL, lower_bound, polish
from otap.transport.numpy.rounding import rounded
from otap.transport.objective import objective, terms
from otap.transport.problem import Problem
from otap.transport.solution import Solution
from otap.transport.stack import Stack
from otap.transport.structure import SMALL
from otap.transport.threads import one_thread

# Losses that are the same, and those that say that further starts lead nowhere else.
_SAME_LOSS, _AGREEMENT = 1e-9, 1e-7
# Steps a side up to which a problem is searched, and the shuffles that end a round: each start
# there costs as much as a descent. How often the best must have been found before a search may
# end, and
# the gap to a lower bound at which none is needed.
SEARCHED, _ROUNDS, _ENOUGH, _CERTAIN = 16, (6, 22, 48), 4, 1e-7
# Members solved together: enough to share the cost of calls, few enough to stay in cache.
_ELEMENTS = 32768


def solve_in_numpy(
    problems: Sequence[Problem], epsilon: float, *, max_outer: int, tolerance: float
) -> list[Solution]:
    """The solution of each problem by conditional gradient, as records, in their order.

    Each is to the last bit as if it were solved alone.

    Args:
        problems: of any shapes.
        epsilon: the entropy weight, or 0 for epsilon scaling and rounding.
        max_outer: linearisations from the product coupling; a further start has at most PATIENCE.
        tolerance: the change of the coupling at which it is settled.
    """
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
    """Isomorphic sides have their solution; the other problems are solved together."""
    found = [zero_loss(problem) if epsilon == 0 else None for problem in problems]
    rest = [problem for problem, zero in zip(problems, found, strict=True) if zero is None]
    solved = iter(_solve_stack(rest, epsilon, **limits) if rest else [])
    return [next(solved) if zero is None else zero for zero in found]


def _solve_stack(problems: list[Problem], epsilon: float, **limits: Any) -> list[Solution]:
    """Descents from several starts: the product coupling, and more where minima may be several.

    Short problems without entropy are searched, by polishing from matchings. Others get two
    informed starts; where descents disagree, or agreement proves little, random ones too.
    """
    stack = Stack.of(problems)
    tried = _Tried(problems, stack, epsilon, limits)
    tried.add(np.arange(len(problems)), starts.product(stack))
    if tried.searches:
        for member in range(len(problems)):
            _search(tried, member)
    else:
        _descend_again(tried, stack)
    return [tried.best(problem, member) for member, problem in enumerate(problems)]


def _search(tried: "_Tried", member: int) -> None:
    """Polishes from matchings, in rounds, as long as the member is in doubt."""
    problem, used = tried.problems[member], 0
    for round_, until in enumerate(_ROUNDS):
        if not _in_doubt(tried, member, round_):
            return
        tried.polish_from(member, matchings(problem, used, until))
        used = until


def _in_doubt(tried: "_Tried", member: int, round_: int) -> bool:
    problem, losses = tried.problems[member], tried.losses[tried.of(member)]
    if round_ == 0:
        return not tried.proved(member)
    if round_ == 1 and problem.theta * problem.mu.sum() > problem.lambda_1 @ problem.mu:
        return True
    hits = np.count_nonzero(losses < losses.min() + _AGREEMENT)
    return bool(np.ptp(losses) >= _AGREEMENT and (round_ == 1 or hits < _ENOUGH))


def _descend_again(tried: "_Tried", stack: Stack) -> None:
    doubt = starts.doubt(stack)
    tried.add(*starts.informed(stack, np.flatnonzero(doubt > 0)))
    unsure = [
        member
        for member in np.flatnonzero(doubt > 0).tolist()
        if doubt[member] > 1 or np.ptp(tried.losses[tried.of(member)]) >= _AGREEMENT
    ]
    tried.add(*starts.shuffled(stack, np.array(unsure, dtype=np.intp)))


class _Tried:
    """The descents tried so far: the member that each belongs to, where it ended, what it costs."""

    def __init__(
        self, problems: list[Problem], stack: Stack, epsilon: float, limits: dict[str, Any]
    ) -> None:
        self.problems = problems
        self._stack, self._epsilon, self._limits = stack, epsilon, limits
        self._weights = epsilons(epsilon, max(problems[0].shape))
        # Descents that stop before the last epsilon are not settled, nor is what they lead to.
        self._polishes = epsilon == 0 and limits["max_outer"] >= len(self._weights)
        self.searches = self._polishes and max(problems[0].shape) <= SEARCHED
        self.owners = np.empty(0, dtype=np.intp)
        self.losses = np.empty(0)
        self.state: Descent | None = None

    def add(self, owners: NDArray[np.intp], T: Array) -> None:
        """Descend from these couplings, each a start of the member that owns it."""
        if not len(owners):
            return
        run = self._stack.take(owners)
        first = self.state is None
        weights = self._weights if first else further(self._weights)
        outer = self._limits["max_outer"] if first else min(self._limits["max_outer"], PATIENCE)
        state = descend(run, T, weights, outer, self._limits["tolerance"])
        if self._epsilon == 0:
            _round(run, state)
            if self.searches:
                self._polish(owners, state)
        self._keep(owners, run, state)

    def polish_from(self, member: int, T: Array) -> None:
        """Polish from these couplings, each a start of the member."""
        owners = np.full(len(T), member, dtype=np.intp)
        state = begin(self._stack.take(owners), T)
        self._polish(owners, state, True)
        self._keep(owners, self._stack.take(owners), state)

    def proved(self, member: int) -> bool:
        """Whether weak duality proves the loss of a member's first descent, but for 1e-7."""
        assert self.state is not None  # the product coupling is always tried
        bound = lower_bound(self.problems[member], self.state.T[member])
        return bool(self.losses[member] - bound < _CERTAIN)

    def _polish(self, owners: NDArray[np.intp], state: Descent, always: bool = False) -> None:
        """Where polishing costs less than the couplings found, take what it leads to instead."""
        for row, owner in enumerate(owners.tolist()):
            problem, T = self.problems[owner], state.T[row]
            loss = np.inf if always else float(objective(problem, T))
            if max(T.shape) > SMALL or loss - lower_bound(problem, T) <= STILL:
                continue
            found = polish(problem, T, 2 * self._limits["max_outer"])
            if found is None or found.loss > loss + 1e-15:
                continue
            state.T[row] = found.T
            if found.ended:
                state.epsilon[row], state.converged[row] = 0.0, True

    def _keep(self, owners: NDArray[np.intp], run: Stack, state: Descent) -> None:
        # Of descents to the same loss, one that converged is preferred.
        losses = np.asarray(objective(run, state.T, self._epsilon))
        losses = losses + 2 * _SAME_LOSS * ~state.converged
        self.state = state if self.state is None else self.state.joined(state)
        self.owners = np.concatenate([self.owners, owners])
        self.losses = np.concatenate([self.losses, losses])

    def of(self, member: int) -> NDArray[np.intp]:
        """The descents of a member, in the order tried."""
        return np.flatnonzero(self.owners == member)

    def best(self, problem: Problem, member: int) -> Solution:
        """The first of a member's best descents: which is least by a hair is left to rounding.

        Where not all were polished, it is.
        """
        mine = self.of(member)
        assert self.state is not None  # the product coupling is always tried
        as_good = self.losses[mine] <= self.losses[mine].min() + _SAME_LOSS
        best = self.state.take(mine[as_good.argmax() :][:1])
        if self._polishes and not self.searches:
            self._polish(np.array([member]), best)
        T = best.T[0]
        return Solution(
            problem,
            T,
            terms(problem, T),
            float(best.epsilon[0]),
            bool(best.converged[0]),
            int(best.iterations[0]),
            len(mine),
            float(best.change[0]),
        )


def _round(stack: Stack, state: Descent) -> None:
    """Where a partial permutation costs less than the coupling found, take it instead."""
    X = rounded(stack, state.T)
    better = np.asarray(objective(stack, X)) < np.asarray(objective(stack, state.T))
    state.T[better], state.epsilon[better] = X[better], 0.0
