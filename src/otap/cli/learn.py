"""``otap learn``: the tools of runs with their roles, as settings to correct by hand."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from otap.cli import options
from otap.cli.labels import end_if_failed, say_first
from otap.cli.output import STANDARD_OUTPUT, check_folder, escaped, say, write
from otap.errors import ConfigError, shown_path
from otap.report.view import show

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
        output: Write the settings to this file, which must not exist.
        force: Overwrite an existing file.
    """
    from otap.learning import learn as list_tools
    from otap.learning.reading import RunFiles, read_runs

    if output is not None:
        check_folder(output)
        if not force and str(output) != STANDARD_OUTPUT and output.is_file():
            raise ConfigError(
                f"{shown_path(output)}: exists; name another file with -o, or overwrite it with"
                " --force"
            )
    loaded = settings.load(counting)
    config = loaded.config
    sources = {name for name in loaded.origins.values() if not name.startswith("preset ")}
    if sources:
        say(f"these settings are in force and are repeated: {' and '.join(sorted(sources))}")
    names = RunFiles(
        runs or (), format=reading.format_name, reasoning=reading.reasoning, rule=config.task_rule
    )
    read = read_runs(names)
    say_first(read.failed)
    _put_out(list_tools([labelled.run for labelled in read.runs], config=config), output, as_json)
    end_if_failed(read)


def _put_out(tools: "ToolRoles", output: Path | None, as_json: bool) -> None:
    """Writes or prints the settings, and shows the table on the stream that is left."""
    from otap.report.learned import tools_view

    text = tools.to_toml()
    file = None if output is None or str(output) == STANDARD_OUTPUT else output
    if file is not None:
        write(file, text)
    if as_json:
        print(escaped(tools.to_json(indent=2)))
        return
    if file is None:
        print(escaped(text), end="", flush=True)
    if file is not None or not sys.stdout.isatty():  # a terminal shows the settings already
        show(tools_view(tools), sys.stderr if file is None else sys.stdout)
    say(f"next: otap evaluate RUNS -r REFS --config {'FILE' if file is None else shown_path(file)}")
