"""The symmetrised loss between runs: quick estimates, and exact losses where they are reported.

Estimates (``quick_losses``) are ten times as fast as exact solutions, and lead to medoids that are
as good.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np
import numpy.typing as npt

from otap.alignment import StepProblem
from otap.encoders import load_encoder
from otap.evaluation.engines.local import FORKS, Processes
from otap.run.run import Run
from otap.scoring import Config
from otap.scoring.metric import Metric
from otap.scoring.problem import step_problem
from otap.scoring.references import ReferenceComparisons, solve_together
from otap.trajectory import Trajectory
from otap.transport import quick_losses

# Limits of a portion, in pairs of steps and pairs of runs: large enough to batch problems of one
# shape, small enough that no process waits long for the last portion.
MAX_STEP_PAIRS, MAX_RUN_PAIRS = 100_000, 500
MIN_POOLED = 64  # up to 64 pairs of runs are solved in this process
Array = npt.NDArray[np.float64]
Pair = tuple[int, int]  # indices of runs
Solver = Callable[[Sequence[Pair], Sequence[Trajectory], Metric], Array]

_worker_state: list[tuple[Sequence[Trajectory], Metric]] = []  # of this worker process


class PairLosses(Processes):
    """The mean of the losses of two runs against each other, in both directions.

    Args:
        runs: the runs; pairs are indices into them.
        config: the settings, but steps are not merged.
        jobs: number of processes; it changes no bit.
    """

    def __init__(self, runs: Sequence[Trajectory], config: Config, jobs: int = 1) -> None:
        # Merging takes three to six times as long, and most merges are the same in all runs of a
        # task. The search for the nearest references does not merge either.
        config = config.model_copy(update={"contraction": False})
        self.metric = Metric(config, load_encoder(config.encoder))
        self._runs = runs
        super().__init__(jobs, _keep_state, runs, config, self.metric if FORKS else None)

    def prepared(self, index: int) -> Run:
        """Returns a prepared run."""
        return self.metric.runs.of(self._runs[index])

    def estimate(self, pairs: Sequence[Pair]) -> Array:
        """Returns an estimate of the loss of each pair, which suffices to find near runs.

        Raises:
            NoReferenceError: if two runs have no field in common.
            LimitError: if a run is too long, or its sub-steps nest too deep.
        """
        return self._solve_all(_estimate_losses, pairs)

    def solve(self, pairs: Sequence[Pair]) -> Array:
        """Returns the exact loss of each pair.

        Raises:
            NoReferenceError: if two runs have no field in common.
            LimitError: if a run is too long, or its sub-steps nest too deep.
        """
        return self._solve_all(_solve_losses, pairs)

    def _solve_all(self, solver: Solver, pairs: Sequence[Pair]) -> Array:
        directed = _direct_pairs(pairs)
        order = sorted(range(len(pairs)), key=lambda index: directed[index])
        portions = list(self._portions([directed[index] for index in order]))
        solved: Iterable[Array]
        if self.jobs > 1 and len(pairs) > MIN_POOLED:
            work = [(solver, portion) for portion in portions]
            solved = (future.result() for _, future in self.map(_solve_in_worker, work))
        else:
            solved = (solver(portion, self._runs, self.metric) for portion in portions)
        losses = np.empty(len(pairs))
        losses[order] = np.concatenate([*solved, np.empty(0)])
        return losses

    def _portions(self, pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
        portion: list[Pair] = []
        step_pairs = 0
        for first, second in pairs:
            if portion and (step_pairs >= MAX_STEP_PAIRS or len(portion) == MAX_RUN_PAIRS):
                yield portion
                portion = []
                step_pairs = 0
            portion.append((first, second))
            step_pairs += self.prepared(first).size * self.prepared(second).size
        if portion:
            yield portion


def _direct_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """Returns each pair with the run of more pairs first, so that few runs come first."""
    pair_count = Counter(index for pair in pairs for index in pair)
    return [
        (first, second)
        if (-pair_count[first], first) <= (-pair_count[second], second)
        else (second, first)
        for first, second in pairs
    ]


def _keep_state(runs: Sequence[Trajectory], config: Config, metric: Metric | None) -> None:
    _worker_state[:] = [(runs, metric or Metric(config, load_encoder(config.encoder)))]


def _solve_in_worker(work: tuple[Solver, Sequence[Pair]]) -> Array:
    solver, portion = work
    return solver(portion, *_worker_state[0])


def _estimate_losses(portion: Sequence[Pair], runs: Sequence[Trajectory], metric: Metric) -> Array:
    """Returns estimates of the losses of pairs that are sorted by their first run."""
    comparisons = [
        _Comparisons(runs[first], [runs[second] for _, second in group], metric)
        for first, group in groupby(portion, key=lambda pair: pair[0])
    ]
    problems = [
        problem
        for of_run in comparisons
        for directions in of_run.problems
        for problem in directions
    ]
    losses = quick_losses([problem.arrays for problem in problems])
    losses += [problem.answers.loss for problem in problems]
    symmetrised = iter(losses.reshape(-1, 2).mean(axis=1).tolist())
    return np.array([loss for of_run in comparisons for loss in of_run.losses(symmetrised)])


def _solve_losses(portion: Sequence[Pair], runs: Sequence[Trajectory], metric: Metric) -> Array:
    """Returns the exact losses of pairs."""
    searches = []
    for first, second in portion:
        searches.append(ReferenceComparisons(runs[first], [runs[second]], metric))
        searches.append(ReferenceComparisons(runs[second], [runs[first]], metric))
    solve_together(searches)
    losses = [search.solved[0].loss for search in searches]
    return np.array(
        [
            (forward + backward) / 2.0
            for forward, backward in zip(losses[::2], losses[1::2], strict=True)
        ]
    )


class _Comparisons:
    """A run compared with others, in both directions.

    The costs of pairs of steps are the same in both directions, and computed once.

    Args:
        run: the run.
        other_runs: the other runs.
        metric: the metric.

    Attributes:
        problems: the problems of both directions, for each other run where both runs have steps.
    """

    def __init__(self, run: Trajectory, other_runs: Sequence[Trajectory], metric: Metric) -> None:
        self._metric = metric
        self._run = run
        self._other_runs = other_runs
        self._search = ReferenceComparisons(run, other_runs, metric)
        forward = self._search.problems(range(len(other_runs)))
        self._backward = {
            index: self._reverse(index, problem) for index, problem in forward.items()
        }
        self.problems = [(problem, self._backward[index]) for index, problem in forward.items()]

    def _reverse(self, index: int, problem: StepProblem) -> StepProblem:
        """Returns the problem of the other direction."""
        run = self._metric.runs.of(self._run).as_reference
        other = self._metric.runs.of(self._other_runs[index]).as_reference
        other_view = other.view_for(run)
        run_view = self._search.views[index][0]
        # The costs can be transposed only if the views differ from the runs by names alone.
        shows_all_steps = other_view.run is other and run_view.run is run
        if not shows_all_steps or run.has_substeps or other.has_substeps:
            return ReferenceComparisons(
                self._other_runs[index], [self._run], self._metric
            ).problems([0])[0]
        return step_problem(other_view, run.view, problem.costs.transposed(), self._metric)

    def losses(self, estimates: Iterator[float]) -> Iterator[float]:
        """Yields the loss of each other run: the next estimate, or exact if a run has no steps."""
        for index, other in enumerate(self._other_runs):
            if index in self._backward:
                yield next(estimates)
                continue
            backward = ReferenceComparisons(other, [self._run], self._metric)
            solve_together([backward])
            self._search.store([index], {})
            yield (self._search.solved[index].loss + backward.solved[0].loss) / 2.0
