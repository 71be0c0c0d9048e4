"""Two lists of steps and their graphs in, the arrays of a transport problem out."""

from otap.matrices.costs import APART, UNLIKE, FieldCosts, NodeCost, cost_apart
from otap.matrices.criticality import critical_steps
from otap.matrices.fields import FIELDS, Field, ToolTable, fields_compared
from otap.matrices.steps import Nodes, ReadSteps, single_nodes
from otap.matrices.structure import ALIKE, executed, hop_distances, structure_matrix
from otap.matrices.texts import Matrix, TextDistances, plain, text_of
from otap.matrices.values.company import at_least_cost
from otap.matrices.values.leaves import ANOTHER_NAME, contradict, same
from otap.matrices.values.lists import paired
from otap.matrices.values.prose import Contradiction
from otap.matrices.values.rules import Rule, Rules
from otap.matrices.values.structured import Pairwise
from otap.matrices.values.value import Value, below, called, canonical_json

__all__ = [
    "ALIKE", "ANOTHER_NAME", "APART", "FIELDS", "UNLIKE", "Contradiction", "Field", "FieldCosts",
    "Matrix", "NodeCost", "Nodes", "Pairwise", "ReadSteps", "Rule", "Rules", "TextDistances",
    "ToolTable", "Value", "at_least_cost", "below", "called", "canonical_json", "contradict",
    "cost_apart", "critical_steps", "executed", "fields_compared", "hop_distances",
    "paired", "plain", "same", "single_nodes", "structure_matrix", "text_of",
]  # fmt: skip
