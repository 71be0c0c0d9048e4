"""The distinct runs of a task, the losses between them, and the medoids that cover them best.

Runs of which a comparison cannot tell one from another are one with a count. Where solving all
pairs takes too long, those of a part of the runs are solved, and those of each run with the medoids
of this part, as CLARA does [Kaufman1990]. Medoids are found by FasterPAM [Schubert2021]; no listing
order decides where the search starts.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from otap.errors import ConfigError
from otap.learning.parameters import BENT, BUDGET, FEWEST_TO_BEND, OVERHEAD, STARTS
from otap.learning.runs import digest_of
from otap.learning.selection.losses import Losses, Pair
from otap.learning.selection.selection import Coverage
from otap.run.run import Run
from otap.trajectory import Step, Trajectory

Array = npt.NDArray[Any]
_ROUNDING = 1e-9


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
        seeds = STARTS if count == k else 0
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
    if len(curve) < FEWEST_TO_BEND or curve[0].loss <= curve[-1].loss:
        return None
    high, low = curve[0].loss, curve[-1].loss
    steps = len(curve) - 1
    below = [1.0 - n / steps - (one.loss - low) / (high - low) for n, one in enumerate(curve)]
    best = int(np.argmax(below))
    return curve[best].k if below[best] >= BENT else None


# What a comparison does not look at. Ids only say which step another one needs.
_UNSEEN = {"id", "depends_on", "started_at", "ended_at", "metadata", "substeps"}


def fold_copies(
    runs: Sequence[Trajectory], prepared: Sequence[Run], *, bounded: bool
) -> list[list[int]]:
    """Returns the places of runs of equal content together, in an order that no file decides.

    The first by trial, id and what was recorded comes first, and stands for all.

    Args:
        runs: the runs as recorded, by place.
        prepared: the same as they are compared.
        bounded: whether other words for the same call are no difference.
    """
    alike: dict[str, list[int]] = {}
    for place in sorted(range(len(runs)), key=lambda place: _name(runs[place])):
        alike.setdefault(_content_of(prepared[place], bounded=bounded), []).append(place)
    return [alike[key] for key in sorted(alike)]


def _name(run: Trajectory) -> tuple[str, str, str]:
    return str(run.trial), run.id or "", digest_of(run)


def _content_of(run: Run, *, bounded: bool) -> str:
    """Returns a digest of what is compared of a run: two of which it is equal have loss 0.

    Args:
        run: the run as it is compared.
        bounded: whether other words for the same call are no difference.
    """
    counted = run.scored
    about = counted.model_dump(mode="json", include={"told", "must_tell", "tools"})
    goals = counted.metadata.get("goals")
    weighed = [run.roles, run.failed.tolist(), run.weights(run.full_weight).tolist()]
    data = [_number_steps(counted.steps, bounded), about, goals, weighed, sorted(run.full_weight)]
    text = json.dumps(data, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _number_steps(steps: Sequence[Step], bounded: bool) -> list[dict[str, Any]]:
    places = {step.id: place for place, step in enumerate(steps)}
    return [_step(step, places, bounded) for step in steps]


def _step(step: Step, places: dict[str, int], bounded: bool) -> dict[str, Any]:
    data = step.model_dump(mode="json", exclude=_UNSEEN)
    if bounded and step.tool is not None and step.arguments is not None:
        data["action"] = step.action is not None
    needed = step.depends_on
    data["needs"] = None if needed is None else sorted(places.get(name, -1) for name in needed)
    data["inside"] = _number_steps(step.substeps, bounded)
    return data


class LossMatrix:
    """The losses between the distinct runs of a task, as far as they were solved.

    Args:
        losses: solves them.
        places: where it has the runs, no two of equal content, in an order that no file decides.
        counts: how many runs each of them is.
    """

    def __init__(self, losses: Losses, places: Sequence[int], counts: Sequence[int]) -> None:
        self._losses, self._places = losses, np.array(places)
        self.counts = np.array(counts)
        self.size = len(places)
        self.known = np.full((self.size, self.size), np.nan)
        np.fill_diagonal(self.known, 0.0)

    def solve_part(self) -> npt.NDArray[np.intp]:
        """Solves all pairs of as many runs as is affordable, and returns these runs, in order.

        Those that are the most runs come first; the rest is drawn by a digest of their content.
        """
        part = np.arange(self.size)
        if self._cost(part) > BUDGET:
            order = np.argsort(-self.counts, kind="stable")
            # What all pairs cost grows with the square of the number of runs.
            count = int(self.size * (BUDGET / self._cost(part)) ** 0.5)
            part = np.sort(order[: max(2, count)])
        first, second = np.triu_indices(len(part), 1)
        self.solve(zip(part[first].tolist(), part[second].tolist(), strict=True))
        return part

    def solve(self, pairs: Iterable[Pair]) -> None:
        """Solves the pairs that were not yet."""
        wanted = sorted({(min(pair), max(pair)) for pair in pairs})
        new = [pair for pair in wanted if np.isnan(self.known[pair])]
        if new:
            first, second = np.array(new).T
            found = self._losses.between(self._pair_places(first, second))
            self.known[first, second] = self.known[second, first] = found

    def with_nearest(self, chosen: Sequence[int]) -> Array:
        """Returns the losses, with that of each run to its nearest medoid solved in full."""
        losses, columns = self.known.copy(), np.array(chosen)
        nearest = columns[losses[:, columns].argmin(axis=1)]
        rows = np.flatnonzero(nearest != np.arange(self.size))
        one, other = nearest[rows], rows
        losses[one, other] = self._losses.in_full(self._pair_places(one, other))
        losses[other, one] = losses[one, other]
        return losses

    def _cost(self, part: npt.NDArray[np.intp]) -> int:
        sizes = np.array([self._losses.prepared(int(place)).size for place in self._places[part]])
        products = int(sizes.sum()) ** 2 - int((sizes**2).sum())
        return products + OVERHEAD * len(part) * (len(part) - 1)

    def _pair_places(self, one: npt.NDArray[np.intp], other: npt.NDArray[np.intp]) -> list[Pair]:
        return list(zip(self._places[one].tolist(), self._places[other].tolist(), strict=True))
