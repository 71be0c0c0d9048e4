"""Where a bad run leaves the good ones, and in words how.

That is the first thing, as the run went, that no good run does at the same place, among what is as
bad as the worst of it: what changes the world another way comes before what the run knew, and this
before another way to the same. The order is that of the run and not of the reference, for what came
later cannot have led to what came before. The reference is one of the good runs. What a run lacks
counts where it goes on without it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from otap._numbers import number_text
from otap.alignment import SEVERITIES
from otap.errors import shown
from otap.report.together.grid import THINKING, Column, Departure, Grid, GridCell, Lane, read_calls

NAMED = 60  # characters of a tool in a sentence
_SLIGHT = SEVERITIES[-1]
# What a run does at a place, by relation.
_SENTENCES = {
    "missing": "{place} ({tool}) is missing",
    "arguments": "{place} ({tool}) has other values",
    "tool": "{place} should be {tool} and is {own}",
    "invented": "an extra {tool} {place}",
    "repeated": "{tool} once more {place}",
    "failed": "{tool} {place} failed, and no later step made up for it",
}


class DepartureGroup(NamedTuple):
    """Runs that leave the good ones in the same way, and how, without a full stop."""

    what: str
    lanes: Sequence[Lane]


def compare_deeds(lane: Lane) -> list[object]:
    """Returns what the run does in each column, in terms in which two runs may do the same.

    A call that failed changed nothing, whatever its arguments; of what is slight, only the tool
    says anything.
    """
    called = read_calls(lane.against.run)
    deeds: list[object] = []
    for cell in lane.cells:
        if cell is None:
            deeds.append(None)
            continue
        slight = cell.row.severity == _SLIGHT
        untold = tuple(one.sentence for one in cell.row.findings if one.kind == "untold")
        calls = [called[place] for place in cell.row.run]
        made = tuple((c.tool, c.failed, "" if c.failed or slight else c.text) for c in calls)
        deeds.append((cell.row.relation, bool(cell.row.order), untold, made))
    return deeds


def find_departures(lanes: Sequence[Lane], columns: Sequence[Column]) -> list[Departure | None]:
    """Returns where each run leaves the good ones; None for a good one, or if it does nowhere.

    Args:
        lanes: all runs of a grid.
        columns: those of the grid.
    """
    good = zip(*(compare_deeds(lane) for lane in lanes if lane.is_good), strict=True)
    known: list[set[object]] = [{*place} for place in good] or [set() for _ in columns]
    return [None if lane.is_good else _find_departure(lane, known, columns) for lane in lanes]


def _find_departure(
    lane: Lane, known: Sequence[set[object]], columns: Sequence[Column]
) -> Departure | None:
    found = list(_list_departures(lane, known, columns))
    if not found:
        return None
    first = min(found, key=lambda one: _rank_departure(lane, one))  # of equal ones the first
    others = {one.column for one in found if one.severity == first.severity} - {first.column}
    return first._replace(others=len(others))


def _list_departures(
    lane: Lane, known: Sequence[set[object]], columns: Sequence[Column]
) -> Iterator[Departure]:
    """What a run does, or lacks of the reference, that is bad and no good run does there.

    And then what all good runs do besides the reference, and this one does not.
    """
    deeds = compare_deeds(lane)
    for column in lane.order:
        cell = lane.cells[column]
        if cell is not None and cell.row.severity and deeds[column] not in known[column]:
            yield Departure(column, cell.row.severity, cell)
    for place, theirs in enumerate(known):
        lacks = columns[place].is_extra and lane.cells[place] is None
        if lacks and theirs and None not in theirs:
            yield Departure(place, _SLIGHT)


def _rank_departure(lane: Lane, one: Departure) -> tuple[int, bool]:
    """How bad it is, the worst first; of what is as bad, first what changes the world."""
    roles: list[str] = []
    if one.cell is not None:
        roles += [lane.against.run.roles[place] for place in one.cell.row.run]
        roles += [lane.against.reference.roles[place] for place in one.cell.row.reference]
    return SEVERITIES.index(one.severity), "writes" not in roles


def group_departures(grid: Grid) -> list[DepartureGroup]:
    """Returns the bad runs by how they leave the good ones, what most do first."""
    groups: dict[tuple[int, str], list[Lane]] = {}
    for lane in grid.lanes:
        if not lane.is_good:
            place = -1 if lane.departure is None else lane.departure.column
            groups.setdefault((place, word_departure(grid, lane, brief=True)), []).append(lane)
    # Sorting keeps the order of the grid where as many runs do it.
    listed = sorted(groups.items(), key=lambda one: -len(one[1]))
    return [DepartureGroup(_word_group(grid, what, lanes), lanes) for (_, what), lanes in listed]


def _word_group(grid: Grid, what: str, lanes: Sequence[Lane]) -> str:
    """What they all do, with those values that are other in all of them."""
    first = lanes[0].departure
    details = [_list_details(x.departure.cell if x.departure else None) for x in lanes]
    common = [one for one in details[0] if all(one in each for each in details)]
    if not common or first is None:
        return what
    rest = max(map(len, details)) - len(common[:2])
    listed = _enumerate_parts([*common[:2], *(["more"] if rest else [])])
    return listed if grid.columns[first.column].answers else f"{what}: {listed}"


def word_departure(grid: Grid, lane: Lane, *, brief: bool = False) -> str:
    """Returns where a bad run leaves the good ones, without a full stop.

    Args:
        grid: in which it stands.
        lane: the run.
        brief: whether the values that differ are left out.
    """
    found = lane.departure
    if found is None:
        return "nothing that it did tells it from the good runs"
    column, tool = grid.columns[found.column], shown(grid.columns[found.column].tool, NAMED)
    if found.cell is None:
        said = f"{tool} {_word_place(grid, column)}, as all good runs have it, is missing"
    else:
        detail = "" if brief else word_details(found.cell)
        said = _word_deed(grid, lane, found.cell) + (f": {detail}" if detail else "")
        said = detail if detail and column.answers else said
    return f"only slight things, the first: {said}" if found.severity == _SLIGHT else said


def _word_place(grid: Grid, column: Column) -> str:
    """Where a column stands, by the steps of the reference."""
    if column.number is not None:
        return f"step {column.number}"
    if column.gap:
        return f"after step {column.gap}"
    has_steps = any(one.step for one in grid.columns)
    return "before step 1" if has_steps else "where the reference does nothing"


def _word_deed(grid: Grid, lane: Lane, cell: GridCell) -> str:
    """What the run does in a column, in a few words."""
    column, row = grid.columns[cell.column], cell.row
    place, tool = _word_place(grid, column), shown(column.tool, NAMED)
    if column.answers:
        return "an answer was never told"
    if row.order and row.relation in ("same", "close"):
        return f"{place} ({tool}) ran out of order"
    sentence = _SENTENCES.get(row.relation)
    said = row.all_findings[0].sentence if sentence is None else sentence.format(
        place=place, tool=tool, own=name_own_tool(cell) if row.run else ""
    )  # fmt: skip
    instead = _find_left_out(grid, lane, cell)
    if instead is not None:
        said += f", and {_word_place(grid, instead)} ({shown(instead.tool, NAMED)}) is missing"
    return said


def _find_left_out(grid: Grid, lane: Lane, cell: GridCell) -> Column | None:
    """The step of the reference that comes next, if the run did something besides instead of it."""
    if cell.row.relation == "failed" or not grid.columns[cell.column].is_extra:
        return None
    place = next((k for k in range(cell.column, len(lane.cells)) if grid.columns[k].step), None)
    other = None if place is None else lane.cells[place]
    if other is None or other.row.relation != "missing" or other.row.severity == _SLIGHT:
        return None
    return grid.columns[other.column]


def name_own_tool(cell: GridCell) -> str:
    """Returns what the run calls there."""
    return shown(cell.row.steps[0][0].tool or THINKING, NAMED)


def word_details(cell: GridCell) -> str:
    """Returns which values differ, the first of them; empty where none is known."""
    found = _list_details(cell)
    if len(found) < 2:
        return "".join(found)
    return _enumerate_parts([found[0], f"{number_text(len(found) - 1)} more"])


def _list_details(cell: GridCell | None) -> list[str]:
    """The values that differ, and the answers that were not told."""
    if cell is None or cell.row.relation not in ("missing", "arguments"):
        return []
    if cell.row.relation == "missing":
        return [one.sentence for one in cell.row.findings if one.kind == "untold"]
    return [*map(str, cell.row.changes)]


def _enumerate_parts(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{'; '.join(first)}; and {last}" if first else last
