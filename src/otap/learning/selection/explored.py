"""The losses between the runs of a task that decide which of them cover the rest.

Where all pairs can be solved, they are. Else FasterPAM looks for medoids on losses that were solved
and, where they were not, on the least that they may well be (``estimate``); what made these medoids
look good is then solved, and so on: optimism in the face of uncertainty [Auer2002]. What is too
optimistic is found out, what is not is kept. In the end nothing is left to be found out, or the
budget is spent.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from otap._caching import cached_property
from otap.learning.selection.estimate import Estimate
from otap.learning.selection.losses import Losses
from otap.learning.selection.medoids import medoids
from otap.learning.selection.sketch import differences

# Pairs of steps that are held against each other for one task, which is what time goes by:
# on two slow cores some 25 s. What two runs take besides is as much as OVERHEAD of these.
BUDGET, OVERHEAD = 27_000_000, 150
FIRST = 0.15  # of the budget: on pairs at random, from which losses are learned
TOGETHER = 20  # of these pairs are of one run
EACH = 0.08  # of the budget, at most: on what a round finds promising
NEAR = 4  # runs of each medoid's cluster that are tried as medoids in its place
FEWEST = 6  # pairs that are solved of each of these, at least
ROUNDS = 16
NEXT = 2  # medoids that are tried as the nearest of each run, in the end
OPTIMISM, ENOUGH = 1.0, 0.1  # standard deviations, halved where they show nothing new
SEED = 0
Array = npt.NDArray[Any]  # of floating point
Places = npt.NDArray[np.intp]
Pair = tuple[int, int]


class Explored:
    """The losses between some runs, as far as they were solved.

    Args:
        losses: solves them.
        places: the runs, no two of equal content, in an order that no file decides.
        counts: how many runs each of them is.
    """

    def __init__(self, losses: Losses, places: Sequence[int], counts: Sequence[int]) -> None:
        self._losses, self._places = losses, places
        self.counts = np.array(counts)
        self.size = len(places)
        self.known = np.full((self.size, self.size), np.nan)
        np.fill_diagonal(self.known, 0.0)
        self._spent = 0

    @cached_property
    def _sizes(self) -> npt.NDArray[np.int64]:
        return np.array([self._losses.prepared(place).size for place in self._places])

    @cached_property
    def _owner(self) -> Places:
        """For each of all runs which of these it is."""
        return np.repeat(np.arange(self.size), self.counts)

    @property
    def solved(self) -> int:
        """How many pairs were solved."""
        return int((~np.isnan(self.known)).sum() - self.size) // 2

    @property
    def total(self) -> int:
        """How many pairs there are."""
        return self.size * (self.size - 1) // 2

    def solve(self, pairs: Iterable[Pair]) -> int:
        """Solves pairs that were not, and returns how many these are."""
        wanted = sorted({(min(pair), max(pair)) for pair in pairs})
        new = [pair for pair in wanted if np.isnan(self.known[pair])]
        if new:
            first, second = np.array(new).T
            found = self._losses.between([(self._places[i], self._places[j]) for i, j in new])
            self.known[first, second] = self.known[second, first] = found
            self._spent += int(self._cost(first, second).sum())
        return len(new)

    def _cost(self, one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> Array:
        found: Array = 2.0 * (self._sizes[one] * self._sizes[other] + OVERHEAD)
        return found

    @property
    def _all(self) -> tuple[Places, Places]:
        return np.triu_indices(self.size, 1)

    @property
    def _pair(self) -> float:
        """What a pair costs, on average."""
        return float(self._cost(*self._all).mean())

    def explore(self, k: int) -> Array:
        """Solves what decides which k cover the rest, and returns all losses, solved or estimated.

        Args:
            k: below the number of runs; 0 where there is one.
        """
        first, second = self._all
        if self._cost(first, second).sum() <= BUDGET:
            self.solve(zip(first.tolist(), second.tolist(), strict=True))
            return self.known
        return _Search(self, k, int(BUDGET / self._pair)).losses()

    def with_nearest(self, losses: Array, chosen: Sequence[int]) -> Array:
        """Returns the losses with that of each run to its nearest medoid solved in full.

        Which is the nearest is solved briefly: where a loss turns out to be above the estimate of
        another medoid, that one is solved as well, NEXT times at most.

        Args:
            losses: solved or estimated.
            chosen: the medoids.
        """
        columns = np.array(chosen)
        for _ in range(NEXT):
            nearest = columns[losses[:, columns].argmin(axis=1)]
            if not self.solve(zip(nearest.tolist(), range(self.size), strict=True)):
                break
            losses = np.where(np.isnan(self.known), losses, self.known)
        nearest = columns[losses[:, columns].argmin(axis=1)]
        rows = np.flatnonzero(nearest != np.arange(self.size))
        return self._with_full(losses.copy(), nearest[rows], rows)

    def _with_full(self, losses: Array, one: Places, other: Places) -> Array:
        places = np.array(self._places)
        pairs = np.transpose([places[one], places[other]]).tolist()
        losses[one, other] = self._losses.in_full([(i, j) for i, j in pairs])
        losses[other, one] = losses[one, other]
        return losses

    def medoids(
        self, losses: Array, k: int, starts: Iterable[Sequence[int]] = (), *, seeds: int = 0
    ) -> tuple[int, ...]:
        """Returns k of the runs that cover all best, fewer where some are one run's copies."""
        if k >= self.size:
            return tuple(range(self.size))
        copies = len(self._owner) > self.size
        whole = losses[np.ix_(self._owner, self._owner)] if copies else losses
        first = np.cumsum([0, *self.counts[:-1]])
        given = [[int(first[place]) for place in start] for start in starts]
        found = medoids(whole, k, given, seeds=seeds)
        return tuple(sorted({int(self._owner[place]) for place in found}))


@dataclass
class _Search:
    """A search for k medoids with a budget of pairs."""

    explored: Explored
    k: int
    budget: int

    def losses(self) -> Array:
        explored = self.explored
        sketches = differences([explored._losses.prepared(p) for p in explored._places])
        random = np.random.default_rng(SEED)
        explored.solve(self._at_random(random))
        optimism, found = OPTIMISM, list[tuple[int, ...]]()
        for _ in range(ROUNDS):
            guessed = Estimate.of(explored.known, sketches).losses(explored.known, optimism)
            found.append(explored.medoids(guessed, self.k, found[-1:]))
            room = self.budget - explored.solved
            pairs = list(self._doubtful(guessed, found[-1], random))[: max(0, room)]
            if not explored.solve(pairs):
                optimism /= 2.0
            if room <= 0 or optimism < ENOUGH:
                break
        return Estimate.of(explored.known, sketches).losses(explored.known, 0.0)

    def _at_random(self, random: np.random.Generator) -> Iterator[Pair]:
        """Pairs at random, several of a run: what is compared at once is compared sooner."""
        count, size = int(FIRST * self.budget), self.explored.size
        for one in random.permutation(size)[: max(1, count // TOGETHER)].tolist():
            others = random.choice(size, min(size, TOGETHER), replace=False)
            yield from ((one, other) for other in others.tolist() if other != one)

    def _doubtful(
        self, guessed: Array, chosen: Sequence[int], random: np.random.Generator
    ) -> Iterator[Pair]:
        """Some of the pairs for which medoids, and what is nearly as good, look good."""
        each = max(FEWEST, int(EACH * self.budget / self.k / NEAR))
        nearest = np.array(chosen)[guessed[:, list(chosen)].argmin(axis=1)]
        for medoid in chosen:
            members = np.flatnonzero(nearest == medoid)
            sums = self.explored.counts[members] @ guessed[np.ix_(members, members)]
            best = members[np.argsort(sums, kind="stable")[:NEAR]].tolist()
            for one in dict.fromkeys([medoid, *best]):
                unknown = members[np.isnan(self.explored.known[one, members])]
                if len(unknown) > each:
                    unknown = random.choice(unknown, each, replace=False)
                yield from ((one, other) for other in unknown.tolist())
