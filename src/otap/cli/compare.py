"""``otap compare``: whether the runs of one result file are worse than those of another."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Exit

from otap.cli import options
from otap.cli.output import GATE_FAILED, INCONCLUSIVE, escaped, is_one_of, write
from otap.errors import ConfigError, shown_path
from otap.report.view import show

if TYPE_CHECKING:  # what compares is loaded when it is asked for: other commands start sooner
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
    """Say whether NEW is better than BASE, equal, or worse, task by task.

    Exits with 0 if it is better or equal, 1 if it is worse, 2 for bad input, and 3 if there is not
    enough evidence. Only a difference that chance does not explain is worse.

    Options:
        base: The results from before: a file of evaluate.
        new: The results that are judged.
        tolerance: The difference of score that counts as none; else 0.05.
        markdown: Write a table for a pull request.
        junit: Write JUnit's XML for a CI system.
    """
    from otap.evaluation.comparison import TOLERANCE
    from otap.evaluation.comparison import compare as compared

    for report in (markdown, junit):
        if report is not None and is_one_of(report, (base, new)):
            raise ConfigError(f"{shown_path(report)}: is one of the results; name another file")
    found = compared(base, new, tolerance=TOLERANCE if tolerance is None else tolerance)
    _write_reports(found, markdown, junit)
    _print(found, as_json)
    if found.verdict in EXITS:
        raise Exit(EXITS[found.verdict])


def _write_reports(found: "Comparison", markdown: Path | None, junit: Path | None) -> None:
    from otap.report.results import comparison_junit, comparison_markdown

    if markdown is not None:
        write(markdown, comparison_markdown(found))
    if junit is not None:
        write(junit, comparison_junit(found))


def _print(found: "Comparison", as_json: bool) -> None:
    from otap.report.results import comparison_view

    if as_json:
        print(escaped(found.to_json(indent=2)))
    else:
        show(comparison_view(found))
