"""A coupling in, who stands for whom out: qualities, contributions to the loss, findings."""

from otap.alignment.agreement import order_agreement
from otap.alignment.comparison import Compared, Comparison, WithoutSteps
from otap.alignment.findings import KINDS, SEVERITIES, Finding, Severity, find
from otap.alignment.findings.changes import Change
from otap.alignment.problem import Recorded, StepProblem, Unseen
from otap.alignment.records import Alignment, Pair, PairDetails, StepShare, align, details
from otap.alignment.shares import Credit
from otap.alignment.telling import NOTHING_ASKED, Telling, Untold

__all__ = [
    "KINDS",
    "NOTHING_ASKED",
    "SEVERITIES",
    "Alignment",
    "Change",
    "Compared",
    "Comparison",
    "Credit",
    "Finding",
    "Pair",
    "PairDetails",
    "Recorded",
    "Severity",
    "StepProblem",
    "StepShare",
    "Telling",
    "Unseen",
    "Untold",
    "WithoutSteps",
    "align",
    "details",
    "find",
    "order_agreement",
]
