"""Options that several commands have, some in groups: a command takes a group as one value."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from otap.scoring.config.file import Loaded, load_config

Run = Annotated[str, typer.Argument(metavar="RUN", help="A trace file, or - for standard input.")]
Which = Annotated[
    str | None,
    typer.Option(
        "--run", help="Which run of the file: TASK/TRIAL, an id, a task, or #PLACE from 0."
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Processes; else one for each processor."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]
FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on", metavar="SEVERITY|KIND[:TOOL]",
        help="Exit with 1 on such a finding: critical, major (or worse), minor (any), or a "
        "kind, as missing; of a tool, as arguments:pay_*. Can be repeated.",
    ),
]  # fmt: skip
Plot = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw it: FILE.svg or FILE.png. Needs matplotlib."),
]
ConfigFile = Annotated[
    Path | None, typer.Option(help="Settings; else otap.toml or pyproject.toml here.")
]
Dependencies = Annotated[
    str | None, typer.Option(help="auto, explicit, traced, conflicts, sequential or order.")
]


@dataclass(frozen=True)
class Counting:
    """What of the references counts."""

    required: Annotated[
        bool,
        typer.Option(
            "--required", help="The references say what must happen, not all of a good run."
        ),
    ] = False
    only_changes: Annotated[
        bool,
        typer.Option("--only-changes", help="Only changes count, even of references that read."),
    ] = False


@dataclass(frozen=True)
class SettingsOptions:
    """Settings of the command line, and the file of the others."""

    preset: Annotated[str | None, typer.Option(help="default or paper.")] = None
    encoder: Annotated[
        str | None, typer.Option(help="wordllama, minilm, or a model's folder or name.")
    ] = None
    dependencies: Dependencies = None
    config: ConfigFile = None

    def chosen(self, counting: Counting) -> Mapping[str, Any]:
        """Returns the settings that were said by options; None where nothing was."""
        return {
            "preset": self.preset,
            "encoder": self.encoder,
            "dependencies": self.dependencies,
            "reference": "required" if counting.required else None,
            "only_changes": counting.only_changes or None,
        }

    def load(self, counting: Counting) -> Loaded:
        """Returns the settings in force.

        Raises:
            ConfigError: as ``load_config``.
        """
        return load_config(self.config, self.chosen(counting))


@dataclass(frozen=True)
class ReadingOptions:
    """How traces are read."""

    format_name: Annotated[
        str | None, typer.Option("--format", help="Name of the run's format; found by itself.")
    ] = None
    reasoning: Annotated[
        bool, typer.Option("--reasoning", help="Text that leads to no tool call becomes a step.")
    ] = False


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Returns a command as typer takes it: the options of its groups are its own, in their place.

    A group is a parameter whose type is a dataclass of options.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hints[name] for name in hints if is_dataclass(hints[name])}
    parameters: list[inspect.Parameter] = []
    for name, one in inspect.signature(command).parameters.items():
        if name in groups:
            types = get_type_hints(groups[name], include_extras=True)
            parameters += [
                one.replace(name=field.name, default=field.default, annotation=types[field.name])
                for field in fields(groups[name])
            ]
        else:
            parameters.append(one.replace(annotation=hints[name]))

    @wraps(command)
    def with_options(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    with_options.__annotations__ = {one.name: one.annotation for one in parameters}
    with_options.__dict__["__signature__"] = inspect.Signature(parameters)
    return with_options
