"""Lines and tables, laid out for a width; rich colours them on a terminal.

Rich is loaded only for colour, because loading it takes as long as a whole score. ``rich.cells``,
which measures the width of characters, is loaded at once.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TextIO

from rich.cells import cell_len, chop_cells, set_cell_size

from otap._caching import cached_property
from otap._patterns import regex
from otap.findings import Severity
from otap.report.model.headline import GOOD
from otap.report.model.words import MOVED, SIGNS

GAP = 2  # spaces between columns
UNLIMITED = 1_000_000  # columns of a pipe whose tables keep their natural width
PIPE = 100  # columns of a pipe whose tables are fitted
MIN_COLUMNS = 50  # in a narrower terminal, lines are longer than it is
DEFAULT_COLUMNS = 80  # of a terminal that does not report its size
FAIR = 0.5  # minimum score that is shown in yellow
SEVERITY_STYLES: dict[Severity | None, str] = {
    "critical": "bold red", "major": "yellow", "minor": "cyan", None: "green",
}  # fmt: skip
_WORD = regex(r"[^ |]+[ |]*|[ |]+")  # lines break after spaces and bars
# Replacements for streams that can only encode ASCII.
_ASCII = {sign.sign: sign.plain for sign in (*SIGNS.values(), MOVED)}
_ASCII |= {"…": "...", "→": "->", "⋮": ":", "█": "#", "▓": "*", "▒": "o", "░": ":", "·": "."}
_ASCII |= dict(zip("│─●○╭├╰┬┼┴", "|-*o.+'.+'", strict=True))
_TRANSLATION = str.maketrans(_ASCII)
# GitHub runs a line as a command if it begins like this after blanks. The older form is run
# anywhere.
_COMMAND = regex(r"(?m)(^\s*:|##)(:|\[)")


@dataclass(frozen=True)
class Cell:
    """A text with the style that rich gives it on a terminal."""

    text: str
    style: str = ""


@dataclass(frozen=True)
class Line:
    """Cells in a row, which wrap where they do not fit.

    Attributes:
        cells: texts, mostly of one line each.
        margin: the text at the start of each further line.
    """

    cells: tuple[Cell, ...] = ()
    margin: Cell = Cell("")


@dataclass(frozen=True)
class Table:
    """Rows of cells, with lines between them.

    If the table is too wide, its cells lose their middle and the last column wraps.
    """

    rows: Sequence[Sequence[Cell] | Line]
    header: tuple[str, ...] = ()
    indent: int = 0


View = Sequence[Line | Table]


@dataclass(frozen=True)
class Terminal:
    """The size and encoding of an output stream.

    Attributes:
        columns: maximum length of a line.
        encoding: of the stream.
    """

    columns: int = UNLIMITED
    encoding: str = "utf-8"

    @cached_property
    def is_plain(self) -> bool:
        """Whether the encoding lacks the characters that views are drawn with."""
        signs = "".join(_ASCII)
        return self._encode(signs) != signs

    def printable(self, text: str) -> str:
        """Returns a text in characters of the encoding; it escapes all others."""
        if text.isascii():
            return text
        return self._encode(text.translate(_TRANSLATION) if self.is_plain else text)

    def _encode(self, text: str) -> str:
        return text.encode(self.encoding, "backslashreplace").decode(self.encoding)


def terminal_of(stream: TextIO, *, fit: bool = True) -> Terminal:
    """Returns the terminal of a stream; COLUMNS overrides its width.

    Args:
        stream: a terminal or a pipe.
        fit: whether to limit the width in a pipe, too.
    """
    columns = PIPE if fit else UNLIMITED
    setting = os.environ.get("COLUMNS", "")
    if setting.isascii() and setting.isdigit() and int(setting) and (fit or stream.isatty()):
        columns = min(int(setting), 10_000)
    elif stream.isatty():
        try:
            columns = os.get_terminal_size(stream.fileno()).columns or DEFAULT_COLUMNS
        except (OSError, ValueError):
            columns = DEFAULT_COLUMNS
    return Terminal(max(columns, MIN_COLUMNS), stream.encoding or "utf-8")


def line(text: str = "", style: str = "", indent: int = 0) -> Line:
    """Returns a line of one text, indented by a number of spaces."""
    margin = Cell(" " * indent)
    return Line((margin, Cell(text, style)) if indent else (Cell(text, style),), margin)


def quality_style(score: float | None) -> str:
    """Returns the colour of a number in [0, 1], where 1 is best."""
    if score is None:
        return "dim"
    return f"bold {'green' if score >= GOOD else 'yellow' if score >= FAIR else 'red'}"


def show(view: View, stream: TextIO | None = None, *, fit: bool = False) -> None:
    """Prints a view, in colour on a terminal or if FORCE_COLOR is set.

    Args:
        view: the lines and tables.
        stream: where to print (default: standard output).
        fit: whether to limit the width in a pipe, too.
    """
    stream = stream or sys.stdout
    terminal = terminal_of(stream, fit=fit)
    if not stream.isatty() and not os.environ.get("FORCE_COLOR"):
        print(disarm(plain(view, terminal)), file=stream)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, emoji=False, markup=False)
    for cells in _lay_out(view, terminal):
        parts = []
        for style, neighbours in groupby(cells, key=lambda cell: cell.style):
            text = "".join(cell.text for cell in neighbours)
            parts.append((text if stream.isatty() else disarm(text), style))
        console.print(Text.assemble(*parts), soft_wrap=True)


def disarm(text: str) -> str:
    """Returns the lines of a log, changed where the runner of a CI system would run a command."""
    return _COMMAND.sub(r"\1 \2", text)


def plain(view: View, terminal: Terminal = Terminal()) -> str:
    """Returns a view as text without colours."""
    return "\n".join("".join(cell.text for cell in cells) for cells in _lay_out(view, terminal))


def _lay_out(view: View, terminal: Terminal) -> Iterator[Sequence[Cell]]:
    for part in view:
        if isinstance(part, Line):
            yield from _wrap_line(_encode_line(part, terminal), terminal.columns)
        else:
            yield from _lay_out_table(part, terminal)


def _encode_cells(cells: Sequence[Cell], terminal: Terminal) -> tuple[Cell, ...]:
    return tuple(Cell(terminal.printable(cell.text), cell.style) for cell in cells)


def _encode_line(source: Line, terminal: Terminal) -> Line:
    (margin,) = _encode_cells([source.margin], terminal)
    return Line(_encode_cells(source.cells, terminal), margin)


def _wrap_line(source: Line, columns: int) -> Iterator[Sequence[Cell]]:
    """Yields a line in pieces that fit; it breaks words that are longer than a whole line."""
    width, indent = 0, cell_len(source.margin.text)
    cells: list[Cell] = []
    for cell in source.cells:
        for word in _WORD.findall(cell.text):
            if width > indent and width + cell_len(word.rstrip(" ")) > columns:
                yield _strip_end(cells)
                width, cells = indent, [source.margin]
            *full_parts, last_part = _break_word(word, columns - width, columns - indent)
            for part in full_parts:
                yield [*cells, replace(cell, text=part)]
                width, cells = indent, [source.margin]
            cells.append(replace(cell, text=last_part))
            width += cell_len(last_part)
    yield _strip_end(cells)


def _strip_end(cells: list[Cell]) -> list[Cell]:
    """Removes the spaces at the end of a line."""
    while cells and not cells[-1].text.strip(" "):
        cells.pop()
    if cells:
        cells[-1] = replace(cells[-1], text=cells[-1].text.rstrip(" "))
    return cells


def _break_word(word: str, room: int, columns: int) -> list[str]:
    if cell_len(word.rstrip(" ")) <= room:
        return [word]
    return chop_cells(word, max(min(room, columns), 2))


def _lay_out_table(table: Table, terminal: Terminal) -> Iterator[Sequence[Cell]]:
    rows = [
        _encode_line(row, terminal) if isinstance(row, Line) else _encode_cells(row, terminal)
        for row in table.rows
    ]
    grid = [row for row in rows if not isinstance(row, Line)]
    if table.header:
        names = enumerate(table.header)
        grid.insert(0, tuple(Cell("" if _spills(table, i) else name) for i, name in names))
    widths = [max(cell_len(cell.text) for cell in column) for column in zip(*grid, strict=True)]
    gaps = GAP * (len(widths) - 1)
    _fit_widths(widths, terminal.columns - table.indent - gaps)
    margin = Cell(" " * table.indent)
    last_margin = Cell(" " * (table.indent + sum(widths[:-1]) + gaps))
    if table.header:
        yield from _wrap_line(_write_header(table, widths, terminal), terminal.columns)
    for row in rows:
        if not isinstance(row, Line):
            columns = zip(row, widths[:-1], strict=False)
            padded = [_pad(cell, width, terminal) for cell, width in columns]
            row = Line((margin, *padded, row[-1]), last_margin)
        yield from _wrap_line(row, terminal.columns)


def _spills(table: Table, column: int) -> bool:
    """Whether a column name may run into the next column, because that has no name."""
    return table.header[column + 1 : -1][:1] == ("",)


def _write_header(table: Table, widths: Sequence[int], terminal: Terminal) -> Line:
    text, end = "", table.indent
    for column, (name, width) in enumerate(zip(table.header, widths, strict=True)):
        text = text.ljust(end)
        text += name if _spills(table, column) else squeeze(name, width, terminal)
        end += width + GAP
    return line(text, "dim")


def _fit_widths(widths: list[int], room: int) -> None:
    """Narrows the widest columns until they fit; the last one keeps up to a third of the room."""
    while sum(widths) > room and max(widths) > 1:
        minimum = room // 3 if len(widths) > 1 else 0
        count = len(widths) - (widths[-1] <= minimum)
        widest = max(range(count), key=lambda column: widths[column])
        widths[widest] -= 1


def _pad(cell: Cell, width: int, terminal: Terminal) -> Cell:
    text = squeeze(cell.text, width, terminal)
    return Cell(text + " " * (width + GAP - cell_len(text)), cell.style)


def squeeze(text: str, columns: int, terminal: Terminal) -> str:
    """Returns a text that fits in some columns; a longer one keeps its beginning and its end."""
    if cell_len(text) <= columns:
        return text
    gap = terminal.printable("…")[:columns]
    room = columns - len(gap)
    begin = _cut_text(text, room // 2)
    return begin + gap + _cut_text(text[::-1], room - cell_len(begin))[::-1]


def _cut_text(text: str, columns: int) -> str:
    return set_cell_size(text, columns).rstrip(" ")
