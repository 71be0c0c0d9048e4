"""Isomorphism of the two sides: if they are the same graph, the loss is 0.

A descent cannot always find this. If steps are pairwise equal, such as two branches with the same
steps, it starts at a point of symmetry and stays there.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap.transport.objective import Terms, kl
from otap.transport.problem import Problem
from otap.transport.solution import Solution
from otap.transport.structure import Hops, Index, dense, equal

_EQUAL = 1e-12
# Above this number of steps the coupling is in single precision, to save memory.
_MAX_DOUBLE = 1000
# Entries of D to visit before the search gives up, about a second of work.
_BUDGET = 30_000_000


def zero_loss(problem: Problem) -> Solution | None:
    """Returns the solution with loss 0 if the sides are isomorphic, or None if they are not.

    It moves the whole mass of each step to its image.
    """
    mapping = isomorphism(problem)
    if mapping is None:
        return None
    single = len(mapping) > _MAX_DOUBLE
    T: NDArray[Any] = np.zeros(problem.shape, dtype=np.float32 if single else np.float64)
    rows, c = np.arange(len(mapping)), np.empty(len(mapping))
    T[rows, mapping], c[mapping] = problem.mu, problem.mu
    node = (1.0 - problem.theta) * float(problem.C[rows, mapping] @ problem.mu)
    # Entries of D differ by _EQUAL at most, and the structure term is quadratic in them.
    parts = Terms(node, 0.0, 0.0, float(problem.lambda_2 @ kl(c, problem.nu)))
    return Solution(problem, T, parts, 0.0, True, 0, 0, 0.0, "single" if single else "double")


def isomorphism(problem: Problem) -> Index | None:
    """Finds an isomorphism of the sides by colour refinement [Weisfeiler1968] and backtracking.

    Node costs are 0, and masses and structures are equal, to 1e-12.

    Returns:
        The image of each agent step, a reference step, (n,). None if the sides differ, or if the
        search gave up because many steps look the same.
    """
    if is_identity(problem):
        return np.arange(len(problem.mu))
    colours = _node_colours(problem)
    return None if colours is None else _StepMatching(problem).run(colours)


def is_identity(problem: Problem) -> bool:
    """Returns whether step k equals step k for each k, exactly; mostly O(1) if they differ."""
    if problem.C.shape[0] != problem.C.shape[1]:
        return False
    if problem.theta < 1 and problem.C.diagonal().any():
        return False
    if not np.array_equal(problem.mu, problem.nu):
        return False
    return problem.theta == 0 or equal(problem.D_p, problem.D_r)


def _node_colours(problem: Problem) -> Index | None:
    """Returns a colour for each agent step, then each reference step; equal at a node cost of 0."""
    n, m = problem.C.shape
    if n != m:
        return None
    free = problem.C <= _EQUAL if problem.theta < 1 else np.ones((n, m), dtype=np.bool_)
    if not free.any(axis=0).all() or not free.any(axis=1).all():
        return None
    if np.ptp(problem.mu) > 0 or np.ptp(problem.nu) > 0 or problem.mu[0] != problem.nu[0]:
        free &= abs(problem.mu[:, None] - problem.nu[None, :]) <= _EQUAL
    _, agent = np.unique(free.argmax(axis=1), return_inverse=True)
    reference = agent[free.argmax(axis=0)]
    # Costs of 0 may be intransitive (a ~ b ~ c but not a ~ c); the descent handles these.
    if not np.array_equal(free, agent[:, None] == reference[None, :]):
        return None
    return np.concatenate([agent, reference])


class _StepMatching:
    """Colour refinement with backtracking: guesses if refinement leaves several choices."""

    def __init__(self, problem: Problem) -> None:
        self.D_p, self.D_r = _comparable(problem)
        self.size, self.budget = len(problem.mu), _BUDGET

    @cached_property
    def kinds(self) -> Index:
        """Both structures, stacked, with a number for each distinct entry."""
        stacked = np.concatenate([self.D_p, self.D_r])
        if stacked.dtype.kind == "i":
            return np.asarray(stacked - stacked.min(), dtype=np.intp)
        stacked = np.round(stacked, 12) + 0.0  # no negative zero
        return np.unique(stacked, return_inverse=True)[1].reshape(2 * self.size, self.size)

    def run(self, colours: Index) -> Index | None:
        """Returns a mapping that preserves colours, or None."""
        refined, n = self._refine(colours), self.size
        if refined is None:
            return None
        mapping = np.empty(n, dtype=np.intp)  # pairs equal colours in their order
        mapping[np.argsort(refined[:n], kind="stable")] = np.argsort(refined[n:], kind="stable")
        image = self.D_r[np.ix_(mapping, mapping)]
        if np.array_equal(self.D_p, image):
            return mapping
        if image.dtype.kind == "f" and abs(self.D_p - image).max() <= _EQUAL:
            return mapping
        for guess in _guesses(refined):
            completed = self.run(guess)
            if completed is not None or self.budget < 0:
                return completed
        return None

    def _refine(self, colours: Index) -> Index | None:
        """Returns the stable colouring: a colour determines its entries of D for each colour.

        None if the sides differ. Stops early if each step has only one possible partner.
        """
        n, count = self.size, 0
        while self.budget >= 0:
            if not np.array_equal(np.sort(colours[:n]), np.sort(colours[n:])):
                return None
            if colours.max() + 1 == count or len(np.unique(colours)) == n:
                return colours
            count = int(colours.max()) + 1
            self.budget -= self.kinds.size
            column_colours = np.repeat([colours[:n], colours[n:]], n, axis=0)
            entries = np.sort(self.kinds * count + column_colours, axis=1)
            rows = np.column_stack([colours, entries])
            # Sorting rows as bytes is much faster than np.unique along an axis.
            key = np.dtype((np.void, rows.itemsize * rows.shape[1]))
            colours = np.unique(rows.view(key).ravel(), return_inverse=True)[1]
        return None


def _comparable(problem: Problem) -> tuple[NDArray[Any], NDArray[Any]]:
    """Returns both structures as arrays to compare, as integers if both are hops."""
    (D_p, D_r), (n, m) = (problem.D_p, problem.D_r), problem.shape
    if problem.theta == 0:
        return np.zeros((n, n), dtype=np.int16), np.zeros((m, m), dtype=np.int16)
    if not (isinstance(D_p, Hops) and isinstance(D_r, Hops)):
        return dense(D_p), dense(D_r)
    if D_p.height == D_r.height:
        return D_p.counts, D_r.counts
    return D_p.counts * np.int64(D_r.height), D_r.counts * np.int64(D_p.height)


def _guesses(colours: Index) -> Iterator[Index]:
    """Yields individualisations: a step of a smallest shared colour, with each partner in turn."""
    n = len(colours) // 2
    sizes = np.bincount(colours[:n])
    shared = np.flatnonzero(sizes > 1)
    if not len(shared):
        return
    colour = shared[sizes[shared].argmin()]
    first = (colours[:n] == colour).argmax()
    for partner in np.flatnonzero(colours[n:] == colour):
        guess = colours.copy()
        guess[first] = guess[n + partner] = colours.max() + 1
        yield guess
