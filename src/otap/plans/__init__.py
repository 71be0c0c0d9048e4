"""References that are plans: what must happen, what may, what never, and in which order."""

from otap.plans.graph import plan_graph
from otap.plans.members import list_members
from otap.plans.model import NO_DEMANDS, Demands, Member, Plan, parse_plan

__all__ = ["NO_DEMANDS", "Demands", "Member", "Plan", "list_members", "parse_plan", "plan_graph"]
