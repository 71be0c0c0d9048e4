"""OTAP as the benchmarks call it, and what its native core says of itself."""

import importlib
import inspect
import os
from collections.abc import Sequence
from types import ModuleType

from otap.transport import Problem, Solution, solve_batch

CORES = os.cpu_count() or 1
_THREADED = "threads" in inspect.signature(solve_batch).parameters


def solved(problems: Sequence[Problem], epsilon: float, threads: int = 1) -> list[Solution]:
    """The solutions of a batch, which may be of one problem, by so many threads."""
    if not _THREADED:
        return solve_batch(problems, epsilon)
    return solve_batch(problems, epsilon, threads=threads)


def core_name() -> str:
    """Which core solves, as a person would say it."""
    core = native()
    return "NumPy solver" if core is None else f"native core, {core.name}"


def native() -> ModuleType | None:
    """The compiled core, None where it was not built."""
    try:
        return importlib.import_module("otap.transport._core")
    except ImportError:
        return None
