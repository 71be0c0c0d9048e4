"""References that are plans: required, optional and forbidden steps, and their order."""

from otap.plans.dependencies import plan_graph
from otap.plans.expansions import list_expansions
from otap.plans.model import Expansion, Plan, parse_plan

__all__ = [
    "Expansion",
    "Plan",
    "list_expansions",
    "parse_plan",
    "plan_graph",
]
