"""`python -m benchmarks.memory N THREADS`: megabytes that a solve takes above its input.

A process of its own, since the largest size that a process ever had stays in its record. Prints
nothing where the system keeps no such record.
"""

import sys
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.ours import solved
from benchmarks.problems import long_inputs
from benchmarks.rivals import EPSILON

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def above_input(n: int, threads: int) -> float | None:
    """The largest resident size while solving, less the size with the problem loaded, in MB."""
    solved([long_inputs(np.random.default_rng(0), 20).problem()], EPSILON)  # loads what it needs
    problem = long_inputs(np.random.default_rng([n, 0]), n).problem()
    if not _RESET.exists():
        return None
    _RESET.write_text("5")  # the record starts again from the present size
    before = _kilobytes("VmRSS")
    with threadpool_limits(threads):
        solved([problem], EPSILON, threads)
    return (_kilobytes("VmHWM") - before) / 1000


def _kilobytes(name: str) -> int:
    lines = _STATUS.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


if __name__ == "__main__":
    found = above_input(int(sys.argv[1]), int(sys.argv[2]))
    print("" if found is None else found)
