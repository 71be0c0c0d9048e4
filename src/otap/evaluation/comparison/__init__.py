"""Compares two sets of runs by task, with an interval, a test and a verdict."""

from otap.evaluation.comparison.compare import TOLERANCE, compare
from otap.evaluation.comparison.comparison import Comparison

__all__ = ["TOLERANCE", "Comparison", "compare"]
