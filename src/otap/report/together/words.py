"""What a grid says in sentences: where a run parts from the good ones, and how many do so alike."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from otap._numbers import number_text
from otap.alignment import SEVERITIES
from otap.errors import shown
from otap.report.together.calls import THINKING
from otap.report.together.grid import Cell, Column, Grid, Lane, Parting

NOTHING = "where the reference does nothing"
NAMED = 60  # characters of a tool in a sentence


@dataclass(frozen=True)
class Alike:
    """Runs that part from the good ones in the same way.

    Attributes:
        what: how, in a sentence without its full stop.
        lanes: the runs.
    """

    what: str
    lanes: tuple[Lane, ...]


def alike(grid: Grid) -> list[Alike]:
    """Returns the bad runs by how they part from the good ones, what most do first."""
    groups: dict[tuple[int, str], list[Lane]] = {}
    for lane in grid.lanes:
        if not lane.is_good:
            place = -1 if lane.parting is None else lane.parting.column
            groups.setdefault((place, parting_text(grid, lane, brief=True)), []).append(lane)
    # Sorting keeps the order of the grid where as many runs do it.
    listed = sorted(groups.values(), key=len, reverse=True)
    return [Alike(_shared(grid, lanes), tuple(lanes)) for lanes in listed]


def _shared(grid: Grid, lanes: Sequence[Lane]) -> str:
    """What they all do, with those values that are other in all of them."""
    what = parting_text(grid, lanes[0], brief=True)
    details = [_details(lane, lane.parting.cell if lane.parting else None) for lane in lanes]
    common = [one for one in details[0] if all(one in each for each in details)]
    if not common:
        return what
    rest = max(map(len, details)) - len(common[:2])
    listed = _enumerated([*common[:2], *(["more"] if rest else [])])
    return listed if _is_of_answers(grid, lanes[0]) else f"{what}: {listed}"


def _is_of_answers(grid: Grid, lane: Lane) -> bool:
    return lane.parting is not None and bool(grid.columns[lane.parting.column].answers)


def _enumerated(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{'; '.join(first)}; and {last}" if first else last


def parting_text(grid: Grid, lane: Lane, *, brief: bool = False) -> str:
    """Returns where a bad run parts from the good ones, without a full stop.

    Args:
        grid: in which it stands.
        lane: the run.
        brief: whether the values that differ are left out.
    """
    found = lane.parting
    if found is None:
        return "nothing that it did tells it from the good runs"
    said = _said(grid, lane, found, brief)
    return f"only slight things, the first: {said}" if found.severity == SEVERITIES[-1] else said


def _said(grid: Grid, lane: Lane, found: Parting, brief: bool) -> str:
    column = grid.columns[found.column]
    if found.cell is None:
        return f"{_tool(column)} {place_text(grid, column)}, as all good runs have it, is missing"
    detail = "" if brief else detail_text(lane, found.cell)
    if detail and column.answers:
        return detail
    return _what(grid, lane, column, found.cell) + (f": {detail}" if detail else "")


def place_text(grid: Grid, column: Column) -> str:
    """Returns where a column stands, by the steps of the reference."""
    if column.number is not None:
        return f"step {column.number}"
    if column.gap:
        return f"after step {column.gap}"
    return "before step 1" if any(one.step for one in grid.columns) else NOTHING


def detail_text(lane: Lane, cell: Cell) -> str:
    """Returns which values differ, the first of them; empty where none is known."""
    found = _details(lane, cell)
    if len(found) < 2:
        return "".join(found)
    return _enumerated([found[0], f"{number_text(len(found) - 1)} more"])


def _details(lane: Lane, cell: Cell | None) -> list[str]:
    """The values that differ, and the answers that were not told."""
    if cell is None or cell.relation not in ("missing", "arguments"):
        return []
    if cell.relation == "missing" or not cell.row.reference:
        return [one.sentence for one in cell.row.findings if one.kind == "untold"]
    run = lane.run.steps[cell.row.run[0]]
    found = lane.against.details.get((run.id, _counterpart(lane, cell)))
    return [] if found is None else [*map(str, found.changes)]


def _counterpart(lane: Lane, cell: Cell) -> str:
    return lane.against.reference.steps[cell.row.reference[0]].id


def run_tool(lane: Lane, cell: Cell) -> str:
    """Returns what the run calls there."""
    return shown(lane.run.steps[cell.row.run[0]].tool or THINKING, NAMED)


def _tool(column: Column) -> str:
    return shown(column.tool, NAMED)


def _what(grid: Grid, lane: Lane, column: Column, cell: Cell) -> str:
    """What the run does in a column, in a few words."""
    place, tool = place_text(grid, column), _tool(column)
    if column.answers:
        return "an answer was never told"
    said = {
        "missing": f"{place} ({tool}) is missing",
        "arguments": f"{place} ({tool}) has other values",
        "tool": f"{place} should be {tool}" + "".join(_instead(lane, cell)),
        "invented": f"an extra {tool} {place}",
        "repeated": f"{tool} once more {place}",
        "failed": f"{tool} {place} failed, and no later step made up for it",
    }.get(cell.relation)
    if cell.moved and cell.relation in ("same", "close"):
        return f"{place} ({tool}) ran out of order"
    return (said or cell.findings[0].sentence) + "".join(_left_out(grid, lane, cell))


def _left_out(grid: Grid, lane: Lane, cell: Cell) -> Iterator[str]:
    """The step of the reference that comes next, if the run did something besides instead of it."""
    if cell.relation == "failed" or not grid.columns[cell.column].is_besides:
        return
    place = next((k for k in range(cell.column, len(lane.cells)) if grid.columns[k].step), None)
    other = None if place is None else lane.cells[place]
    if other is not None and other.relation == "missing" and other.severity != SEVERITIES[-1]:
        column = grid.columns[other.column]
        yield f", and {place_text(grid, column)} ({_tool(column)}) is missing"


def _instead(lane: Lane, cell: Cell) -> Iterator[str]:
    if cell.row.run:
        yield f" and is {run_tool(lane, cell)}"
