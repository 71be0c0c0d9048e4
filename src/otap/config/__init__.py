"""The settings that a score depends on, and the files they come from."""

from otap.config.settings import PRESETS, Config, parse_config
from otap.config.tables import Parameters, Tools

__all__ = ["PRESETS", "Config", "Parameters", "Tools", "parse_config"]
