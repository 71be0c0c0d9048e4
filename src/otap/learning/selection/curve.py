"""How well k references cover the runs, for each k, and where that bends."""

from collections.abc import Iterator, Sequence

import numpy as np

from otap.learning.selection.explored import Array, Explored
from otap.learning.selection.selection import Coverage

# How far the curve falls below the straight line from one reference to all, both axes from 0 to 1,
# for a bend: a curve that falls by half with each reference does by .3 at five of them.
BENT = 0.2
FEWEST = 4  # references from which on there is a bend to speak of


def best_of_each(explored: Explored, losses: Array, k: int) -> Iterator[tuple[int, ...]]:
    """Yields the best medoids for 1, 2, ... k references; one more never covers less.

    Args:
        explored: the runs.
        losses: between them, solved or estimated.
        k: how many at most.
    """
    before: tuple[int, ...] = ()
    for count in range(1, min(k, explored.size) + 1):
        starts = [(*before, _next(explored, losses, before))]
        before = explored.medoids(losses, count, starts, seeds=4 if count == k else 0)
        yield before


def _next(explored: Explored, losses: Array, chosen: Sequence[int]) -> int:
    """The run that covers most beside those chosen; one that is none of them."""
    nearest = losses[:, list(chosen)].min(axis=1, initial=np.inf)
    sums = explored.counts @ np.minimum(losses, nearest[:, None])
    sums[list(chosen)] = np.inf
    return int(sums.argmin())


def coverage(explored: Explored, losses: Array, chosen: Sequence[Sequence[int]]) -> list[Coverage]:
    """Returns the curve over k of the medoids that were chosen for each."""
    weights = explored.counts / explored.counts.sum()
    found: list[Coverage] = []
    for medoids in chosen:
        columns = list(medoids)
        nearest = losses[:, columns].argmin(axis=1)
        rows = np.arange(explored.size)
        solved = ~np.isnan(explored.known[:, columns][rows, nearest])
        share = float(explored.counts[solved].sum() / explored.counts.sum())
        loss = float(weights @ losses[:, columns].min(axis=1))
        first = found[0].loss if found else loss
        covered = 1.0 - loss / first if first > 0 else 1.0
        found.append(Coverage(k=len(medoids), loss=loss, covered=covered, solved=share))
    return found


def bend(curve: Sequence[Coverage]) -> int | None:
    """Returns the k at which the curve bends most; None where it hardly does."""
    if len(curve) < FEWEST or curve[0].loss <= curve[-1].loss:
        return None
    high, low = curve[0].loss, curve[-1].loss
    steps = len(curve) - 1
    below = [1.0 - n / steps - (one.loss - low) / (high - low) for n, one in enumerate(curve)]
    best = int(np.argmax(below))
    return curve[best].k if below[best] >= BENT else None
