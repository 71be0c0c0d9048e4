"""The records of a grid, which has a column for each step and a lane for each run."""

import json
from typing import NamedTuple

from otap._patterns import regex
from otap.findings import Severity
from otap.report.model.alignment_rows import Row
from otap.report.model.vocabulary import iterate_leaves
from otap.scoring import Against, Explanation, Side
from otap.trajectory import Step, Trajectory

THINKING = "thinking"  # the name of a step that calls no tool
_LIST_INDEX = regex(r"\[\d+\]")


class ComparedCall(NamedTuple):
    """The call of a step in the form that is compared between runs.

    Attributes:
        tool: the tool, or THINKING.
        failed: whether it failed; a failed call never equals one that worked.
        text: its arguments or its action as canonical JSON.
        leaves: the single values of these, each with its path; list indices are left out.
    """

    tool: str
    failed: bool
    text: str
    leaves: frozenset[str]


def read_calls(side: Side) -> list[ComparedCall]:
    """Returns the call of each step of a side."""
    calls = []
    for step, failed in zip(side.steps, side.failed, strict=True):
        content = step.action if step.tool is None else step.arguments
        leaves = frozenset(
            f"{_LIST_INDEX.sub('', path)}={json.dumps(leaf)}"
            for path, leaf in iterate_leaves(content)
        )
        text = json.dumps(content, sort_keys=True)
        calls.append(ComparedCall(step.tool or THINKING, failed, text, leaves))
    return calls


class GridColumn(NamedTuple):
    """A step of the reference, or extra steps of runs between two of its steps.

    Attributes:
        tool: the tool that is called there; otherwise the kind of the step.
        gap: the number of steps of the reference before it.
        step: the step of the reference, or None for extra steps.
        answers: the required answers, in the last column of a task that has any.
    """

    tool: str
    gap: int
    step: Step | None = None
    answers: tuple[str, ...] = ()

    @property
    def number(self) -> int | None:
        """The number of the step in the reference, from 1; None for any other column."""
        return None if self.step is None else self.gap + 1

    @property
    def is_extra(self) -> bool:
        """Whether the column holds extra steps, which the reference lacks."""
        return self.step is None and not self.answers


class GridCell(NamedTuple):
    """The steps of one run in one column.

    Attributes:
        row: the row of the alignment with the reference.
        column: the index of the column.
        joined: whether an earlier column shows its steps, because one step of the run does the
            work of several steps of the reference.
    """

    row: Row
    column: int
    joined: bool = False


class GridDeviation(NamedTuple):
    """Where a bad run leaves the good ones: its first difference of the worst severity.

    Attributes:
        column: the index of the column.
        severity: of the difference.
        cell: the steps of the run there, or None if it lacks an extra step of all good runs.
        others: the number of further columns with a departure of the same severity.
    """

    column: int
    severity: Severity
    cell: GridCell | None = None
    others: int = 0


class Lane(NamedTuple):
    """A run in the grid.

    Attributes:
        explanation: its score against all of its references.
        against: the run beside the reference of the grid.
        cells: one for each column, or None if the run has no extra step there or the column is not
            compared.
        order: the columns of its cells, in the order of the run; a missing step comes where the run
            goes on without it.
        is_good: whether its outcome is good; without an outcome, whether no finding is critical.
        departure: where it leaves the good runs; None for a good run, or if there is no difference.
    """

    explanation: Explanation
    against: Against
    cells: tuple[GridCell | None, ...]
    order: tuple[int, ...]
    is_good: bool
    departure: GridDeviation | None = None

    @property
    def name(self) -> str:
        """The id of the run, or the file that it was read from."""
        return self.against.run.recorded.readable_name


class Grid(NamedTuple):
    """Several runs of one task, aligned step by step.

    Attributes:
        reference: the reference whose steps are columns.
        columns: its steps, with the extra steps of runs between them.
        lanes: the runs, good ones first, then by score.
        missing_runs: the number of runs without a lane, because they were never compared with the
            reference and cannot be any more.
    """

    reference: Trajectory
    columns: tuple[GridColumn, ...]
    lanes: tuple[Lane, ...]
    missing_runs: int = 0

    @property
    def nearest(self) -> int:
        """The number of runs whose nearest reference is this one."""
        nearest = [lane.explanation.best.reference.recorded for lane in self.lanes]
        return nearest.count(self.reference)

    @property
    def good(self) -> tuple[Lane, ...]:
        """The good runs."""
        return tuple(lane for lane in self.lanes if lane.is_good)
