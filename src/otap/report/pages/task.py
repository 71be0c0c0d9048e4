"""Several runs of one task in one grid: a column a step of the reference, a row a run.

Columns at which a reader need not look fold, and cells open to their calls.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup

from otap._numbers import count_text
from otap.alignment import SEVERITIES
from otap.report.model.rows import list_signs
from otap.report.model.words import SIGNS, iterate_leaves, visible
from otap.report.pages.document import render_document
from otap.report.rendering import render_template
from otap.report.together.build import FULL, align_runs
from otap.report.together.departures import (
    compare_deeds,
    group_departures,
    name_own_tool,
    word_departure,
    word_details,
)
from otap.report.together.grid import Grid, GridCell, Lane
from otap.scoring import Explanation
from otap.trajectory import Step

FEW = 8  # columns have room side by side, and nothing is folded
ALL = 500_000  # characters of all texts that cells open to
LEAST, MOST = 120, 1500  # characters of one of them
_SAME = ("same", "close")
_SLIGHT = SEVERITIES[-1]
_LACKING = {
    "is": SIGNS["missing"].word,
    "said": [["minor", "all good runs do this, besides what the reference has"]],
    "marks": False,
    "run": [],
    "reference": [],
}


def task_page(found: Sequence[Explanation], good_from: float = FULL) -> str:
    """Returns the page of several runs of one task.

    Args:
        found: the runs, each explained against its references, in any order.
        good_from: the outcome from which on a run is good.

    Raises:
        NoReferenceError: if there is no run.
    """
    body = task_body(found, good_from=good_from)
    return render_document(f"OTAP: {_title_runs(found)}", body, ["task"])


def task_body(
    found: Sequence[Explanation],
    prefix: str = "",
    good_from: float = FULL,
    links: Sequence[str] = (),
) -> Markup:
    """Returns the markup of several runs of one task; needs the part ``task``.

    Args:
        found: as of ``task_page``.
        prefix: of all element ids, so that several grids have room in one page.
        good_from: as of ``task_page``.
        links: for each run the address in the same page that shows it alone; empty: there is none.
    """
    grid = align_runs(found, good_from)
    addresses = {id(one): link for one, link in zip(found, links, strict=False)}
    return render_template(
        "task.html",
        title=_title_runs(found),
        groups=group_departures(grid),
        grid=grid,
        folds=list(_fold_columns(grid)),
        links=[addresses.get(id(lane.found), "") for lane in grid.lanes],
        legend=list_signs([cell.row for _, _, cell in _list_cells(grid)]),
        opened=_open_cells(grid),
        judged=any(one.score.outcome is not None for one in found),
        prefix=prefix,
        hint_step=_hint_step,
        hint_cell=_hint_cell,
        word_departure=word_departure,
    )


def _title_runs(found: Sequence[Explanation]) -> str:
    tasks = {one.score.task for one in found} - {None}
    return f"Task {tasks.pop()}" if len(tasks) == 1 else "Runs of one task"


def _list_cells(grid: Grid) -> Iterator[tuple[int, Lane, GridCell]]:
    """All cells, each with the place of its row."""
    for row, lane in enumerate(grid.lanes):
        yield from ((row, lane, cell) for cell in lane.cells if cell is not None)


def _hint_step(step: Step) -> str:
    """How the arguments of a step begin: its values, without their names."""
    leaves = iterate_leaves(step.action if step.tool is None else step.arguments)
    given = (one for _, one in leaves if one not in (None, {}, []))
    return ", ".join(one if isinstance(one, str) else json.dumps(one) for one in given)


def _hint_cell(cell: GridCell) -> str:
    """What is other in a bad cell; of a call besides, what it was made with."""
    relation = cell.row.relation
    if cell.row.is_slight or cell.joined or relation == "failed":
        return ""
    if relation == "tool":
        return name_own_tool(cell)
    if relation in ("invented", "repeated"):
        return _hint_step(cell.row.first_step)
    return word_details(cell)


def _fold_columns(grid: Grid) -> Iterator[Mapping[str, Any]]:
    """All columns in their order; those next to each other where a reader need not look fold."""
    departed = {lane.departure.column for lane in grid.lanes if lane.departure}
    alike = [len({*each}) == 1 for each in zip(*map(compare_deeds, grid.lanes), strict=True)]
    calm = [
        place not in departed and _is_calm(grid, place, alike[place] and bool(grid.good))
        for place in range(len(grid.columns))
    ]
    for folds, group in groupby(range(len(grid.columns)), key=calm.__getitem__):
        columns = list(group)
        if not folds or len(columns) < 2 or len(grid.columns) <= FEW:
            yield {"columns": columns, "label": ""}
            continue
        extra = sum(grid.columns[place].is_extra for place in columns)
        parts = [f"{count_text(len(columns) - extra, 'step')} alike"] * (extra < len(columns))
        parts += [count_text(extra, "slight extra")] * bool(extra)
        counts = [_count_relations(lane, columns) for lane in grid.lanes]
        yield {"columns": columns, "label": ", ".join(parts), "counts": counts}


def _is_calm(grid: Grid, place: int, alike: bool) -> bool:
    """Whether nothing bad is said; what good and bad runs do alike may be bad, if not critical."""
    rows = [cell.row for lane in grid.lanes if (cell := lane.cells[place]) is not None]
    if alike:
        return all(row.severity != SEVERITIES[0] for row in rows)
    extra = grid.columns[place].is_extra
    return all(row.is_slight and (extra or row.relation in _SAME) for row in rows)


def _count_relations(lane: Lane, columns: Sequence[int]) -> list[tuple[str, int]]:
    """What a run does in some columns: of each relation its word and how often."""
    found = Counter(cell.row.relation for place in columns if (cell := lane.cells[place]))
    return [(sign.word, found[one]) for one, sign in SIGNS.items() if found[one]]


def _open_cells(grid: Grid) -> Mapping[str, Any]:
    """What the script of the grid opens cells with: plain data, all texts visible.

    ``texts`` are the arguments and results, each once, as runs of one task mostly make the same
    calls; ``calls`` name theirs by place, as do the ``cells``, by row and column, the calls of
    either side.
    """
    texts: dict[str, int] = {}
    calls: dict[tuple[object, ...], int] = {}
    cells = {}
    for row, lane, cell in _list_cells(grid):
        ours, theirs = lane.against.run.steps, lane.against.reference.steps
        is_answer = bool(grid.columns[cell.column].answers)
        words = "" if is_answer else ", ".join(one.word for one in cell.row.signs)
        cells[f"{row}:{cell.column}"] = {
            "is": words,
            "said": [[f.severity, visible(f.sentence, MOST)] for f in cell.row.all_findings],
            "marks": cell.row.relation in ("arguments", "close"),
            "run": [_number_call(k + 1, ours[k], texts, calls) for k in cell.row.run],
            "reference": [_number_call(k + 1, theirs[k], texts, calls) for k in cell.row.reference],
        }
    for row, lane in enumerate(grid.lanes):
        if lane.departure is not None and lane.departure.cell is None:
            cells[f"{row}:{lane.departure.column}"] = _LACKING
    limit = min(MOST, max(LEAST, ALL // max(len(texts), 1)))
    return {"cells": cells, "calls": list(calls), "texts": [visible(one, limit) for one in texts]}


def _number_call(
    number: int, step: Step, texts: dict[str, int], calls: dict[tuple[object, ...], int]
) -> int:
    """Where a call stands: its number, its tool, the places of what it was given and gave."""
    places = [
        None if one is None else texts.setdefault(_spread_value(one), len(texts))
        for one in (step.action if step.tool is None else step.arguments, step.effect)
    ]
    call = (number, visible(step.tool or step.kind, 80), *places)
    return calls.setdefault(call, len(calls))


def _spread_value(value: object) -> str:
    """A value as people read it: a key a line."""
    if isinstance(value, str):
        return value
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True)
