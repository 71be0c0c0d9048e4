"""The JSON schema of a settings file, by which editors complete and check ``otap.toml``."""

from typing import Any

from otap.config.settings import PRESETS, Config

NAME = "otap.settings-1"


def settings_schema() -> dict[str, Any]:
    """Returns the JSON schema of ``otap.toml``: every setting, and the preset below them."""
    schema = Config.model_json_schema()
    preset = {
        "default": "default",
        "description": "the settings that hold where the file has none",
        "enum": list(PRESETS),
        "type": "string",
    }
    return with_identity(NAME, {**schema, "properties": {"preset": preset, **schema["properties"]}})


def with_identity(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Returns a schema with its dialect, and a name that stays the same in every release."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:otap:schema:{name}",
        **schema,
    }
