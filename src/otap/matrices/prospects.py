"""Which unions could win, by the native core: what `UnionBounds` says in NumPy, by nearer bounds.

What a union costs at least is bounded field by field from the costs of its parts, for all pairs and
columns in one call: of texts by the lengths of summed vectors, of arguments key by key. Nothing is
read, encoded or merged for it, and hardly any pair is left whose union then does not win.
"""

from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from otap.matrices.bounds import Promising
from otap.matrices.costs import FieldCosts, NodeCost
from otap.matrices.fields import Field
from otap.matrices.fields.arguments import ANOTHER_CALL, MORE
from otap.matrices.sides import KeyTable, Sides
from otap.matrices.steps import ReadSteps
from otap.matrices.texts import Matrix
from otap.transport import SMALL
from otap.transport.core import native

Given = tuple[Any, ...]


class Prospects:
    """The native core's bounds of unions, under one node cost.

    Args:
        node_cost: how unions are compared with steps.
        core: the native core.
    """

    def __init__(self, node_cost: NodeCost, core: ModuleType) -> None:
        self._core, self._node_cost = core, node_cost
        self._sides = Sides(node_cost.words_of_unions, core)

    @classmethod
    def under(cls, node_cost: NodeCost) -> "Prospects | None":
        """Returns the native core's bounds under a node cost; None where NumPy solves."""
        core = native()
        return None if core is None else cls(node_cost, core)

    def promising(
        self,
        rows: ReadSteps,
        columns: ReadSteps,
        pairs: npt.NDArray[np.int32],
        costs: FieldCosts,
        wholes: npt.NDArray[np.bool_],
        margin: float,
    ) -> list[Promising] | None:
        """Returns the pairs whose union could stand for a column; None where it cannot tell.

        Args:
            rows: the steps of which unions could be made.
            columns: the steps that they could stand for.
            pairs: the two rows of each union, (count, 2).
            costs: the costs between rows and columns.
            wholes: whether a union may stand for a column.
            margin: the least gain in node cost.
        """
        given = self._given(rows, columns, costs) if max(costs.total.shape) <= SMALL else None
        if given is None:
            return None
        may = wholes.view(np.uint8)
        found = self._core.prospects(pairs, may, costs.total, *given, margin)
        return [Promising(tuple(pairs[k].tolist()), near, gain) for k, gain, near in found]

    def loose(
        self,
        C: npt.NDArray[np.float64],
        free: npt.NDArray[np.bool_],
        pairs: npt.NDArray[np.int32],
        margin: float,
    ) -> npt.NDArray[np.int32] | None:
        """Returns the pairs of free rows of which neither has its equal; None where there is none.

        Args:
            C: the node costs between rows and columns.
            free: which rows may be parts of unions.
            pairs: two rows each, (count, 2).
            margin: the node cost up to which a column is a row's equal.
        """
        found: npt.NDArray[np.int32] | None = self._core.loose(C, free, pairs, margin)
        return found

    def _given(self, rows: ReadSteps, columns: ReadSteps, costs: FieldCosts) -> Given | None:
        """What the core is told of the fields; None where one of them has no such bound."""
        texts, parts, tool, arguments = [], [], None, None
        for field in self._node_cost.fields:
            if field.name not in costs.distances:
                continue
            own = costs.weights[field.name], costs.distances[field.name]
            match field.union_bound:
                case "texts" | "call" as bound:
                    bounded = bound == "call" and self._node_cost.bounds_wording
                    texts.append((*own, self._sides.share(rows, field), bounded))
                case "parts":
                    parts.append(own)
                case "tool":
                    tool = own
                case "keys" if tables := self._tables(rows, columns, field):
                    arguments = *own, *_arguments(costs.distances[field.name], *tables)
                case _:
                    return None
        return texts, parts, tool, arguments

    def _tables(
        self, rows: ReadSteps, columns: ReadSteps, field: Field[Any]
    ) -> tuple[KeyTable, KeyTable] | None:
        """What both sides hold, key by key."""
        ours, theirs = (self._sides.table(side, field) for side in (rows, columns))
        return None if ours is None or theirs is None else (ours, theirs)


def _arguments(distances: Matrix, ours: KeyTable, theirs: KeyTable) -> tuple[Any, ...]:
    """Both tables, the place of each key in the other one, and how similar texts are."""
    known = theirs.names
    places = np.array([known.get(name, -1) for name in ours.names], dtype=np.int32)
    cosines = distances  # not looked at where one side has no text
    if ours.vectors is not None and theirs.vectors is not None:
        cosines = ours.vectors @ theirs.vectors.T
    return ours.keys, theirs.keys, places, cosines, ours.share, ANOTHER_CALL, MORE
