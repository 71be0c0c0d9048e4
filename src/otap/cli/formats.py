"""``otap formats``: what can be read, and what was read of a file."""

from collections.abc import Iterator
from typing import Annotated

from typer import Argument, Exit

from otap import formats as reading
from otap._numbers import count_text
from otap.cli.options import Reading, as_command
from otap.cli.output import BAD_INPUT, INCONCLUSIVE, say
from otap.errors import FormatError, shown_path
from otap.report.reading import reading_view
from otap.report.view import Cell, Table, line, show


@as_command
def formats(
    *,
    files: Annotated[list[str] | None, Argument(metavar="[FILE]...")] = None,
    options: Reading,
) -> None:
    """List the trace formats that can be read, or show what was read of FILE.

    Of a file: its format and by what it is known, its runs with their steps and failures, and
    what no step was made of. Exits with 2 if a file cannot be read, with 3 if nothing was
    understood of a run.

    Options:
        files: Trace files or folders, or - for standard input.
    """
    if not files:
        known = [reading.load_format(name) for name in reading.FORMATS]
        rows = [(Cell(one.NAME), Cell(one.DESCRIPTION), Cell(one.STEP)) for one in known]
        show([Table(rows, ("name", "what it is", "what becomes a step"))])
        return
    codes = [_report(name, options) for path in files for name in _list_files(path)]
    worst = next((code for code in (BAD_INPUT, INCONCLUSIVE) if code in codes), 0)
    if worst:
        raise Exit(worst)


def _list_files(path: str) -> Iterator[str]:
    """The files of a folder; what holds none is left to the report of it."""
    try:
        yield from reading.trace_files(path)
    except FormatError:
        yield path


def _report(name: str, options: Reading) -> int:
    """Shows what was read of one file; returns the exit code that it asks for."""
    try:
        file = next(iter(reading.open_files(name, format=options.format_name)))
        if file.format.NAME == "otap-plan":  # which has no runs
            plans = count_text(sum(1 for _ in file.references()), "plan")
            show([line(f"{shown_path(name)}: {plans}; 'otap graph' draws one")])
            return 0
        runs = list(file.runs(reasoning=options.reasoning))
        golds = sum(1 for _ in file.references())
    except FormatError as error:
        say(str(error))
        return BAD_INPUT
    known_by = f"{file.format.NAME}: {file.format.KNOWN_BY}"
    named = [(reading.label(run), run) for run in runs]
    show([*reading_view(name, known_by, named, golds), line()])
    return 0 if all(run.understood for run in runs) else INCONCLUSIVE
