"""``otap evaluate``: many runs, each against the references of its task."""

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from otap import evaluation, formats
from otap.cli.gate import gate
from otap.cli.options import (
    ConfigFile,
    Dependencies,
    Encoder,
    FailOn,
    FormatName,
    OnlyChanges,
    Preset,
    Reasoning,
    Required,
    settings,
)
from otap.cli.output import escaped, say
from otap.cli.progress import Watch
from otap.errors import ConfigError, FormatError, NoReferenceError
from otap.evaluation.engines import local, ray
from otap.evaluation.results.output import Nowhere, Output, ResultFile
from otap.evaluation.results.parquet import check_installed, write_parquet
from otap.report.evaluation import evaluation_view
from otap.report.view import show
from otap.scoring.config.file import load_config
from otap.trajectory import Trajectory
from otap.transport import processors

PARQUET = ".parquet"


class Engines(StrEnum):
    """What has many runs scored at once."""

    LOCAL = "local"
    RAY = "ray"


def evaluate(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUNS...", help="Trace files, folders, or patterns in quotes."),
    ],
    references: Annotated[
        list[str] | None,
        typer.Option(
            "--reference", "-r", metavar="REF",
            help="Known-good runs of all tasks: files, folders, JSONL. Without it, the gold that "
            "the runs' own files carry.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="OUT",
            help="Results, one a line, in the order of the runs; if it is there, it is gone on "
            "with. OUT.parquet is made of OUT.jsonl beside it, when all is done.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Processes; else one for each processor."),
    ] = None,
    engine: Annotated[
        Engines, typer.Option(help="This machine's processors, or a Ray cluster.")
    ] = Engines.LOCAL,
    address: Annotated[
        str | None,
        typer.Option(help="Of a running Ray cluster; else RAY_ADDRESS, else one is started here."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    fail_under: Annotated[
        float | None,
        typer.Option("--fail-under", metavar="X", help="Exit with 1 if the mean score is below X."),
    ] = None,
    fail_on: FailOn = None,
    required: Required = False,
    only_changes: OnlyChanges = False,
    preset: Preset = None,
    encoder: Encoder = None,
    dependencies: Dependencies = None,
    config: ConfigFile = None,
    format_name: FormatName = None,
    reasoning: Reasoning = False,
) -> None:  # fmt: skip
    """Score many runs, each against the references of its task.

    Writes a result for each run, and shows all in all, by task, and what was found most. Stopped at
    any moment and started again, it goes on. Exits with 3 if a run has no score.
    """
    chosen = settings(preset, encoder, dependencies, required=required, only_changes=only_changes)
    loaded = load_config(config, chosen)
    asked = gate(fail_under, fail_on or [])
    lines = _lines_path(output)
    files = evaluation.input_files(runs, besides=lines)
    known_good = tuple(_references(references, files, format_name, reasoning))
    work = evaluation.Work(loaded.config, known_good, format_name, reasoning)
    chosen_engine = _engine(engine, jobs, address)
    with Watch() as watch, _opened(lines) as results:
        summary = evaluation.evaluate(files, work, results, chosen_engine, watch.tell)
    if output is not None and lines is not None and output != lines:
        write_parquet(lines, output)
    try:
        if as_json:
            print(escaped(json.dumps(summary.to_dict(), ensure_ascii=False, indent=2)))
        else:
            show(evaluation_view(summary))
    finally:
        asked.check_all(summary)


def _engine(engine: Engines, jobs: int | None, address: str | None) -> evaluation.Engine:
    """How portions are done.

    Raises:
        ConfigError: for the address of a cluster that is not asked for.
    """
    if engine is Engines.RAY:
        return partial(ray.run, address=address, jobs=jobs)
    if address is not None:
        raise ConfigError("--address is that of a Ray cluster; add --engine ray")
    return partial(local.run, jobs=jobs or processors())


def _opened(lines: Path | None) -> AbstractContextManager[Output]:
    return nullcontext(Nowhere()) if lines is None else ResultFile(lines)


def _lines_path(output: Path | None) -> Path | None:
    """The file of lines: the output itself, or beside one of columns.

    Raises:
        ConfigError: if that needs a library that is not there.
    """
    if output is None or output.suffix != PARQUET:
        return output
    check_installed()
    return output.with_suffix(".jsonl")


def _references(
    paths: Sequence[str] | None, files: Sequence[str], format: str | None, reasoning: bool
) -> list[Trajectory]:
    """The references given, or the gold that the files of the runs carry.

    Raises:
        NoReferenceError: if there are none.
        ConfigError: if standard input is named twice.
    """
    if paths:
        if paths.count(formats.STANDARD_INPUT) > 1:
            raise ConfigError("- is standard input, which can be read once; name it once")
        found = [
            one for path in paths for one in formats.read_references(path, reasoning=reasoning)
        ]
        if not found:
            raise NoReferenceError("no reference: what -r names holds no run")
        return found
    found = []
    for file in files:
        with suppress(FormatError):  # its runs will say so
            found += formats.own_references(file, format=format)
    if not found:
        raise NoReferenceError(
            "no reference: pass known-good runs with -r; the runs' own files carry no gold"
        )
    say("no -r given; using the gold that the runs' files carry")
    return found
