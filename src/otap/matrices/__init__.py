"""Two lists of steps and their graphs in, the arrays of a transport problem out."""

from otap.matrices.costs import FIELDS, FieldCosts, field_costs
from otap.matrices.criticality import critical_steps
from otap.matrices.fields import Fields
from otap.matrices.structure import hop_distances, structure_matrix
from otap.matrices.tools import ToolTable

__all__ = [
    "FIELDS",
    "FieldCosts",
    "Fields",
    "ToolTable",
    "critical_steps",
    "field_costs",
    "hop_distances",
    "structure_matrix",
]
