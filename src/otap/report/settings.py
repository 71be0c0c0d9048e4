"""The settings in force: each with its value and where that comes from."""

from collections.abc import Mapping
from typing import Any

from otap.config.file import Loaded
from otap.errors import shown
from otap.report.view import Cell, Table, View

VALUE_LENGTH = 2000  # characters that are shown of one value


def settings_view(loaded: Loaded) -> View:
    """Returns one row a setting: name, value, and the file, option or preset that said it."""
    rows = [
        (Cell(name), Cell(_setting(value)), Cell(loaded.origins[name]))
        for name, value in loaded.config.model_dump(mode="json").items()
    ]
    return (Table(rows, ("setting", "value", "from")),)


def _setting(value: Any) -> str:
    """A setting on one line; the empty ones of a group are left out."""
    if not isinstance(value, Mapping):
        return shown(value, VALUE_LENGTH)
    said = [(name, part) for name, part in value.items() if part not in ([], {})]
    return ", ".join(f"{shown(name)} {_nested(part)}" for name, part in said) or "none"


def _nested(value: Any) -> str:
    return f"{{{_setting(value)}}}" if isinstance(value, Mapping) else _setting(value)
