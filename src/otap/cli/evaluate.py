"""``otap evaluate``: scores many runs, each against the references of its task."""

import json
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from otap import formats
from otap._numbers import count_text
from otap.cli import options
from otap.cli.gating import check_all, list_doubts, list_failures
from otap.cli.output import STANDARD_OUTPUT, escaped, is_one_of, say, write
from otap.cli.reference_files import choose_references
from otap.cli.settings import check_tools, list_tools, print_file
from otap.errors import ConfigError, FormatError, shown_path
from otap.report.view import show
from otap.scoring.gate import gate
from otap.scoring.selection import MATCHED_BY
from otap.trajectory import Trajectory
from otap.transport import processors

if TYPE_CHECKING:
    from otap.evaluation import Engine, Summary

PARQUET = ".parquet"
UNSUPPORTED = {".csv", ".tsv", ".xlsx", ".html", ".md", ".txt"}  # suffixes of other formats


class Engines(StrEnum):
    """The engines that score runs in parallel."""

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

    Shows the totals, the tasks and the most frequent findings, and writes a result for each run.
    Safe to interrupt: run the command again and it resumes.

    Examples:
      otap evaluate runs/ -r good/ -o results.jsonl
      otap evaluate 'runs/*.json' -r good/ --fail-on critical

    Exit codes:
      0  passed, or no gate was set
      1  the gate failed: --fail-under, --fail-on or --strict
      2  bad input or usage
      3  no verdict: a run could not be read or scored, or evidence is lacking

    Options:
        runs: Trace files, folders, or patterns in quotes.
        references: Known-good runs or plans of all tasks: files or folders (default: the gold
            in the files of the runs).
        output: Write one result per line, in the order of the runs. An unfinished file is
            resumed. For OUT.parquet, OUT.jsonl is written first.
        engine: Use the CPUs of this machine, or a Ray cluster.
        address: The address of a running Ray cluster (default: RAY_ADDRESS, or start one here).
        as_json: Print the summary as JSON.
        markdown: Write the tables for a job summary or a pull request; - prints them.
        fail_under: Exit with 1 if the mean score is below X.
        embed: Copy each run and its best reference into its result, so that 'otap report' works
            without the traces.
    """
    loaded = settings.load(counting)
    run_gate = gate(fail_under, fail_on or [], strict=loaded.config.strict)
    # Loaded when needed: these imports take as long as scoring a run.
    from otap.cli.progress import EvaluationProgress
    from otap.evaluation import ResultFile, Work, input_files
    from otap.evaluation import evaluate as evaluate_runs
    from otap.evaluation.results.result_files import check_installed, write_parquet
    from otap.report.results import evaluation_markdown, evaluation_view

    lines = output
    if output is not None and output.suffix in UNSUPPORTED:
        raise ConfigError(
            f"{shown_path(output)}: results are written as OUT.jsonl or OUT.parquet; for a page,"
            " use otap report, and for a table, --markdown"
        )
    if output is not None and output.suffix == PARQUET:
        check_installed()
        lines = output.with_suffix(".jsonl")
    results = [path for path in (lines, output) if path is not None]
    if as_json and str(markdown) == STANDARD_OUTPUT:
        raise ConfigError("--json and --markdown - both print; write the tables to a file")
    _check_markdown(markdown, results, [*runs, *(references or ())])
    if not as_json:
        print_file(loaded)
    files = input_files(runs, exclude=results)
    gold = choose_references(
        references or (), _read_gold(files, reading), "the files of the runs",
        reasoning=reading.reasoning, rule=loaded.config.task_rule,
    )  # fmt: skip
    work = Work(loaded.config, tuple(gold), reading.format_name, reading.reasoning, embed)
    chosen_engine = _choose_engine(jobs, address, on_ray=engine is Engines.RAY)
    with (
        EvaluationProgress() as progress,
        nullcontext() if lines is None else ResultFile(lines) as result_file,
    ):
        summary = evaluate_runs(files, work, result_file, chosen_engine, progress.update)
    _print_matching(summary)
    if not progress.is_resumed:  # finished results do not list all tools of their runs
        check_tools(loaded.config, summary.tools | list_tools(work.references))
    if len(set(results)) == 2:
        write_parquet(*results)
    if markdown is not None:
        reasons = [*list_failures(run_gate, summary), *list_doubts(run_gate, summary)]
        accepted_from = shown_path(lines) if reasons and lines is not None else ""
        write(markdown, evaluation_markdown(summary, reasons, accepted_from))
    try:
        if as_json:
            print(escaped(json.dumps(summary.to_dict(), ensure_ascii=False, indent=2)))
        elif str(markdown) != STANDARD_OUTPUT:
            show(evaluation_view(summary))
    finally:
        check_all(run_gate, summary)


def _print_matching(summary: "Summary") -> None:
    """Prints how the tasks of runs were determined, unless all are by name."""
    if summary.matched.keys().isdisjoint(("request", "group")):
        return
    counts = "; ".join(
        f"{MATCHED_BY[by]}: {count_text(count, 'run')}"
        for by, count in sorted(summary.matched.items())
    )
    say(f"tasks were determined by {counts} (use --task-from to change this)")


def _check_markdown(markdown: Path | None, results: Sequence[Path], inputs: Sequence[str]) -> None:
    """Checks before any work that the table replaces neither the results nor an input.

    Raises:
        ConfigError: if it would.
    """
    if markdown is not None and is_one_of(markdown, results):
        raise ConfigError("--markdown and --output name the same file; the results would be lost")
    if markdown is not None and is_one_of(markdown, inputs):
        raise ConfigError(f"{shown_path(markdown)}: is an input; name another file")


def _read_gold(files: Sequence[str], reading: options.Reading) -> Iterator[Trajectory]:
    for file in files:
        with suppress(FormatError):  # reading its runs reports the error
            yield from formats.own_references(file, format=reading.format_name)


def _choose_engine(jobs: int | None, address: str | None, *, on_ray: bool) -> "Engine":
    """Returns the engine: the processors of this machine, or a Ray cluster.

    Raises:
        ConfigError: if there is an address without the Ray engine.
    """
    from otap.evaluation.engines import local, ray

    if on_ray:
        return lambda work, files, checkpoint: ray.run(
            work, files, checkpoint, address=address, jobs=jobs, notify=say
        )
    if address is not None:
        raise ConfigError("--address is for a Ray cluster; add --engine ray")
    return local.engine(jobs or processors(), is_isolated=True)
