"""What is shown, as lines and tables; drawn by rich on a terminal, as plain text in a pipe.

Rich is loaded only where there is a terminal: loading it takes as long as a whole score.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.padding import Padding

GAP = 2  # spaces between columns


@dataclass(frozen=True)
class Cell:
    """A piece of text, and how rich styles it on a terminal."""

    text: str
    style: str = ""


@dataclass(frozen=True)
class Line:
    """Cells one after the other on one line, which is never cut or wrapped."""

    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Table:
    """Rows of cells, whose text may have several lines; the last column wraps on a terminal."""

    rows: Sequence[Sequence[Cell]]
    header: tuple[str, ...] = ()
    indent: int = 0


View = Sequence[Line | Table]


def line(text: str = "", style: str = "") -> Line:
    """Returns a line of one cell."""
    return Line((Cell(text, style),))


def show(view: View, stream: TextIO | None = None) -> None:
    """Prints a view: with rich on a terminal or if FORCE_COLOR is set.

    Args:
        view: what is shown.
        stream: where; None: standard output.
    """
    stream = stream or sys.stdout
    encoding = stream.encoding or "utf-8"
    view = [_printable(part, encoding) for part in view]
    if stream.isatty() or os.environ.get("FORCE_COLOR"):
        _show_on_terminal(view, stream)
    else:
        print(plain(view), file=stream)


def _printable(part: Line | Table, encoding: str) -> Line | Table:
    """A part in characters that a stream has; others are spelled out."""
    if isinstance(part, Line):
        return Line(tuple(_spelled(cell, encoding) for cell in part.cells))
    rows = [[_spelled(cell, encoding) for cell in row] for row in part.rows]
    return Table(rows, part.header, part.indent)


def _spelled(cell: Cell, encoding: str) -> Cell:
    if cell.text.isascii():
        return cell
    return Cell(cell.text.encode(encoding, "backslashreplace").decode(encoding), cell.style)


def plain(view: View) -> str:
    """Returns a view as text: columns padded to their widest cell, no colour, no trailing space."""
    return "\n".join(text.rstrip() for part in view for text in _plain_lines(part))


def _plain_lines(part: Line | Table) -> Iterator[str]:
    if isinstance(part, Line):
        yield "".join(cell.text for cell in part.cells)
    else:
        yield from _table_lines(part)


def _table_lines(table: Table) -> Iterator[str]:
    header = [[Cell(name) for name in table.header]] if table.header else []
    rows = [[cell.text.split("\n") for cell in row] for row in [*header, *table.rows]]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        for texts in zip_longest(*row, fillvalue=""):
            padded = [text.ljust(width) for text, width in zip(texts, widths, strict=True)]
            yield " " * table.indent + (" " * GAP).join(padded)


def _width(lines: list[str]) -> int:
    return max(map(len, lines))


def _show_on_terminal(view: View, stream: TextIO) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, emoji=False, markup=False)
    for part in view:
        if isinstance(part, Line):
            text = Text.assemble(*((cell.text, cell.style) for cell in part.cells))
            console.print(text, soft_wrap=True)
        else:
            console.print(_grid(part))


def _grid(table: Table) -> "Padding":
    """A table as rich draws it; the last column takes what room is left."""
    from rich.padding import Padding
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid.grid(padding=(0, GAP, 0, 0))
    columns = len(table.rows[0]) if table.rows else len(table.header)
    for column in range(columns):
        grid.add_column(no_wrap=column < columns - 1, overflow="fold")
    if table.header:
        grid.add_row(*(Text(name, "dim") for name in table.header))
    for row in table.rows:
        grid.add_row(*(Text(cell.text, cell.style) for cell in row))
    return Padding(grid, (0, 0, 0, table.indent))
