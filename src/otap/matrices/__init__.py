"""Two lists of steps and their graphs in, the arrays of a transport problem out."""

from otap.matrices.costs import APART, UNLIKE, FieldCosts, NodeCost, cost_apart
from otap.matrices.criticality import critical_steps
from otap.matrices.fields import FIELDS, Field, Matrix, TextDistances, ToolTable, fields_compared
from otap.matrices.steps import Nodes, ReadSteps, single_nodes
from otap.matrices.structure import ALIKE, executed, hop_distances, structure_matrix
from otap.values.budget import is_paired_at_least_cost
from otap.values.contradiction import Contradiction
from otap.values.distance import ANOTHER_NAME, find_value_contradiction
from otap.values.rules import Rule, Rules
from otap.values.value import Value, canonical_json, join_path, plain, text_of

__all__ = [
    "ALIKE",
    "ANOTHER_NAME",
    "APART",
    "FIELDS",
    "UNLIKE",
    "Contradiction",
    "Field",
    "FieldCosts",
    "Matrix",
    "NodeCost",
    "Nodes",
    "ReadSteps",
    "Rule",
    "Rules",
    "TextDistances",
    "ToolTable",
    "Value",
    "canonical_json",
    "cost_apart",
    "critical_steps",
    "executed",
    "fields_compared",
    "find_value_contradiction",
    "hop_distances",
    "is_paired_at_least_cost",
    "join_path",
    "plain",
    "single_nodes",
    "structure_matrix",
    "text_of",
]  # fmt: skip
