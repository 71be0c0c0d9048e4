"""The scores of a sample under any settings, each made once."""

import gc
import multiprocessing
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from types import TracebackType
from typing import Self

from otap.evaluation.engines.local import become_worker
from otap.learning.runs.sample import Sample
from otap.scoring import Config, Score, Scorer

_mine: list[Sample] = []  # the sample of this process


class Scores:
    """Scores the cases of a sample by several processes, and keeps what was scored.

    Args:
        sample: the cases.
        jobs: how many processes; one works in this process.
    """

    def __init__(self, sample: Sample, jobs: int = 1) -> None:
        self.sample = sample
        self._jobs = jobs
        self._pool: ProcessPoolExecutor | None = None
        self._kept: dict[str, list[Score]] = {}

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

    def of(self, config: Config) -> list[Score]:
        """Returns the score of each case, in their order.

        Raises:
            OtapError: if a case cannot be scored.
        """
        key = config.model_dump_json()
        if key not in self._kept:
            self._kept[key] = self._made(config)
        return self._kept[key]

    def _made(self, config: Config) -> list[Score]:
        count = len(self.sample.cases)
        jobs = min(self._jobs, max(1, count // 8))
        if jobs == 1:
            return _scored(self.sample, config, range(count))
        # Neighbours have the same references, which are then prepared once.
        parts = [range(count * k // jobs, count * (k + 1) // jobs) for k in range(jobs)]
        found = self._processes().map(_part, [config] * jobs, parts)
        return [score for part in found for score in part]

    def _processes(self) -> ProcessPoolExecutor:
        if self._pool is None:
            start = "fork" if sys.platform == "linux" else "spawn"
            context = multiprocessing.get_context(start)
            self._pool = ProcessPoolExecutor(self._jobs, context, _begin, (self.sample,))
        return self._pool


def _begin(sample: Sample) -> None:
    become_worker()
    _mine[:] = [sample]
    gc.freeze()


def _part(config: Config, places: range) -> list[Score]:
    return _scored(_mine[0], config, places)


def _scored(sample: Sample, config: Config, places: Sequence[int]) -> list[Score]:
    cases = [sample.cases[place] for place in places]
    return Scorer(config).score_many([(case.run, case.references) for case in cases])
