"""Options that several commands have."""

from typing import Annotated

import typer

Run = Annotated[str, typer.Argument(metavar="RUN", help="A trace file, or - for standard input.")]
FormatName = Annotated[
    str | None, typer.Option("--format", help="Name of the run's format; found by itself.")
]
Which = Annotated[
    str | None,
    typer.Option(
        "--run", help="Which run of the file: TASK/TRIAL, an id, a task, or #PLACE from 0."
    ),
]
Reasoning = Annotated[
    bool, typer.Option("--reasoning", help="Text that leads to no tool call becomes a step.")
]
