"""Puts the stages together: a configuration, a scorer, a score."""

from otap.scoring.config.config import PRESETS, Config, parse_config
from otap.scoring.config.what_counts import Parameters, Tools
from otap.scoring.explanation import Against, Explanation, Side
from otap.scoring.prepare.recognition import summary
from otap.scoring.prepare.weighing import writing
from otap.scoring.result import Losses, Score, Traces
from otap.scoring.scorer import Scorer, score
from otap.scoring.signature import Conditions, Signature

__all__ = [
    "PRESETS",
    "Against",
    "Conditions",
    "Config",
    "Explanation",
    "Losses",
    "Parameters",
    "Score",
    "Scorer",
    "Side",
    "Signature",
    "Tools",
    "Traces",
    "parse_config",
    "score",
    "summary",
    "writing",
]
