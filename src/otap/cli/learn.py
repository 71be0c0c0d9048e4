"""``otap learn``: the tools of runs with their roles, as settings to correct by hand."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from otap.cli import options
from otap.cli.labels import end_if_failed, say_first
from otap.cli.output import STANDARD_OUTPUT, check_folder, escaped, same_file, say, write
from otap.config.file import FILE_NAMES, MAX_BYTES
from otap.errors import ConfigError, shown_path
from otap.report.view import show
from otap.scoring import Config

if TYPE_CHECKING:  # the help of other commands does not wait for it
    from otap.learning import ToolRoles


@options.as_command
def learn(
    *,
    runs: Annotated[list[str] | None, Argument(metavar="RUNS")] = None,
    output: options.Output = None,
    force: bool = False,
    as_json: options.AsJson = False,
    counting: options.Counting,
    settings: options.Settings,
    reading: options.Reading,
) -> None:
    """List the tools of your runs with their inferred roles.

    A tool writes, reads, thinks or hands over. Prints a settings file in which you can correct
    wrong roles, and a table of the tools. The runs need no outcomes.

    Examples:
      otap learn runs/
      otap learn runs/ -o otap.toml

    Exit codes:
      0  done
      2  bad input or usage
      3  a run could not be read

    Options:
        runs: Trace files, folders, or patterns in quotes.
        output: Write the settings to this file. An existing file is overwritten only if this
            command wrote it and nobody has edited it.
        force: Overwrite any existing file.
    """
    from otap.learning import learn as list_tools
    from otap.learning.reading import RunFiles, read_runs

    config = _load_settings(settings, counting, output)
    if output is not None:
        check_folder(output)
        _check_overwriting(output, force=force)
    names = RunFiles(
        runs or (), format=reading.format_name, reasoning=reading.reasoning, rule=config.task_rule
    )
    read = read_runs(names)
    say_first(read.failed)
    _put_out(list_tools([labelled.run for labelled in read.runs], config=config), output, as_json)
    end_if_failed(read)


def _load_settings(
    settings: options.Settings, counting: options.Counting, output: Path | None
) -> Config:
    """Returns the settings in force, but not those of the file that will be overwritten."""
    if settings.config is None and output is not None and same_file(output, FILE_NAMES[0]):
        chosen = settings.overrides(counting)
        options_given = {name: value for name, value in chosen.items() if value is not None}
        return Config.preset(options_given.pop("preset", "default"), **options_given)
    loaded = settings.load(counting)
    sources = {name for name in loaded.origins.values() if not name.startswith("preset ")}
    if sources:
        say(f"these settings are in force and are repeated: {' and '.join(sorted(sources))}")
    return loaded.config


def _check_overwriting(output: Path, *, force: bool) -> None:
    """Refuses to overwrite a file that somebody else wrote, or edited.

    Raises:
        ConfigError: if the file exists and is not as this command wrote it.
    """
    if force or str(output) == STANDARD_OUTPUT or not output.is_file():
        return
    from otap.learning.template import is_unedited

    text = ""
    with suppress(OSError, ValueError), output.open(encoding="utf-8", newline="") as file:
        text = file.read(MAX_BYTES + 1)
    if text and not is_unedited(text):
        raise ConfigError(
            f"{shown_path(output)}: exists, and otap learn did not write it or it was edited"
            " since; name another file with -o, or overwrite it with --force"
        )


def _put_out(tools: "ToolRoles", output: Path | None, as_json: bool) -> None:
    """Writes or prints the settings, and shows the table on the stream that is left."""
    from otap.report.learned.tools import tools_view

    text = tools.to_toml()
    file = None if output is None or str(output) == STANDARD_OUTPUT else output
    if file is not None:
        write(file, text)
    if as_json:
        print(escaped(tools.to_json(indent=2)))
        return
    if file is None:
        print(text, end="", flush=True)
    if file is not None or not sys.stdout.isatty():  # a terminal shows the settings already
        show(tools_view(tools), sys.stderr if file is None else sys.stdout)
    say(f"next: otap evaluate RUNS -r REFS --config {'FILE' if file is None else shown_path(file)}")
