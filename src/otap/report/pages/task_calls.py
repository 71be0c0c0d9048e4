"""What a cell of a grid opens to: the calls of both sides, and what is said of them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from otap.report.pages.texts import visible
from otap.report.signs import SIGNS
from otap.report.together import Cell, Grid, Lane
from otap.trajectory import Step

ALL = 500_000  # characters of all texts together
LEAST, MOST = 120, 1500  # characters of one


@dataclass
class _Pool:
    """Texts, each once: runs of one task mostly make the same calls."""

    places: dict[str, int] = field(default_factory=dict)

    def place(self, value: object) -> int | None:
        """Returns where a value stands; None: it was not recorded."""
        if value is None:
            return None
        text = value if isinstance(value, str) else _written(value)
        return self.places.setdefault(text, len(self.places))

    def texts(self) -> list[str]:
        """Returns the texts, as a page can show them; the more there are, the shorter each."""
        limit = min(MOST, max(LEAST, ALL // max(len(self.places), 1)))
        return [visible(text, limit) for text in self.places]


def opened(grid: Grid) -> dict[str, Any]:
    """Returns what the script of the grid opens cells with: plain data, all texts visible.

    ``texts`` are the arguments and results; ``calls`` name theirs by place, as do the ``cells``, by
    row and column, the calls of the run and those of the reference.
    """
    pool, calls = _Pool(), _Calls()
    cells = {
        f"{row}:{cell.column}": _cell(grid, lane, cell, pool, calls)
        for row, lane in enumerate(grid.lanes)
        for cell in lane.cells
        if cell is not None
    }
    cells |= {f"{row}:{place}": _LACKING for row, place in _lacking(grid)}
    return {"cells": cells, "calls": calls.listed, "texts": pool.texts()}


_LACKING = {
    "is": SIGNS["missing"].word,
    "said": [["minor", "all good runs do this, besides what the reference has"]],
    "marks": False,
    "run": [],
    "reference": [],
}


def _lacking(grid: Grid) -> Iterator[tuple[int, int]]:
    """The rows that part where they lack what all good runs do besides, and the columns."""
    for row, lane in enumerate(grid.lanes):
        if lane.parting is not None and lane.parting.cell is None:
            yield row, lane.parting.column


@dataclass
class _Calls:
    """Calls, each once."""

    places: dict[tuple[object, ...], int] = field(default_factory=dict)

    def place(self, *call: object) -> int:
        """Returns where a call stands."""
        return self.places.setdefault(call, len(self.places))

    @property
    def listed(self) -> list[tuple[object, ...]]:
        """All calls in their places."""
        return list(self.places)


def _cell(grid: Grid, lane: Lane, cell: Cell, pool: _Pool, calls: _Calls) -> dict[str, Any]:
    ours = [(place + 1, lane.run.steps[place]) for place in cell.row.run]
    theirs = [(place + 1, lane.against.reference.steps[place]) for place in cell.row.reference]
    word = "" if grid.columns[cell.column].answers else SIGNS[cell.relation].word
    return {
        "is": word,
        "said": [[one.severity, visible(one.sentence, MOST)] for one in cell.findings],
        "marks": cell.relation in ("arguments", "close"),
        "run": [_call(*one, pool, calls) for one in ours],
        "reference": [_call(*one, pool, calls) for one in theirs],
    }


def _call(number: int, step: Step, pool: _Pool, calls: _Calls) -> int:
    """A call: its number, its tool, and the places of what it was made with and what came back."""
    title = visible(step.tool or step.kind, 80)
    given = step.action if step.tool is None else step.arguments
    return calls.place(number, title, pool.place(given), pool.place(step.effect))


def _written(value: object) -> str:
    """A value as people read it: a key a line."""
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True)
