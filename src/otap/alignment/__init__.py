"""Reads a coupling: which step stands for which, match qualities, parts of the loss, findings."""

from otap.alignment.calculation import Calculation, PairCharge, StepCharge, calculate
from otap.alignment.comparison import (
    Compared,
    Comparison,
    Credit,
    WithoutSteps,
    apply_severity_band,
)
from otap.alignment.findings import KINDS, SEVERITIES, Finding, Severity, find
from otap.alignment.findings.changes import Change
from otap.alignment.findings.context import OrderElsewhere
from otap.alignment.problem import NO_ANSWERS, Answers, MissingAnswer, StepProblem
from otap.alignment.records import (
    Alignment,
    Pair,
    PairDetails,
    StepShare,
    align,
    details,
    order_agreement,
)

__all__ = [
    "KINDS",
    "NO_ANSWERS",
    "SEVERITIES",
    "Alignment",
    "Answers",
    "Calculation",
    "Change",
    "Compared",
    "Comparison",
    "Credit",
    "Finding",
    "MissingAnswer",
    "OrderElsewhere",
    "Pair",
    "PairCharge",
    "PairDetails",
    "Severity",
    "StepCharge",
    "StepProblem",
    "StepShare",
    "WithoutSteps",
    "align",
    "apply_severity_band",
    "calculate",
    "details",
    "find",
    "order_agreement",
]
