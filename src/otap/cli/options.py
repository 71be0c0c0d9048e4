"""Options of commands: what several have, some in groups, and how a function becomes a command."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from typer import Argument, Option
from typer.models import OptionInfo

from otap._patterns import regex
from otap.config.file import Loaded, load_config

Run = Annotated[str, Argument(metavar="RUN", help="A trace file, or - for standard input.")]
Which = Annotated[
    str | None,
    Option("--run", help="Which run of the file: TASK/TRIAL, an id, a task, or #PLACE from 0."),
]
References = Annotated[list[str] | None, Option("--reference", "-r", metavar="REF")]
Jobs = Annotated[
    int | None, Option(min=1, metavar="N", help="Processes; else one for each processor.")
]
AsJson = Annotated[bool, Option("--json", help="Print everything as JSON.")]
File = Annotated[Path | None, Option(metavar="FILE")]
Bound = Annotated[float | None, Option(metavar="X")]
Output = Annotated[Path | None, Option("-o", metavar="OUT")]
Plot = Annotated[
    Path | None, Option(metavar="FILE", help="Draw it: FILE.svg or FILE.png. Needs matplotlib.")
]
ConfigFile = Annotated[Path | None, Option(help="Settings; else otap.toml or pyproject.toml here.")]
Dependencies = Annotated[
    str | None, Option(help="auto, explicit, traced, conflicts, sequential or order.")
]
TaskFrom = Annotated[str | None, Option(metavar="request|file[:PATTERN]|metadata.KEY|id")]
FailOn = Annotated[
    list[str] | None,
    Option(
        metavar="SEVERITY|KIND[:TOOL]",
        help="Exit with 1 on such a finding: critical, major (or worse), minor (any), or a "
        "kind, as missing; of a tool, as arguments:pay_*. Can be repeated.",
    ),
]

_OPTIONS = "\n\nOptions:\n"  # where a docstring begins to describe them
_DESCRIBED = regex(r"(?m)^    (\w+): (.*(?:\n     .*)*)")


@dataclass(frozen=True)
class Counting:
    """What of the references counts.

    Options:
        required: The references say what must happen, not all of a good run.
        only_changes: Only changes count, even of references that read.
    """

    required: bool = False
    only_changes: bool = False


@dataclass(frozen=True)
class Settings:
    """Settings of the command line, and the file of the others.

    Options:
        preset: default or paper.
        encoder: wordllama, minilm, or a model's folder or name.
        task_from: Where the name of a run's task stands; by default its own task, else one in its
            metadata, else what the user asked for.
    """

    preset: str | None = None
    encoder: str | None = None
    dependencies: Dependencies = None
    task_from: TaskFrom = None
    config: ConfigFile = None

    def chosen(self, counting: Counting) -> Mapping[str, Any]:
        """Returns the settings that were said by options; None where nothing was."""
        return {
            "preset": self.preset,
            "encoder": self.encoder,
            "dependencies": self.dependencies,
            "task_from": self.task_from,
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
class Reading:
    """How traces are read.

    Options:
        format_name: Name of the run's format; found by itself.
        reasoning: Text that leads to no tool call becomes a step.
    """

    format_name: Annotated[str | None, Option("--format")] = None
    reasoning: bool = False


def as_command(function: Callable[..., None]) -> Callable[..., None]:
    """Returns a function as typer takes it.

    A parameter is an option of its name, a bool one that has no opposite. Its docstring says what
    each is for. A parameter whose type is a dataclass is a group: its fields are options in its
    place.
    """
    hints = get_type_hints(function)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    members = {name: list(inspect.signature(kind).parameters) for name, kind in groups.items()}

    @wraps(function)
    def command(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{member: given.pop(member) for member in members[name]})
        function(**given)

    parameters = list(_list_options(function))
    command.__doc__ = (inspect.getdoc(function) or "").partition(_OPTIONS)[0]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__dict__["__signature__"] = inspect.Signature(parameters)
    return command


def _list_options(owner: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    """The parameters of a function, or of a group, each with what typer is to know of it."""
    kinds, hints = get_type_hints(owner), get_type_hints(owner, include_extras=True)
    described = (inspect.getdoc(owner) or "").partition(_OPTIONS)[2]
    helps = {name: " ".join(text.split()) for name, text in _DESCRIBED.findall(described)}
    for name, one in inspect.signature(owner).parameters.items():
        if is_dataclass(kinds[name]):
            yield from _list_options(kinds[name])
            continue
        info = copy(getattr(hints[name], "__metadata__", (Option(),))[0])
        info.help = helps.get(name, info.help)
        if isinstance(info, OptionInfo):  # whose first name typer takes for a default
            first = (info.default, *(info.param_decls or ()))
            names = [text for text in first if isinstance(text, str)]
            long = len(name) == 1 or any(text.startswith("--") for text in names)
            info.param_decls = names if long else [f"--{name.replace('_', '-')}", *names]
        info.default = ... if one.default is one.empty else one.default
        yield one.replace(annotation=kinds[name], default=info, kind=one.KEYWORD_ONLY)
