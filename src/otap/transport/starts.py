"""Initial couplings: one where the objective has one local minimum, several elsewhere."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otap.transport.arrays import Array
from otap.transport.assignment import assignment
from otap.transport.stack import Stack
from otap.transport.structure import GRADED

_ALIKE = 1e-9
# Structure outweighs node costs from here on: theta .6 where costs are spread by .75, or costs
# spread by less than .27 at theta .35.
_RUGGED = 2.0
_FLAT = 8.0
# The share of a start that is a permutation; the rest is the product coupling, so no entry is 0.
_KEEP = 0.8
# Of 209 small problems with flat costs or heavy structure, 16 shuffles miss the best known loss
# by more than 1e-5 in 3, 48 in 1. Beyond 12 x 12 a start is no longer cheap, and fewer are made.
_SHUFFLES, _CHEAP = 48, 144


def product(stack: Stack) -> Array:
    """The product coupling mu nu', scaled to the geometric mean of both masses, (B, n, m)."""
    total = np.sqrt(stack.mu.sum(axis=-1) * stack.nu.sum(axis=-1))
    coupling: Array = stack.mu[:, :, None] * stack.nu[:, None, :] / total[:, None, None]
    return coupling


def informed(stack: Stack, members: NDArray[np.intp]) -> tuple[NDArray[np.intp], Array]:
    """Informed starts for these members: an assignment by node costs, and one by position.

    The position of a step is how late it comes, the mean of its column of D.

    Args:
        stack: the problems.
        members: indices of those that get starts.

    Returns:
        The member of each start, and the couplings, (number of starts, n, m).
    """
    return _starts(stack, members, [by_cost, by_order])


def shuffled(stack: Stack, members: NDArray[np.intp]) -> tuple[NDArray[np.intp], Array]:
    """Starts at random permutations for these members, the same ones every time; few where long.

    Args:
        stack: the problems.
        members: indices of those that get starts.

    Returns:
        The member of each start, and the couplings, (number of starts, n, m).
    """
    if not len(members) or not shuffles(*stack.C.shape[1:]):
        return members[:0], np.empty((0, *stack.C.shape[1:]))
    part = stack.take(members)
    found = [_smoothed(part, pairs) for pairs in shuffled_pairs(part)]
    return np.tile(members, len(found)), np.concatenate(found)


def _starts(
    stack: Stack, members: NDArray[np.intp], ways: list[Callable[[Stack], Array]]
) -> tuple[NDArray[np.intp], Array]:
    if not len(members):
        return members, np.empty((0, *stack.C.shape[1:]))
    part = stack.take(members)
    return np.tile(members, len(ways)), np.concatenate([_smoothed(part, way(part)) for way in ways])


def doubt(stack: Stack) -> NDArray[np.int64]:
    """Whether members may have several local minima: 0 no, 1 perhaps, 2 likely; (B,).

    At 1 random starts are tried only where the informed ones disagree, at 2 always. Decided from
    the arrays alone. Where either structure is graded (D_ik = y_k - y_i) the structure term is
    affine between couplings of equal marginals, and one start is enough. Elsewhere one start is
    not enough where structure outweighs the node costs, nor where two steps have the same costs:
    only structure tells these apart, and the product coupling sits on the symmetry between them.
    Where structure outweighs costs by far, starts that agree prove little: of 1,500 hard problems
    13 had a better minimum, all of them beyond a ratio of 9.
    """
    spread = (stack.C.max(axis=-1) - stack.C.min(axis=-1)).mean(axis=-1)
    against = (1.0 - stack.theta) * spread
    rugged = stack.theta > _RUGGED * against
    rugged |= _repeats(stack.C) | _repeats(np.swapaxes(stack.C, -1, -2))
    rugged &= (stack.theta > 0) & (min(stack.C.shape[1:]) > 1)
    rugged &= ~graded(stack.D_p) & ~graded(stack.D_r)
    found: NDArray[np.int64] = rugged * (1 + (stack.theta > _FLAT * against))
    return found


def graded(D: Array) -> NDArray[np.bool_]:
    """Whether D is graded, D_ik = y_k - y_i for some y, for each of the (B, n, n) matrices."""
    first = D[:, :1, :]
    ideal = first - np.swapaxes(first, -1, -2)
    close: NDArray[np.bool_] = abs(D - ideal).max(axis=(-2, -1)) < GRADED
    return close


def _repeats(C: Array) -> NDArray[np.bool_]:
    """Whether two rows of C are alike, (B,)."""
    products = C @ np.swapaxes(C, -1, -2)
    squares = np.einsum("bii->bi", products).copy()
    np.einsum("bii->bi", products)[...] = -np.inf  # a row is not compared with itself
    distance = squares[:, :, None] + squares[:, None, :] - 2.0 * products
    alike: NDArray[np.bool_] = distance.min(axis=(-2, -1)) < _ALIKE
    return alike


def by_cost(stack: Stack) -> Array:
    """The assignment by node costs, as pairs, (B, n, m)."""
    return np.array([_assigned(cost) for cost in stack.C])


def by_order(stack: Stack) -> Array:
    """The assignment of steps that come as late as each other, as pairs, (B, n, m)."""
    x, y = _positions(stack)
    return np.array([_assigned(cost) for cost in (x[:, :, None] - y[:, None, :]) ** 2])


def shuffled_pairs(stack: Stack) -> list[Array]:
    """Permutations at random, the same ones every time, and for every listing of the steps."""
    x, y = _positions(stack)
    agent = _ranking(x, stack.C.mean(axis=-1))
    reference = _ranking(y, stack.C.mean(axis=-2))
    members, shape = np.arange(len(stack.C))[:, None], stack.C.shape
    found = []
    for rows, columns in shuffles(*shape[1:]):
        pairs = np.zeros(shape)
        pairs[members, agent[:, rows], reference[:, columns]] = 1.0
        found.append(pairs)
    return found


@lru_cache(maxsize=64)
def shuffles(n: int, m: int) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Pairs of random permutations that starts are made of: rows and columns, min(n, m) of each."""
    rng = np.random.default_rng(0)
    size, count = min(n, m), min(_SHUFFLES, _SHUFFLES * _CHEAP // (n * m))
    return [(rng.permutation(n)[:size], rng.permutation(m)[:size]) for _ in range(count)]


def _positions(stack: Stack) -> tuple[Array, Array]:
    """How late each step of either side comes: the mean of its column of D, (B, n) and (B, m)."""
    return stack.D_p.mean(axis=-2), stack.D_r.mean(axis=-2)


def _ranking(position: Array, cost: Array) -> NDArray[np.intp]:
    """Steps in an order that does not depend on how they were listed, ties apart."""
    return np.lexsort((np.round(cost, 9), np.round(position, 9)), axis=-1)


def _assigned(cost: Array) -> Array:
    pairs = np.zeros_like(cost)
    pairs[assignment(cost)] = 1.0
    return pairs


def _smoothed(stack: Stack, pairs: Array) -> Array:
    mass = np.minimum(stack.mu[:, :, None], stack.nu[:, None, :])
    return _KEEP * pairs * mass + (1.0 - _KEEP) * product(stack)
