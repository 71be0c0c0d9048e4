"""Medoids: the distinct runs of a task that best cover its runs.

Runs that the metric cannot distinguish are folded into one with a count. If there are too many
pairs, all pairs of a subset of the runs are solved, and each run is solved with the medoids of this
subset, as in CLARA [Kaufman1990]. FasterPAM finds the medoids [Schubert2021]. The starting points
do not depend on the order of the runs.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from otap.errors import ConfigError
from otap.learning.samples import digest_of
from otap.learning.selection.chosen import Coverage
from otap.learning.selection.losses import Pair, PairLosses
from otap.run.run import Run
from otap.trajectory import Step, Trajectory

Array = npt.NDArray[Any]

# Pairs of steps compared for one task, about 8 s of one core; each pair of runs costs as much as
# PAIR_OVERHEAD pairs of steps more.
BUDGET, PAIR_OVERHEAD = 12_000_000, 375
RANDOM_STARTS = 4  # of FasterPAM, for the largest k
# Depth of a bend below the line from the first to the last point of the curve, both axes scaled to
# [0, 1]. A curve that halves with each reference is 0.3 below it for five references.
MIN_BEND = 0.2
MIN_POINTS_TO_BEND = 4  # points of a curve that can bend
_RELATIVE_ROUNDING = 1e-9  # improvements of a loss below this are rounding errors


def fasterpam() -> ModuleType:
    """Returns the package that implements FasterPAM.

    Raises:
        ConfigError: if it is not installed.
    """
    # The package imports scikit-learn if it is installed, for a class that nobody needs here. That
    # takes seconds; None in its place makes that import fail.
    is_blocked = "sklearn" not in sys.modules
    if is_blocked:
        sys.modules["sklearn"] = None  # type: ignore[assignment]
    try:
        return import_module("kmedoids")
    except ImportError:
        raise ConfigError(
            "choosing references needs the package kmedoids; install it with: pip install"
            " 'otap-eval[select]'"
        ) from None
    finally:
        if is_blocked:
            del sys.modules["sklearn"]


def medoids_by_k(losses: Array, counts: Array, k: int) -> Iterator[tuple[int, ...]]:
    """Yields the best medoids for 1, 2, ... k references; a further one never covers less.

    Args:
        losses: between distinct runs, symmetric.
        counts: number of runs that each distinct run stands for.
        k: maximum number of medoids.
    """
    medoids: tuple[int, ...] = ()
    for count in range(1, min(k, len(counts)) + 1):
        start = (*medoids, _best_addition(losses, counts, medoids))
        random_starts = RANDOM_STARTS if count == k else 0
        medoids = find_medoids(losses, counts, count, [start], random_starts=random_starts)
        yield medoids


def _best_addition(losses: Array, counts: Array, medoids: Sequence[int]) -> int:
    """Returns the run that, added to the medoids, covers most."""
    nearest = losses[:, list(medoids)].min(axis=1, initial=np.inf)
    total_losses = counts @ np.minimum(losses, nearest[:, None])
    total_losses[list(medoids)] = np.inf
    return int(total_losses.argmin())


def find_medoids(
    losses: Array,
    counts: Array,
    k: int,
    starts: Iterable[Sequence[int]] = (),
    *,
    random_starts: int = 0,
) -> tuple[int, ...]:
    """Returns k medoids that no swap improves; fewer if two are copies of one run.

    Args:
        losses: between distinct runs, symmetric.
        counts: number of runs that each distinct run stands for.
        k: number of medoids.
        starts: starting points in addition to that of BUILD.
        random_starts: number of random starting points, which are the same in every call.
    """
    if k >= len(counts):
        return tuple(range(len(counts)))
    package = fasterpam()
    distinct_of_run = np.repeat(np.arange(len(counts)), counts)
    if len(distinct_of_run) > len(counts):
        losses = losses[np.ix_(distinct_of_run, distinct_of_run)]
    first_run = np.cumsum([0, *counts[:-1]])
    all_starts = [package.pam_build(losses, k).medoids]
    all_starts += [first_run[list(start)] for start in starts]
    for seed in range(random_starts):
        all_starts.append(np.random.default_rng(seed).choice(len(losses), k, False))
    best_loss = np.inf
    best_medoids: list[int] = []
    for start in all_starts:
        clustering = package.fasterpam(losses, np.array(start, dtype=np.uintp), n_cpu=1)
        if not best_medoids or clustering.loss < best_loss * (1.0 - _RELATIVE_ROUNDING):
            best_loss = float(clustering.loss)
            best_medoids = clustering.medoids.tolist()
    return tuple(sorted({int(distinct_of_run[medoid]) for medoid in best_medoids}))


def measure_coverage(
    losses: Array, counts: Array, medoids_of_k: Sequence[Sequence[int]]
) -> list[Coverage]:
    """Returns the curve of coverage over the number of references.

    Args:
        losses: between distinct runs; those with medoids are known.
        counts: number of runs that each distinct run stands for.
        medoids_of_k: the medoids for 1, 2, ... references.
    """
    weights = counts / counts.sum()
    curve: list[Coverage] = []
    for medoids in medoids_of_k:
        loss = float(weights @ losses[:, list(medoids)].min(axis=1))
        first_loss = curve[0].loss if curve else loss
        covered = 1.0 - loss / first_loss if first_loss > 0 else 1.0
        curve.append(Coverage(k=len(medoids), loss=loss, covered=covered))
    return curve


def find_bend(curve: Sequence[Coverage]) -> int | None:
    """Returns the k at which the curve bends most; None if it hardly bends."""
    if len(curve) < MIN_POINTS_TO_BEND or curve[0].loss <= curve[-1].loss:
        return None
    high, low = curve[0].loss, curve[-1].loss
    last = len(curve) - 1
    depths = [
        1.0 - index / last - (point.loss - low) / (high - low) for index, point in enumerate(curve)
    ]
    deepest = int(np.argmax(depths))
    return curve[deepest].k if depths[deepest] >= MIN_BEND else None


# Step fields that a comparison ignores; ids only express dependencies.
_IGNORED_FIELDS = {"id", "depends_on", "started_at", "ended_at", "metadata", "substeps"}


def fold_copies(
    runs: Sequence[Trajectory], prepared: Sequence[Run], *, is_bounded: bool
) -> list[list[int]]:
    """Groups the indices of runs with equal content, in an order that no file decides.

    The first run of a group by trial, id and content represents it.

    Args:
        runs: the recorded runs.
        prepared: the same runs as they are compared.
        is_bounded: whether the wording of a call with arguments makes no difference.
    """
    groups: dict[str, list[int]] = {}
    for index in sorted(range(len(runs)), key=lambda index: _representative_key(runs[index])):
        digest = _content_digest(prepared[index], is_bounded=is_bounded)
        groups.setdefault(digest, []).append(index)
    return [groups[digest] for digest in sorted(groups)]


def _representative_key(run: Trajectory) -> tuple[str, str, str]:
    return str(run.trial), run.id or "", digest_of(run)


def _content_digest(run: Run, *, is_bounded: bool) -> str:
    """Returns a digest of all that is compared; runs with equal digests have loss 0.

    Args:
        run: the prepared run.
        is_bounded: whether the wording of a call with arguments makes no difference.
    """
    trajectory = run.scored
    content = [
        _dump_steps(trajectory.steps, is_bounded),
        trajectory.model_dump(
            mode="json", include={"messages_to_user", "required_answers", "tools"}
        ),
        trajectory.metadata.get("goals"),
        [run.roles, run.failed.tolist(), run.weights(run.full_weight).tolist()],
        sorted(run.full_weight),
    ]
    text = json.dumps(content, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _dump_steps(steps: Sequence[Step], is_bounded: bool) -> list[dict[str, Any]]:
    """Returns the compared fields of steps, with dependencies as indices."""
    index_by_id = {step.id: index for index, step in enumerate(steps)}
    dumped = []
    for step in steps:
        fields = step.model_dump(mode="json", exclude=_IGNORED_FIELDS)
        if is_bounded and step.tool is not None and step.arguments is not None:
            fields["action"] = step.action is not None
        fields["needs"] = None
        if step.depends_on is not None:
            fields["needs"] = sorted(index_by_id.get(name, -1) for name in step.depends_on)
        fields["inside"] = _dump_steps(step.substeps, is_bounded)
        dumped.append(fields)
    return dumped


class LossMatrix:
    """The losses between the distinct runs of a task; NaN until they are solved.

    Args:
        losses: solves pairs of runs.
        indices: the indices of the distinct runs in ``losses``, in an order that no file decides.
        counts: number of runs that each distinct run stands for.
    """

    def __init__(self, losses: PairLosses, indices: Sequence[int], counts: Sequence[int]) -> None:
        self._pair_losses = losses
        self._indices = np.array(indices)
        self.counts = np.array(counts)
        self.size = len(indices)
        self.losses = np.full((self.size, self.size), np.nan)
        np.fill_diagonal(self.losses, 0.0)

    def solve_subset(self) -> npt.NDArray[np.intp]:
        """Solves all pairs of an affordable subset of the runs, and returns the subset in order.

        Runs with the highest counts come first; among equal counts the content digest decides.
        """
        subset = np.arange(self.size)
        if self._cost(subset) > BUDGET:
            order = np.argsort(-self.counts, kind="stable")
            # The cost of all pairs grows with the square of the number of runs.
            count = int(self.size * (BUDGET / self._cost(subset)) ** 0.5)
            subset = np.sort(order[: max(2, count)])
        first, second = np.triu_indices(len(subset), 1)
        self.solve(zip(subset[first].tolist(), subset[second].tolist(), strict=True))
        return subset

    def solve(self, pairs: Iterable[Pair]) -> None:
        """Solves the pairs that are not solved yet."""
        ordered = sorted({(min(pair), max(pair)) for pair in pairs})
        unsolved = [pair for pair in ordered if np.isnan(self.losses[pair])]
        if unsolved:
            first, second = np.array(unsolved).T
            losses = self._pair_losses.estimate(self._run_pairs(first, second))
            self.losses[first, second] = self.losses[second, first] = losses

    def solve_nearest(self, medoids: Sequence[int]) -> Array:
        """Returns the losses, where that of each run to its nearest medoid is exact."""
        losses = self.losses.copy()
        columns = np.array(medoids)
        nearest = columns[losses[:, columns].argmin(axis=1)]
        rows = np.flatnonzero(nearest != np.arange(self.size))
        columns = nearest[rows]
        losses[columns, rows] = self._pair_losses.solve(self._run_pairs(columns, rows))
        losses[rows, columns] = losses[columns, rows]
        return losses

    def _cost(self, subset: npt.NDArray[np.intp]) -> int:
        """Returns the cost of all pairs of a subset, in pairs of steps."""
        sizes = np.array(
            [self._pair_losses.prepared(int(index)).size for index in self._indices[subset]]
        )
        step_pairs = int(sizes.sum()) ** 2 - int((sizes**2).sum())
        return step_pairs + PAIR_OVERHEAD * len(subset) * (len(subset) - 1)

    def _run_pairs(self, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp]) -> list[Pair]:
        return list(zip(self._indices[first].tolist(), self._indices[second].tolist(), strict=True))
