"""References that are plans: required, optional and forbidden steps, and their order."""

from otap.plans.dependencies import plan_graph
from otap.plans.expansions import list_expansions
from otap.plans.model import NO_CONSTRAINTS, Expansion, Plan, PlanConstraints, parse_plan

__all__ = [
    "NO_CONSTRAINTS",
    "Expansion",
    "Plan",
    "PlanConstraints",
    "list_expansions",
    "parse_plan",
    "plan_graph",
]
