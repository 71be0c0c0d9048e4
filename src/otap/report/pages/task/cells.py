"""What the heads and the cells of a grid of several runs show."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from otap.alignment import SEVERITIES
from otap.errors import shown
from otap.report.story.signs import MOVED, SIGNS, Sign
from otap.report.together import Cell, Column, Grid, Lane
from otap.report.together.words import detail_text, parting_text, run_tool
from otap.trajectory import Step

SAME = ("same", "close")
HINT = 80  # characters of what stands under a sign or a tool


@dataclass(frozen=True)
class Head:
    """The head of a column.

    Attributes:
        number: of the step of the reference; None for what runs do besides.
        tool: in pieces, between which its name may be broken.
        hint: how its arguments begin.
    """

    number: int | None
    tool: list[str]
    hint: str


@dataclass(frozen=True)
class Shown:
    """A cell.

    Attributes:
        relation: of its steps to those of the reference.
        sign: of it.
        word: the same in a word or two.
        steps: the places of the run's steps in it, from 1.
        hint: what tells it from others, where it is bad.
        severity: how bad it is, or "".
        moved: whether it ran out of order.
        parts: whether the run parts from the good ones here.
    """

    relation: str
    sign: str
    word: str
    steps: str
    hint: str
    severity: str
    moved: bool
    parts: bool


@dataclass(frozen=True)
class Line:
    """A row of the grid.

    Attributes:
        lane: the run.
        why: where it parts from the good ones; "" for a good one.
        link: where it is shown alone; "" if nowhere.
        cells: one for each column; None where nothing is to be shown.
    """

    lane: Lane
    why: str
    link: str
    cells: list[Shown | None]


LACKING = Shown(
    relation="missing",
    sign=SIGNS["missing"].sign,
    word=SIGNS["missing"].word,
    steps="",
    hint="the good runs have it",
    severity=SEVERITIES[-1],
    moved=False,
    parts=True,
)


def heads(grid: Grid) -> list[Head]:
    """Returns the heads of the columns."""
    return [_head(column) for column in grid.columns]


def _head(column: Column) -> Head:
    hint = _hint(column.step) if column.step else ", ".join(column.answers)
    return Head(column.number, _pieces(column.tool), shown(hint, HINT))


def _pieces(tool: str) -> list[str]:
    """A name in pieces, each but the last with the sign at its end after which it may break."""
    first, *rest = shown(tool, HINT).replace("-", "-\n").replace("_", "_\n").split("\n")
    return [first, *rest]


def _hint(step: Step) -> str:
    """How the arguments of a step begin: its values, without their names."""
    return ", ".join(_values(step.action if step.tool is None else step.arguments))


def _values(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for one in value.values():
            yield from _values(one)
    elif isinstance(value, list):
        for one in value:
            yield from _values(one)
    elif value is not None:
        yield value if isinstance(value, str) else json.dumps(value)


def lines(grid: Grid, links: Mapping[int, str]) -> list[Line]:
    """Returns the rows of the grid, as its runs come.

    Args:
        grid: the grid.
        links: where runs are shown alone, by the ``id`` of their explanations.
    """
    return [_line(grid, lane, links.get(id(lane.found), "")) for lane in grid.lanes]


def _line(grid: Grid, lane: Lane, link: str) -> Line:
    why = "" if lane.is_good else parting_text(grid, lane)
    cells = [_shown(grid, lane, place) for place in range(len(grid.columns))]
    return Line(lane, why, link, cells)


def _shown(grid: Grid, lane: Lane, place: int) -> Shown | None:
    parts = lane.parting is not None and lane.parting.column == place
    cell = lane.cells[place]
    if cell is None:
        return LACKING if parts else None
    # Of what is the same but for its order, the order is told and not that it is the same.
    alone = cell.moved and cell.relation in SAME and cell.severity != SEVERITIES[-1]
    sign = MOVED if alone else SIGNS[cell.relation]
    return Shown(
        relation=cell.relation,
        sign=sign.sign,
        word=_word(grid, cell, sign),
        steps=_steps(cell),
        hint=shown(_cell_hint(lane, cell), HINT),
        severity=cell.severity or "",
        moved=cell.moved and not alone,
        parts=parts,
    )


def _steps(cell: Cell) -> str:
    return "" if cell.joined else ", ".join(str(place + 1) for place in cell.row.run)


def _word(grid: Grid, cell: Cell, sign: Sign) -> str:
    if grid.columns[cell.column].answers:
        return "told" if cell.relation == "same" else "not told"
    return "with the step before" if cell.joined else sign.word


def _cell_hint(lane: Lane, cell: Cell) -> str:
    """What is other in a bad cell; of a call besides, what it was made with."""
    if cell.severity in (None, "minor") or cell.joined or cell.relation == "failed":
        return ""
    if cell.relation == "tool":
        return run_tool(lane, cell)
    if cell.relation in ("invented", "repeated"):
        return _hint(lane.run.steps[cell.row.run[0]])
    return detail_text(lane, cell)
