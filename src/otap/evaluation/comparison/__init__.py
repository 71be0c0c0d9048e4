"""Compares two sets of runs by task, with an interval, a test and a verdict."""

from otap.evaluation.comparison.differences import Comparison
from otap.evaluation.comparison.verdicts import TOLERANCE, compare

__all__ = ["TOLERANCE", "Comparison", "compare"]
