"""The best 1, 2, ... k medoids by FasterPAM [Schubert2021], and how well so many cover the runs.

No listing order decides where the search starts.
"""

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from otap.errors import ConfigError
from otap.learning.selection.selection import Coverage

Array = npt.NDArray[Any]
SEEDS = 4  # random starts besides, for the largest number of references
_ROUNDING = 1e-9
# How far the curve falls below the straight line from one reference to all, both axes from 0 to 1,
# for a bend: a curve that falls by half with each reference does by .3 at five of them.
BENT = 0.2
FEWEST = 4  # references from which on there is a bend to speak of


def fasterpam() -> ModuleType:
    """Returns the package that has FasterPAM.

    Raises:
        ConfigError: if it is not installed.
    """
    try:
        return import_module("kmedoids")
    except ImportError:
        raise ConfigError(
            "choosing references needs the package kmedoids; install it with: pip install"
            " 'otap[select]'"
        ) from None


def best_of_each(losses: Array, counts: Array, k: int) -> Iterator[tuple[int, ...]]:
    """Yields the best medoids for 1, 2, ... k references; one more never covers less.

    Args:
        losses: between distinct runs, symmetric.
        counts: how many runs each of them is.
        k: how many at most.
    """
    before: tuple[int, ...] = ()
    for count in range(1, min(k, len(counts)) + 1):
        starts = [(*before, _next(losses, counts, before))]
        seeds = SEEDS if count == k else 0
        before = medoids(losses, counts, count, starts, seeds=seeds)
        yield before


def _next(losses: Array, counts: Array, chosen: Sequence[int]) -> int:
    """The run that covers most beside those chosen; one that is none of them."""
    nearest = losses[:, list(chosen)].min(axis=1, initial=np.inf)
    sums = counts @ np.minimum(losses, nearest[:, None])
    sums[list(chosen)] = np.inf
    return int(sums.argmin())


def medoids(
    losses: Array, counts: Array, k: int, starts: Iterable[Sequence[int]] = (), *, seeds: int = 0
) -> tuple[int, ...]:
    """Returns k medoids that no swap improves, fewer where some are one run's copies.

    Args:
        losses: between distinct runs, symmetric.
        counts: how many runs each of them is.
        k: how many.
        starts: medoids to start from besides those of BUILD.
        seeds: how many random starts are tried as well, the same ones each time.
    """
    if k >= len(counts):
        return tuple(range(len(counts)))
    package = fasterpam()
    owner = np.repeat(np.arange(len(counts)), counts)
    whole = losses[np.ix_(owner, owner)] if len(owner) > len(counts) else losses
    first = np.cumsum([0, *counts[:-1]])
    given = [package.pam_build(whole, k).medoids, *(first[list(start)] for start in starts)]
    given += [np.random.default_rng(s).choice(len(whole), k, False) for s in range(seeds)]
    best: tuple[float, tuple[int, ...]] | None = None
    for start in given:
        found = package.fasterpam(whole, np.array(start, dtype=np.uintp), n_cpu=1)
        if best is None or found.loss < best[0] * (1.0 - _ROUNDING):
            best = float(found.loss), tuple(found.medoids.tolist())
    assert best is not None
    return tuple(sorted({int(owner[place]) for place in best[1]}))


def coverage(losses: Array, counts: Array, chosen: Sequence[Sequence[int]]) -> list[Coverage]:
    """Returns the curve over k of the medoids that were chosen for each."""
    weights = counts / counts.sum()
    found: list[Coverage] = []
    for places in chosen:
        loss = float(weights @ losses[:, list(places)].min(axis=1))
        first = found[0].loss if found else loss
        covered = 1.0 - loss / first if first > 0 else 1.0
        found.append(Coverage(k=len(places), loss=loss, covered=covered))
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
