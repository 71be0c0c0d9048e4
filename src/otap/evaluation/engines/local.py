"""Scores portions in processes of this machine, which end together with their parent."""

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from multiprocessing.connection import wait
from typing import TypeVar

from otap._garbage import THRESHOLDS, collect_rarely
from otap.errors import OtapError, shown_path
from otap.evaluation.inputs import Checkpoint, Portion, portions
from otap.evaluation.work import ScoredPortion, Work, Worker
from otap.transport import ONE_THREAD

Item = TypeVar("Item")
Answer = TypeVar("Answer")
AHEAD = 4  # items for each process that are submitted before the first result is taken
# A fork takes no time, and is safe: this process has no other threads yet. Elsewhere than on Linux,
# workers get pickled copies of their arguments.
FORKS = sys.platform == "linux"
_workers: list[Worker | OtapError] = []  # the worker of this process, or why there is none


class Processes(ExitStack):
    """A pool of worker processes, which starts with the first item and ends with its context.

    Args:
        jobs: number of processes.
        initializer: called once in each process.
        arguments: the arguments of ``initializer``.
        start: the start method of processes, "fork" or "spawn"; None for the best one here.
    """

    def __init__(
        self,
        jobs: int,
        initializer: Callable[..., object],
        *arguments: object,
        start: str | None = None,
    ) -> None:
        super().__init__()
        self.jobs = jobs
        self._initialize = initializer, arguments
        self._start = start or ("fork" if FORKS else "spawn")
        self._pool: ProcessPoolExecutor | None = None

    def map(
        self, function: Callable[[Item], Answer], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Future[Answer]]]:
        """Yields each item with its future result, in order; limits the number in progress."""
        if self._pool is None:
            context = multiprocessing.get_context(self._start)
            self._pool = ProcessPoolExecutor(self.jobs, context, _start_worker, self._initialize)
            self.callback(self._pool.shutdown, cancel_futures=True)
        pending: deque[tuple[Item, Future[Answer]]] = deque()
        for item in items:
            pending.append((item, self._pool.submit(function, item)))
            if len(pending) >= AHEAD * self.jobs:
                yield pending.popleft()
        yield from pending


def _start_worker(initializer: Callable[..., object], arguments: Sequence[object]) -> None:
    """Makes this process a worker, which uses one thread and ends with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    os.environ[ONE_THREAD] = "1"
    threading.Thread(target=_end_with_parent, daemon=True).start()
    initializer(*arguments)
    gc.freeze()  # the objects so far live as long as the process
    gc.set_threshold(*THRESHOLDS)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def run(
    work: Work, portions: Iterable[Portion], jobs: int, *, start: str | None = None
) -> Iterator[ScoredPortion]:
    """Yields each scored portion in order; limits the number of portions in progress.

    Args:
        work: the settings and references of all portions.
        portions: the portions to score.
        jobs: the number of processes; one job works in this process.
        start: the start method of processes, "fork" or "spawn"; None for the best one here.

    Raises:
        OtapError: if a process ended.
    """
    if jobs == 1:
        worker = Worker(work)
        for portion in portions:
            with collect_rarely():
                scored = worker.score(portion)
            yield scored
        return
    with Processes(jobs, _make_worker, work, start=start) as processes:
        for portion, future in processes.map(_score, portions):
            try:
                yield future.result()
            except BrokenProcessPool:
                raise OtapError(
                    f"{shown_path(portion.path)}: a process ended while it scored this file or the"
                    " next, perhaps out of memory; run the command again with fewer --jobs to"
                    " resume"
                ) from None


def engine(jobs: int) -> Callable[[Work, Sequence[str], Checkpoint], Iterator[ScoredPortion]]:
    """Returns an engine with this number of processes."""
    return lambda work, files, checkpoint: run(work, portions(files, work.format, checkpoint), jobs)


def _make_worker(work: Work) -> None:
    try:
        _workers[:] = [Worker(work)]
    except OtapError as error:  # such as a missing encoder; raised for each portion
        _workers[:] = [error]


def _score(portion: Portion) -> ScoredPortion:
    worker = _workers[0]
    if isinstance(worker, OtapError):
        raise worker
    return worker.score(portion)
