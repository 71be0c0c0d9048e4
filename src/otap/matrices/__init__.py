"""Two lists of steps and their graphs in, the arrays of a transport problem out."""

from otap.matrices.costs import FIELDS, FieldCosts, field_costs, observed_fields
from otap.matrices.criticality import critical_steps
from otap.matrices.structure import hop_distances
from otap.matrices.tools import ToolTable

__all__ = [
    "FIELDS",
    "FieldCosts",
    "ToolTable",
    "critical_steps",
    "field_costs",
    "hop_distances",
    "observed_fields",
]
