"""Rules that runs with known outcomes teach, one module a kind, and each only with evidence."""

from otap.learning.rules.hand_overs import ends_runs
from otap.learning.rules.learned import learned_rules
from otap.learning.rules.rule import Rule

__all__ = ["Rule", "ends_runs", "learned_rules"]
