"""The settings in force: each with its value and where that comes from."""

from collections.abc import Mapping
from typing import Any

from otap.errors import shown
from otap.report.view import Table, View, texts
from otap.scoring.config.file import Loaded

VALUE_LENGTH = 2000  # characters that are shown of one value


def settings_view(loaded: Loaded) -> View:
    """Returns one row a setting: name, value, and the file, option or preset that said it."""
    settings = loaded.config.model_dump(mode="json").items()
    rows = [texts(name, _write_value(value), loaded.origins[name]) for name, value in settings]
    return (Table(rows, ("setting", "value", "from")),)


def _write_value(value: Any) -> str:
    """A setting on one line; the empty ones of a group are left out."""
    if not isinstance(value, Mapping):
        return shown(value, VALUE_LENGTH)
    parts = []
    for name, part in value.items():
        text = _write_value(part)
        if part not in ([], {}):
            parts.append(f"{shown(name)} {f'{{{text}}}' if isinstance(part, Mapping) else text}")
    return ", ".join(parts) or "none"
