"""The alignment of one score: the steps of the run beside those of the reference."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import zip_longest

from otap._numbers import count_text
from otap.alignment import SEVERITIES
from otap.report.cells import severity_style
from otap.report.story.rows import RELATIONS, Row, rows
from otap.report.story.signs import MOVED, SIGNS
from otap.report.story.telling import Telling
from otap.report.terminal.columns import GAP, MARGIN, Columns, columns, label, words
from otap.report.terminal.fields import fields_view
from otap.report.terminal.folding import Fold, fold_text, folded
from otap.report.terminal.notes import notes_view
from otap.report.terminal.paper import Paper, padded
from otap.report.view import Cell, Line, line
from otap.scoring import Against, Side

ROWS_SHOWN = 60
CRITICAL = "!"  # before a row of which a finding is critical
Below = Callable[[Row, Against, Paper], Iterator[Line]]


def alignment_view(against: Against, paper: Paper) -> Iterator[Line]:
    """Yields the rows in short: what says the same is folded, and the first ROWS_SHOWN are drawn.

    Below a row stands what differs in it.
    """
    found = folded(rows(against))
    notes = partial(notes_view, telling=Telling(against))
    yield from _drawn(against, found[:ROWS_SHOWN], paper, notes)
    rest = sum(len(one.rows) if isinstance(one, Fold) else 1 for one in found[ROWS_SHOWN:])
    if rest:
        text = f"and {count_text(rest, 'more row')}; --explain has all"
        yield from paper.paragraph(text, "dim", MARGIN)
    if found:
        yield from _legend(found[:ROWS_SHOWN], paper)


def whole_alignment_view(against: Against, paper: Paper) -> Iterator[Line]:
    """Yields every row, and below it what the pair costs and every field of its steps."""
    found = rows(against)
    yield from _drawn(against, found, paper, fields_view)
    if found:
        yield from _legend(found, paper)


def _drawn(
    against: Against, found: Sequence[Row | Fold], paper: Paper, below: Below
) -> Iterator[Line]:
    yield from _empty(against)
    if not found:
        return
    shown = [one for one in found if isinstance(one, Row)]
    widths = columns(against, shown, paper)
    yield _header(widths)
    for one in found:
        if isinstance(one, Fold):
            yield _fold(one, against.run, paper)
        else:
            yield from _row(one, against, widths, paper)
            yield from below(one, against, paper)


def _empty(against: Against) -> Iterator[Line]:
    """That there is nothing to align, where a side has no step that counts."""
    for whose, side in (("run", against.run), ("reference", against.reference)):
        if not side.steps:
            yield line(f"  the {whose} has no step that counts")


def _header(widths: Columns) -> Line:
    names = padded("run", widths.run) + " " * (2 * GAP + widths.signs) + "reference"
    return line(" " * MARGIN + names, "dim")


def _fold(fold: Fold, run: Side, paper: Paper) -> Line:
    text = paper.own(fold_text(fold, run, paper))
    return line(" " * MARGIN + paper.cut(text, paper.columns - MARGIN), "dim")


def _row(row: Row, against: Against, widths: Columns, paper: Paper) -> Iterator[Line]:
    left = _labels(against.run, row.run, (widths.run, widths.ids[0]), paper)
    right = _labels(against.reference, row.reference, (widths.reference, widths.ids[1]), paper)
    said, style, sign = words(row, against, paper), _style(row), _sign(row, paper)
    mark = CRITICAL if _is_critical(row) else ""
    for number, (ours, theirs, word) in enumerate(zip_longest(left, right, said, fillvalue="")):
        yield Line(
            (
                Cell(padded(f"  {mark if not number else ''}", MARGIN), style),
                Cell(padded(ours, widths.run + GAP), _pale(row)),
                Cell(padded(sign if ours or theirs else "", widths.signs + GAP), style),
                Cell(padded(theirs, widths.reference), _pale(row)),
                Cell(" " * GAP + word, style),
            )
        )


def _labels(side: Side, places: Sequence[int], room: tuple[int, int], paper: Paper) -> list[str]:
    return [label(side.steps[place], *room, paper) for place in places]


def _sign(row: Row, paper: Paper) -> str:
    return paper.sign(SIGNS[row.relation]) + (paper.sign(MOVED) if row.order else "")


def _is_critical(row: Row) -> bool:
    return any(one.severity == SEVERITIES[0] for one in (*row.findings, *row.order))


def _style(row: Row) -> str:
    """The colour of the worst that is said of a row."""
    found = {one.severity for one in (*row.findings, *row.order)}
    return next((severity_style(one) for one in SEVERITIES if one in found), "dim")


def _pale(row: Row) -> str:
    """What hardly counts has a counterpart in no sense that matters: it is drawn pale."""
    return "dim" if row.is_slight and not (row.run and row.reference) else ""


def _legend(drawn: Sequence[Row | Fold], paper: Paper) -> Iterator[Line]:
    """What the signs mean that occur, and no others."""
    shown = [one for one in drawn if isinstance(one, Row)]
    found = {row.relation for row in shown}
    named = [f"{paper.sign(SIGNS[one])} {SIGNS[one].word}" for one in RELATIONS if one in found]
    if any(row.order for row in shown):
        named.append(f"{paper.sign(MOVED)} {MOVED.word}")
    if any(map(_is_critical, shown)):
        named.append(f"{CRITICAL} critical")
    yield from paper.packed([[Cell(one, "dim")] for one in named], MARGIN)
