"""One score as people read it: numbers, losses, alignment, findings, signature."""

from collections.abc import Iterator

from otap._numbers import count_text
from otap.errors import shown
from otap.report.alignment import alignment_view
from otap.report.cells import quality_cell, severity_cell
from otap.report.findings import counts_text, findings_view
from otap.report.losses import losses_view
from otap.report.view import Cell, Line, Table, View, line
from otap.scoring import Score, summary
from otap.trajectory import Trajectory, counted


def score_view(score: Score, run: Trajectory, reference: Trajectory) -> View:
    """Returns everything about one score.

    Args:
        score: what is shown.
        run: the filtered run, whose steps are those of the score's alignment.
        reference: the same of the best reference.
    """
    return tuple(_parts(score, run, reference))


def _parts(score: Score, run: Trajectory, reference: Trajectory) -> Iterator[Line | Table]:
    yield _title(score, run, reference)
    if score.left_out.agent or score.left_out.reference:
        left = [len(side) for side in (score.left_out.agent, score.left_out.reference)]
        yield line(f"steps that do not count: {left[0]} of the run, {left[1]} of the reference")
    recognised = summary(score.conditions.recognised)
    if recognised:
        yield line(f"recognised: {recognised}", "dim")
    if score.conditions.told is False:
        yield line("what must be told is not scored: the run does not record what was told", "bold")
    if score.conditions.redrawn:
        redrawn = count_text(score.conditions.redrawn, "identifier")
        yield line(f"drawn anew for the same thing: {redrawn}", "dim")
    yield from _not_understood(score)
    yield line()
    yield _numbers(score)
    if not score.converged:
        yield line("  The solver did not converge: the loss is an upper bound.", "bold red")
    yield from _section("Loss", losses_view(score))
    yield from _section("Alignment", alignment_view(score, run, reference))
    yield from _section("Findings", findings_view(score))
    yield line()
    yield line(str(score.conditions), "dim")
    yield line(str(score.signature), "dim")


def _not_understood(score: Score) -> Iterator[Line]:
    """What the readers had no rule for; where it is all that there is, the score says nothing."""
    if not score.understood:
        seen = counted(score.unknown.agent)
        yield line(f"NOTHING WAS UNDERSTOOD of the run, the score says nothing: {seen}", "bold red")
    elif score.unknown.agent:
        yield line(f"not understood of the run: {counted(score.unknown.agent)}", "bold")
    if score.unknown.reference:
        yield line(f"not understood of the reference: {counted(score.unknown.reference)}", "bold")


def _title(score: Score, run: Trajectory, reference: Trajectory) -> Line:
    sizes = [count_text(len(trajectory.steps), "step") for trajectory in (run, reference)]
    count = len(score.references)
    best = f", the nearest of {count} references" if count != 1 else ""
    against = f"{shown(reference.name)} ({sizes[1]}){best}"
    return Line((Cell(shown(run.name), "bold"), Cell(f" ({sizes[0]}) against {against}")))


def _section(title: str, body: Line | Table) -> Iterator[Line | Table]:
    yield line()
    yield line(title, "bold")
    yield body


def _numbers(score: Score) -> Table:
    rows = [
        ("score", score.score, "1 is the same as a reference; exp(-loss)"),
        ("skill", score.skill, "0 has nothing to do with the task, 1 is the same"),
        ("precision", score.precision, "how much of the run the reference has"),
        ("recall", score.recall, "how much of the reference the run has"),
    ]
    if score.order_agreement is not None:
        meaning = "pairs of steps in the order of the reference's list; not part of the score"
        rows.append(("in order", score.order_agreement, meaning))
    first, *others = [
        (Cell(name), quality_cell(value), Cell(meaning, "dim")) for name, value, meaning in rows
    ]
    return Table([first, _found(score), *others], indent=2)


def _found(score: Score) -> tuple[Cell, ...]:
    """How many findings there are, in the colour of the worst, and of each severity."""
    style = severity_cell(score.severity).style if score.severity else "bold green"
    return Cell("findings"), Cell(str(len(score.findings)), style), Cell(counts_text(score), style)
