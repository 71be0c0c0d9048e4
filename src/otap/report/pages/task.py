"""The page of several runs of one task: columns are steps of the reference, rows are runs.

Columns without important differences are folded, and cells open to their calls.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup

from otap._numbers import count_text
from otap.findings import SEVERITIES
from otap.report.model.alignment_rows import list_signs
from otap.report.model.vocabulary import SIGNS, iterate_leaves, visible
from otap.report.pages.document import render_document
from otap.report.rendering import render_template
from otap.report.together.build import FULL, align_runs
from otap.report.together.departures import (
    group_departures,
    list_actions,
    name_run_tool,
    word_departure,
    word_details,
)
from otap.report.together.grid import Grid, GridCell, Lane
from otap.scoring import Explanation
from otap.trajectory import Step

MAX_UNFOLDED = 8  # columns up to which nothing is folded
MAX_TEXTS = 500_000  # characters of all texts that cells open to
MIN_TEXT, MAX_TEXT = 120, 1500  # characters of one of them
_SAME = ("same", "close")
_MISSING_EXTRA = {
    "is": SIGNS["missing"].word,
    "said": [["minor", "all good runs have this extra step"]],
    "marks": False,
    "run": [],
    "reference": [],
}


def task_page(explanations: Sequence[Explanation], good_from: float = FULL) -> str:
    """Returns the page of several runs of one task.

    Args:
        explanations: the runs, each explained against its references, in any order.
        good_from: minimum outcome of a good run.

    Raises:
        NoReferenceError: if there is no run.
    """
    body = task_body(explanations, good_from=good_from)
    return render_document(f"OTAP: {_title_runs(explanations)}", body, ["task"])


def task_body(
    explanations: Sequence[Explanation],
    prefix: str = "",
    good_from: float = FULL,
    links: Sequence[str] = (),
) -> Markup:
    """Returns the markup of several runs of one task; the page needs the part ``task``.

    Args:
        explanations: as for ``task_page``.
        prefix: of all element ids, so that a page can have several grids.
        good_from: as for ``task_page``.
        links: for each run, the address of its own section in the page (default: no links).
    """
    grid = align_runs(explanations, good_from)
    addresses = {id(run): link for run, link in zip(explanations, links, strict=False)}
    return render_template(
        "task.html",
        title=_title_runs(explanations),
        groups=group_departures(grid),
        grid=grid,
        folds=list(_fold_columns(grid)),
        links=[addresses.get(id(lane.explanation), "") for lane in grid.lanes],
        legend=list_signs([cell.row for _, _, cell in _list_cells(grid)]),
        cell_contents=_list_cell_contents(grid),
        has_outcomes=any(run.score.outcome is not None for run in explanations),
        prefix=prefix,
        hint_step=_hint_step,
        hint_cell=_hint_cell,
        word_departure=word_departure,
    )


def _title_runs(explanations: Sequence[Explanation]) -> str:
    tasks = {run.score.task for run in explanations} - {None}
    return f"Task {tasks.pop()}" if len(tasks) == 1 else "Runs of one task"


def _list_cells(grid: Grid) -> Iterator[tuple[int, Lane, GridCell]]:
    """Yields all cells, each with the index of its lane."""
    for index, lane in enumerate(grid.lanes):
        yield from ((index, lane, cell) for cell in lane.cells if cell is not None)


def _hint_step(step: Step) -> str:
    """Returns the values of the arguments of a step, without their names."""
    leaves = iterate_leaves(step.action if step.tool is None else step.arguments)
    values = (leaf for _, leaf in leaves if leaf not in (None, {}, []))
    return ", ".join(value if isinstance(value, str) else json.dumps(value) for value in values)


def _hint_cell(cell: GridCell) -> str:
    """Returns the difference of a bad cell; for an extra call, its arguments."""
    relation = cell.row.relation
    if cell.row.is_slight or cell.joined or relation == "failed":
        return ""
    if relation == "tool":
        return name_run_tool(cell)
    if relation in ("invented", "repeated"):
        return _hint_step(cell.row.first_step)
    return word_details(cell)


def _fold_columns(grid: Grid) -> Iterator[Mapping[str, Any]]:
    """Yields all columns in order; adjacent columns without important differences are folded."""
    departed = {lane.departure.column for lane in grid.lanes if lane.departure}
    actions = zip(*(list_actions(lane) for lane in grid.lanes), strict=True)
    is_uniform = [len(set(of_lanes)) == 1 for of_lanes in actions]
    can_fold = [
        column not in departed and _is_calm(grid, column, is_uniform[column] and bool(grid.good))
        for column in range(len(grid.columns))
    ]
    for is_calm, group in groupby(range(len(grid.columns)), key=lambda column: can_fold[column]):
        columns = list(group)
        if not is_calm or len(columns) < 2 or len(grid.columns) <= MAX_UNFOLDED:
            yield {"columns": columns, "label": ""}
            continue
        extra = sum(grid.columns[column].is_extra for column in columns)
        parts = [count_text(len(columns) - extra, "equal step")] if extra < len(columns) else []
        parts += [count_text(extra, "minor extra step")] if extra else []
        counts = [_count_relations(lane, columns) for lane in grid.lanes]
        yield {"columns": columns, "label": ", ".join(parts), "counts": counts}


def _is_calm(grid: Grid, column: int, is_uniform: bool) -> bool:
    """Whether a column has no important difference.

    If good and bad runs do the same there, only a critical finding is important.
    """
    cells = [lane.cells[column] for lane in grid.lanes]
    rows = [cell.row for cell in cells if cell is not None]
    if is_uniform:
        return all(row.severity != SEVERITIES[0] for row in rows)
    is_extra = grid.columns[column].is_extra
    return all(row.is_slight and (is_extra or row.relation in _SAME) for row in rows)


def _count_relations(lane: Lane, columns: Sequence[int]) -> list[tuple[str, int]]:
    """Returns how often each relation occurs in some columns of a run, by its word."""
    cells = [lane.cells[column] for column in columns]
    counts = Counter(cell.row.relation for cell in cells if cell)
    return [(sign.word, counts[relation]) for relation, sign in SIGNS.items() if counts[relation]]


def _list_cell_contents(grid: Grid) -> Mapping[str, Any]:
    """Returns the data with which the script of the grid opens cells, all in visible characters.

    ``texts`` holds each argument and result once, because runs of one task mostly make the same
    calls. ``calls`` refers to texts by index. ``cells``, by row and column, refers to calls of
    both sides by index.
    """
    texts: dict[str, int] = {}
    calls: dict[tuple[object, ...], int] = {}
    cells: dict[str, Mapping[str, Any]] = {}
    for index, lane, cell in _list_cells(grid):
        run, reference = lane.against.run.steps, lane.against.reference.steps
        row, is_answer = cell.row, bool(grid.columns[cell.column].answers)
        findings = [
            [finding.severity, visible(finding.sentence, MAX_TEXT)] for finding in row.all_findings
        ]
        cells[f"{index}:{cell.column}"] = {
            "is": "" if is_answer else ", ".join(sign.word for sign in row.signs),
            "said": findings,
            "marks": row.relation in ("arguments", "close"),
            "run": [_index_call(k + 1, run[k], texts, calls) for k in row.run],
            "reference": [_index_call(k + 1, reference[k], texts, calls) for k in row.reference],
        }
    for index, lane in enumerate(grid.lanes):
        if lane.departure is not None and lane.departure.cell is None:
            cells[f"{index}:{lane.departure.column}"] = _MISSING_EXTRA
    limit = min(MAX_TEXT, max(MIN_TEXT, MAX_TEXTS // max(len(texts), 1)))
    return {"cells": cells, "calls": list(calls), "texts": [visible(text, limit) for text in texts]}


def _index_call(
    number: int, step: Step, texts: dict[str, int], calls: dict[tuple[object, ...], int]
) -> int:
    """Returns the index of a call: its number, its tool, the indices of arguments and result."""
    indices = [
        None if content is None else texts.setdefault(_write_content(content), len(texts))
        for content in (step.action if step.tool is None else step.arguments, step.effect)
    ]
    call = (number, visible(step.tool or step.kind, 80), *indices)
    return calls.setdefault(call, len(calls))


def _write_content(content: object) -> str:
    """Returns a text unchanged, and anything else as JSON with a key on each line."""
    if isinstance(content, str):
        return content
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True)
