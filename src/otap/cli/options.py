"""Options that several commands have."""

from pathlib import Path
from typing import Annotated, Any

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
Required = Annotated[
    bool,
    typer.Option("--required", help="The references say what must happen, not all of a good run."),
]
OnlyChanges = Annotated[
    bool,
    typer.Option("--only-changes", help="Only changes count, even of references that read."),
]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Processes; else one for each processor."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]
FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on", metavar="SEVERITY|KIND[:TOOL]",
        help="Exit with 1 on such a finding: critical, major (or worse), minor (any), or a "
        "kind, as missing; of a tool, as arguments:pay_*. Can be repeated.",
    ),
]  # fmt: skip
Preset = Annotated[str | None, typer.Option(help="default or paper.")]
Encoder = Annotated[
    str | None, typer.Option(help="wordllama, minilm, or a model's folder or name.")
]
Dependencies = Annotated[
    str | None, typer.Option(help="auto, explicit, traced, conflicts, sequential or order.")
]
ConfigFile = Annotated[
    Path | None, typer.Option(help="Settings; else otap.toml or pyproject.toml here.")
]

RunsOrNone = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="RUNS",
        help="Runs with outcomes: trace files, folders, or patterns in quotes.",
    ),
]
ReferencesOrOwn = Annotated[
    list[str] | None,
    typer.Option(
        "--reference", "-r", metavar="REF",
        help="Known-good runs of all tasks: files, folders, JSONL, or files that carry gold. "
        "Without it, one good run of each task is its reference.",
    ),
]  # fmt: skip
Good = Annotated[
    list[str] | None,
    typer.Option("--good", metavar="FOLDER", help="Runs that are all good. Can be repeated."),
]
Bad = Annotated[
    list[str] | None,
    typer.Option("--bad", metavar="FOLDER", help="Runs that are all bad. Can be repeated."),
]
Outcomes = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.csv",
        help="How runs ended, in place of what their files say: columns id, or task and trial; and "
        "outcome: a number, true or false, good or bad.",
    ),
]
GoodFrom = Annotated[
    float | None,
    typer.Option(metavar="X", help="The outcome from which on a run is good; else 1."),
]


def settings(
    preset: str | None,
    encoder: str | None,
    dependencies: str | None,
    *,
    required: bool,
    only_changes: bool,
) -> dict[str, Any]:
    """Returns the settings that were said by options; None where nothing was."""
    return {
        "preset": preset,
        "encoder": encoder,
        "dependencies": dependencies,
        "reference": "required" if required else None,
        "only_changes": only_changes or None,
    }
