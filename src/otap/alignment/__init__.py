"""A coupling in, who stands for whom out: qualities, contributions to the loss, findings."""

from otap.alignment.alignment import Alignment, Pair, StepShare, align
from otap.alignment.comparison import Comparison
from otap.alignment.findings import KINDS, Finding, find, find_without_coupling

__all__ = [
    "KINDS",
    "Alignment",
    "Comparison",
    "Finding",
    "Pair",
    "StepShare",
    "align",
    "find",
    "find_without_coupling",
]
