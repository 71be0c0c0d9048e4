"""``otap convert``: a trace in OTAP's own format."""

from pathlib import Path
from typing import Annotated

from typer import Option

from otap import formats
from otap.cli import options
from otap.cli.output import escaped, write


@options.as_command
def convert(
    *,
    run: options.Run,
    which: options.Which = None,
    output: Annotated[Path | None, Option("-o")] = None,
    reading: options.Reading,
) -> None:
    """Write a trace in OTAP's own format.

    One run becomes JSON, several become JSONL, one a line.

    Options:
        output: Write here; - is standard output.
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
