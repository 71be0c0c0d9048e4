"""How many threads solve, and one BLAS thread where several would change the last bit.

With several threads BLAS sums in another order from some 64 steps on, and on a shared machine they
wait for each other. One thread gives equal bits whatever the machine has, and is faster up to some
hundred steps.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import local
from typing import Any

_ALWAYS_ALONE = 64  # steps up to which BLAS uses one thread of itself
_held = local()
ONE_THREAD = "OTAP_ONE_THREAD"  # set in a process that is one of many: each solves by itself


def processors() -> int:
    """Returns the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def solving_threads() -> int:
    """Returns the threads that solve where nobody says how many: one for each processor."""
    return 1 if os.environ.get(ONE_THREAD) == "1" else processors()


@contextmanager
def one_thread(steps: int) -> Iterator[None]:
    """Holds BLAS to one thread while problems of this many steps on their longer side run."""
    if steps <= _ALWAYS_ALONE or getattr(_held, "now", False):
        yield
        return
    _held.now = True
    try:
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        _held.now = False


@lru_cache(maxsize=1)
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
