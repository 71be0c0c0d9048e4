"""The distinct runs of a task, and the losses between them.

Runs of which a comparison cannot tell one from another are one with a count. Where solving all
pairs takes too long, those of a part of the runs are solved, and those of each run with the medoids
of this part, as CLARA does [Kaufman1990].
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from otap.learning.runs import digest_of
from otap.learning.selection.losses import Array, Losses, Pair
from otap.scoring.prepare.prepared import PreparedRun
from otap.trajectory import Step, Trajectory

# Pairs of steps that are held against each other for one task, which is what time goes by:
# on two slow cores some 25 s. What two runs take besides is as much as OVERHEAD of these.
BUDGET, OVERHEAD = 27_000_000, 150
# What a comparison does not look at. Ids only say which step another one needs.
_UNSEEN = {"id", "depends_on", "started_at", "ended_at", "metadata", "substeps"}


@dataclass(frozen=True, eq=False)
class DistinctRun:
    """Runs of equal content: the one that stands for them, and all of their places."""

    place: int
    members: tuple[int, ...]


def fold_copies(
    runs: Sequence[Trajectory], prepared: Sequence[PreparedRun], *, bounded: bool
) -> list[DistinctRun]:
    """Returns runs of equal content as one each, in an order that no file decides.

    Args:
        runs: the runs as recorded, by place.
        prepared: the same as they are compared.
        bounded: whether other words for the same call are no difference.
    """
    alike: dict[str, list[int]] = {}
    for place, run in enumerate(prepared):
        alike.setdefault(_content_of(run, bounded=bounded), []).append(place)
    return [_fold(runs, alike[key]) for key in sorted(alike)]


def _fold(runs: Sequence[Trajectory], places: Sequence[int]) -> DistinctRun:
    """The first by trial, id and what was recorded stands for all."""
    ordered = sorted(places, key=lambda place: _name(runs[place]))
    return DistinctRun(ordered[0], tuple(ordered))


def _name(run: Trajectory) -> tuple[str, str, str]:
    return str(run.trial), run.id or "", digest_of(run)


def _content_of(run: PreparedRun, *, bounded: bool) -> str:
    """Returns a digest of what is compared of a run: two of which it is equal have loss 0.

    Args:
        run: the run as it is compared.
        bounded: whether other words for the same call are no difference.
    """
    counted = run.counted
    about = counted.model_dump(mode="json", include={"told", "must_tell", "tools"})
    goals = counted.metadata.get("goals")
    weighed = [run.roles, run.failed.tolist(), run.weights(run.in_full).tolist()]
    data = [_steps(counted.steps, bounded), about, goals, weighed, sorted(run.in_full)]
    text = json.dumps(data, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _steps(steps: Sequence[Step], bounded: bool) -> list[dict[str, Any]]:
    places = {step.id: place for place, step in enumerate(steps)}
    return [_step(step, places, bounded) for step in steps]


def _step(step: Step, places: dict[str, int], bounded: bool) -> dict[str, Any]:
    data = step.model_dump(mode="json", exclude=_UNSEEN)
    if bounded and step.tool is not None and step.arguments is not None:
        data["action"] = step.action is not None
    needed = step.depends_on
    data["needs"] = None if needed is None else sorted(places.get(name, -1) for name in needed)
    data["inside"] = _steps(step.substeps, bounded)
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

    @property
    def solved(self) -> int:
        """How many pairs were solved."""
        return int((~np.isnan(self.known)).sum() - self.size) // 2

    @property
    def total(self) -> int:
        """How many pairs there are."""
        return self.size * (self.size - 1) // 2

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
            found = self._losses.between(self._pairs(first, second))
            self.known[first, second] = self.known[second, first] = found

    def with_nearest(self, chosen: Sequence[int]) -> Array:
        """Returns the losses, with that of each run to its nearest medoid solved in full."""
        losses, columns = self.known.copy(), np.array(chosen)
        nearest = columns[losses[:, columns].argmin(axis=1)]
        rows = np.flatnonzero(nearest != np.arange(self.size))
        one, other = nearest[rows], rows
        losses[one, other] = self._losses.in_full(self._pairs(one, other))
        losses[other, one] = losses[one, other]
        return losses

    def _cost(self, part: npt.NDArray[np.intp]) -> int:
        sizes = np.array([self._losses.prepared(int(place)).size for place in self._places[part]])
        products = int(sizes.sum()) ** 2 - int((sizes**2).sum())
        return products + OVERHEAD * len(part) * (len(part) - 1)

    def _pairs(self, one: npt.NDArray[np.intp], other: npt.NDArray[np.intp]) -> list[Pair]:
        return list(zip(self._places[one].tolist(), self._places[other].tolist(), strict=True))
