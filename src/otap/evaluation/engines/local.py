"""The processors of this machine: one process each, which end with the one that started them."""

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
from otap.evaluation.inputs import Begun, Portion, portions
from otap.evaluation.work import Done, Work, Worker
from otap.transport import ONE_THREAD

AHEAD = 4  # portions for each process that are handed out before the first of them is written
# Objects after which the collector looks for cycles, and rounds after which at older ones: little
# that a worker makes is in any, and to look costs a sixth of the time.
COLLECTED = 50_000, 20, 20
_mine: list[Worker | OtapError] = []  # the worker of this process, or why it is none


def run(
    work: Work, portions: Iterable[Portion], jobs: int, *, start: str | None = None
) -> Iterator[Done]:
    """Yields each portion when it is done, in their order; a bounded number of them is under way.

    Args:
        work: what is the same for all portions.
        portions: what is to be done.
        jobs: how many processes; one works in this process.
        start: how a process is started: "fork" or "spawn"; None: as is best here.

    Raises:
        OtapError: if a process ended.
    """
    if jobs == 1:
        yield from map(Worker(work).do, portions)
        return
    context = multiprocessing.get_context(start or _best_start())
    pool = ProcessPoolExecutor(jobs, context, _begin_work, (work,))
    waiting: deque[tuple[Portion, Future[Done]]] = deque()
    try:
        for portion in portions:
            waiting.append((portion, pool.submit(_do, portion)))
            if len(waiting) >= AHEAD * jobs:
                yield _result(*waiting.popleft())
        while waiting:
            yield _result(*waiting.popleft())
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def engine(jobs: int) -> Callable[[Work, Sequence[str], Begun], Iterator[Done]]:
    """Returns what has the runs of files scored by so many processes."""
    return lambda work, files, begun: run(work, portions(files, work.format, begun), jobs)


def _best_start() -> str:
    """A fork needs no time, and is safe here: this process has no other threads yet."""
    return "fork" if sys.platform == "linux" else "spawn"


def _result(portion: Portion, future: "Future[Done]") -> Done:
    try:
        return future.result()
    except BrokenProcessPool:
        raise OtapError(
            f"{shown_path(portion.path)}: a process ended while it or what follows was worked on,"
            " perhaps for want of memory; start again with fewer --jobs to go on"
        ) from None


def become_worker() -> None:
    """Makes this process a worker: it does its work in one thread, and outlives nobody."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started it
    os.environ[ONE_THREAD] = "1"
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _begin_work(work: Work) -> None:
    become_worker()
    try:
        _mine[:] = [Worker(work)]
    except OtapError as error:  # as that of an encoder that is not installed; told with a portion
        _mine[:] = [error]
    gc.freeze()  # what is here by now stays to the end
    gc.set_threshold(*COLLECTED)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _do(portion: Portion) -> Done:
    worker = _mine[0]
    if isinstance(worker, OtapError):
        raise worker
    return worker.do(portion)
