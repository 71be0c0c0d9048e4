"""Where a bad run parts from the good ones.

That is the first thing, as the run went, that no good run does at the same place, among what is as
bad as the worst of it: what changes the world another way comes before what the run knew, and this
before another way to the same. The order is that of the run and not of the reference, for what came
later cannot have led to what came before. The reference is one of the good runs. What a run lacks
counts where it goes on without it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from otap.alignment import SEVERITIES, Severity
from otap.report.together.calls import Call, calls
from otap.report.together.grid import Cell, Column, Lane, Parting


def deeds(lane: Lane) -> list[object]:
    """Returns what the run does in each column, in terms in which two runs may do the same.

    A call that failed changed nothing, whatever its arguments; of what is slight, only the tool
    says anything.

    Args:
        lane: the run.
    """
    called = calls(lane.run)
    return [None if cell is None else _deed(cell, called) for cell in lane.cells]


def _deed(cell: Cell, called: Sequence[Call]) -> object:
    slight = cell.severity == SEVERITIES[-1]
    told = tuple(one.sentence for one in cell.row.findings if one.kind == "untold")
    made = tuple(
        (one.tool, one.failed, "" if one.failed or slight else one.text)
        for one in (called[place] for place in cell.row.run)
    )
    return cell.relation, cell.moved, told, made


def partings(lanes: Sequence[Lane], columns: Sequence[Column]) -> list[Parting | None]:
    """Returns where each run parts from the good ones; None for a good one, or if it does nowhere.

    Args:
        lanes: all runs of a grid.
        columns: those of the grid.
    """
    done = {id(lane): deeds(lane) for lane in lanes}
    good = [one for one in lanes if one.is_good]
    theirs = [{*place} for place in zip(*(done[id(one)] for one in good), strict=True)]
    known: list[set[object]] = theirs or [set() for _ in columns]
    return [
        None if lane.is_good else _parting(lane, done[id(lane)], known, columns) for lane in lanes
    ]


@dataclass(frozen=True)
class _Departure:
    """Something that no good run does, and how bad it is: the less rank, the worse."""

    column: int
    severity: Severity
    cell: Cell | None = None
    writes: bool = False

    @property
    def rank(self) -> tuple[int, bool]:
        return SEVERITIES.index(self.severity), not self.writes


def _parting(
    lane: Lane, done: Sequence[object], known: Sequence[set[object]], columns: Sequence[Column]
) -> Parting | None:
    found = [*_departures(lane, done, known), *_lacking(lane, known, columns)]
    if not found:
        return None
    first = min(found, key=lambda one: one.rank)  # of equal ones the first
    others = {one.column for one in found if one.severity == first.severity} - {first.column}
    return Parting(first.column, first.severity, first.cell, len(others))


def _departures(
    lane: Lane, done: Sequence[object], known: Sequence[set[object]]
) -> Iterator[_Departure]:
    """What a run does, or lacks of the reference, that is bad and no good run does there."""
    for column in lane.order:
        cell = lane.cells[column]
        if cell is not None and cell.severity is not None and done[column] not in known[column]:
            yield _Departure(column, cell.severity, cell, _writes(lane, cell))


def _writes(lane: Lane, cell: Cell) -> bool:
    ours = (lane.run.roles[place] for place in cell.row.run)
    theirs = (lane.against.reference.roles[place] for place in cell.row.reference)
    return "writes" in (*ours, *theirs)


def _lacking(
    lane: Lane, known: Sequence[set[object]], columns: Sequence[Column]
) -> Iterator[_Departure]:
    """What all good runs do besides the reference, and this one does not."""
    for place, column in enumerate(columns):
        theirs = known[place]
        if column.is_besides and lane.cells[place] is None and theirs and None not in theirs:
            yield _Departure(place, SEVERITIES[-1])
