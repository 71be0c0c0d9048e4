"""Scores portions in processes of this machine, which end together with their parent.

If a process is killed, or a foreign library aborts it, the unfinished portions are scored again,
each in a process of its own. A portion that ends this process, too, is halved down to the file or
run at fault, which becomes a result with an error. A process that hangs is ended in the same way:
the limits on work come first, and the limit on time is the last resort. It decides no score.
"""

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import wait
from typing import TypeVar

from otap._garbage import THRESHOLDS, collect_rarely
from otap.errors import OtapError, shown_path
from otap.evaluation.inputs import Checkpoint, Portion, halve, portions
from otap.evaluation.results.summary import Summary
from otap.evaluation.work import ScoredPortion, Work, Worker
from otap.transport import ONE_THREAD

Item = TypeVar("Item")
Answer = TypeVar("Answer")
AHEAD = 4  # items for each process that are submitted before the first result is taken
MAX_SECONDS = 300.0  # of a portion in a process, which the system ends then
# A fork takes no time, and is safe: this process has no other threads yet. Elsewhere than on Linux,
# workers get pickled copies of their arguments.
FORKS = sys.platform == "linux"
_HAS_TIMER = hasattr(signal, "setitimer")
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
            self._open_pool()
        pending: deque[tuple[Item, Future[Answer]]] = deque()
        for item in items:
            future = self._submit(function, item)
            if future is None:
                # No process is left: the pending items come first, for they may be at fault.
                self.discard()
                yield from pending
                pending.clear()
                future = self._open_pool().submit(function, item)
            pending.append((item, future))
            if len(pending) >= AHEAD * self.jobs:
                yield pending.popleft()
        yield from pending

    def discard(self) -> None:
        """Ends a pool of which a process ended; :meth:`map` opens another one for the next item."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _submit(self, function: Callable[[Item], Answer], item: Item) -> Future[Answer] | None:
        """Returns the future result of an item, or None if a process of the pool ended."""
        try:
            return None if self._pool is None else self._pool.submit(function, item)
        except BrokenProcessPool:
            return None

    def _open_pool(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context(self._start)
        self._pool = ProcessPoolExecutor(self.jobs, context, _start_worker, self._initialize)
        self.callback(self._pool.shutdown, cancel_futures=True)
        return self._pool


def _start_worker(initializer: Callable[..., object], arguments: Sequence[object]) -> None:
    """Makes this process a worker, which uses one thread and ends with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    if _HAS_TIMER:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends the process, whatever it does
    # A handler of the parent process, such as that of Ray, would wait for threads of the parent.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
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
    work: Work,
    portions: Iterable[Portion],
    jobs: int,
    *,
    start: str | None = None,
    is_isolated: bool = False,
) -> Iterator[ScoredPortion]:
    """Yields the scored portions in order; limits the number of portions in progress.

    A portion comes in parts if a process ended while it scored the portion.

    Args:
        work: the settings and references of all portions.
        portions: the portions to score.
        jobs: the number of processes.
        start: the start method of processes, "fork" or "spawn"; None for the best one here.
        is_isolated: whether a single job has a process of its own, which may end. If not, it works
            in this process.

    Raises:
        OtapError: if a process ends before it reads anything.
    """
    if jobs == 1 and not is_isolated:
        worker = Worker(work)
        for portion in portions:
            with collect_rarely():
                scored = worker.score(portion)
            yield scored
        return
    rescue = _Rescue(work, start)
    with Processes(jobs, _make_worker, work, start=start) as processes:
        for portion, future in processes.map(_score, portions):
            try:
                scored = future.result()
            except (BrokenProcessPool, CancelledError):
                processes.discard()
                yield from rescue.score(portion)
            else:
                yield scored


class _Rescue:
    """Scores portions that a pool lost; each call has a process of its own.

    Args:
        work: the settings and references of all portions.
        start: the start method of processes.
    """

    def __init__(self, work: Work, start: str | None) -> None:
        self._work, self._start = work, start
        self._unreadable: set[str] = set()  # files that have a result with an error

    def score(self, portion: Portion) -> Iterator[ScoredPortion]:
        """Yields a portion, or its parts; a run that ends its process has an error."""
        if portion.path in self._unreadable:
            yield ScoredPortion(b"", Summary(), portion)
            return
        scored = self._ask(_score, portion)
        if scored is not None:
            yield scored
            return
        count = self._ask(_count_runs, portion)
        if count is not None and count > 1:
            for half in halve(portion):
                yield from self.score(half)
        else:
            yield self._fail(portion, is_whole=count is None)

    def _fail(self, portion: Portion, *, is_whole: bool) -> ScoredPortion:
        """Returns a result with an error for a run, or for a whole file."""
        failed = None if is_whole else self._ask(_fail_run, portion)
        if failed is None and portion.begins_file_or_line:
            failed = self._ask(_fail_unread, portion)
            if is_whole:
                self._unreadable.add(portion.path)
        if failed is None:
            raise OtapError(
                f"{shown_path(portion.path)}: a process ended while it read this file, perhaps out"
                " of memory; run the command again with fewer --jobs to resume"
            )
        return failed

    def _ask(self, function: Callable[[Portion], Answer], portion: Portion) -> Answer | None:
        """Returns the answer of a new process, or None if the process ends without one."""
        with Processes(1, _make_worker, self._work, start=self._start) as processes:
            for _, future in processes.map(function, [portion]):
                try:
                    return future.result()
                except BrokenProcessPool:
                    break
        return None


def engine(
    jobs: int, *, is_isolated: bool = False
) -> Callable[[Work, Sequence[str], Checkpoint], Iterator[ScoredPortion]]:
    """Returns an engine with this number of processes; the arguments are those of :func:`run`."""
    return lambda work, files, checkpoint: run(
        work, portions(files, work.format, checkpoint), jobs, is_isolated=is_isolated
    )


def _make_worker(work: Work) -> None:
    try:
        _workers[:] = [Worker(work)]
    except OtapError as error:  # such as a missing encoder; raised for each portion
        _workers[:] = [error]


def _worker() -> Worker:
    worker = _workers[0]
    if isinstance(worker, OtapError):
        raise worker
    return worker


@contextmanager
def _timer() -> Iterator[None]:
    """Ends this process after MAX_SECONDS, even if foreign code holds the interpreter."""
    if not _HAS_TIMER:  # on Windows
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _score(portion: Portion) -> ScoredPortion:
    with _timer():
        return _worker().score(portion)


def _count_runs(portion: Portion) -> int:
    with _timer():
        return _worker().count_runs(portion)


def _fail_run(portion: Portion) -> ScoredPortion:
    with _timer():
        return _worker().fail_run(portion)


def _fail_unread(portion: Portion) -> ScoredPortion:
    return _worker().fail_unread(portion)
