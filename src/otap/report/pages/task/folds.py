"""Which columns of a grid fold: those next to each other at which a reader need not look."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from otap._numbers import count_text
from otap.alignment import SEVERITIES
from otap.report.pages.task.cells import SAME
from otap.report.story.signs import SIGNS
from otap.report.together import Cell, Grid
from otap.report.together.parting import deeds

FEW = 8  # columns have room side by side, and nothing is folded


@dataclass(frozen=True)
class Segment:
    """Columns next to each other.

    Attributes:
        columns: their places.
        label: what they are together; "" if they do not fold.
        counts: of those that fold, for each run what it does there: in a word, and how often.
    """

    columns: list[int]
    label: str
    counts: list[list[tuple[str, int]]]


def segments(grid: Grid) -> list[Segment]:
    """Returns all columns in their order, those together that fold together."""
    calm = _calm(grid)
    found = []
    for folds, group in groupby(range(len(grid.columns)), key=calm.__getitem__):
        columns = list(group)
        folded = folds and len(columns) > 1 and len(grid.columns) > FEW
        counts = [_counted(lane.cells, columns) for lane in grid.lanes] if folded else []
        found.append(Segment(columns, _label(grid, columns) if folded else "", counts))
    return found


def _calm(grid: Grid) -> list[bool]:
    """Of each column whether no run does anything there that a reader must see."""
    parted = {lane.parting.column for lane in grid.lanes if lane.parting}
    alike = [len({*each}) == 1 for each in zip(*map(deeds, grid.lanes), strict=True)]
    return [
        place not in parted and _is_calm(grid, place, alike[place] and bool(grid.good))
        for place in range(len(grid.columns))
    ]


def _is_calm(grid: Grid, place: int, alike: bool) -> bool:
    """Whether nothing bad is said; what good and bad runs do alike may be bad, if not critical."""
    cells = [cell for lane in grid.lanes if (cell := lane.cells[place]) is not None]
    if alike:
        return all(cell.severity != SEVERITIES[0] for cell in cells)
    besides = grid.columns[place].is_besides
    return all(
        cell.severity in (None, SEVERITIES[-1]) and (besides or cell.relation in SAME)
        for cell in cells
    )


def _label(grid: Grid, columns: list[int]) -> str:
    besides = sum(grid.columns[place].is_besides for place in columns)
    steps = len(columns) - besides
    parts = [count_text(steps, "step") + " alike"] if steps else []
    parts += [count_text(besides, "slight extra")] if besides else []
    return ", ".join(parts)


def _counted(cells: tuple[Cell | None, ...], columns: list[int]) -> list[tuple[str, int]]:
    """What a run does in some columns: of each relation its word and how often."""
    found = Counter(_relations(cells, columns))
    return [(sign.word, found[one]) for one, sign in SIGNS.items() if found[one]]


def _relations(cells: tuple[Cell | None, ...], columns: list[int]) -> Iterator[str]:
    for place in columns:
        cell = cells[place]
        if cell is not None:
            yield cell.relation
