"""A pool of worker processes that starts with the first task."""

import gc
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from typing import Any, TypeVar

from otap.evaluation.engines.local import become_worker

T = TypeVar("T")
FORKS = sys.platform == "linux"  # elsewhere, workers get pickled copies of their arguments


class Processes(ExitStack):
    """A pool of worker processes, which ends with its context.

    Args:
        jobs: number of processes.
        initializer: called once in each process.
        arguments: the arguments of ``initializer``.
    """

    def __init__(self, jobs: int, initializer: Callable[..., object], *arguments: object) -> None:
        super().__init__()
        self.jobs = jobs
        self._initializer = initializer
        self._arguments = arguments
        self._pool: ProcessPoolExecutor | None = None

    def map(self, function: Callable[..., T], *iterables: Iterable[Any]) -> Iterator[T]:
        """Yields the results of a function, in the order of its arguments."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self.jobs,
                multiprocessing.get_context("fork" if FORKS else "spawn"),
                _start_worker,
                (self._initializer, self._arguments),
            )
            self.callback(self._pool.shutdown, cancel_futures=True)
        return self._pool.map(function, *iterables)


def _start_worker(initializer: Callable[..., object], arguments: tuple[object, ...]) -> None:
    become_worker()
    initializer(*arguments)
    gc.freeze()  # objects that exist now live as long as the process
