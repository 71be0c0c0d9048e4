"""What a cell of a grid opens to: the calls of both sides, and what is said of them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from otap.report.pages.texts import visible
from otap.report.story.signs import MOVED, SIGNS
from otap.report.together import Cell, Grid, Lane
from otap.trajectory import Step

ALL = 500_000  # characters of all texts together
LEAST, MOST = 120, 1500  # characters of one


@dataclass
class _Calls:
    """Calls and their texts, each once: runs of one task mostly make the same calls."""

    texts: dict[str, int] = field(default_factory=dict)
    places: dict[tuple[object, ...], int] = field(default_factory=dict)
    known: dict[tuple[int, int], int] = field(default_factory=dict)

    def place(self, number: int, step: Step) -> int:
        """Returns where a call stands: its number, its tool, the places of its texts."""
        key = number, id(step)  # the grid holds its steps as long as this is used
        if key not in self.known:
            title = visible(step.tool or step.kind, 80)
            given = step.action if step.tool is None else step.arguments
            call = number, title, self._text(given), self._text(step.effect)
            self.known[key] = self.places.setdefault(call, len(self.places))
        return self.known[key]

    def _text(self, value: object) -> int | None:
        """Where a value stands; None: it was not recorded."""
        if value is None:
            return None
        text = value if isinstance(value, str) else _written(value)
        return self.texts.setdefault(text, len(self.texts))

    def shown(self) -> list[str]:
        """Returns the texts, as a page can show them; the more there are, the shorter each."""
        limit = min(MOST, max(LEAST, ALL // max(len(self.texts), 1)))
        return [visible(text, limit) for text in self.texts]


def opened(grid: Grid) -> dict[str, Any]:
    """Returns what the script of the grid opens cells with: plain data, all texts visible.

    ``texts`` are the arguments and results; ``calls`` name theirs by place, as do the ``cells``, by
    row and column, the calls of the run and those of the reference.
    """
    calls = _Calls()
    cells = {
        f"{row}:{cell.column}": _cell(grid, lane, cell, calls)
        for row, lane in enumerate(grid.lanes)
        for cell in lane.cells
        if cell is not None
    }
    cells |= {f"{row}:{place}": _LACKING for row, place in _lacking(grid)}
    return {"cells": cells, "calls": list(calls.places), "texts": calls.shown()}


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


def _cell(grid: Grid, lane: Lane, cell: Cell, calls: _Calls) -> dict[str, Any]:
    ours, theirs = lane.run.steps, lane.against.reference.steps
    words = [SIGNS[cell.relation].word, *([MOVED.word] if cell.moved else [])]
    return {
        "is": "" if grid.columns[cell.column].answers else ", ".join(words),
        "said": [[one.severity, visible(one.sentence, MOST)] for one in cell.findings],
        "marks": cell.relation in ("arguments", "close"),
        "run": [calls.place(place + 1, ours[place]) for place in cell.row.run],
        "reference": [calls.place(place + 1, theirs[place]) for place in cell.row.reference],
    }


def _written(value: object) -> str:
    """A value as people read it: a key a line."""
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True)
