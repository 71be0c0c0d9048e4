"""``otap formats``: lists the trace formats, or shows how a file was read."""

from collections.abc import Iterator
from typing import Annotated

from typer import Argument, Exit

from otap import formats as reading
from otap._numbers import count_text
from otap.cli.options import Reading, as_command
from otap.cli.output import BAD_INPUT, INCONCLUSIVE, say
from otap.cli.progress import Elapsed
from otap.errors import FormatError, shown_path
from otap.report.file_contents import reading_view
from otap.report.view import Cell, ViewTable, line, show


@as_command
def formats(
    *,
    files: Annotated[list[str] | None, Argument(metavar="[FILE]...")] = None,
    options: Reading,
) -> None:
    """List the trace formats, or show how OTAP reads a file.

    For a file, shows its format and how OTAP recognised it, its runs with their steps and failures,
    and the parts that became no step.

    Examples:
      otap formats
      otap formats mine.json

    Exit codes:
      0  understood
      2  a file cannot be read
      3  no verdict: a run could not be read or scored, or evidence is lacking

    Options:
        files: Trace files or folders, or - for standard input.
    """
    if not files:
        readers = [reading.load_format(name) for name in reading.FORMATS]
        rows = [
            (Cell(reader.NAME), Cell(reader.DESCRIPTION), Cell(reader.STEP)) for reader in readers
        ]
        show([ViewTable(rows, ("name", "what it is", "what becomes a step"))])
        return
    codes = [_report(name, options) for path in files for name in _list_files(path)]
    worst = next((code for code in (BAD_INPUT, INCONCLUSIVE) if code in codes), 0)
    if worst:
        raise Exit(worst)


def _list_files(path: str) -> Iterator[str]:
    """Yields the trace files of a folder, or the path itself if there are none."""
    try:
        yield from reading.trace_files(path)
    except FormatError:
        yield path


def _report(name: str, options: Reading) -> int:
    """Shows how a file was read, and returns its exit code."""
    try:
        with Elapsed(f"reading {shown_path(name)}"):
            file = next(iter(reading.open_files(name, format=options.format_name)))
            is_plan = file.format.NAME == "otap-plan"  # a plan has no runs
            runs = [] if is_plan else list(file.runs(reasoning=options.reasoning))
            golds = sum(1 for _ in file.references())
    except FormatError as error:
        say(str(error))
        return BAD_INPUT
    if is_plan:
        show([line(f"{shown_path(name)}: {count_text(golds, 'plan')}; 'otap graph' draws one")])
        return 0
    format_text = f"{file.format.NAME}: {file.format.KNOWN_BY}"
    labelled = [(reading.label(run), run) for run in runs]
    show([*reading_view(name, format_text, labelled, golds), line()])
    return 0 if all(run.understood for run in runs) else INCONCLUSIVE
