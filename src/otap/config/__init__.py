"""The settings that a score depends on, and the files they come from."""

from otap.config.sections import Parameters, Tools
from otap.config.settings import PRESETS, Config, parse_config

__all__ = ["PRESETS", "Config", "Parameters", "Tools", "parse_config"]
