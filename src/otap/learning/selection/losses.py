"""The symmetrised loss between runs, by several processes, and only where it is asked for.

Which runs are near is told by losses that are solved briefly (`quick_losses`): the medoids are as
good as by those solved in full, which take ten times as long. What is reported is solved in full.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby, repeat
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from otap.alignment import StepProblem
from otap.encoders import load_encoder
from otap.learning.processes import FORKS, Processes
from otap.run.run import Run
from otap.scoring import Config
from otap.scoring.compare import step_problem
from otap.scoring.metric import Metric
from otap.scoring.search import Search, solve_together
from otap.trajectory import Trajectory
from otap.transport import quick_losses

# Pairs of steps, and of runs, that are solved in one batch: enough for several of one shape, few
# enough that no process waits long for the last.
_PORTION, _MOST = 100_000, 500
_FEW = 64  # pairs up to which no other process is asked
Array = npt.NDArray[np.float64]
Pair = tuple[int, int]  # places of runs
_Solve = Callable[[Sequence[Pair], Sequence[Trajectory], Metric], Array]

_mine: list[tuple[Sequence[Trajectory], Metric]] = []  # what this process solves


class Losses(Processes):
    """The mean of the losses of two runs against each other, in both directions.

    Args:
        runs: the runs, by place.
        config: the settings; unions are not made.
        jobs: how many processes; their number changes no bit.
    """

    def __init__(self, runs: Sequence[Trajectory], config: Config, jobs: int = 1) -> None:
        # As in a search for the nearest: unions take three to six times as long, and most of what
        # they bring together is alike for all runs of a task.
        plain = config.model_copy(update={"contraction": False})
        self.metric, self._runs = Metric(plain, load_encoder(plain.encoder)), runs
        super().__init__(jobs, _keep_runs, runs, plain, self.metric if FORKS else None)

    def prepared(self, place: int) -> Run:
        """Returns a run as it is compared."""
        return self.metric.runs.of(self._runs[place])

    def between(self, pairs: Sequence[Pair]) -> Array:
        """Returns the loss of each pair of runs, as far as it takes to find the near ones.

        Raises:
            NoReferenceError: if both have no field in common.
            LimitError: if one is too long, or its sub-steps too deep.
        """
        return self._by(_solve_quickly, pairs)

    def in_full(self, pairs: Sequence[Pair]) -> Array:
        """Returns the loss of each pair of runs as a score has it.

        Raises:
            NoReferenceError: if both have no field in common.
            LimitError: if one is too long, or its sub-steps too deep.
        """
        return self._by(_solve_in_full, pairs)

    def _by(self, solve: _Solve, pairs: Sequence[Pair]) -> Array:
        led = _led(pairs)
        order = sorted(range(len(pairs)), key=led.__getitem__)
        portions = list(self._portions([led[place] for place in order]))
        solved: Iterable[Array]
        if self.jobs > 1 and len(pairs) > _FEW:
            solved = self.map(_solve_here, repeat(solve), portions)
        else:
            solved = (solve(portion, self._runs, self.metric) for portion in portions)
        found = np.empty(len(pairs))
        found[order] = np.concatenate([*solved, np.empty(0)])
        return found

    def _portions(self, pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
        portion: list[Pair] = []
        room = _PORTION
        for one, other in pairs:
            if portion and (room <= 0 or len(portion) == _MOST):
                yield portion
                portion, room = [], _PORTION
            portion.append((one, other))
            room -= self.prepared(one).size * self.prepared(other).size
        if portion:
            yield portion


def _keep_runs(runs: Sequence[Trajectory], config: Config, metric: Metric | None) -> None:
    _mine[:] = [(runs, metric or Metric(config, load_encoder(config.encoder)))]


def _solve_here(solve: _Solve, portion: Sequence[Pair]) -> Array:
    return solve(portion, *_mine[0])


def _solve_quickly(portion: Sequence[Pair], runs: Sequence[Trajectory], metric: Metric) -> Array:
    """The losses of some pairs, the mean of both directions, solved briefly."""
    held = [
        _Held(runs[one], [runs[other] for _, other in same], metric)
        for one, same in groupby(portion, itemgetter(0))
    ]
    wanted = [problem for one in held for pair in one.problems for problem in pair]
    losses = quick_losses([problem.arrays for problem in wanted])
    losses += [problem.answers.loss for problem in wanted]
    both = iter(losses.reshape(-1, 2).mean(axis=1).tolist())
    return np.array([loss for one in held for loss in one.losses(both)])


def _solve_in_full(portion: Sequence[Pair], runs: Sequence[Trajectory], metric: Metric) -> Array:
    """The same, as a score has them."""
    ways = [way for one, other in portion for way in ((one, other), (other, one))]
    searches = [Search(runs[one], [runs[other]], metric) for one, other in ways]
    solve_together(searches)
    losses = [search.found[0].loss for search in searches]
    return np.array([(a + b) / 2.0 for a, b in zip(losses[::2], losses[1::2], strict=True)])


class _Held:
    """A run held against others, and these against it.

    What two steps cost is the same in both directions: the matrices are made once.

    Args:
        run: the one.
        others: the others.
        metric: the settings.
    """

    def __init__(self, run: Trajectory, others: Sequence[Trajectory], metric: Metric) -> None:
        self._metric, self._run, self._others = metric, run, others
        self._search = Search(run, others, metric)
        there = self._search.problems(range(len(others)))
        self._back: dict[int, StepProblem] = {k: self._mirrored(k, p) for k, p in there.items()}
        self.problems = [(problem, self._back[k]) for k, problem in there.items()]

    def _mirrored(self, k: int, problem: StepProblem) -> StepProblem:
        one, other = self._metric.runs.of(self._run), self._metric.runs.of(self._others[k])
        run, there = other.view_for(one), self._search.prepared[k][0]
        # Names aside, both are compared as they are beside themselves.
        plain = run.run is other and there.run is one
        if not plain or one.has_substeps or other.has_substeps:
            return Search(self._others[k], [self._run], self._metric).problems([0])[0]
        return step_problem(run, one.view, problem.costs.transposed(), self._metric)

    def losses(self, solved: Iterator[float]) -> Iterator[float]:
        """Yields the losses of the others: the next that was solved, but where a side is empty."""
        for k, other in enumerate(self._others):
            if k in self._back:
                yield next(solved)
                continue
            back = Search(other, [self._run], self._metric)
            solve_together([back])
            self._search.take([k], {})
            yield (self._search.found[k].loss + back.found[0].loss) / 2.0


def _led(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs, of each that run first which most of them have: so few runs lead all of them."""
    count = Counter(chain.from_iterable(pairs))
    return [(a, b) if (-count[a], a) <= (-count[b], b) else (b, a) for a, b in pairs]
