"""The way to the native core, where it was built; otherwise NumPy solves, and callers get None.

OTAP_CORE chooses one: ``numpy``, or an instruction set that the native core was compiled for. With
OTAP_REQUIRE_NATIVE=1 it is an error that the native core was not built.

With several threads BLAS sums in another order from some 64 steps on, and on a shared machine they
wait for each other. One thread gives equal bits whatever the machine has, and is faster up to some
hundred steps.
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

ONE_THREAD = "OTAP_ONE_THREAD"  # set in a process that is one of many: each solves by itself
_ALWAYS_ALONE = 64  # steps up to which BLAS uses one thread of itself
_held = local()


@lru_cache(maxsize=1)
def native() -> ModuleType | None:
    """The native core, or None where NumPy solves. Imported when first asked for.

    Raises:
        ConfigError: if the native core is required and was not built, or does not load.
    """
    wanted = os.environ.get("OTAP_CORE")
    if wanted == "numpy":
        return None
    try:
        return import_module("otap.transport.native._core")
    except ModuleNotFoundError:
        _check_numpy_will_do(wanted)
        return None
    except ImportError as error:
        raise ConfigError(f"the native core does not load: {error}") from None


def core_name() -> str:
    """The core that solves, for people: ``native avx2``, say, or ``numpy`` and why."""
    core = native()
    if core is not None:
        return f"native {core.name}"
    chosen = os.environ.get("OTAP_CORE") == "numpy"
    return "numpy, as OTAP_CORE says" if chosen else "numpy, no native core was built"


def _check_numpy_will_do(wanted: str | None) -> None:
    asked = f"OTAP_CORE={wanted}" if wanted else "OTAP_REQUIRE_NATIVE=1"
    if wanted or os.environ.get("OTAP_REQUIRE_NATIVE") == "1":
        raise ConfigError(
            f"{asked} asks for the native core, which was not built; install otap where there is "
            "a C++ compiler, or unset the variable"
        )


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


def pair_table(size: int) -> Any:
    """Returns a table of the values of pairs of numbers, which keeps two generations.

    Args:
        size: pairs of a generation.
    """
    core = native()
    return core and core.PairTable(size)


def signed_hops(
    order: Sequence[int], children: Sequence[Sequence[int]]
) -> NDArray[np.int16] | None:
    """Returns the edges of the shortest path between each two steps of a short graph, signed.

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
    """Returns the arrays of a short problem as one; None also where no problem may hold them.

    Args:
        C: the node costs, (n, m).
        sides: what core/packing.hpp reads of the nodes of each side.
        order: what the structure of the run is, as core/packing.hpp numbers it.
        units: the weight that is mass 1 on either side.
        settings: as core/packing.hpp reads them.
    """
    core: Any = native() if max(C.shape) <= SMALL else None
    return None if core is None else core.pack(C, *sides, order, *units, settings)
