"""Good runs in, those that cover the rest best out."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from otap.errors import ConfigError
from otap.learning.parameters import LARGEST
from otap.learning.runs import (
    HOW,
    LabelledRun,
    Outcomes,
    digest_of,
    labelled,
    refuse_name,
    task_of,
)
from otap.learning.selection.covering import (
    LossMatrix,
    bend,
    best_of_each,
    coverage,
    fasterpam,
    fold_copies,
)
from otap.learning.selection.losses import Array, Losses
from otap.learning.selection.selection import Chosen, Selection, TaskSelection
from otap.run.run import Run
from otap.scoring import Config
from otap.scoring.assembly import signature_of
from otap.trajectory import Trajectory


def select(
    runs: Iterable[Trajectory | LabelledRun],
    k: int,
    *,
    outcomes: Outcomes | None = None,
    good_from: float | None = None,
    config: Config | None = None,
    jobs: int = 1,
) -> Selection:
    """Returns of each task the k good runs that cover its other good runs best.

    Runs that were bad, or of which nobody says how they ended, are never chosen. The order of the
    runs changes nothing.

    Args:
        runs: runs with their outcomes, of any tasks.
        k: how many references each task gets at most, at least 1.
        outcomes: outcomes by the id of a run or by TASK/TRIAL, or one for each run, in place of the
            recorded ones.
        good_from: the outcome from which on a run is good; None: 1, the full reward.
        config: the settings; None: the preset ``default``. Unions are not made.
        jobs: how many processes; their number changes nothing else.

    Raises:
        ConfigError: if k is below 1, no run is known to be good, or the package kmedoids is not
            installed.
        NoReferenceError: if two runs of a task have no field in common.
        LimitError: if a run is too long.
    """
    if k < 1:
        raise ConfigError(f"k must be at least 1, not {k}")
    fasterpam()
    refuse_name(runs)
    listed = list(runs)
    plain = [run for run in listed if isinstance(run, Trajectory)]
    known = labelled(plain, outcomes, good_from=good_from)
    known += [one for one in listed if isinstance(one, LabelledRun)]
    good = [one.run for one in known if one.good and one.run.understood]
    if not good:
        raise ConfigError(f"no run is known to be good, and only such a run is chosen; {HOW}")
    tasks, references, signature = _select_of_tasks(good, k, config or Config(), jobs)
    bad = sum(one.good is False for one in known)
    record = Selection(
        k=k, good=len(good), bad=bad, unknown=len(known) - len(good) - bad, tasks=tasks,
        signature=signature,
    )  # fmt: skip
    return record.with_references(references)


def _select_of_tasks(
    good: Sequence[Trajectory], k: int, config: Config, jobs: int
) -> tuple[tuple[TaskSelection, ...], tuple[Trajectory, ...], dict[str, Any]]:
    by_task: dict[str, list[Trajectory]] = {}
    for run in sorted(good, key=task_of):
        by_task.setdefault(task_of(run), []).append(run)
    drawn = {task: _drawn(runs) for task, runs in by_task.items()}
    tasks: list[TaskSelection] = []
    references: list[Trajectory] = []
    with Losses(list(chain(*drawn.values())), config, jobs) as losses:
        start = 0
        for task, runs in drawn.items():
            places = range(start, start + len(runs))
            record, chosen = _Task(losses, runs, places).select(k, len(by_task[task]))
            tasks.append(record)
            references += chosen
            start += len(runs)
        signature = signature_of(losses.metric)
    return tuple(tasks), tuple(references), signature.model_dump(mode="json")


def _drawn(runs: Sequence[Trajectory]) -> list[Trajectory]:
    """The runs of a task, of very many a part, in an order that no file decides."""
    if len(runs) <= LARGEST:
        return list(runs)
    return sorted(runs, key=_lot)[:LARGEST]


def _lot(run: Trajectory) -> tuple[str, str]:
    """What decides whether a run is drawn: nothing that it did, and no place in a file."""
    name = f"{run.id}/{run.trial}"
    return hashlib.sha256(name.encode()).hexdigest(), digest_of(run)


class _Task:
    """The good runs of one task.

    Args:
        losses: solves pairs of them.
        runs: the runs that are looked at.
        places: where ``losses`` has them.
    """

    def __init__(self, losses: Losses, runs: Sequence[Trajectory], places: range) -> None:
        self._config, self._runs = losses.metric.config, runs
        self._prepared = [losses.prepared(place) for place in places]
        bounded = self._config.wording == "bounded"
        self._folds = fold_copies(runs, self._prepared, bounded=bounded)
        of_all = [places[fold[0]] for fold in self._folds]
        self._matrix = LossMatrix(losses, of_all, list(map(len, self._folds)))

    def select(self, k: int, count: int) -> tuple[TaskSelection, list[Trajectory]]:
        """Returns the record of k references out of so many runs, and the references."""
        matrix = self._matrix
        part = matrix.solve_part()
        of_part = best_of_each(matrix.known[np.ix_(part, part)], matrix.counts[part], k)
        each = [tuple(part[list(medoids)].tolist()) for medoids in of_part]
        columns = set().union(*each)
        matrix.solve((row, column) for row in range(matrix.size) for column in columns)
        losses = matrix.with_nearest(each[-1])
        curve = coverage(losses, matrix.counts, each)
        chosen = sorted(self._choose(losses, each[-1], count), key=lambda one: -one[0].stands_for)
        record = TaskSelection(
            task=self._runs[0].task, runs=count, drawn=len(self._runs), distinct=matrix.size,
            chosen=tuple(one for one, _ in chosen), coverage=tuple(curve), bend=bend(curve),
            pairs=matrix.size * (matrix.size - 1) // 2,
            pairs_solved=int(np.isfinite(matrix.known).sum() - matrix.size) // 2,
        )  # fmt: skip
        return record, [reference for _, reference in chosen]

    def _choose(
        self, losses: Array, medoids: Sequence[int], count: int
    ) -> Iterator[tuple[Chosen, Trajectory]]:
        """Yields what is said of each medoid, and its run as a reference."""
        nearest = np.array(medoids)[losses[:, list(medoids)].argmin(axis=1)]
        nearest[list(medoids)] = medoids  # another one may be as near as itself
        for medoid in medoids:
            members = np.flatnonzero(nearest == medoid)
            counts, own = self._matrix.counts[members], losses[members, medoid]
            place = self._folds[medoid][0]
            run, one_more = self._runs[place], look_up(self._prepared[place], self._config)
            # Who differs by less than one look-up, differs in nothing else.
            copies, stands_for = int(counts[own <= one_more].sum()) - 1, int(counts.sum())
            about = {"stands_for": stands_for, "copies": copies, "runs": count}
            chosen = Chosen(
                id=run.id, trial=run.trial, source=run.source, stands_for=stands_for,
                copies=copies, loss=float(counts @ own / counts.sum()),
            )  # fmt: skip
            yield chosen, run.model_copy(update={"metadata": {**run.metadata, "selection": about}})


def look_up(run: Run, config: Config) -> float:
    """Returns the symmetrised loss of a run to itself with one look-up more; 0 if these count full.

    Against the shorter one the look-up is besides, against the longer one it is missing.
    """
    if not config.recognise or config.mass == "relative" or "reads" in run.full_weight:
        return 0.0
    weight = config.counts.reads / max(1.0, float(run.reference_weights.sum()))
    besides = config.lambda_agent * config.counts.besides
    return weight * (besides + config.lambda_reference) / 2.0
