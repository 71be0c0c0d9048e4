"""Which step needed which: a trajectory in, a dependency graph with evidence out."""

from otap.dependencies.graph import DependencyGraph, Edge, Evidence
from otap.dependencies.mechanisms import (
    MECHANISMS,
    Mechanism,
    common_mechanism,
    dependency_graph,
    turn_ranks,
)
from otap.dependencies.quotient import neighbours, quotient
from otap.dependencies.subgraph import subgraph

__all__ = [
    "MECHANISMS",
    "DependencyGraph",
    "Edge",
    "Evidence",
    "Mechanism",
    "common_mechanism",
    "dependency_graph",
    "neighbours",
    "quotient",
    "subgraph",
    "turn_ranks",
]
