"""Puts the stages together: a configuration, a scorer, a score."""

from otap.scoring.config import PRESETS, Config, parse_config
from otap.scoring.score import Losses, Score, Signature
from otap.scoring.scorer import Scorer, score

__all__ = ["PRESETS", "Config", "Losses", "Score", "Scorer", "Signature", "parse_config", "score"]
