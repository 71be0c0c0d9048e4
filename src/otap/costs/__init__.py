"""The arrays of a transport problem, from two lists of steps and their graphs."""

from otap.costs.fields import COMPARED, Field, Matrix, TextDistances, ToolTable
from otap.costs.node_cost import MAX_MOVING_COST, UNLIKE, FieldCosts, NodeCost, mass_moving_cost
from otap.costs.nodes import CostNodes, single_nodes
from otap.costs.structure import (
    MAX_ANCHOR_COST,
    anchors,
    executed,
    hop_distances,
    structure_matrix,
)

__all__ = [
    "COMPARED",
    "MAX_ANCHOR_COST",
    "MAX_MOVING_COST",
    "UNLIKE",
    "CostNodes",
    "Field",
    "FieldCosts",
    "Matrix",
    "NodeCost",
    "TextDistances",
    "ToolTable",
    "anchors",
    "executed",
    "hop_distances",
    "mass_moving_cost",
    "single_nodes",
    "structure_matrix",
]  # fmt: skip
