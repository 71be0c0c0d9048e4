"""A coupling in, who stands for whom out: qualities, contributions to the loss, findings."""

from otap.alignment.calculation import Calculation, PairCharge, StepCharge, calculate
from otap.alignment.comparison import Compared, Comparison, Credit, WithoutSteps, judge_loss
from otap.alignment.findings import KINDS, SEVERITIES, Finding, Severity, find
from otap.alignment.findings.changes import Change
from otap.alignment.problem import NOTHING_ASKED, Answers, MissingAnswer, StepProblem
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
    "NOTHING_ASKED",
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
    "Pair",
    "PairCharge",
    "PairDetails",
    "Severity",
    "StepCharge",
    "StepProblem",
    "StepShare",
    "WithoutSteps",
    "align",
    "calculate",
    "details",
    "find",
    "judge_loss",
    "order_agreement",
]
