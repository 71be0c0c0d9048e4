"""``otap init``: looks at traces, proposes references, and writes settings and a CI job."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from otap._numbers import count_text, number_text
from otap.cli import options
from otap.cli.golden_files import WORK, ask, make_work_folder
from otap.cli.labels import end_if_failed, say_first
from otap.cli.output import STANDARD_OUTPUT, check_folder, escaped, make_folder, say, write
from otap.errors import ConfigError, shown, shown_path
from otap.report.view import ViewLine, line, show

if TYPE_CHECKING:  # the help of other commands does not wait for it
    from otap.learning import ToolRoles
    from otap.learning.reading import ReadRuns

SETTINGS = Path("otap.toml")
SCHEMA = WORK / "settings-1.json"
WORKFLOW = Path(".github/workflows/otap.yml")
MANY = 5  # good runs of a task from which a few should be selected
MAX_TASKS = 10  # tasks that are listed
GOOD = 1.0  # the outcome of a good run
_JOB = """\
# Checks the runs of the agent against the references in gold/.
name: OTAP
on: [push, pull_request]
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install otap-eval
      # Write the traces of the agent to {runs} before this step.
      - run: otap check {runs}
"""


@options.as_command
def init(
    *,
    runs: Annotated[list[str] | None, Argument(metavar="RUNS")] = None,
    output: options.Output = None,
    force: bool = False,
    as_json: options.AsJson = False,
    counting: options.Counting,
    settings: options.Settings,
    reading: options.Reading,
) -> None:
    """Look at your runs, and set up golden runs for them.

    Shows the formats, tasks, outcomes and tools of the runs, and the role that each tool is taken
    for. Writes otap.toml, in which you can correct wrong roles, and a job for GitHub. Prints the
    next three commands. Nothing is overwritten without asking.

    Examples:
      otap init runs/
      otap init runs/ -o otap.toml

    Exit codes:
      0  done
      2  bad input or usage
      3  a run could not be read

    Options:
        runs: Trace files, folders, or patterns in quotes.
        output: Write only the settings, to this file; - prints them.
        force: Overwrite existing files.
        as_json: Print the tools and their roles as JSON, and write nothing.
    """
    from otap.learning import learn as list_tools
    from otap.learning.reading import RunFiles, read_runs

    if output is not None and str(output) != STANDARD_OUTPUT:
        check_folder(output)
        if not force and output.is_file():
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
    tools = list_tools([labelled.run for labelled in read.runs], config=config)
    if as_json:
        print(escaped(tools.to_json(indent=2)))
    elif output is not None:
        _write_settings(tools, output)
    else:
        _set_up(tools, read, list(runs or ()), force=force)
    end_if_failed(read)


def _write_settings(tools: "ToolRoles", output: Path) -> None:
    """Writes or prints the settings, and shows the table on the stream that is left."""
    from otap.report.learned import tools_view

    text = tools.to_toml()
    if str(output) != STANDARD_OUTPUT:
        write(output, text)
        show(tools_view(tools), sys.stdout)
    else:
        print(escaped(text), end="", flush=True)
        if not sys.stdout.isatty():  # a terminal shows the settings already
            show(tools_view(tools), sys.stderr)
    name = "FILE" if str(output) == STANDARD_OUTPUT else shown_path(output)
    say(f"next: otap evaluate RUNS -r REFS --config {name}")


def _set_up(tools: "ToolRoles", read: "ReadRuns", runs: list[str], *, force: bool) -> None:
    """Describes the runs, writes the settings and the job, and prints the next commands."""
    from otap.report.learned import tools_view

    show(tuple(_describe_runs(read)))
    show(tools_view(tools))
    folder = runs[0] if len(runs) == 1 else "RUNS"
    _write_schema()
    # Editors with taplo complete and check the settings by this line.
    text = f"#:schema ./{SCHEMA.as_posix()}\n{tools.to_toml()}"
    _write_unless_there(SETTINGS, text, force=force)
    _write_unless_there(WORKFLOW, _JOB.format(runs=folder), force=force)
    show((line(), *(line(text) for text in _list_next(read, folder))))


def _write_schema() -> None:
    """Writes the schema of the settings that this version of OTAP knows."""
    from otap.config.schema import settings_schema

    make_work_folder(WORK)
    write(SCHEMA, json.dumps(settings_schema(), indent=2) + "\n")


def _write_unless_there(file: Path, text: str, *, force: bool) -> None:
    if file.exists() and not force and not ask(f"otap: {file} exists; overwrite it?"):
        say(f"{file}: exists and stays; --force overwrites it")
        return
    make_folder(file.parent)
    write(file, text)
    say(f"{file}: written")


def _describe_runs(read: "ReadRuns") -> Iterator[ViewLine]:
    """Yields lines about the files, the tasks and the outcomes."""
    from otap import formats
    from otap.errors import FormatError

    names: Counter[str] = Counter()
    for file in read.files:
        try:
            names[formats.open_file(file).format.NAME] += 1
        except FormatError:
            continue  # reported when its runs were read
    counts = [f"{name} ({count_text(count, 'file')})" for name, count in sorted(names.items())]
    yield line(f"{count_text(len(read.runs), 'run')}; formats: {', '.join(counts) or 'none'}")
    tasks = Counter(labelled.run.task or "no task" for labelled in read.runs)
    listed = [f"{shown(task, 40)} ({count})" for task, count in tasks.most_common(MAX_TASKS)]
    more = ", ..." if len(tasks) > MAX_TASKS else ""
    yield line(f"{count_text(len(tasks), 'task')}: {', '.join(listed)}{more}")
    outcomes = [labelled.run.outcome for labelled in read.runs]
    recorded = [outcome for outcome in outcomes if outcome is not None]
    good = sum(outcome >= GOOD for outcome in recorded)
    text = "no run records an outcome: record only runs that you have looked at"
    if recorded:
        text = f"outcomes: {number_text(good)} good, {number_text(len(recorded) - good)} bad"
    yield line(text)


def _list_next(read: "ReadRuns", folder: str) -> Iterator[str]:
    """Yields the next commands; of many good runs of a task, a few are selected first."""
    tasks = Counter(
        labelled.run.task
        for labelled in read.runs
        if labelled.run.outcome is None or labelled.run.outcome >= GOOD
    )
    yield "next:"
    if tasks and max(tasks.values()) >= MANY:
        yield f"  otap select {folder} -k 3 -o selected/"
        yield "  otap record selected/ -o gold/"
    else:
        yield f"  otap record {folder} -o gold/"
    yield f"  otap check {folder}"
    yield "  otap accept .otap/check.jsonl:FINDING"
