"""What stages before the solver ask of the native core; None where NumPy does it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otap.transport.core import native
from otap.transport.structure import SMALL

Array = NDArray[np.float64]


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


def argument_keys(*arrays: NDArray[Any]) -> Any:
    """Returns what the steps of a side have at each key of their arguments, as the core holds it.

    Args:
        arrays: kind, keys and filled keys of each step; what it holds at each key, and what that
            says, by number; whether it is a list by its keys (core/unions.hpp).
    """
    core = native()
    return core and core.Keys(*arrays)


def prospects(pairs: NDArray[np.int32], *given: Any) -> list[tuple[int, float, list[int]]] | None:
    """Returns which of some pairs could be a union that wins, as core/unions.hpp says.

    Args:
        pairs: two rows each, (count, 2).
        given: what core/unions.hpp is told of columns, costs and fields.
    """
    core: Any = native()
    return None if core is None else core.prospects(pairs, *given)
