"""Dependencies between steps: a trajectory in, a dependency graph with evidence out.

``mechanisms`` finds the edges, by value flow too, and ``conflicts`` what no value shows; ``graph``
makes smaller graphs of one. ``drawn`` tells by what an identifier was drawn, and ``grounding``
finds the arguments that nothing accounts for. All of them read what a step says from ``content``.
"""

from otap.dependencies.conflicts import changes, conflicting
from otap.dependencies.graph import (
    Contractions,
    DependencyGraph,
    Edge,
    Evidence,
    quotient,
    subgraph,
)
from otap.dependencies.mechanisms import (
    MECHANISMS,
    Mechanism,
    common_mechanism,
    dependency_graph,
    turn_ranks,
    with_conflicts,
    with_guards,
    with_order,
    without_guards,
)

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
    "with_guards",
    "with_order",
    "without_guards",
]
