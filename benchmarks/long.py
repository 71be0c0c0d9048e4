"""Thousands of steps: how time grows, and what the longest problem costs in time and memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from subprocess import run as run_process
from sys import executable

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.ours import solved
from benchmarks.problems import Inputs, long_inputs
from benchmarks.rivals import EPSILON
from benchmarks.sample import Sample, Task, interleaved, say, times
from otap.transport import Solution

LONGEST = 5000
# The exponent of time to plan by.
_EXPECTED = 2.2


@dataclass(frozen=True)
class Growth:
    """Seconds at the paper's epsilon on one thread by number of steps, and their exponent."""

    seconds: dict[str, Sample]
    exponent: float | None


def growth(sizes: Sequence[int], seconds: float) -> Growth:
    """Times layered plans of these sizes in turn; none where not even two sizes are in time."""
    fitting = _fitting(sizes, seconds)
    if len(fitting) < 2:
        say(f"  growth: no time for more than n = {fitting}")
        return Growth({}, None)
    say(f"  growth over n = {fitting}")
    found = interleaved(_rounds(fitting), seconds)
    medians = {name: times(runs) for name, runs in found.items()}
    return Growth(medians, _exponent(medians))


def _fitting(sizes: Sequence[int], seconds: float) -> list[int]:
    """The sizes that are through in time together, going by the first."""
    ((took,),) = interleaved([_task(sizes[0], 0)]).values()
    expected = np.cumsum([took.seconds * (size / sizes[0]) ** _EXPECTED for size in sizes])
    return [size for size, end in zip(sizes, expected, strict=True) if end < seconds]


def _rounds(sizes: Sequence[int]) -> Iterator[Mapping[str, Task]]:
    for seed in count():
        yield {name: task for n in sizes for name, task in _task(n, seed).items()}


def _task(n: int, seed: int) -> dict[str, Task]:
    problem = long_inputs(np.random.default_rng([n, seed]), n).problem()
    return {str(n): partial(solved, [problem], EPSILON)}


def _exponent(seconds: Mapping[str, Sample]) -> float:
    """The slope of log time over log n."""
    sizes = [float(name) for name in seconds]
    medians = [sample.median for sample in seconds.values()]
    return float(np.polyfit(np.log(sizes), np.log(medians), 1)[0])


def longest(threads: int, rounds: int, epsilon: float) -> Sample:
    """Seconds from two graphs and the node costs to a solution, at the longest size."""
    say(f"  n = {LONGEST}, threads: {threads}, epsilon {epsilon}, structure included")
    inputs = long_inputs(np.random.default_rng([LONGEST, 0]), LONGEST)
    tasks: Mapping[str, Task] = {"otap": partial(_from_graphs, inputs, epsilon, threads)}
    with threadpool_limits(threads):
        return times(interleaved([tasks] * rounds)["otap"])


def _from_graphs(inputs: Inputs, epsilon: float, threads: int) -> Solution:
    return solved([inputs.problem()], epsilon, threads)[0]


def memory_above_input(n: int, threads: int) -> float | None:
    """Megabytes that solving takes above its input at most, measured in a process of its own."""
    say(f"  memory at n = {n}")
    command = [executable, "-m", "benchmarks.memory", str(n), str(threads)]
    found = run_process(command, capture_output=True, text=True, check=True)
    return float(found.stdout) if found.stdout.strip() else None
