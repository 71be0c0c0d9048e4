"""``otap demo``: scores the example in the package, nine runs in one table and one in full."""

from pathlib import Path
from typing import Annotated

from typer import Option

from otap import formats
from otap._numbers import score_text
from otap.cli.options import as_command
from otap.cli.output import STANDARD_OUTPUT, check_folder, say, write
from otap.errors import shown, shown_path
from otap.report.model.alignment_report import describe_alignment
from otap.report.terminal.score_view import score_view
from otap.report.view import SEVERITY_STYLES, Cell, View, ViewTable, line, quality_style, show
from otap.scoring import Explanation, Scorer

EXAMPLE = Path(__file__).parent / "hotel-booking"  # a copy of examples/hotel-booking
RUNS = (
    "same", "exchanged_filters", "paraphrased", "merged_filters", "inverted_filter", "wrong_tool",
    "missing_book", "invented_steps", "unrelated",
)  # fmt: skip
IN_FULL = "missing_book"
TITLE = "Nine runs against one known-good way to book a hotel"
MAX_HEADLINE = 60  # characters: two lines on a terminal of 80 columns
NEXT = (
    ("otap formats mine.json", "what OTAP reads in it"),
    ("otap score mine.json -r good.json --html mine.html", "the score and why, and a page"),
    ("otap score mine.json -r good.json --fail-on critical", "a gate: exit code 1 if it fails"),
)


@as_command
def demo(*, html: Annotated[Path | None, Option("--html", "-o", metavar="FILE")] = None) -> None:
    """Score the example in the package: nine runs of one task.

    Needs no file. Shows a table of the runs, one of them in
    full, and the commands for traces of your own.

    Examples:
      otap demo
      otap demo --html demo.html

    Options:
        html: Also write the page of the run that is shown in full.
    """
    if html is not None:
        check_folder(html)
    scorer, reference = Scorer(), formats.read(EXAMPLE / "reference.json")
    explained = {
        name: scorer.explain(formats.read(EXAMPLE / "runs" / f"{name}.json"), reference)
        for name in RUNS
    }
    if html is not None and str(html) == STANDARD_OUTPUT:
        _write_page(html, explained[IN_FULL])
        return
    table, in_full = _list_runs(explained), score_view(explained[IN_FULL])
    show([line(TITLE, "bold"), table, line(), *in_full, line(), *_next_commands()], fit=True)
    if html is not None:
        _write_page(html, explained[IN_FULL])


def _list_runs(explained: dict[str, Explanation]) -> ViewTable:
    """Returns a row for each run: its score, and its worst differences in one sentence."""
    rows = []
    for name, explanation in explained.items():
        score, style = explanation.score, SEVERITY_STYLES[explanation.score.severity]
        headline = describe_alignment(explanation.best).headline
        rows.append(
            (
                Cell(name),
                Cell(score_text(score.score), quality_style(score.score)),
                Cell(score.severity or "none", style),
                Cell(shown(headline, MAX_HEADLINE)),
            )
        )
    return ViewTable(rows, ("run", "score", "worst", "differences"))


def _next_commands() -> View:
    """Returns the commands to type next."""
    lines = [line("Next: your own traces", "bold")]
    for command, purpose in NEXT:  # a table would cut a long command on a narrow terminal
        lines += [line(command, "bold", 2), line(purpose, "dim", 6)]
    return (
        *lines,
        line("docs/quickstart.md shows how to save mine.json with your framework.", "dim"),
    )


def _write_page(path: Path, explanation: Explanation) -> None:
    from otap.report.pages.run_page import score_page

    write(path, score_page(explanation))
    if str(path) != STANDARD_OUTPUT:
        say(f"the page is in {shown_path(path)}")
