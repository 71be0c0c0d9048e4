"""``otap.select``: chooses the good runs of each task that best cover the others."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from otap.errors import ConfigError
from otap.learning.samples import (
    HOW_TO_LABEL,
    LabelledRun,
    Outcomes,
    digest_of,
    label_runs,
    reject_file_name,
    task_of,
)
from otap.learning.selection.chosen import ChosenRun, Selection, TaskSelection
from otap.learning.selection.covering import (
    LossMatrix,
    fasterpam,
    find_bend,
    fold_copies,
    measure_coverage,
    medoids_by_k,
)
from otap.learning.selection.losses import Array, PairLosses
from otap.run.run import Run
from otap.scoring import Config
from otap.scoring.assembly import signature_of
from otap.trajectory import Trajectory

MAX_RUNS = 2_000  # runs of a task that are compared; the loss matrix has the square of that


def select(
    runs: Iterable[Trajectory | LabelledRun],
    k: int,
    *,
    outcomes: Outcomes | None = None,
    good_from: float | None = None,
    config: Config | None = None,
    jobs: int = 1,
) -> Selection:
    """Chooses the k good runs of each task that best cover its other good runs.

    Bad runs and runs without outcome are never chosen. The order of the runs does not matter.

    Args:
        runs: runs with their outcomes, of any tasks.
        k: maximum number of references of each task, at least 1.
        outcomes: outcomes that replace the recorded ones, by run id or TASK/TRIAL, or one for each
            run.
        good_from: minimum outcome of a good run; None: 1, the full reward.
        config: the settings, but steps are not merged; None: the preset ``default``.
        jobs: number of processes; it changes no number.

    Raises:
        ConfigError: if k is below 1, no run is known to be good, or the package kmedoids is not
            installed.
        NoReferenceError: if two runs of a task have no field in common.
        LimitError: if a run is too long.
    """
    if k < 1:
        raise ConfigError(f"k must be at least 1, not {k}")
    fasterpam()
    reject_file_name(runs)
    runs = list(runs)
    unlabelled = [run for run in runs if isinstance(run, Trajectory)]
    labelled = label_runs(unlabelled, outcomes, good_from=good_from)
    labelled += [run for run in runs if isinstance(run, LabelledRun)]
    good = [run.run for run in labelled if run.good and run.run.understood]
    if not good:
        raise ConfigError(
            f"no run is known to be good, and only good runs are chosen; {HOW_TO_LABEL}"
        )
    tasks, references, signature = _select_by_task(good, k, config or Config(), jobs)
    bad = sum(run.good is False for run in labelled)
    selection = Selection(
        k=k, good=len(good), bad=bad, unknown=len(labelled) - len(good) - bad, tasks=tasks,
        signature=signature,
    )  # fmt: skip
    return selection.with_references(references)


def _select_by_task(
    good: Sequence[Trajectory], k: int, config: Config, jobs: int
) -> tuple[tuple[TaskSelection, ...], tuple[Trajectory, ...], dict[str, Any]]:
    by_task: dict[str, list[Trajectory]] = {}
    for run in sorted(good, key=task_of):
        by_task.setdefault(task_of(run), []).append(run)
    samples = {task: _draw_sample(runs) for task, runs in by_task.items()}
    tasks: list[TaskSelection] = []
    references: list[Trajectory] = []
    with PairLosses(list(chain(*samples.values())), config, jobs) as losses:
        start = 0
        for task, runs in samples.items():
            covering = _TaskCovering(losses, runs, range(start, start + len(runs)))
            task_selection, of_task = covering.select(k, len(by_task[task]))
            tasks.append(task_selection)
            references += of_task
            start += len(runs)
        signature = signature_of(losses.metric)
    return tuple(tasks), tuple(references), signature.model_dump(mode="json")


def _draw_sample(runs: Sequence[Trajectory]) -> list[Trajectory]:
    """Returns the runs of a task, or MAX_RUNS of them, chosen by digests of their names."""
    if len(runs) <= MAX_RUNS:
        return list(runs)
    return sorted(runs, key=_sampling_key)[:MAX_RUNS]


def _sampling_key(run: Trajectory) -> tuple[str, str]:
    """Returns a key that depends neither on the steps of a run nor on its position in a file."""
    name = f"{run.id}/{run.trial}"
    return hashlib.sha256(name.encode()).hexdigest(), digest_of(run)


class _TaskCovering:
    """The good runs of one task, folded, with the losses between them.

    Args:
        losses: computes the losses.
        runs: the runs.
        indices: the indices of the runs in ``losses``.
    """

    def __init__(self, losses: PairLosses, runs: Sequence[Trajectory], indices: range) -> None:
        self._config = losses.metric.config
        self._runs = runs
        self._prepared = [losses.prepared(index) for index in indices]
        is_bounded = self._config.paper is None
        self._folds = fold_copies(runs, self._prepared, is_bounded=is_bounded)
        representatives = [indices[fold[0]] for fold in self._folds]
        counts = [len(fold) for fold in self._folds]
        self._matrix = LossMatrix(losses, representatives, counts)

    def select(self, k: int, run_count: int) -> tuple[TaskSelection, list[Trajectory]]:
        """Returns the record of a task, and its references.

        Args:
            k: maximum number of references.
            run_count: number of good runs of the task, including those that were not drawn.
        """
        matrix = self._matrix
        subset = matrix.solve_subset()
        in_subset = medoids_by_k(matrix.losses[np.ix_(subset, subset)], matrix.counts[subset], k)
        medoids = [tuple(subset[list(of_k)].tolist()) for of_k in in_subset]
        columns = set().union(*medoids)
        matrix.solve((row, column) for row in range(matrix.size) for column in columns)
        losses = matrix.solve_nearest(medoids[-1])
        curve = measure_coverage(losses, matrix.counts, medoids)
        chosen = list(self._describe_medoids(losses, medoids[-1], run_count))
        chosen.sort(key=lambda pair: -pair[0].stands_for)
        record = TaskSelection(
            task=self._runs[0].task, runs=run_count, sampled=len(self._runs), distinct=matrix.size,
            chosen=tuple(record for record, _ in chosen), coverage=tuple(curve),
            bend=find_bend(curve), pairs=matrix.size * (matrix.size - 1) // 2,
            pairs_solved=int(np.isfinite(matrix.losses).sum() - matrix.size) // 2,
        )  # fmt: skip
        return record, [reference for _, reference in chosen]

    def _describe_medoids(
        self, losses: Array, medoids: Sequence[int], run_count: int
    ) -> Iterator[tuple[ChosenRun, Trajectory]]:
        """Yields the record of each medoid, and its run with the numbers in its metadata."""
        nearest = np.array(medoids)[losses[:, list(medoids)].argmin(axis=1)]
        nearest[list(medoids)] = medoids  # another medoid may be as near as the run itself
        for medoid in medoids:
            members = np.flatnonzero(nearest == medoid)
            counts = self._matrix.counts[members]
            member_losses = losses[members, medoid]
            index = self._folds[medoid][0]
            run = self._runs[index]
            # Runs that differ by less than one look-up have the same changes.
            are_copies = member_losses <= look_up_loss(self._prepared[index], self._config)
            copies = int(counts[are_copies].sum()) - 1
            stands_for = int(counts.sum())
            chosen = ChosenRun(
                id=run.id, trial=run.trial, source=run.source, stands_for=stands_for,
                copies=copies, loss=float(counts @ member_losses / counts.sum()),
            )  # fmt: skip
            numbers = {"stands_for": stands_for, "copies": copies, "runs": run_count}
            metadata = {**run.metadata, "selection": numbers}
            yield chosen, run.model_copy(update={"metadata": metadata})


def look_up_loss(run: Run, config: Config) -> float:
    """Returns the symmetrised loss between a run and itself with one more look-up.

    The look-up is an extra step in one direction and a missing step in the other. The loss is 0 if
    look-ups have full weight.
    """
    if not config.recognise or "reads" in run.full_weight:
        return 0.0
    weight = config.counts.reads / max(1.0, float(run.reference_weights.sum()))
    extra_factor = config.lambda_agent * config.counts.extra
    return weight * (extra_factor + config.lambda_reference) / 2.0
