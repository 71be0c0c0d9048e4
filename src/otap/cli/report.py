"""``otap report``: writes the results of many runs as one HTML page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from otap._numbers import count_text, decimal_text
from otap.cli import options
from otap.cli.output import check_folder, is_one_of, say, write
from otap.config.file import load_config
from otap.errors import ConfigError, shown_path

if TYPE_CHECKING:  # loaded when needed, so that other commands start faster
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
    """Write the results of many runs as one HTML page.

    The page is a single file, with the most frequent problems and every run. It reads the steps
    from the traces named in RESULTS, or from RESULTS itself (otap evaluate --embed). If a trace is
    gone or has changed, its run has no steps on the page.

    Examples:
      otap report results.jsonl
      otap report results.jsonl --base old.jsonl -o page.html

    Options:
        results: The results, from otap evaluate: JSONL or Parquet.
        output: Write the page to this file (default: RESULTS with the suffix .html).
        base: Earlier results: the page then shows the changes.
        redact: Hide values, texts and names, but not the names of tools and arguments.
    """
    from otap.cli.progress import Parts
    from otap.evaluation import read_results
    from otap.evaluation.comparison import compare
    from otap.evaluation.explaining import Explainer, TraceFinder, read_packed
    from otap.formats.registry import load_format
    from otap.report.pages.many import many_page
    from otap.report.pages.overview import Base
    from otap.report.redaction import Redactor

    path = _page_path(results, output)
    if is_one_of(path, (results, base)):
        raise ConfigError(f"{shown_path(path)}: is one of the results; name another file with -o")
    check_folder(path)
    # Fail on wrong options; otherwise they would be the reason why no run has steps.
    load_config(config)
    if reading.format_name is not None:
        load_format(reading.format_name)
    lines = read_packed(results)
    read = [line.result for line in lines]
    traces = TraceFinder(results.parent, read, reading.format_name, reasoning=reading.reasoning)
    explainer = Explainer(read[0].signature, traces, config)
    before = None if base is None else Base(compare(base, results), tuple(read_results(base)))
    redactor = Redactor() if redact else None
    with Parts("reading", "run") as parts:
        page = many_page(lines, explainer, before, redactor, parts.update)
    write(path, page.html)
    _print_summary(page, path, len(lines))


def _page_path(results: Path, output: Path | None) -> Path:
    """Returns the path of the page, by default next to the results."""
    if output is not None:
        return output
    if not results.name or results.is_dir():
        raise ConfigError(f"{shown_path(results)}: is a folder; name a file of otap evaluate")
    return results.with_suffix(PAGE)


def _print_summary(page: "ManyRunsPage", path: Path, runs: int) -> None:
    """Prints on standard error the size of the page, and the runs that are not complete in it."""
    for why, count in page.without_steps.items():
        say(f"{count_text(count, 'run')} without steps: {why}")
    if page.without_steps:
        say("to show their steps, pass their settings with --config, or use otap evaluate --embed")
    if page.left_out:
        say(f"{count_text(page.left_out, 'run')} left out: the page has the worst runs")
    size = len(page.html.encode()) / 1e6
    say(f"{count_text(runs, 'run')} in {shown_path(path)}, {decimal_text(size)} MB")
