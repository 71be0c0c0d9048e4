"""Which columns of a grid fold: those next to each other of which nothing bad is to be said."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from otap._numbers import count_text
from otap.alignment import SEVERITIES
from otap.report.signs import SIGNS
from otap.report.together import Cell, Grid

FEW = 8  # columns have room side by side, and nothing is folded
ALIKE = ("same", "close")


@dataclass(frozen=True)
class Segment:
    """Columns next to each other.

    Attributes:
        columns: their places.
        label: what they are together; "" if they do not fold.
        counts: of those that fold, for each run what it does there: signs, words and how often.
    """

    columns: list[int]
    label: str
    counts: list[list[tuple[str, str, int]]]


def segments(grid: Grid) -> list[Segment]:
    """Returns all columns in their order, those together that fold together."""
    found = []
    for folds, group in groupby(range(len(grid.columns)), key=lambda place: _is_calm(grid, place)):
        columns = list(group)
        folded = folds and len(columns) > 1 and len(grid.columns) > FEW
        counts = [_counted(lane.cells, columns) for lane in grid.lanes] if folded else []
        found.append(Segment(columns, _label(grid, columns) if folded else "", counts))
    return found


def _is_calm(grid: Grid, place: int) -> bool:
    """Whether no run does anything there that a reader must see."""
    if any(lane.parting and lane.parting.column == place for lane in grid.lanes):
        return False
    cells = [lane.cells[place] for lane in grid.lanes]
    return all(
        cell is None
        or (
            cell.severity in (None, SEVERITIES[-1])
            and (grid.columns[place].is_besides or cell.relation in ALIKE)
        )
        for cell in cells
    )


def _label(grid: Grid, columns: list[int]) -> str:
    besides = sum(grid.columns[place].is_besides for place in columns)
    steps = len(columns) - besides
    parts = [count_text(steps, "step") + " alike"] if steps else []
    parts += [count_text(besides, "slight extra")] if besides else []
    return ", ".join(parts)


def _counted(cells: tuple[Cell | None, ...], columns: list[int]) -> list[tuple[str, str, int]]:
    """What a run does in some columns: of each relation its sign, its word and how often."""
    found = Counter(_relations(cells, columns))
    return [(sign.sign, sign.word, found[one]) for one, sign in SIGNS.items() if found[one]]


def _relations(cells: tuple[Cell | None, ...], columns: list[int]) -> Iterator[str]:
    for place in columns:
        cell = cells[place]
        if cell is not None:
            yield cell.relation
