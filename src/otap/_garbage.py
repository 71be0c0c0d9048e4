"""Rare searches for cyclic garbage while many runs are read and scored."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# Scores make few cycles, and searching for them at the default thresholds costs a tenth of the
# time.
THRESHOLDS = 200_000, 20, 20


@contextmanager
def collect_rarely() -> Iterator[None]:
    """Raises the thresholds of the garbage collector; higher ones and a pause stay."""
    before = gc.get_threshold()
    if 0 < before[0] < THRESHOLDS[0]:
        gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
