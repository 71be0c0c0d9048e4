"""Timing: several tasks in turn, as often as a time budget allows, and what their spread was."""

import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

Task = Callable[[], Any]

# A task is called again until this many seconds are measured: a clock reads no shorter times well.
_LEAST = 0.005


@dataclass(frozen=True)
class Sample:
    """Median and quartiles of values measured alike."""

    median: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Iterable[float]) -> "Sample":
        """The sample of at least one value."""
        listed = list(values)
        low, median, high = np.quantile(listed, [0.25, 0.5, 0.75])
        return cls(float(median), float(low), float(high), len(listed))


class Deadline:
    """A moment to be done by."""

    def __init__(self, seconds: float) -> None:
        self._end = perf_counter() + seconds

    @property
    def left(self) -> float:
        """Seconds until then; negative after it."""
        return self._end - perf_counter()


class Run(NamedTuple):
    """What a call took, warm where it is short, and what it returned."""

    seconds: float
    result: Any


def run(task: Task) -> Run:
    """Calls a task as often as it takes to read its time off the clock."""
    first = _call(task)
    if first.seconds >= _LEAST:
        return first
    calls = ceil(_LEAST / max(first.seconds, 1e-7))
    start = perf_counter()
    for _ in range(calls):
        task()
    return Run((perf_counter() - start) / calls, first.result)


def _call(task: Task) -> Run:
    start = perf_counter()
    result = task()
    return Run(perf_counter() - start, result)


def interleaved(
    rounds: Iterable[Mapping[str, Task]], seconds: float = float("inf")
) -> dict[str, list[Run]]:
    """Each task's run in each round: all tasks of a round in turn, then the next round.

    At least one round; none is begun that would end, going by the one before, after `seconds`.
    """
    deadline, found = Deadline(seconds), defaultdict(list)
    for tasks in rounds:
        left = deadline.left
        for name, task in tasks.items():
            found[name].append(run(task))
        if deadline.left < left - deadline.left:
            break
    return dict(found)


def times(runs: Iterable[Run]) -> Sample:
    """How long the runs took."""
    return Sample.of(run.seconds for run in runs)


def ratios(runs: Iterable[Run], others: Iterable[Run]) -> Sample:
    """How many times as long as the other each run took, round by round."""
    return Sample.of(run.seconds / other.seconds for run, other in zip(runs, others, strict=True))


def stopped_after(seconds: float, task: Task) -> Any:
    """What a call returns, or None where it was not through in time."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1.0))
    try:
        return task()
    except TimeoutError:
        say(f"    stopped after {seconds:.0f} s: what it took is a lower bound")
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def say(line: str) -> None:
    """Progress, for whoever waits."""
    print(line, file=sys.stderr, flush=True)
