"""Chooses the good runs that best cover the others, as references."""

from otap.learning.selection.choice import select
from otap.learning.selection.chosen import Selection

__all__ = ["Selection", "select"]
