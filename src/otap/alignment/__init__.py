"""A coupling in, who stands for whom out: qualities, contributions to the loss, findings."""

from otap.alignment.agreement import order_agreement
from otap.alignment.alignment import Alignment, Pair, StepShare, align
from otap.alignment.comparison import Alike, Comparison, Recorded
from otap.alignment.findings import KINDS, Finding, find, find_without_coupling
from otap.alignment.nodes import Nodes

__all__ = [
    "KINDS",
    "Alignment",
    "Alike",
    "Comparison",
    "Finding",
    "Nodes",
    "Pair",
    "Recorded",
    "StepShare",
    "align",
    "find",
    "find_without_coupling",
    "order_agreement",
]
