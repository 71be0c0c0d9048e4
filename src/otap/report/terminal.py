"""A score in the terminal: colours and bars where there is one, plain text in a pipe."""

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from otap.alignment import Finding
from otap.errors import shown
from otap.report.numbers import loss_text, percent_text, score_text
from otap.scoring import Score
from otap.trajectory import Step, Trajectory

FINDINGS_SHOWN = 12
BAR = 24  # characters of the longest bar
COLUMN = 42  # characters of a step in the alignment
PIPE_WIDTH = 110
GOOD, FAIR = 0.8, 0.5  # from here on a quality is drawn green, yellow
_STYLES = {"missing": "red", "invented": "magenta", "reversed": "red", "broken": "yellow"}


def make_console() -> Console:
    """A console that knows whether it is a terminal; in a pipe, a fixed width and no colour."""
    console = Console(highlight=False, emoji=False, markup=False)
    if console.is_terminal:
        return console
    return Console(highlight=False, emoji=False, markup=False, width=PIPE_WIDTH, no_color=True)


def show(view: RenderableType) -> None:
    """Prints a view to standard output; a long line such as a signature is never cut."""
    make_console().print(view, crop=False)


def score_view(score: Score, run: Trajectory, reference: Trajectory) -> RenderableType:
    """Everything about one score: numbers, losses, alignment, findings, signature."""
    return Group(*_parts(score, run, reference))


def _parts(score: Score, run: Trajectory, reference: Trajectory) -> Iterator[RenderableType]:
    against = f"{shown(reference.name)} ({len(reference.steps)} steps)"
    others = len(score.references) - 1
    best = f", the nearest of {others + 1} references" if others else ""
    yield Text.assemble(
        (shown(run.name), "bold"), f" ({len(run.steps)} steps) against {against}{best}"
    )
    yield Text()
    yield _numbers(score)
    if not score.converged:
        yield Text("  The solver did not converge: the loss is an upper bound.", "bold red")
    yield from _section("Loss", _losses(score))
    yield from _section("Alignment", _alignment(score, run, reference))
    yield from _section("Findings", _findings(score.findings))
    yield Text()
    yield Text(str(score.signature), "dim", no_wrap=True, overflow="ignore")


def _section(title: str, body: RenderableType) -> Iterator[RenderableType]:
    yield Text()
    yield Text(title, "bold")
    yield Padding(body, (0, 0, 0, 2))


def _numbers(score: Score) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    rows = [
        ("score", score.score, "1 is the same as a reference; exp(-loss)"),
        ("skill", score.skill, "0 has nothing to do with the task, 1 is the same"),
        ("precision", score.precision, "how much of the run the reference has"),
        ("recall", score.recall, "how much of the reference the run has"),
    ]
    for name, value, meaning in rows:
        table.add_row(f"  {name}", Text(score_text(value), _style(value)), Text(meaning, "dim"))
    return table


def _style(value: float | None) -> str:
    if value is None:
        return "dim"
    return "bold green" if value >= GOOD else "bold yellow" if value >= FAIR else "bold red"


def _losses(score: Score) -> RenderableType:
    parts = {name: value for name, value in score.losses.model_dump().items() if value > 1e-12}
    if not parts:
        return Text("none: the run is the same as the reference", "green")
    table = Table.grid(padding=(0, 2))
    largest = max(parts.values())
    for name, value in sorted(parts.items(), key=lambda item: -item[1]):
        bar = "█" * max(1, round(BAR * value / largest))
        share = percent_text(value / score.loss)
        table.add_row(name.replace("_", " "), loss_text(value), f"{share:>5}", Text(bar, "cyan"))
    table.add_row("total", loss_text(score.loss), "", "", style="bold")
    return table


def _alignment(score: Score, run: Trajectory, reference: Trajectory) -> RenderableType:
    if not run.steps or not reference.steps:
        return Text("nothing to align: a side has no steps")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for title in ("run", "", "reference", "match"):
        table.add_column(title, no_wrap=True, overflow="ellipsis")
    for row in _rows(score, run, reference):
        table.add_row(*row)
    return table


def _rows(
    score: Score, run: Trajectory, reference: Trajectory
) -> Iterator[tuple[str, str, str, Text]]:
    """One row for each step of the run with its counterpart, then the rest of the reference."""
    steps = {step.id: step for step in reference.steps}
    kinds = {name: finding.kind for finding in score.findings for name in _left_over(finding)}
    for step, share in zip(run.steps, score.alignment.agent, strict=True):
        if share.counterpart is None:
            yield _step(step), "", "", _kind(kinds.get(("run", step.id), "invented"))
        else:
            quality = Text(score_text(share.quality), _style(share.quality))
            yield _step(step), "─", _step(steps[share.counterpart]), quality
    for share in score.alignment.reference:
        if share.counterpart is None:
            kind = kinds.get(("reference", share.id), "missing")
            yield "", "", _step(steps[share.id]), _kind(kind)


def _left_over(finding: Finding) -> list[tuple[str, str]]:
    """The steps, by side, whose place in the alignment a finding explains."""
    if finding.kind in ("missing", "merged"):
        return [("reference", step) for step in finding.reference]
    if finding.kind in ("invented", "split", "repeated"):
        return [("run", step) for step in finding.agent]
    return []


def _kind(kind: str) -> Text:
    return Text(kind, _STYLES.get(kind, "cyan"))


def _step(step: Step) -> str:
    what = step.tool or step.action or step.kind
    return shown(f"{shown(step.id, 20)}  {shown(what, 60)}", COLUMN)


def _findings(findings: Sequence[Finding]) -> RenderableType:
    if not findings:
        return Text("none", "green")
    table = Table.grid(padding=(0, 2))
    for finding in findings[:FINDINGS_SHOWN]:
        share = "" if finding.share is None else percent_text(finding.share)
        table.add_row(_kind(finding.kind), f"{share:>5}", finding.sentence)
    rest = len(findings) - FINDINGS_SHOWN
    if rest > 0:
        table.add_row("", "", Text(f"and {rest} more; --json has them all", "dim"))
    return table
