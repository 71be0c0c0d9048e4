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
from multiprocessing.connection import wait

from otap.errors import OtapError, shown_path
from otap.evaluation.inputs import Checkpoint, Portion, portions
from otap.evaluation.work import ScoredPortion, Work, Worker
from otap.transport import ONE_THREAD

AHEAD = 4  # portions for each process that are submitted before the first is written
# Thresholds of the garbage collector. A worker creates few cycles, and searching for them at the
# default thresholds costs a sixth of the time.
GC_THRESHOLDS = 50_000, 20, 20
_workers: list[Worker | OtapError] = []  # the worker of this process, or why there is none


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
            yield worker.score(portion)
        return
    # A fork takes no time, and is safe: this process has no other threads yet.
    start = start or ("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context(start), _start_worker, (work,))
    pending: deque[tuple[Portion, Future[ScoredPortion]]] = deque()
    try:
        for portion in portions:
            pending.append((portion, pool.submit(_score, portion)))
            if len(pending) >= AHEAD * jobs:
                yield _await(*pending.popleft())
        while pending:
            yield _await(*pending.popleft())
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def engine(jobs: int) -> Callable[[Work, Sequence[str], Checkpoint], Iterator[ScoredPortion]]:
    """Returns an engine with this number of processes."""
    return lambda work, files, checkpoint: run(work, portions(files, work.format, checkpoint), jobs)


def _await(portion: Portion, future: "Future[ScoredPortion]") -> ScoredPortion:
    try:
        return future.result()
    except BrokenProcessPool:
        raise OtapError(
            f"{shown_path(portion.path)}: a process ended while it scored this file or the next,"
            " perhaps out of memory; run the command again with fewer --jobs to resume"
        ) from None


def become_worker() -> None:
    """Makes this process a worker, which uses one thread and ends with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    os.environ[ONE_THREAD] = "1"
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _start_worker(work: Work) -> None:
    become_worker()
    try:
        _workers[:] = [Worker(work)]
    except OtapError as error:  # such as a missing encoder; raised for each portion
        _workers[:] = [error]
    gc.freeze()  # the objects so far live as long as the process
    gc.set_threshold(*GC_THRESHOLDS)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _score(portion: Portion) -> ScoredPortion:
    worker = _workers[0]
    if isinstance(worker, OtapError):
        raise worker
    return worker.score(portion)
