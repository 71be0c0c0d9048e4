"""References out of good runs: those that cover the rest best, and how well so many do."""

from otap.learning.selection.choice import select
from otap.learning.selection.selection import Selection

__all__ = ["Selection", "select"]
