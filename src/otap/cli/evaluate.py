"""``otap evaluate``: many runs, each against the references of its task."""

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from otap.cli.gate import check_all, doubts, faults
from otap.cli.options import (
    AsJson,
    Bound,
    Counting,
    FailOn,
    File,
    Jobs,
    Output,
    ReadingOptions,
    References,
    SettingsOptions,
    as_command,
)
from otap.cli.output import escaped, is_one_of, write
from otap.errors import ConfigError, shown_path
from otap.report.view import show
from otap.scoring.gate import Gate, gate

if TYPE_CHECKING:
    from otap.evaluation import Summary


class Engines(StrEnum):
    """What has many runs scored at once."""

    LOCAL = "local"
    RAY = "ray"


@as_command
def evaluate(
    *,
    runs: Annotated[list[str], Argument(metavar="RUNS...")],
    references: References = None,
    output: Output = None,
    jobs: Jobs = None,
    engine: Engines = Engines.LOCAL,
    address: str | None = None,
    as_json: AsJson = False,
    markdown: File = None,
    fail_under: Bound = None,
    fail_on: FailOn = None,
    counting: Counting,
    settings: SettingsOptions,
    reading: ReadingOptions,
    embed: bool = False,
) -> None:
    """Score many runs, each against the references of its task.

    Writes a result for each run, and shows all in all, by task, and what was found most. Stopped at
    any moment and started again, it goes on. Exits with 3 if a run has no score.

    Options:
        runs: Trace files, folders, or patterns in quotes.
        references: Known-good runs of all tasks: files, folders, JSONL. Without it, the gold that
            the runs' own files carry.
        output: Results, one a line, in the order of the runs; if it is there, it is gone on with.
            OUT.parquet is made of OUT.jsonl beside it, when all is done.
        engine: This machine's processors, or a Ray cluster.
        address: Of a running Ray cluster; else RAY_ADDRESS, else one is started here.
        as_json: Print the summary as JSON.
        markdown: Write the table for a job's summary or a pull request.
        fail_under: Exit with 1 if the mean score is below X.
        embed: Each result carries its run and its best reference, for otap report elsewhere.
    """
    loaded = settings.load(counting)
    asked = gate(fail_under, fail_on or [])
    # What many runs need takes as long to load as a score, which does not need it.
    from otap.cli import many
    from otap.report.evaluation import evaluation_view

    lines = many.lines_path(output)
    results = [one for one in (lines, output) if one is not None]
    _check_apart(markdown, results, runs, references)
    files = many.input_files(runs, besides=results)
    known_good = many.references(
        references, files, reading.format_name, reasoning=reading.reasoning
    )
    work = many.Work(loaded.config, known_good, reading.format_name, reading.reasoning, embed)
    by = many.engine(jobs, address, on_ray=engine is Engines.RAY)
    summary = many.evaluated(files, work, lines, by)
    if len(set(results)) == 2:
        many.write_parquet(*results)
    if markdown is not None:
        _write_markdown(markdown, asked, summary)
    try:
        if as_json:
            print(escaped(json.dumps(summary.to_dict(), ensure_ascii=False, indent=2)))
        else:
            show(evaluation_view(summary))
    finally:
        check_all(asked, summary)


def _check_apart(
    markdown: Path | None, results: Sequence[Path], *read: Sequence[str] | None
) -> None:
    """Refuses, before any work is done, a table in place of the results or of what is read.

    Raises:
        ConfigError: if so.
    """
    if markdown is None:
        return
    if is_one_of(markdown, results):
        raise ConfigError("--markdown and --output name one file; the results would be lost")
    if is_one_of(markdown, (one for names in read for one in names or ())):
        raise ConfigError(f"{shown_path(markdown)}: is read for this; name another file")


def _write_markdown(path: Path, asked: Gate, summary: "Summary") -> None:
    from otap.report.markdown import evaluation_markdown

    told = [*faults(asked, summary), *doubts(asked, summary)]
    write(path, evaluation_markdown(summary, told))
