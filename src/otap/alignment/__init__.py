"""The problem between two runs, and its solution: counterparts, match qualities, loss."""

from otap.alignment.comparison import (
    Compared,
    Comparison,
    Credit,
    WithoutSteps,
    apply_severity_band,
)
from otap.alignment.problem import NO_ANSWERS, Answers, MissingAnswer, StepProblem, check_sizes

__all__ = [
    "NO_ANSWERS",
    "Answers",
    "Compared",
    "Comparison",
    "Credit",
    "MissingAnswer",
    "StepProblem",
    "WithoutSteps",
    "apply_severity_band",
    "check_sizes",
]
