"""Puts the stages together: a configuration, a scorer, a score."""

from otap.scoring.config import PRESETS, Config, parse_config
from otap.scoring.score import Losses, Score, Signature
from otap.scoring.scorer import Scorer, score
from otap.scoring.what_counts import Parameters, Tools

__all__ = [
    "PRESETS",
    "Config",
    "Losses",
    "Parameters",
    "Score",
    "Scorer",
    "Signature",
    "Tools",
    "parse_config",
    "score",
]
