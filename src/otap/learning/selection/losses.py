"""The symmetrised loss between runs, by several processes, and only where it is asked for."""

import gc
import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from otap.encoders import load_encoder
from otap.scoring import Config
from otap.scoring.compare.metric import Metric
from otap.scoring.prepare.prepared import PreparedRun
from otap.scoring.references.search import Search, solve_together
from otap.trajectory import Trajectory
from otap.transport import ONE_THREAD

_PORTION = 16  # pairs that a process gets at once: short, so that none waits long for the last
_FEW = 64  # pairs up to which no other process is asked
Array = npt.NDArray[np.float64]
_Part = tuple[int, tuple[int, ...]]  # a run, and others that it is held against

_mine: list["_Solving"] = []  # the runs of this process


def without_unions(config: Config) -> Config:
    """Returns the settings under which runs are held against each other.

    No unions are made, as in a search for the nearest: they take three to six times as long, and
    most of what they bring together is alike for all runs of a task.
    """
    return config.model_copy(update={"contraction": False})


class Losses:
    """The mean of the losses of two runs against each other, in both directions.

    Args:
        runs: the runs, by place.
        config: the settings; unions are not made.
        jobs: how many processes; their number changes no bit.
    """

    def __init__(self, runs: Sequence[Trajectory], config: Config, jobs: int = 1) -> None:
        self._runs, self._config, self._jobs = runs, without_unions(config), jobs
        self._pool: ProcessPoolExecutor | None = None
        self._solving = _Solving(runs, self._config)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        _mine.clear()

    @property
    def metric(self) -> Metric:
        """The settings as they are solved under."""
        return self._solving.metric

    def prepared(self, place: int) -> PreparedRun:
        """Returns a run as it is compared."""
        return self.metric.runs.of(self._runs[place])

    def between(self, pairs: Sequence[tuple[int, int]]) -> Array:
        """Returns the loss of each pair of runs.

        Raises:
            NoReferenceError: if both have no field in common.
            LimitError: if one is too long, or its sub-steps too deep.
        """
        parts = list(_parts(pairs))
        together = self._jobs > 1 and len(pairs) > _FEW
        solved = self._processes().map(_part, parts) if together else map(self._solving.of, parts)
        found: Mapping[tuple[int, int], float] = {
            (one, other): loss
            for (one, others), losses in zip(parts, solved, strict=True)
            for other, loss in zip(others, losses, strict=True)
        }
        return np.array([found[pair] for pair in pairs])

    def _processes(self) -> ProcessPoolExecutor:
        if self._pool is None:
            forks = sys.platform == "linux"
            given = (self._solving if forks else None, self._runs, self._config)
            context = multiprocessing.get_context("fork" if forks else "spawn")
            self._pool = ProcessPoolExecutor(self._jobs, context, _begin, given)
        return self._pool


class _Solving:
    """Some runs and the metric between them."""

    def __init__(self, runs: Sequence[Trajectory], config: Config) -> None:
        self.metric = Metric(config, load_encoder(config.encoder))
        self._runs = runs

    def of(self, part: _Part) -> list[float]:
        """The losses of one run against others and of these against it, the mean of both."""
        place, others = part
        run, references = self._runs[place], [self._runs[other] for other in others]
        there = Search(run, references, self.metric)
        back = [Search(other, [run], self.metric) for other in references]
        solve_together([there, *back])
        return [(there.found[k].loss + search.found[0].loss) / 2.0 for k, search in enumerate(back)]


def _parts(pairs: Sequence[tuple[int, int]]) -> Iterator[_Part]:
    """The pairs, those of one run together."""
    others: dict[int, list[int]] = {}
    for one, other in dict.fromkeys(pairs):
        others.setdefault(one, []).append(other)
    for one, listed in others.items():
        for start in range(0, len(listed), _PORTION):
            yield one, tuple(listed[start : start + _PORTION])


def _begin(solving: _Solving | None, runs: Sequence[Trajectory], config: Config) -> None:
    os.environ[ONE_THREAD] = "1"
    _mine[:] = [solving or _Solving(runs, config)]
    gc.freeze()


def _part(part: _Part) -> list[float]:
    return _mine[0].of(part)
