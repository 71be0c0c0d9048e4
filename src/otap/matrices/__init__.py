"""Two lists of steps and their graphs in, the arrays of a transport problem out."""

from otap.matrices.costs import FIELDS, FieldCosts, bounded_wording, field_costs
from otap.matrices.criticality import critical_steps
from otap.matrices.execution import executed, in_order
from otap.matrices.fields import Fields
from otap.matrices.rules import Rule, Rules
from otap.matrices.structure import hop_distances, structure_matrix
from otap.matrices.texts import TextDistances
from otap.matrices.tools import ToolTable
from otap.matrices.unions import UnionEncoder, content, joined, union
from otap.matrices.values import Value, alike, below, canonical

__all__ = [
    "FIELDS",
    "FieldCosts",
    "Fields",
    "Rule",
    "Rules",
    "TextDistances",
    "ToolTable",
    "UnionEncoder",
    "Value",
    "alike",
    "below",
    "bounded_wording",
    "canonical",
    "content",
    "critical_steps",
    "executed",
    "field_costs",
    "hop_distances",
    "in_order",
    "joined",
    "structure_matrix",
    "union",
]
