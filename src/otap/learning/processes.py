"""Processes that work for this one: started when they are first needed, and gone with it."""

import gc
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from typing import Any, TypeVar

from otap.evaluation.engines.local import become_worker

T = TypeVar("T")
FORKS = sys.platform == "linux"  # elsewhere a process begins with nothing, and is given all


class Processes(ExitStack):
    """Several processes, each with what it was given when it began.

    Args:
        jobs: how many.
        begin: is called first in each of them, with ``given``.
        given: what each of them gets.
    """

    def __init__(self, jobs: int, begin: Callable[..., object], *given: object) -> None:
        super().__init__()
        self.jobs = jobs
        self._begun = begin, given
        self._pool: ProcessPoolExecutor | None = None

    def map(self, work: Callable[..., T], *parts: Iterable[Any]) -> Iterator[T]:
        """Yields what a function makes of each part, in their order."""
        if self._pool is None:
            context = multiprocessing.get_context("fork" if FORKS else "spawn")
            self._pool = ProcessPoolExecutor(self.jobs, context, _begin_worker, self._begun)
            self.callback(self._pool.shutdown, cancel_futures=True)
        return self._pool.map(work, *parts)


def _begin_worker(begin: Callable[..., object], given: tuple[object, ...]) -> None:
    become_worker()
    begin(*given)
    gc.freeze()  # what is here by now stays to the end
