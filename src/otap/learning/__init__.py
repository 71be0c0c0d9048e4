"""Tools that work on many runs: roles of tools, gates, references, and plans.

``tools`` lists the tools of runs with their roles, and ``template`` writes these as a settings file
to correct by hand. ``reading`` and ``runs`` read runs with their outcomes. ``calibration`` finds
the threshold of a gate, ``selection`` chooses references among good runs, and ``plans`` drafts a
plan from good runs.
"""

from otap.learning.plans import Draft, draft_plan
from otap.learning.tools import ToolRoles, learn

__all__ = ["Draft", "ToolRoles", "draft_plan", "learn"]
