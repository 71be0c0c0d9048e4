"""Where a bad run parts from the good ones.

That is the first thing, as the run went, that no good run does at the same place, and that is as
bad as the worst of it: what changes the world comes before what the run knew, and this before
another way to the same. The order is that of the run and not of the reference, for what came later
cannot have led to what came before. The reference is one of the good runs. What a run lacks stands
where it should have been.
"""

from collections.abc import Iterator, Sequence

from otap.alignment import SEVERITIES, Severity
from otap.report.together.calls import Call, calls
from otap.report.together.grid import Cell, Column, Lane, Parting


def parting(lane: Lane, lanes: Sequence[Lane], columns: Sequence[Column]) -> Parting | None:
    """Returns where a run parts from the good ones; None for a good one, or if it does nowhere.

    Args:
        lane: the run.
        lanes: all runs of the grid.
        columns: those of the grid.
    """
    if lane.is_good:
        return None
    good = [one for one in lanes if one.is_good]
    found = [*_departures(lane, good), *_lacking(lane, good, columns)]
    for severity in SEVERITIES:
        as_bad = [one for one in found if one[2] == severity]
        if as_bad:
            column, cell, _ = as_bad[0]
            others = {place for place, _, _ in as_bad} - {column}
            return Parting(column, severity, cell, len(others))
    return None


_Departure = tuple[int, Cell | None, Severity]


def _departures(lane: Lane, good: Sequence[Lane]) -> Iterator[_Departure]:
    """What a run does, or lacks of the reference, that is bad and no good run does there."""
    called = {id(one): calls(one.run) for one in (lane, *good)}
    for column in lane.order:
        cell = lane.cells[column]
        if cell is None or cell.severity is None:
            continue
        ours = _deed(cell, called[id(lane)])
        theirs = ((one.cells[column], called[id(one)]) for one in good)
        if not any(other is not None and _deed(other, known) == ours for other, known in theirs):
            yield column, cell, cell.severity


def _deed(cell: Cell, called: Sequence[Call]) -> object:
    """What tells what a run does in a column from what another does there.

    A call that failed changed nothing, whatever its arguments; of what is slight, only the tool
    says anything.
    """
    slight = cell.severity == SEVERITIES[-1]
    deeds = [
        (one.tool, one.failed, "" if one.failed or slight else one.text)
        for one in (called[place] for place in cell.row.run)
    ]
    return cell.relation, cell.moved, cell.row.run and deeds


def _lacking(lane: Lane, good: Sequence[Lane], columns: Sequence[Column]) -> Iterator[_Departure]:
    """What all good runs do besides the reference, and this one does not."""
    for place, column in enumerate(columns):
        theirs = [one.cells[place] for one in good]
        if column.is_besides and lane.cells[place] is None and theirs and None not in theirs:
            yield place, None, SEVERITIES[-1]
