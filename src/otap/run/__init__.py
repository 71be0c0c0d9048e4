"""A recorded run in, the prepared run out: which steps count, their roles and dependencies.

``run`` holds the prepared run and its view for one reference; ``index`` reads every value once.
``selection``, ``roles``, ``weights``, ``substeps`` and ``failures`` decide which steps count, and
how much. ``edges`` and ``conflicts`` find dependencies. ``generated_ids``, ``grounding`` and
``answers`` find the values that a run received, invented or reported.
"""

from otap.run.columns import FIELDS
from otap.run.conflicts import can_change, conflicting
from otap.run.edges import (
    MECHANISMS,
    Mechanism,
    common_mechanism,
    dependency_graph,
    with_conflicts,
    with_guards,
    with_order,
    without_guards,
)

__all__ = [
    "FIELDS", "MECHANISMS", "Mechanism", "can_change", "common_mechanism", "conflicting",
    "dependency_graph",
    "with_conflicts", "with_guards", "with_order", "without_guards",
]  # fmt: skip
