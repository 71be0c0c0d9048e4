"""``otap report``: the results of many runs as one page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from otap._numbers import count_text, tenths_text
from otap.cli import options
from otap.cli.output import check_folder, is_one_of, say, write
from otap.config.file import load_config
from otap.errors import ConfigError, shown_path

if TYPE_CHECKING:  # what makes pages is loaded when one is asked for
    from otap.report.pages.many import ManyRunsPage

PAGE = ".html"


@options.as_command
def report(
    *,
    results: Annotated[Path, Argument(metavar="RESULTS")],
    output: Annotated[Path | None, Option("-o", metavar="FILE")] = None,
    base: Annotated[Path | None, Option(metavar="BASE")] = None,
    redact: bool = False,
    config: options.ConfigFile = None,
    reading: options.Reading,
) -> None:
    """Show many runs as one page that opens from disk: what went wrong, where, and each run.

    The traces are found again by the paths in RESULTS, or taken from it (evaluate --embed); a run
    whose trace is gone or has changed is shown without its steps.

    Options:
        results: A file of otap evaluate: JSONL, or Parquet.
        output: The page; else RESULTS as .html.
        base: The results from before: the page says what moved.
        redact: Hide values, texts and names, for a page that leaves the house; names of tools and
            of their arguments stay.
    """
    from otap.cli.progress import Parts
    from otap.evaluation import read_results
    from otap.evaluation.comparison import compare
    from otap.evaluation.explaining import Explainer, FoundTraces, read_packed
    from otap.formats.registry import load_format
    from otap.report.pages.many import many_page
    from otap.report.pages.overview import Base
    from otap.report.redaction import Redactor

    path = _page_path(results, output)
    if is_one_of(path, (results, base)):
        raise ConfigError(f"{shown_path(path)}: is one of the results; name another file with -o")
    check_folder(path)
    # What cannot be read or found is said to be so, and not to be why no run has steps.
    load_config(config)
    if reading.format_name is not None:
        load_format(reading.format_name)
    lines = read_packed(results)
    read = [line.result for line in lines]
    traces = FoundTraces(results.parent, read, reading.format_name, reasoning=reading.reasoning)
    explainer = Explainer(read[0].signature, traces, config)
    before = None if base is None else Base(compare(base, results), tuple(read_results(base)))
    redactor = Redactor() if redact else None
    with Parts("reading", "run") as parts:
        found = many_page(lines, explainer, before, redactor, parts.tell)
    write(path, found.html)
    _tell(found, path, len(lines))


def _page_path(results: Path, output: Path | None) -> Path:
    """Where the page is written: beside the results, where nothing is said."""
    if output is not None:
        return output
    if not results.name or results.is_dir():
        raise ConfigError(f"{shown_path(results)}: is a folder; name a file of otap evaluate")
    return results.with_suffix(PAGE)


def _tell(found: "ManyRunsPage", path: Path, runs: int) -> None:
    """Says on standard error what became of it, and what it lacks."""
    for why, count in found.without_steps.items():
        say(f"{count_text(count, 'run')} without steps: {why}")
    if found.without_steps:
        say("to have their steps: --config with the settings they had, or otap evaluate --embed")
    if found.left_out:
        say(f"{count_text(found.left_out, 'run')} without a row: the page has the worst of them")
    size = len(found.html.encode()) / 1e6
    say(f"{count_text(runs, 'run')} in {shown_path(path)}, {tenths_text(size)} MB")
