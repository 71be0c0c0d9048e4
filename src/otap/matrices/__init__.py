"""The arrays of a transport problem, from two lists of steps and their graphs."""

from otap.matrices.costs import MAX_MOVING_COST, UNLIKE, FieldCosts, NodeCost, mass_moving_cost
from otap.matrices.criticality import critical_steps
from otap.matrices.fields import FIELDS, Field, Matrix, TextDistances, ToolTable, fields_compared
from otap.matrices.steps import CostNodes, StepColumns, single_nodes
from otap.matrices.structure import (
    MAX_ANCHOR_COST,
    anchors,
    executed,
    hop_distances,
    structure_matrix,
)
from otap.values.budget import is_paired_at_least_cost
from otap.values.contradiction import Contradiction
from otap.values.distance import ANOTHER_NAME, find_value_contradiction
from otap.values.rules import Rule, Rules
from otap.values.value import Value, canonical_json, join_path, plain, text_of

__all__ = [
    "ANOTHER_NAME",
    "FIELDS",
    "MAX_ANCHOR_COST",
    "MAX_MOVING_COST",
    "UNLIKE",
    "Contradiction",
    "CostNodes",
    "Field",
    "FieldCosts",
    "Matrix",
    "NodeCost",
    "Rule",
    "Rules",
    "StepColumns",
    "TextDistances",
    "ToolTable",
    "Value",
    "anchors",
    "canonical_json",
    "critical_steps",
    "executed",
    "fields_compared",
    "find_value_contradiction",
    "hop_distances",
    "is_paired_at_least_cost",
    "join_path",
    "mass_moving_cost",
    "plain",
    "single_nodes",
    "structure_matrix",
    "text_of",
]  # fmt: skip
