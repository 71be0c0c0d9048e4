"""The grid as a record: a column a step, a lane a run; and what steps call."""

import json
from typing import NamedTuple

from otap._patterns import regex
from otap.alignment import Severity
from otap.report.model.rows import Row
from otap.report.model.words import iterate_leaves
from otap.scoring import Against, Explanation, Side
from otap.trajectory import Step, Trajectory

THINKING = "thinking"  # the name of a step that calls nothing
_PLACE = regex(r"\[\d+\]")


class Call(NamedTuple):
    """What a step calls, as two runs have it in common.

    Attributes:
        tool: the tool, or THINKING.
        failed: whether it failed: a call that failed and one that worked are two things.
        text: its arguments, or what it says; equal where they are equal.
        leaves: the same value by value, each with its path; places in lists are no part of that.
    """

    tool: str
    failed: bool
    text: str
    leaves: frozenset[str]


def read_calls(side: Side) -> list[Call]:
    """Returns what each step of a side calls."""
    calls = []
    for step, failed in zip(side.steps, side.failed, strict=True):
        given = step.action if step.tool is None else step.arguments
        leaves = iterate_leaves(given)
        known = frozenset(f"{_PLACE.sub('', path)}={json.dumps(one)}" for path, one in leaves)
        calls.append(Call(step.tool or THINKING, failed, json.dumps(given, sort_keys=True), known))
    return calls


class Column(NamedTuple):
    """A step of the reference, or a place between two where runs do something besides.

    Attributes:
        tool: what is called there, or what the step is if nothing is called.
        gap: how many steps of the reference stand before it.
        step: the step of the reference; None where it has none.
        answers: in the last column of a task that asks for answers: those that must be told.
    """

    tool: str
    gap: int
    step: Step | None = None
    answers: tuple[str, ...] = ()

    @property
    def number(self) -> int | None:
        """The place of the step in the reference, from 1; None for what is no step of it."""
        return None if self.step is None else self.gap + 1

    @property
    def is_extra(self) -> bool:
        """Whether the reference has nothing there."""
        return self.step is None and not self.answers


class GridCell(NamedTuple):
    """What one run does in one column.

    Attributes:
        row: the step or steps of the run, how they stand to the reference's, and what is said of
            them.
        column: its place in the grid.
        joined: whether its steps stand in an earlier column, because one of them does what the
            reference does in several.
    """

    row: Row
    column: int
    joined: bool = False


class Departure(NamedTuple):
    """Where a bad run leaves the good ones: the first thing that makes it bad, as the run went.

    Attributes:
        column: the place in the grid.
        severity: how bad it is.
        cell: what the run does there; None: nothing, where all good runs do something besides the
            reference.
        others: in how many more columns it departs as badly.
    """

    column: int
    severity: Severity
    cell: GridCell | None = None
    others: int = 0


class Lane(NamedTuple):
    """A run in the grid.

    Attributes:
        found: its score against all of its references.
        against: the run beside the reference of the grid.
        cells: one for each column; None where the run does nothing besides, or is not compared.
        order: the places of its cells in the order of the run; what it lacks stands where it goes
            on without it.
        is_good: whether its outcome is good; where none is known: whether nothing critical was
            found.
        departure: where it leaves the good runs; None for a good run, and where nothing is found.
    """

    found: Explanation
    against: Against
    cells: tuple[GridCell | None, ...]
    order: tuple[int, ...]
    is_good: bool
    departure: Departure | None = None

    @property
    def name(self) -> str:
        """The run's id, or where it was read from."""
        return self.against.run.recorded.name


class Grid(NamedTuple):
    """Several runs of one task, step beside step.

    Attributes:
        reference: whose steps are the columns.
        columns: its steps, and between them what runs do besides.
        lanes: the runs, the good ones first, then by score.
        lacking: how many runs are not in it: they were never held against the reference, and cannot
            be any more.
    """

    reference: Trajectory
    columns: tuple[Column, ...]
    lanes: tuple[Lane, ...]
    lacking: int = 0

    @property
    def nearest(self) -> int:
        """How many of the runs are nearest to this reference of all."""
        return sum(lane.found.best.reference.recorded == self.reference for lane in self.lanes)

    @property
    def good(self) -> tuple[Lane, ...]:
        """The good runs."""
        return tuple(lane for lane in self.lanes if lane.is_good)
