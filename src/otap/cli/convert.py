"""``otap convert``: a trace in OTAP's own format."""

from pathlib import Path
from typing import Annotated

import typer

from otap import formats
from otap.cli.options import ReadingOptions, Run, Which, with_groups
from otap.cli.output import escaped, write


@with_groups
def convert(
    *,
    run: Run,
    which: Which = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here; - is standard output.")
    ] = None,
    reading: ReadingOptions,
) -> None:
    """Write a trace in OTAP's own format.

    One run becomes JSON, several become JSONL, one a line.
    """
    runs = list(formats.read_all(run, format=reading.format_name, reasoning=reading.reasoning))
    if which is not None:
        runs = [formats.select(runs, which, run)]
    one = len(runs) == 1
    text = escaped(runs[0].to_json(indent=2) if one else "\n".join(run.to_json() for run in runs))
    if output is None:
        print(text)
    else:
        write(output, text + "\n")
