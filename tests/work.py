"""Work that is counted, or whose growth is measured: the same on every machine, however busy."""

import gc
import math
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls(work: Callable[[], object]) -> int:
    """Returns how many calls Python makes for some work, of functions in C too."""
    made = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return made


STEEP = 1.6  # an exponent of time over size that is too large: n log n is below 1.3, squares are 2
_NOISE = 0.05  # seconds; less says nothing about growth
_TRIALS = 5  # of which the least counts: other processes may disturb some


def growth(prepare: Callable[[int], Callable[[], object]], small: int, large: int) -> float:
    """Returns the exponent of CPU time over size: 1 if time grows as size does, 2 as its square.

    It is a ratio of two times on the same machine, so it holds on a slow or busy one too. Stops at
    the first trial that is not steep.

    Args:
        prepare: returns the work of a size; preparing it is not measured.
        small: a size.
        large: a size several times as large.
    """
    least = math.inf
    for _ in range(_TRIALS):
        first, last = _seconds(prepare(small)), _seconds(prepare(large))
        if last < _NOISE:
            return 0.0
        least = min(least, math.log(last / max(first, _NOISE / 50)) / math.log(large / small))
        if least < STEEP:
            break
    return least


def _seconds(work: Callable[[], object]) -> float:
    # A collection visits all objects of the process, those of other tests too.
    gc.disable()
    try:
        before = time.process_time()
        work()
        return time.process_time() - before
    finally:
        gc.enable()
