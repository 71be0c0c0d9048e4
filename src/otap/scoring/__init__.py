"""Puts the stages together: a configuration, a scorer, a score."""

from otap.config.sections import Parameters, Tools
from otap.config.settings import PRESETS, Config, parse_config
from otap.run.roles import summary
from otap.run.weights import writing_steps
from otap.scoring.explanation import Against, Explanation, Side
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
    "writing_steps",
]
