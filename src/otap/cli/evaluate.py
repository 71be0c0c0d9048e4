"""``otap evaluate``: many runs, each against the references of its task."""

import json
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from otap import formats
from otap._numbers import count_text
from otap.cli import options
from otap.cli.gate import check_all, doubts, faults
from otap.cli.output import escaped, is_one_of, say, write
from otap.cli.references import choose_references
from otap.errors import ConfigError, FormatError, shown_path
from otap.report.view import show
from otap.scoring.gate import gate
from otap.scoring.selection import TOLD_BY
from otap.trajectory import Trajectory
from otap.transport import processors

if TYPE_CHECKING:
    from otap.evaluation import Engine, Summary

PARQUET = ".parquet"
OTHERS = {".csv", ".tsv", ".xlsx", ".html", ".md", ".txt"}  # that results are not written as


class Engines(StrEnum):
    """What has many runs scored at once."""

    LOCAL = "local"
    RAY = "ray"


@options.as_command
def evaluate(
    *,
    runs: Annotated[list[str], Argument(metavar="RUNS...")],
    references: options.References = None,
    output: options.Output = None,
    jobs: options.Jobs = None,
    engine: Engines = Engines.LOCAL,
    address: str | None = None,
    as_json: options.AsJson = False,
    markdown: options.File = None,
    fail_under: options.Bound = None,
    fail_on: options.FailOn = None,
    counting: options.Counting,
    settings: options.Settings,
    reading: options.Reading,
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
    from otap.cli.progress import Watch
    from otap.evaluation import ResultFile, Work, input_files
    from otap.evaluation import evaluate as evaluated
    from otap.evaluation.results.files import check_installed, write_parquet
    from otap.report.results import evaluation_markdown, evaluation_view

    lines = output
    if output is not None and output.suffix in OTHERS:
        raise ConfigError(
            f"{shown_path(output)}: results are written as OUT.jsonl or OUT.parquet; otap report"
            " makes a page of them, and --markdown writes a table"
        )
    if output is not None and output.suffix == PARQUET:
        check_installed()
        lines = output.with_suffix(".jsonl")
    results = [one for one in (lines, output) if one is not None]
    _check_apart(markdown, results, [*runs, *(references or ())])
    files = input_files(runs, exclude=results)
    gold = choose_references(
        references or (), _read_gold(files, reading), "the runs' files carry",
        reasoning=reading.reasoning, rule=loaded.config.task_rule,
    )  # fmt: skip
    work = Work(loaded.config, tuple(gold), reading.format_name, reading.reasoning, embed)
    by = _choose_engine(jobs, address, on_ray=engine is Engines.RAY)
    with Watch() as watch, nullcontext() if lines is None else ResultFile(lines) as written:
        summary = evaluated(files, work, written, by, watch.tell)
    _say_matched(summary)
    if len(set(results)) == 2:
        write_parquet(*results)
    if markdown is not None:
        told = [*faults(asked, summary), *doubts(asked, summary)]
        write(markdown, evaluation_markdown(summary, told))
    try:
        if as_json:
            print(escaped(json.dumps(summary.to_dict(), ensure_ascii=False, indent=2)))
        else:
            show(evaluation_view(summary))
    finally:
        check_all(asked, summary)


def _say_matched(summary: "Summary") -> None:
    """Says what told the tasks of runs, where it is not their names."""
    told = [(TOLD_BY[by], count) for by, count in sorted(summary.matched.items())]
    if not summary.matched.keys().isdisjoint(("request", "group")):
        listed = "; ".join(f"{what}: {count_text(count, 'run')}" for what, count in told)
        say(f"tasks are told by {listed} (--task-from says otherwise)")


def _check_apart(markdown: Path | None, results: Sequence[Path], read: Sequence[str]) -> None:
    """Refuses, before any work is done, a table in place of the results or of what is read.

    Raises:
        ConfigError: if so.
    """
    if markdown is not None and is_one_of(markdown, results):
        raise ConfigError("--markdown and --output name one file; the results would be lost")
    if markdown is not None and is_one_of(markdown, read):
        raise ConfigError(f"{shown_path(markdown)}: is read for this; name another file")


def _read_gold(files: Sequence[str], reading: options.Reading) -> Iterator[Trajectory]:
    for file in files:
        with suppress(FormatError):  # its runs will say so
            yield from formats.own_references(file, format=reading.format_name)


def _choose_engine(jobs: int | None, address: str | None, *, on_ray: bool) -> "Engine":
    """Returns what has runs scored: the processors of this machine, or a Ray cluster.

    Raises:
        ConfigError: for the address of a cluster that is not asked for.
    """
    from otap.evaluation.engines import local, ray

    if on_ray:
        return partial(ray.run, address=address, jobs=jobs, notify=say)
    if address is not None:
        raise ConfigError("--address is that of a Ray cluster; add --engine ray")
    return local.engine(jobs or processors())
