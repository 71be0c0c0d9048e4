"""Options that several commands share, and the decorator that makes a function a command."""

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
from otap.config.file import LoadedConfig, load_config

Run = Annotated[str, Argument(metavar="RUN", help="A trace file, or - for standard input.")]
RunOrNone = Annotated[
    str | None, Argument(metavar="RUN", help="A trace file, or - for standard input.")
]
Session = Annotated[
    str | None,
    Option(
        metavar="latest|ID|PATH",
        help="A session of Claude Code, Codex, Gemini CLI, Copilot CLI or opencode, instead of a "
        "file: the latest one, or its id.",
    ),
]
Which = Annotated[
    str | None,
    Option(
        "--run",
        help="The run, if the file has several: TASK/TRIAL, an id, a task, or #INDEX from 0.",
    ),
]
References = Annotated[list[str] | None, Option("--reference", "-r", metavar="REF")]
Jobs = Annotated[
    int | None, Option(min=1, metavar="N", help="Number of processes (default: one per CPU).")
]
AsJson = Annotated[bool, Option("--json", help="Print the result as JSON.")]
File = Annotated[Path | None, Option(metavar="FILE")]
Bound = Annotated[float | None, Option(metavar="X")]
Output = Annotated[Path | None, Option("-o", metavar="OUT")]
ConfigFile = Annotated[
    Path | None,
    Option(help="Settings file (default: otap.toml, or [tool.otap] in pyproject.toml)."),
]
Dependencies = Annotated[
    str | None,
    Option(
        help="How to find out which step needs which: auto (the best that both sides allow), "
        "explicit (recorded), traced (values), conflicts (same objects), sequential (each step "
        "needs the previous one) or order (the reference's best, against the order of the run)."
    ),
]
TaskFrom = Annotated[str | None, Option(metavar="request|file[:PATTERN]|metadata.KEY|id")]
FailOn = Annotated[
    list[str] | None,
    Option(
        metavar="SEVERITY|KIND[:TOOL]",
        help="Exit with 1 on such a finding: a severity (critical, major, minor: this or worse), "
        "or a kind (missing), also for some tools (arguments:pay_*). Can be repeated.",
    ),
]

_OPTIONS = "\n\nOptions:\n"  # the heading of the options in a docstring
_LISTS = regex(r"(?m)^(?=(?:Examples|Exit codes):$)")  # the headings of lists in a docstring
_DESCRIBED = regex(r"(?m)^    (\w+): (.*(?:\n     .*)*)")


@dataclass(frozen=True)
class Counting:
    """Which steps of the references count.

    Options:
        required: The references list the steps that must happen, not whole runs.
        only_changes: Look-ups always count little, even if a reference only looks things up.
    """

    required: bool = False
    only_changes: bool = False


@dataclass(frozen=True)
class Settings:
    """Settings from the command line, and the settings file.

    Options:
        preset: The settings to start from: default or paper.
        encoder: The model that compares texts: wordllama, minilm, or the folder or name of a model.
        task_from: Where to find the name of a run's task (default: the task in the run, or else in
            its metadata, or else the user's request).
        strict: Treat every difference as critical that nothing proves harmless, and exit with 1.
    """

    preset: str | None = None
    encoder: str | None = None
    dependencies: Dependencies = None
    task_from: TaskFrom = None
    strict: bool = False
    config: ConfigFile = None

    def overrides(self, counting: Counting) -> Mapping[str, Any]:
        """Returns the settings of the options; None for an option that was not given."""
        return {
            "preset": self.preset,
            "encoder": self.encoder,
            "dependencies": self.dependencies,
            "task_from": self.task_from,
            "strict": self.strict or None,
            "reference": "required" if counting.required else None,
            "only_changes": counting.only_changes or None,
        }

    def load(self, counting: Counting) -> LoadedConfig:
        """Returns the settings in force.

        Raises:
            ConfigError: like ``load_config``.
        """
        return load_config(self.config, self.overrides(counting))


@dataclass(frozen=True)
class Reading:
    """How traces are read.

    Options:
        format_name: The format of the trace (default: detected); 'otap formats' lists them.
        reasoning: Count text without a tool call as a step, too.
    """

    format_name: Annotated[str | None, Option("--format")] = None
    reasoning: bool = False


def as_command(function: Callable[..., None]) -> Callable[..., None]:
    """Returns a function as a typer command.

    Each parameter is an option of the same name; a bool is a flag without an opposite. The section
    "Options" of the docstring has the help texts, and comes last. A parameter whose type is a
    dataclass is a group: its fields are the options.
    """
    hints = get_type_hints(function)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    fields = {name: list(inspect.signature(kind).parameters) for name, kind in groups.items()}

    @wraps(function)
    def command(**arguments: Any) -> None:
        for name, group in groups.items():
            arguments[name] = group(**{field: arguments.pop(field) for field in fields[name]})
        function(**arguments)

    parameters = list(_list_options(function))
    command.__doc__ = help_text(function)
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command.__dict__["__signature__"] = inspect.Signature(parameters)
    return command


def help_text(function: Callable[..., None]) -> str:
    """Returns the help of a command: its docstring without the options.

    The sections "Examples" and "Exit codes" keep their lines.
    """
    text = (inspect.getdoc(function) or "").partition(_OPTIONS)[0]
    return _LISTS.sub("\b\n", text)


def _list_options(owner: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    """Yields the parameters of a function or a group, with their typer options."""
    kinds, hints = get_type_hints(owner), get_type_hints(owner, include_extras=True)
    described = (inspect.getdoc(owner) or "").partition(_OPTIONS)[2]
    helps = {name: " ".join(text.split()) for name, text in _DESCRIBED.findall(described)}
    for name, parameter in inspect.signature(owner).parameters.items():
        if is_dataclass(kinds[name]):
            yield from _list_options(kinds[name])
            continue
        info = copy(getattr(hints[name], "__metadata__", (Option(),))[0])
        info.help = helps.get(name, info.help)
        if isinstance(info, OptionInfo):  # typer stores the first name as the default
            declarations = (info.default, *(info.param_decls or ()))
            names = [text for text in declarations if isinstance(text, str)]
            has_name = len(name) == 1 or any(text.startswith("--") for text in names)
            info.param_decls = names if has_name else [f"--{name.replace('_', '-')}", *names]
        has_default = parameter.default is not parameter.empty
        info.default = parameter.default if has_default else ...
        yield parameter.replace(
            annotation=kinds[name], default=info, kind=inspect.Parameter.KEYWORD_ONLY
        )
