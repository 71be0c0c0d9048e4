"""Where settings come from: the command line, then a file, then a preset; and which won."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from otap._patterns import regex
from otap.config.settings import PRESETS, Config, merged, parse_config
from otap.errors import ConfigError, shown, shown_path

FILE_NAMES = ("otap.toml", "pyproject.toml")
MAX_BYTES = 1 << 20
# A pyproject.toml without a line like these has no settings of ours, and is not parsed.
_OURS = regex(r"""^\s*\[\s*tool\s*(\]|\.\s*["']?otap)|^\s*tool\s*[.=]""", re.MULTILINE)


@dataclass(frozen=True)
class Loaded:
    """A configuration, and for each setting the place that decided it."""

    config: Config
    origins: Mapping[str, str]


def load_config(file: Path | None = None, options: Mapping[str, Any] | None = None) -> Loaded:
    """Returns the configuration in force: options, then the file, then the preset that they name.

    Args:
        file: a file of settings; None: ``otap.toml``, or else ``[tool.otap]`` of
            ``pyproject.toml``, in the current folder.
        options: settings of the command line by name; None means not given.

    Raises:
        ConfigError: if the file cannot be read, or a setting is unknown or out of range.
    """
    chosen = {name: value for name, value in (options or {}).items() if value is not None}
    where, settings = _from_file(file)
    preset = chosen.pop("preset", settings.pop("preset", "default"))
    if not isinstance(preset, str) or preset not in PRESETS:
        raise ConfigError(f"no preset '{shown(preset)}'; there are {' and '.join(PRESETS)}")
    origins = dict.fromkeys(Config.model_fields, f"preset {preset}")
    origins |= dict.fromkeys(settings, where) | dict.fromkeys(chosen, "command line")
    layers = merged(PRESETS[preset], settings, chosen)
    return Loaded(parse_config(layers, where if settings else "command line"), origins)


def _from_file(file: Path | None) -> tuple[str, dict[str, Any]]:
    if file is not None:
        return shown_path(file), _section(file)
    for name in FILE_NAMES:
        found = Path(name)
        if _is_there(found):
            settings = _section(found)
            if settings or name == "otap.toml":
                return name, settings
    return "command line", {}


def _is_there(file: Path) -> bool:
    """Whether a name is taken, if only by what cannot be read: that is said then."""
    try:
        file.lstat()
    except OSError as error:
        return not isinstance(error, FileNotFoundError)
    return True


def _section(file: Path) -> dict[str, Any]:
    section: Any = _parsed(file)
    if file.name != "pyproject.toml":
        return dict(section)
    for name in ("tool", "otap"):
        section = section.get(name, {}) if isinstance(section, dict) else section
    if not isinstance(section, dict):
        raise ConfigError(f"{shown_path(file)}: tool.otap must be a table")
    return dict(section)


def _parsed(file: Path) -> dict[str, Any]:
    try:
        text = _bytes(file).decode()
        if file.name == "pyproject.toml" and not _OURS.search(text):
            return {}
        import tomllib  # most commands run where there is nothing to parse

        return tomllib.loads(text)
    except OSError as error:
        raise ConfigError(f"{shown_path(file)}: cannot read it ({error.strerror})") from None
    except ValueError as error:  # TOML that is none, or bytes that are no text
        raise ConfigError(f"{shown_path(file)}: not valid TOML ({shown(error, 120)})") from None
    except RecursionError:
        raise ConfigError(f"{shown_path(file)}: is nested too deep for settings") from None


def _bytes(file: Path) -> bytes:
    with file.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ConfigError(
            f"{shown_path(file)}: is above {MAX_BYTES:,} bytes, too large for settings"
        )
    return data
