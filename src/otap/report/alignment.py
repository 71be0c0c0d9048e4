"""The alignment of one score: the steps of the run beside their counterparts."""

from collections.abc import Iterator, Mapping, Sequence

from otap.alignment import Finding
from otap.report.cells import kind_cell, quality_cell, step_cell
from otap.report.view import Cell, Line, Table, line
from otap.scoring import Score
from otap.trajectory import Step, Trajectory

ROWS_SHOWN = 200
Row = tuple[Cell, Cell, Cell, Cell]

# The kinds of findings of which a step of the run without a counterpart has one.
_LEFT_OVER = ("failed", "invented", "repeated")


def alignment_view(score: Score, run: Trajectory, reference: Trajectory) -> Line | Table:
    """Returns a row for each step of the run, then for each that only the reference has.

    The first ROWS_SHOWN of them.

    A step that is the union of several has a row for each; so have several whose union is one's
    counterpart.

    Args:
        score: what is shown.
        run: the filtered run, whose steps are those of the score's alignment.
        reference: the same of the best reference.
    """
    if not run.steps or not reference.steps:
        return line("  nothing to align: a side has no steps")
    unions = [one for one in score.findings if one.kind in ("split", "merged")]
    rows = [*_of_run(score, run, reference, unions), *_unmet(score, reference, unions)]
    rest = len(rows) - ROWS_SHOWN
    if rest > 0:
        more = Cell(f"and {rest} more; --json has them all", "dim")
        rows[ROWS_SHOWN:] = [(more, Cell(""), Cell(""), Cell(""))]
    return Table(rows, ("run", "", "reference", "match"), indent=2)


def _of_run(
    score: Score, run: Trajectory, reference: Trajectory, unions: Sequence[Finding]
) -> Iterator[Row]:
    steps = {step.id: step for step in reference.steps}
    left_over = {one.agent[-1]: one for one in score.findings if one.kind in _LEFT_OVER}
    compared = {step.id: step for step in run.steps}
    for share in score.alignment.agent:
        step = compared[share.id]
        own = [union for union in unions if step.id in union.agent]
        if own:
            yield from _of_unions(step, own, steps)
        elif share.counterpart is None:
            yield step_cell(step), Cell(""), Cell(""), _why(left_over.get(step.id), "invented")
        else:
            counterpart = step_cell(steps[share.counterpart])
            yield step_cell(step), Cell("─"), counterpart, quality_cell(share.quality)


def _of_unions(step: Step, unions: Sequence[Finding], steps: Mapping[str, Step]) -> Iterator[Row]:
    """A step beside each step of the reference with which a union brings it together."""
    for union in unions:
        for wanted in union.reference:
            yield step_cell(step), Cell("─"), step_cell(steps[wanted]), kind_cell(union)


def _why(finding: Finding | None, kind: str) -> Cell:
    """Why a step has no counterpart: what the finding of it says, else a kind."""
    return Cell(kind) if finding is None else kind_cell(finding)


def _unmet(score: Score, reference: Trajectory, unions: Sequence[Finding]) -> Iterator[Row]:
    """The steps of the reference that have no counterpart and are part of no union."""
    missing = {one.reference[0]: one for one in score.findings if one.kind == "missing"}
    covered = {step for union in unions for step in union.reference}
    steps = {step.id: step for step in reference.steps}
    for share in score.alignment.reference:
        if share.counterpart is None and share.id not in covered:
            why = _why(missing.get(share.id), "missing")
            yield Cell(""), Cell(""), step_cell(steps[share.id]), why
