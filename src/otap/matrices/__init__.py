"""Two lists of steps and their graphs in, the arrays of a transport problem out."""

from otap.matrices.bounds import Promising, UnionBounds
from otap.matrices.costs import APART, UNLIKE, FieldCosts, NodeCost, bounded_wording, cost_apart
from otap.matrices.criticality import critical_steps
from otap.matrices.execution import ALIKE, executed, in_order
from otap.matrices.fields import FIELDS, Field, OfParts, fields_compared
from otap.matrices.nodes import Nodes, single_nodes
from otap.matrices.prospects import Prospects
from otap.matrices.steps import ReadSteps
from otap.matrices.structure import hop_distances, structure_matrix
from otap.matrices.texts import Matrix, TextDistances
from otap.matrices.tools import ToolTable
from otap.matrices.unions import UnionEncoder, content, union
from otap.values.contradiction import Contradiction
from otap.values.distance import ANOTHER_NAME, contradict
from otap.values.effort import at_least_cost, may_be_united
from otap.values.rules import Rule, Rules
from otap.values.value import Value, below, canonical_json, plain, text_of

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
    "OfParts",
    "Promising",
    "Prospects",
    "ReadSteps",
    "Rule",
    "Rules",
    "TextDistances",
    "ToolTable",
    "UnionBounds",
    "UnionEncoder",
    "Value",
    "at_least_cost",
    "below",
    "bounded_wording",
    "canonical_json",
    "content",
    "contradict",
    "cost_apart",
    "critical_steps",
    "executed",
    "fields_compared",
    "hop_distances",
    "in_order",
    "may_be_united",
    "plain",
    "single_nodes",
    "structure_matrix",
    "text_of",
    "union",
]
