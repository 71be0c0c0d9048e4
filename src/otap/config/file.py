"""Loads settings from the command line, a file and a preset, and records their origins."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from otap._patterns import regex
from otap.config.settings import PRESETS, Config, merge_settings, parse_config
from otap.errors import ConfigError, shown, shown_path

FILE_NAMES = ("otap.toml", "pyproject.toml")
MAX_BYTES = 1 << 20
# A pyproject.toml without such a line has no table [tool.otap], and is not parsed.
_HAS_TOOL_TABLE = regex(r"""^[ \t]*(\[\s*tool\s*(\]|\.\s*["']?otap)|tool\s*[.=])""", re.MULTILINE)


@dataclass(frozen=True)
class LoadedConfig:
    """A configuration, with the origin of each setting.

    Attributes:
        config: the configuration.
        origins: the file, option or preset of each setting.
        file: the settings file in force that no option named; None if there is none.
    """

    config: Config
    origins: Mapping[str, str]
    file: str | None = None


def load_config(file: Path | None = None, options: Mapping[str, Any] | None = None) -> LoadedConfig:
    """Returns the configuration: options win over the file, and the file wins over the preset.

    Args:
        file: a settings file; None for ``otap.toml``, or else ``[tool.otap]`` of
            ``pyproject.toml``, in the current folder.
        options: settings of the command line by name; None for those that were not given.

    Raises:
        ConfigError: if the file cannot be read, or a setting is unknown or out of range.
    """
    overrides = {name: value for name, value in (options or {}).items() if value is not None}
    where, settings = _read_settings(file)
    has_file = bool(settings)
    preset = overrides.pop("preset", settings.pop("preset", "default"))
    if not isinstance(preset, str) or preset not in PRESETS:
        raise ConfigError(f"no preset '{shown(preset)}'; there are {' and '.join(PRESETS)}")
    origins = dict.fromkeys(Config.model_fields, f"preset {preset}")
    origins |= dict.fromkeys(settings, where) | dict.fromkeys(overrides, "command line")
    layers = merge_settings(PRESETS[preset], settings, overrides)
    config = parse_config(layers, where if has_file else "command line")
    return LoadedConfig(config, origins, where if has_file and file is None else None)


def _read_settings(file: Path | None) -> tuple[str, dict[str, Any]]:
    if file is not None:
        return shown_path(file), _section(file)
    for name in FILE_NAMES:
        path = Path(name)
        if _exists(path):
            settings = _section(path)
            if settings or name == "otap.toml":
                return name, settings
    return "command line", {}


def _exists(file: Path) -> bool:
    """Returns whether a path exists, even if it cannot be read: reading it reports the error."""
    try:
        file.lstat()
    except OSError as error:
        return not isinstance(error, FileNotFoundError)
    return True


def _section(file: Path) -> dict[str, Any]:
    section: Any = _parse(file)
    if file.name != "pyproject.toml":
        return dict(section)
    for name in ("tool", "otap"):
        section = section.get(name, {}) if isinstance(section, dict) else section
    if not isinstance(section, dict):
        raise ConfigError(f"{shown_path(file)}: tool.otap must be a table")
    return dict(section)


def _parse(file: Path) -> dict[str, Any]:
    try:
        text = _read_bytes(file).decode()
        if file.name == "pyproject.toml" and not _HAS_TOOL_TABLE.search(text):
            return {}
        import tomllib  # loaded when needed: most commands have no file to parse

        return tomllib.loads(text)
    except OSError as error:
        raise ConfigError(f"{shown_path(file)}: cannot read it ({error.strerror})") from None
    except ValueError as error:  # invalid TOML, or invalid UTF-8
        raise ConfigError(f"{shown_path(file)}: not valid TOML ({shown(error, 120)})") from None
    except RecursionError:
        raise ConfigError(f"{shown_path(file)}: is nested too deep for settings") from None


def _read_bytes(file: Path) -> bytes:
    with file.open("rb") as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ConfigError(
            f"{shown_path(file)}: is above {MAX_BYTES:,} bytes, too large for settings"
        )
    return content
