"""The schema of ``otap.toml``: editors complete and check what OTAP accepts."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from otap.config.schema import settings_schema
from otap.config.settings import PRESETS, parse_config
from otap.errors import ConfigError

ROOT = Path(__file__).parents[2]
EXAMPLES = list((ROOT / "examples").rglob("otap.toml"))
SCHEMA = settings_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def test_the_schema_is_a_schema() -> None:
    """With a name that no release changes."""
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == "urn:otap:schema:otap.settings-1"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_the_settings_of_the_examples_are_valid(path: Path) -> None:
    """As OTAP says of them."""
    settings = tomllib.loads(path.read_text("utf-8"))
    parse_config(settings)
    VALIDATOR.validate(settings)


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_valid(preset: str) -> None:
    """By name, and written out."""
    VALIDATOR.validate({"preset": preset})
    VALIDATOR.validate(PRESETS[preset])


@pytest.mark.parametrize(
    "settings",
    [
        {"no_such": 1},
        {"mass": "relative"},  # gone since metric 9
        {"weights": {"no_such": 0.5}},
        {"theta": 2},
        {"theta": "much"},
        {"dependencies": "guessed"},
        {"tools": {"read_only": "search"}},
        {"substitutes": [{"tools": ["a", "b"], "distance": 2}]},
    ],
)
def test_what_the_code_refuses_is_invalid(settings: dict[str, Any]) -> None:
    """An editor marks what OTAP would not read."""
    assert not VALIDATOR.is_valid(settings)
    with pytest.raises(ConfigError):
        parse_config(settings)
