"""OTAP as the benchmarks call it: on one thread unless more are asked for."""

import os
from collections.abc import Sequence

from otap.transport import Problem, Solution, solve_batch
from otap.transport.core import native

CORES = os.cpu_count() or 1


def solved(problems: Sequence[Problem], epsilon: float, threads: int = 1) -> Sequence[Solution]:
    """The solutions of a batch, which may be of one problem, by so many threads.

    Their records are made when they are read.
    """
    return solve_batch(problems, epsilon, threads=threads)


def read(problems: Sequence[Problem], epsilon: float, threads: int = 1) -> list[Solution]:
    """The same with every record read, as by somebody who wants each loss and coupling."""
    return list(solved(problems, epsilon, threads))


def core_name() -> str:
    """Which core solves, as a person would say it."""
    core = native()
    return "NumPy solver" if core is None else f"native core, {core.name}"
