"""Finds where a bad run leaves the good ones, and describes it in words.

That is the first difference from all good runs, in the order of the run, among its differences of
the worst severity. Differences in the effect on the world come first, then differences in the
information that the run had, then other ways to the same end. The order is that of the run and not
of the reference, because a later step cannot have caused an earlier one. The reference counts as a
good run. A missing step comes where the run goes on without it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from otap._numbers import number_text
from otap.errors import shown
from otap.findings import SEVERITIES
from otap.report.together.grid import (
    THINKING,
    Grid,
    GridCell,
    GridColumn,
    GridDeviation,
    Lane,
    read_calls,
)

MAX_TOOL = 60  # characters of a tool in a sentence
_SLIGHT = SEVERITIES[-1]
# The difference of a run in a column, by relation.
_SENTENCES = {
    "missing": "{position} ({tool}) is missing",
    "arguments": "{position} ({tool}) has other values",
    "tool": "{position} calls {run_tool} instead of {tool}",
    "invented": "an extra {tool} {position}",
    "repeated": "a repeated {tool} {position}",
    "failed": "{tool} {position} failed, and no later step made up for it",
}


class DeviationGroup(NamedTuple):
    """Runs that leave the good ones in the same way, with a description without a full stop."""

    description: str
    lanes: Sequence[Lane]


def list_actions(lane: Lane) -> list[object]:
    """Returns the action of the run in each column; equal actions of two runs are equal values.

    Arguments of failed calls do not count, because these changed nothing. Of steps with slight
    differences, only the tool counts.
    """
    calls = read_calls(lane.against.run)
    actions: list[object] = []
    for cell in lane.cells:
        if cell is None:
            actions.append(None)
            continue
        row = cell.row
        missing_answer = tuple(
            finding.sentence for finding in row.findings if finding.kind == "missing_answer"
        )
        cell_calls = []
        for index in row.run:
            call = calls[index]
            is_text_ignored = call.failed or row.severity == _SLIGHT
            cell_calls.append((call.tool, call.failed, "" if is_text_ignored else call.text))
        actions.append((row.relation, bool(row.order), missing_answer, tuple(cell_calls)))
    return actions


def find_departures(
    lanes: Sequence[Lane], columns: Sequence[GridColumn]
) -> list[GridDeviation | None]:
    """Returns where each run leaves the good ones; None for a good run, or one that does not.

    Args:
        lanes: all runs of a grid.
        columns: those of the grid.
    """
    good_lanes = [list_actions(lane) for lane in lanes if lane.is_good]
    good = [set(actions) for actions in zip(*good_lanes, strict=True)] or [set() for _ in columns]
    return [None if lane.is_good else _find_departure(lane, good, columns) for lane in lanes]


def _find_departure(
    lane: Lane, good_actions: Sequence[set[object]], columns: Sequence[GridColumn]
) -> GridDeviation | None:
    departures = list(_list_departures(lane, good_actions, columns))
    if not departures:
        return None
    first = min(departures, key=lambda departure: _rank_departure(lane, departure))
    worst = [departure for departure in departures if departure.severity == first.severity]
    columns_left = {departure.column for departure in worst} - {first.column}
    return first._replace(others=len(columns_left))


def _list_departures(
    lane: Lane, good_actions: Sequence[set[object]], columns: Sequence[GridColumn]
) -> Iterator[GridDeviation]:
    """Yields the bad steps and missing steps of a run that no good run has in the same column.

    After them it yields the extra steps that all good runs have and this run lacks.
    """
    actions = list_actions(lane)
    for column in lane.order:
        cell = lane.cells[column]
        if cell is not None and cell.row.severity and actions[column] not in good_actions[column]:
            yield GridDeviation(column, cell.row.severity, cell)
    for column, column_actions in enumerate(good_actions):
        is_lacking = columns[column].is_extra and lane.cells[column] is None
        if is_lacking and column_actions and None not in column_actions:
            yield GridDeviation(column, _SLIGHT)


def _rank_departure(lane: Lane, departure: GridDeviation) -> tuple[int, bool]:
    """Sorts by severity, worst first; among equal ones, steps that write come first."""
    roles: list[str] = []
    if departure.cell is not None:
        row = departure.cell.row
        roles += [lane.against.run.roles[index] for index in row.run]
        roles += [lane.against.reference.roles[index] for index in row.reference]
    return SEVERITIES.index(departure.severity), "writes" not in roles


def group_departures(grid: Grid) -> list[DeviationGroup]:
    """Returns the bad runs, grouped by how they leave the good ones; largest group first."""
    groups: dict[tuple[int, str], list[Lane]] = {}
    for lane in grid.lanes:
        if not lane.is_good:
            column = -1 if lane.departure is None else lane.departure.column
            groups.setdefault((column, word_departure(grid, lane, brief=True)), []).append(lane)
    # Sorting is stable, so groups of equal size keep the order of the grid.
    ranked = sorted(groups.items(), key=lambda group: -len(group[1]))
    return [DeviationGroup(_word_group(grid, text, lanes), lanes) for (_, text), lanes in ranked]


def _word_group(grid: Grid, description: str, lanes: Sequence[Lane]) -> str:
    """Adds the changed values that all runs of a group share to its description."""
    first = lanes[0].departure
    details = [_list_details(lane.departure.cell if lane.departure else None) for lane in lanes]
    common = [detail for detail in details[0] if all(detail in texts for texts in details)]
    if not common or first is None:
        return description
    has_more = max(len(texts) for texts in details) > len(common[:2])
    values = _enumerate_parts([*common[:2], *(["more"] if has_more else [])])
    return values if grid.columns[first.column].answers else f"{description}: {values}"


def word_departure(grid: Grid, lane: Lane, *, brief: bool = False) -> str:
    """Returns how a bad run leaves the good ones, without a full stop.

    Args:
        grid: the grid of the run.
        lane: the run.
        brief: whether to leave out changed values.
    """
    departure = lane.departure
    if departure is None:
        return "its steps do not differ from those of the good runs"
    column = grid.columns[departure.column]
    if departure.cell is None:
        tool = shown(column.tool, MAX_TOOL)
        text = f"{tool} {_word_position(grid, column)} is missing; all good runs have it"
    else:
        detail = "" if brief else word_details(departure.cell)
        text = _word_difference(grid, lane, departure.cell) + (f": {detail}" if detail else "")
        text = detail if detail and column.answers else text
    return f"only minor differences, the first: {text}" if departure.severity == _SLIGHT else text


def _word_position(grid: Grid, column: GridColumn) -> str:
    """Returns the position of a column among the steps of the reference."""
    if column.number is not None:
        return f"step {column.number}"
    if column.gap:
        return f"after step {column.gap}"
    has_steps = any(column.step for column in grid.columns)
    return "before step 1" if has_steps else "where the reference does nothing"


def _word_difference(grid: Grid, lane: Lane, cell: GridCell) -> str:
    """Returns the difference of a run in a column, in a few words."""
    column, row = grid.columns[cell.column], cell.row
    position, tool = _word_position(grid, column), shown(column.tool, MAX_TOOL)
    if column.answers:
        return "an answer was not given"
    if row.order and row.relation in ("same", "close"):
        return f"{position} ({tool}) ran out of order"
    if row.relation in _SENTENCES:
        run_tool = name_run_tool(cell) if row.run else ""
        sentence = _SENTENCES[row.relation]
        text = sentence.format(position=position, tool=tool, run_tool=run_tool)
    else:
        text = row.all_findings[0].sentence
    missing = _find_replaced(grid, lane, cell)
    if missing is not None:
        missing_tool = shown(missing.tool, MAX_TOOL)
        text += f", and {_word_position(grid, missing)} ({missing_tool}) is missing"
    return text


def _find_replaced(grid: Grid, lane: Lane, cell: GridCell) -> GridColumn | None:
    """Returns the next step of the reference, if the run has an extra step instead."""
    if cell.row.relation == "failed" or not grid.columns[cell.column].is_extra:
        return None
    following = range(cell.column, len(lane.cells))
    index = next((column for column in following if grid.columns[column].step), None)
    next_cell = None if index is None else lane.cells[index]
    if next_cell is None or next_cell.row.relation != "missing":
        return None
    return None if next_cell.row.severity == _SLIGHT else grid.columns[next_cell.column]


def name_run_tool(cell: GridCell) -> str:
    """Returns the tool that the run calls in a cell."""
    return shown(cell.row.steps[0][0].tool or THINKING, MAX_TOOL)


def word_details(cell: GridCell) -> str:
    """Returns the first changed value, and how many more there are; empty if there is none."""
    details = _list_details(cell)
    if len(details) < 2:
        return "".join(details)
    return _enumerate_parts([details[0], f"{number_text(len(details) - 1)} more"])


def _list_details(cell: GridCell | None) -> list[str]:
    """Returns the changed values, and the sentences of missing answers."""
    if cell is None or cell.row.relation not in ("missing", "arguments"):
        return []
    if cell.row.relation == "missing":
        return [
            finding.sentence for finding in cell.row.findings if finding.kind == "missing_answer"
        ]
    return [str(change) for change in cell.row.changes]


def _enumerate_parts(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{'; '.join(first)}; and {last}" if first else last
