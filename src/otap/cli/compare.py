"""``otap compare``: compares the runs of two result files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Exit

from otap.cli import options
from otap.cli.output import GATE_FAILED, INCONCLUSIVE, STANDARD_OUTPUT, escaped, is_one_of, write
from otap.errors import ConfigError, shown_path
from otap.report.view import show

if TYPE_CHECKING:  # loaded when needed, so that other commands start faster
    from otap.evaluation.comparison import Comparison

EXITS = {"worse": GATE_FAILED, "not enough evidence": INCONCLUSIVE}


@options.as_command
def compare(
    *,
    base: Annotated[Path, Argument(metavar="BASE")],
    new: Annotated[Path, Argument(metavar="NEW")],
    tolerance: options.Bound = None,
    as_json: options.AsJson = False,
    markdown: options.File = None,
    junit: options.File = None,
) -> None:
    """Compare two result files: is NEW better, equal or worse?

    Compares the runs task by task. A difference that chance can explain is not called worse.

    Examples:
      otap compare old.jsonl new.jsonl
      otap compare old.jsonl new.jsonl --junit junit.xml

    Exit codes:
      0  better or equal
      1  worse
      2  bad input, or the two files have different settings
      3  no verdict: a run could not be read or scored, or evidence is lacking

    Options:
        base: The earlier results, from otap evaluate.
        new: The results to judge.
        tolerance: Score differences up to this size count as equal (default: 0.05).
        markdown: Write the tables for a pull request; - prints them.
        junit: Write JUnit XML for a CI system.
    """
    from otap.evaluation.comparison import TOLERANCE
    from otap.evaluation.comparison import compare as compare_results

    for report in (markdown, junit):
        if report is not None and is_one_of(report, (base, new)):
            raise ConfigError(f"{shown_path(report)}: is one of the results; name another file")
    if as_json and STANDARD_OUTPUT in (str(markdown), str(junit)):
        raise ConfigError("--json and a report named - both print; write the report to a file")
    comparison = compare_results(base, new, tolerance=TOLERANCE if tolerance is None else tolerance)
    _write_reports(comparison, markdown, junit)
    if STANDARD_OUTPUT not in (str(markdown), str(junit)):
        _print(comparison, as_json)
    if comparison.verdict in EXITS:
        raise Exit(EXITS[comparison.verdict])


def _write_reports(comparison: "Comparison", markdown: Path | None, junit: Path | None) -> None:
    from otap.report.results import comparison_junit, comparison_markdown

    if markdown is not None:
        write(markdown, comparison_markdown(comparison))
    if junit is not None:
        write(junit, comparison_junit(comparison))


def _print(comparison: "Comparison", as_json: bool) -> None:
    from otap.report.results import comparison_view

    if as_json:
        print(escaped(comparison.to_json(indent=2)))
    else:
        show(comparison_view(comparison))
