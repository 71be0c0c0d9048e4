"""Dependencies between steps: a trajectory in, a dependency graph with evidence out.

``mechanisms`` finds the edges, ``tracing`` those by value flow, ``order`` what no value shows;
``quotient`` and ``subgraph`` make smaller graphs of one; ``names`` tells by what an identifier was
drawn; ``grounding`` finds the arguments that nothing accounts for.
"""

from otap.dependencies.graph import DependencyGraph, Edge, Evidence
from otap.dependencies.mechanisms import (
    MECHANISMS,
    Mechanism,
    common_mechanism,
    dependency_graph,
    turn_ranks,
)
from otap.dependencies.order.conflicts import changes, conflicting, with_conflicts
from otap.dependencies.order.said import with_order
from otap.dependencies.quotient import Contractions, quotient
from otap.dependencies.subgraph import subgraph

__all__ = [
    "MECHANISMS",
    "Contractions",
    "DependencyGraph",
    "Edge",
    "Evidence",
    "Mechanism",
    "changes",
    "common_mechanism",
    "conflicting",
    "dependency_graph",
    "quotient",
    "subgraph",
    "turn_ranks",
    "with_conflicts",
    "with_order",
]
