"""Access to the native core; functions return None if it was not built, and NumPy solves.

OTAP_CORE chooses the core: ``numpy``, or an instruction set that the native core was compiled for.
With OTAP_REQUIRE_NATIVE=1 a missing native core is an error.

From about 64 steps on, BLAS with several threads sums in another order, and on a shared machine the
threads wait for each other. One thread gives the same bits on every machine, and is faster up to
some hundred steps.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from threading import local
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otap.errors import ConfigError
from otap.transport.structure import SMALL, Array

ONE_THREAD = "OTAP_ONE_THREAD"  # set in each of many worker processes
_ALWAYS_ONE_THREAD = 64  # steps up to which BLAS uses one thread anyway
_held = local()


@lru_cache(maxsize=1)
def native() -> ModuleType | None:
    """Returns the native core, or None if NumPy solves. Imports it on the first call.

    Raises:
        ConfigError: if the native core is required and was not built, or does not load.
    """
    requested = os.environ.get("OTAP_CORE")
    if requested == "numpy":
        return None
    try:
        return import_module("otap.transport.native._core")
    except ModuleNotFoundError:
        _check_numpy_allowed(requested)
        return None
    except ImportError as error:
        raise ConfigError(f"the native core does not load: {error}") from None


def core_name() -> str:
    """Returns the name of the core for people: ``native avx2``, or ``numpy`` with the reason."""
    core = native()
    if core is not None:
        return f"native {core.name}"
    chosen = os.environ.get("OTAP_CORE") == "numpy"
    return "numpy, as OTAP_CORE says" if chosen else "numpy, no native core was built"


def _check_numpy_allowed(requested: str | None) -> None:
    variable = f"OTAP_CORE={requested}" if requested else "OTAP_REQUIRE_NATIVE=1"
    if requested or os.environ.get("OTAP_REQUIRE_NATIVE") == "1":
        raise ConfigError(
            f"{variable} requires the native core, which was not built; install otap with a C++ "
            "compiler, or unset the variable"
        )


def processors() -> int:
    """Returns the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def solving_threads() -> int:
    """Returns the default number of threads: one per processor."""
    return 1 if os.environ.get(ONE_THREAD) == "1" else processors()


@contextmanager
def one_thread(steps: int) -> Iterator[None]:
    """Limits BLAS to one thread, for problems with this many steps on the longer side."""
    if steps <= _ALWAYS_ONE_THREAD or getattr(_held, "now", False):
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


def pair_table(size: int) -> Any:
    """Returns a cache of the values of pairs of numbers, with two generations.

    Args:
        size: the number of pairs in a generation.
    """
    core = native()
    return core and core.PairTable(size)


def signed_hops(
    order: Sequence[int], children: Sequence[Sequence[int]]
) -> NDArray[np.int16] | None:
    """Returns the signed lengths of the shortest paths between the steps of a short graph.

    Args:
        order: a topological order of the steps.
        children: the direct successors of each step.
    """
    core: Any = native() if len(order) <= SMALL else None
    return None if core is None else core.signed_hops(order, children)


def pack(
    C: Array,
    sides: tuple[Array | None, Array | None],
    order: int,
    units: tuple[float, float],
    settings: Array,
) -> Array | None:
    """Returns the arrays of a short problem as one; None also if they are no valid problem.

    Args:
        C: the node costs, (n, m).
        sides: the nodes of each side, in the format of core/packing.hpp.
        order: the kind of the run's structure, as numbered in core/packing.hpp.
        units: for each side, the weight that has mass 1.
        settings: in the format of core/packing.hpp.
    """
    core: Any = native() if max(C.shape) <= SMALL else None
    return None if core is None else core.pack(C, *sides, order, *units, settings)
