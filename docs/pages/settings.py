"""The page of all settings, made from the models that check them."""

from collections.abc import Iterator, Mapping
from typing import Any

from otap import Config

BEGINNING = """\
# Settings

OTAP takes each setting from the first of these that has it:

1. the command line: `--preset`, `--encoder`, `--dependencies`;
2. one file: the file that `--config` names, or `otap.toml` in the current folder, or `[tool.otap]`
   in its `pyproject.toml`;
3. the preset.

`otap score RUN --show-config` prints the settings in force, and the origin of each value. An
unknown setting, or a value out of range, is an error that names the setting. In Python, settings
are arguments of `otap.Config` or `otap.Config.preset`.

There are two presets: `preset = "default"`, and `preset = "paper"` for [the
paper](bibliography.md) to the letter. The tables have the values of both.
[What counts](what-counts.md) explains `tools`, `parameters`, `failed` and `subagents`. [How the
number is computed](how-the-number-is-computed.md) explains how settings change the number.

`scripts/pages` writes this page from the code that checks the settings.

```toml
preset = "default"
dependencies = "auto"
theta = 0.4              # differs from the preset, so the signature says "custom"

[weights]
effect = 0.2             # the other weights are those of the preset

[[substitutes]]          # these tools can replace each other, at a distance of .3
tools = ["python", "calculator"]
distance = 0.3
```
"""
# The groups of settings that are tables of their own, and how a file names them.
GROUPS = {
    "weights": ("[weights]", "Weights"),
    "counts": ("[counts]", "Counts"),
    "substitutes": ("[[substitutes]]", "Substitutes"),
    "tools": ("[tools]", "Tools"),
    "parameters": ("[parameters.TOOL]", "Parameters"),
    "budget": ("[budget]", "Budget"),
    "golden": ("[golden]", "Golden"),
    "paper": ("[paper]", "Paper"),
}
MODELS = {model for _, model in GROUPS.values()}
Schema = Mapping[str, Any]


def page() -> str:
    """Returns the page as Markdown."""
    schema = Config.model_json_schema()
    default, paper = (Config.preset(name).model_dump(mode="json") for name in ("default", "paper"))
    parts = [BEGINNING, "## At the top\n", _table(schema["properties"], default, paper)]
    for name, (heading, model) in GROUPS.items():
        group = schema["$defs"][model]
        said = _said(schema["properties"][name]["description"])
        parts += [f"\n## {model}\n", f"`{heading}` in a file. {said}"]
        ours, theirs = (value if isinstance(value, dict) else {} for value in (default, paper))
        absent = dict.fromkeys(group["properties"])  # no setting of a table that is left out
        sides = [
            absent if side.get(name, ...) is None else side.get(name) for side in (ours, theirs)
        ]
        parts.append(_table(group["properties"], *sides))
    return "\n".join(parts) + "\n"


def _table(properties: Schema, default: object, paper: object) -> str:
    head = ["| setting | values | `default` | `paper` | effect |", "|---|---|---|---|---|"]
    return "\n".join([*head, *_rows(properties, default, paper)])


def _rows(properties: Schema, default: object, paper: object) -> Iterator[str]:
    for name, setting in properties.items():
        effect = setting["description"]
        if _is_group(setting):
            ours = theirs = f"[below](#{name})"
            values = "a table"
        else:
            ours, theirs = (_toml(_of_preset(preset, name, setting)) for preset in (default, paper))
            values = _values(setting)
        yield f"| `{name}` | {values} | {ours} | {theirs} | {effect} |"


def _is_group(setting: Schema) -> bool:
    """Whether a setting is a table, or several, with settings of its own."""
    below = [setting.get(key) for key in ("items", "additionalProperties")]
    below += setting.get("anyOf", [])  # a table that may be left out
    found = [
        part["$ref"] for part in (setting, *below) if isinstance(part, dict) and "$ref" in part
    ]
    return any(ref.rsplit("/")[-1] in MODELS for ref in found)


def _of_preset(preset: object, name: str, setting: Schema) -> object:
    """What a preset says of a setting, or what holds where nothing is said."""
    if isinstance(preset, dict) and name in preset:
        return preset[name]
    return setting.get("default", ...)


def _said(description: str) -> str:
    return description[0].upper() + description[1:] + ".\n"


def _toml(value: object) -> str:
    """A value as a file writes it; what is not set has no spelling there."""
    if value is ...:
        return "required"
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, str):
        return f'`"{value}"`'
    if isinstance(value, list | dict):
        if isinstance(value, list) and value:
            return ", ".join(f'`"{member}"`' for member in value)
        assert not value, value  # tables with something in them have a table of their own
        return "none"
    return f"`{value}`" if isinstance(value, int) else f"`{value:g}`"


def _values(setting: Schema) -> str:
    """What a setting may be, in words."""
    if "enum" in setting:
        return ", ".join(f'`"{value}"`' for value in setting["enum"])
    if "anyOf" in setting:
        found = [_values(way) for way in setting["anyOf"] if way.get("type") != "null"]
        return " or ".join(found)
    kind = setting.get("type")
    if kind in ("number", "integer"):
        return _range(setting)
    if kind == "object":
        return "a table" + _each(setting["additionalProperties"])
    if kind == "array":
        if "anyOf" in setting["items"]:
            return "a list of names, and of lists of names"
        return (
            "a list of names"
            if setting["items"].get("type") == "string"
            else "a list of lists of names"
        )
    return {"boolean": "`true`, `false`", "string": "a text"}[kind]


def _each(within: Schema) -> str:
    return "" if "$ref" in within else f", each {_values(within)}"


def _range(setting: Schema) -> str:
    word = "a whole number" if setting["type"] == "integer" else "a number"
    low, high, above = (setting.get(key) for key in ("minimum", "maximum", "exclusiveMinimum"))
    if above is not None:
        return f"{word} above {above:g}"
    if low is None:
        return word
    return f"{word} of {low:g} or more" if high is None else f"{word} from {low:g} to {high:g}"
