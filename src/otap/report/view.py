"""What is shown, as lines and tables; laid out for a width, and coloured by rich on a terminal.

Rich is loaded only where there is colour: loading it takes as long as a whole score. How wide
characters are is said by ``rich.cells``, which is loaded at once.
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
from otap.alignment import Severity
from otap.report.model.headline import GOOD
from otap.report.model.words import MOVED, SIGNS

GAP = 2  # spaces between columns
UNLIMITED = 1_000_000  # columns of a pipe, in which tables are as wide as they are
PIPE = 100  # columns of a pipe for what is made to fit
NARROWEST = 50  # below it lines are longer than the terminal
SCREEN = 80  # columns of a terminal that does not say
FAIR = 0.5  # a quality from which on it is yellow
SEVERITY_STYLES: dict[Severity | None, str] = {
    "critical": "bold red", "major": "yellow", "minor": "cyan", None: "green",
}  # fmt: skip
_WORD = regex(r"[^ |]+[ |]*|[ |]+")  # lines are broken behind spaces and bars
# What is drawn where a stream has ASCII alone.
_PLAIN = {one.sign: one.plain for one in (*SIGNS.values(), MOVED)}
_PLAIN |= {"…": "...", "→": "->", "⋮": ":", "█": "#", "▓": "*", "▒": "o", "░": ":", "·": "."}
_PLAIN |= dict(zip("│─●○╭├╰┬┼┴", "|-*o.+'.+'", strict=True))
_TRANSLATION = {ord(sign): plain for sign, plain in _PLAIN.items()}
# How a line begins, after blanks, that a runner of GitHub obeys; and its older form, anywhere.
_COMMAND = regex(r"(?m)(^\s*:|##)(:|\[)")


@dataclass(frozen=True)
class Cell:
    """A piece of text, and how rich styles it on a terminal."""

    text: str
    style: str = ""


@dataclass(frozen=True)
class Line:
    """Cells one after the other; what has no room goes on below.

    Attributes:
        cells: texts, mostly of one line each.
        margin: what stands before the text on the lines below.
    """

    cells: tuple[Cell, ...] = ()
    margin: Cell = Cell("")


@dataclass(frozen=True)
class Table:
    """Rows of cells, and lines between them.

    Where there is no room, cells lose their middle, and the last column goes on below.
    """

    rows: Sequence[Sequence[Cell] | Line]
    header: tuple[str, ...] = ()
    indent: int = 0


View = Sequence[Line | Table]


@dataclass(frozen=True)
class Terminal:
    """Where something is shown.

    Attributes:
        columns: how long a line may be.
        encoding: of the stream that it is printed to.
    """

    columns: int = UNLIMITED
    encoding: str = "utf-8"

    @cached_property
    def is_plain(self) -> bool:
        """Whether there is only ASCII to draw with."""
        signs = "".join(_PLAIN)
        return self._spell(signs) != signs

    def printable(self, text: str) -> str:
        """Returns a text in characters that there are; others are spelled out."""
        if text.isascii():
            return text
        return self._spell(text.translate(_TRANSLATION) if self.is_plain else text)

    def _spell(self, text: str) -> str:
        return text.encode(self.encoding, "backslashreplace").decode(self.encoding)


def terminal_of(stream: TextIO, *, fit: bool = True) -> Terminal:
    """Returns the terminal that a stream is: as wide as COLUMNS says, else as it is.

    Args:
        stream: a terminal or a pipe.
        fit: whether what is shown is to fit into a pipe, too.
    """
    columns, said = PIPE if fit else UNLIMITED, os.environ.get("COLUMNS", "")
    if said.isascii() and said.isdigit() and int(said) and (fit or stream.isatty()):
        columns = min(int(said), 10_000)
    elif stream.isatty():
        columns = _measure_screen(stream)
    return Terminal(max(columns, NARROWEST), stream.encoding or "utf-8")


def _measure_screen(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or SCREEN
    except (OSError, ValueError):
        return SCREEN


def line(text: str = "", style: str = "", indent: int = 0) -> Line:
    """Returns a line of one text behind a margin."""
    margin = Cell(" " * indent)
    return Line((margin, Cell(text, style)) if indent else (Cell(text, style),), margin)


def quality_style(value: float | None) -> str:
    """Returns the colour of a number in [0, 1] of which 1 is best."""
    if value is None:
        return "dim"
    return f"bold {'green' if value >= GOOD else 'yellow' if value >= FAIR else 'red'}"


def show(view: View, stream: TextIO | None = None, *, fit: bool = False) -> None:
    """Prints a view: with rich on a terminal or if FORCE_COLOR is set.

    Args:
        view: what is shown.
        stream: where; None: standard output.
        fit: whether it is to fit into a pipe, too.
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
        merged = groupby(cells, key=lambda cell: cell.style)
        parts = [("".join(cell.text for cell in found), style) for style, found in merged]
        if not stream.isatty():
            parts = [(disarm(text), style) for text, style in parts]
        console.print(Text.assemble(*parts), soft_wrap=True)


def disarm(text: str) -> str:
    """Returns lines for a log in which none is a command for a CI system's runner."""
    return _COMMAND.sub(r"\1 \2", text)


def plain(view: View, terminal: Terminal = Terminal()) -> str:
    """Returns a view as text, without colours."""
    return "\n".join("".join(x.text for x in cells) for cells in _lay_out(view, terminal))


def _lay_out(view: View, terminal: Terminal) -> Iterator[Sequence[Cell]]:
    for part in view:
        if isinstance(part, Line):
            yield from _wrap_line(_spell_line(part, terminal), terminal.columns)
        else:
            yield from _lay_out_table(part, terminal)


def _spell_cells(cells: Sequence[Cell], terminal: Terminal) -> tuple[Cell, ...]:
    return tuple(Cell(terminal.printable(cell.text), cell.style) for cell in cells)


def _spell_line(one: Line, terminal: Terminal) -> Line:
    (margin,) = _spell_cells([one.margin], terminal)
    return Line(_spell_cells(one.cells, terminal), margin)


def _wrap_line(one: Line, columns: int) -> Iterator[Sequence[Cell]]:
    """The lines that a line takes; a word that is too long for any is broken."""
    taken, begin = 0, cell_len(one.margin.text)
    done: list[Cell] = []
    for cell in one.cells:
        for word in _WORD.findall(cell.text):
            if taken > begin and taken + cell_len(word.rstrip(" ")) > columns:
                yield _strip_end(done)
                taken, done = begin, [one.margin]
            *parts, rest = _break_word(word, columns - taken, columns - begin)
            for part in parts:
                yield [*done, replace(cell, text=part)]
                taken, done = begin, [one.margin]
            done.append(replace(cell, text=rest))
            taken += cell_len(rest)
    yield _strip_end(done)


def _strip_end(cells: list[Cell]) -> list[Cell]:
    """A line without spaces at its end."""
    while cells and not cells[-1].text.strip(" "):
        cells.pop()
    return [*cells[:-1], *(replace(one, text=one.text.rstrip(" ")) for one in cells[-1:])]


def _break_word(word: str, room: int, columns: int) -> list[str]:
    if cell_len(word.rstrip(" ")) <= room:
        return [word]
    return chop_cells(word, max(min(room, columns), 2))


def _lay_out_table(table: Table, terminal: Terminal) -> Iterator[Sequence[Cell]]:
    rows = [
        _spell_line(row, terminal) if isinstance(row, Line) else _spell_cells(row, terminal)
        for row in table.rows
    ]
    header = [Cell("" if _spills(table, k) else name) for k, name in enumerate(table.header)]
    grid = [*([header] if header else []), *(row for row in rows if not isinstance(row, Line))]
    widths = [max(cell_len(cell.text) for cell in column) for column in zip(*grid, strict=True)]
    room = terminal.columns - table.indent - GAP * (len(widths) - 1)
    _fit_widths(widths, room)
    margin = Cell(" " * table.indent)
    hang = Cell(" " * (table.indent + sum(widths[:-1]) + GAP * (len(widths) - 1)))
    if table.header:
        yield from _wrap_line(_write_header(table, widths, terminal), terminal.columns)
    for row in rows:
        if isinstance(row, Line):
            yield from _wrap_line(row, terminal.columns)
            continue
        padded = (
            _pad(cell, width, terminal) for cell, width in zip(row, widths[:-1], strict=False)
        )
        yield from _wrap_line(Line((margin, *padded, row[-1]), hang), terminal.columns)


def _spills(table: Table, place: int) -> bool:
    """Whether a name of the header has the room of the next column, too, which has no name."""
    return table.header[place + 1 : -1][:1] == ("",)


def _write_header(table: Table, widths: Sequence[int], terminal: Terminal) -> Line:
    text, end = "", table.indent
    for place, (name, width) in enumerate(zip(table.header, widths, strict=True)):
        text = text.ljust(end) + (name if _spills(table, place) else squeeze(name, width, terminal))
        end += width + GAP
    return line(text, "dim")


def _fit_widths(widths: list[int], room: int) -> None:
    """Takes from the widest columns what does not fit; the last one keeps a third at most."""
    while sum(widths) > room and max(widths) > 1:
        least = room // 3 if len(widths) > 1 else 0
        others = range(len(widths) - (widths[-1] <= least))
        widths[max(others, key=widths.__getitem__)] -= 1


def _pad(cell: Cell, width: int, terminal: Terminal) -> Cell:
    text = squeeze(cell.text, width, terminal)
    return Cell(text + " " * (width + GAP - cell_len(text)), cell.style)


def squeeze(text: str, columns: int, terminal: Terminal) -> str:
    """Returns a text in so many columns at most: its beginning and its end."""
    if cell_len(text) <= columns:
        return text
    gap = terminal.printable("…")[:columns]
    room = columns - len(gap)
    begin = _take_beginning(text, room // 2)
    return begin + gap + _take_beginning(text[::-1], room - cell_len(begin))[::-1]


def _take_beginning(text: str, columns: int) -> str:
    """The beginning of a text, in so many columns at most."""
    return set_cell_size(text, columns).rstrip(" ")
