"""A coupling in, who stands for whom out: qualities, contributions to the loss, findings."""

from otap.alignment.agreement import order_agreement
from otap.alignment.alignment import Alignment, Pair, StepShare, align
from otap.alignment.comparison import Compared, Comparison, WithoutSteps
from otap.alignment.findings import KINDS, SEVERITIES, Finding, Severity, find
from otap.alignment.problem import Recorded, StepProblem

__all__ = [
    "KINDS",
    "SEVERITIES",
    "Alignment",
    "Compared",
    "Comparison",
    "Finding",
    "Pair",
    "Recorded",
    "Severity",
    "StepProblem",
    "StepShare",
    "WithoutSteps",
    "align",
    "find",
    "order_agreement",
]
