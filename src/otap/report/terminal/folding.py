"""Alignments in short: rows that hardly count in one line, and of many alike the first and last."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from otap._numbers import count_text
from otap.report.cells import step_name
from otap.report.story.rows import Row
from otap.report.story.signs import SIGNS
from otap.report.terminal.paper import Paper
from otap.scoring import Side
from otap.trajectory import Step

LONG = 24  # rows from which on those that are alike are folded
_ALIKE = 4  # rows one after the other that are not folded yet
_SLIGHT = 2  # the same, of steps without a counterpart that hardly count


@dataclass(frozen=True)
class Fold:
    """Rows that are not drawn.

    Attributes:
        rows: which ones.
        slight: whether they are steps of the run without a counterpart that hardly count.
    """

    rows: tuple[Row, ...]
    slight: bool


def folded(rows: Sequence[Row]) -> list[Row | Fold]:
    """Returns the rows, and folds in the place of those that one need not see."""
    shown: list[Row | Fold] = []
    for slight, found in groupby(rows, _is_slight):
        group = list(found)
        if slight and len(group) > _SLIGHT:
            shown.append(Fold(tuple(group), True))
        else:
            shown += group if slight or len(rows) <= LONG else _alike(group)
    return shown


def fold_text(fold: Fold, run: Side, paper: Paper) -> str:
    """Returns what stands in the place of rows that are not drawn."""
    count = len(fold.rows)
    if not fold.slight:
        return f"⋮ {count_text(count, 'more row')}: {SIGNS[fold.rows[0].relation].word}"
    names = Counter(paper.text(step_name(step), 40) for step in _steps(fold, run))
    named = (name if n == 1 else f"{name} ({n})" for name, n in names.most_common())
    return f"⋮ {count_text(count, 'step')} that hardly count: {', '.join(named)}"


def _steps(fold: Fold, run: Side) -> Iterator[Step]:
    yield from (run.steps[place] for row in fold.rows for place in row.run)


def _is_slight(row: Row) -> bool:
    return not row.reference and row.is_slight and not row.order


def _alike(rows: Sequence[Row]) -> Iterator[Row | Fold]:
    """Of rows one after the other that say the same the first and the last, and a fold between."""
    for (_, _, moved), found in groupby(rows, _kind):
        group = list(found)
        if len(group) <= _ALIKE or moved:
            yield from group
        else:
            yield from (group[0], Fold(tuple(group[1:-1]), False), group[-1])


def _kind(row: Row) -> tuple[str, bool, bool]:
    return row.relation, row.is_slight, bool(row.order)
