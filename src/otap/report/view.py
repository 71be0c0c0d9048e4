"""Lines and tables of text; rich lays them out for a width, and colours them on a terminal.

Rich is loaded when something is shown, because loading it takes longer than the help of a command.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TextIO

from otap._caching import cached_property
from otap.errors import disarm
from otap.findings import Severity
from otap.report.model.headline import GOOD
from otap.report.model.vocabulary import MOVED, SIGNS

if TYPE_CHECKING:
    from rich.text import Text

GAP = 2  # spaces between columns
UNLIMITED = 1_000_000  # columns of a pipe whose tables keep their natural width
PIPE = 100  # columns of a pipe whose tables are fitted
MIN_COLUMNS = 50  # in a narrower terminal, lines are longer than it is
DEFAULT_COLUMNS = 80  # of a terminal that does not report its size
FAIR = 0.5  # minimum score that is shown in yellow
SEVERITY_STYLES: dict[Severity | None, str] = {
    "critical": "bold red", "major": "yellow", "minor": "cyan", None: "green",
}  # fmt: skip
# Replacements for streams that can only encode ASCII.
_ASCII = {sign.sign: sign.plain for sign in (*SIGNS.values(), MOVED)}
_ASCII |= {"…": "...", "→": "->", "⋮": ":", "█": "#", "▓": "*", "▒": "o", "░": ":", "·": "."}
_ASCII |= dict(zip("│─●○╭├╰┬┼┴", "|-*o.+'.+'", strict=True))
_TRANSLATION = str.maketrans(_ASCII)


@dataclass(frozen=True)
class Cell:
    """A text with the style that rich gives it on a terminal."""

    text: str
    style: str = ""


@dataclass(frozen=True)
class ViewLine:
    """Cells in a row, which wrap where they do not fit.

    Attributes:
        cells: texts of one line each.
        margin: the text at the start of each further line.
    """

    cells: tuple[Cell, ...] = ()
    margin: Cell = Cell("")


@dataclass(frozen=True)
class ViewTable:
    """Rows of cells, with lines between them.

    If the table is too wide, its cells lose their end and the last column wraps.
    """

    rows: Sequence[Sequence[Cell] | ViewLine]
    header: tuple[str, ...] = ()
    indent: int = 0


View = Sequence[ViewLine | ViewTable]


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

    @property
    def overflow(self) -> Literal["crop", "ellipsis"]:
        """How a text that is too long is cut; an ellipsis has no character in some encodings."""
        return "crop" if self.is_plain else "ellipsis"

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


def line(text: str = "", style: str = "", indent: int = 0) -> ViewLine:
    """Returns a line of one text, indented by a number of spaces."""
    margin = Cell(" " * indent)
    return ViewLine((margin, Cell(text, style)) if indent else (Cell(text, style),), margin)


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
    for text in _lay_out(view, terminal):
        if not stream.isatty() and disarm(text.plain) != text.plain:
            text = Text(disarm(text.plain))
        console.print(text, soft_wrap=True)


def plain(view: View, terminal: Terminal = Terminal()) -> str:
    """Returns a view as text without colours."""
    return "\n".join(text.plain for text in _lay_out(view, terminal))


def _lay_out(view: View, terminal: Terminal) -> "Iterator[Text]":
    """Yields the lines of a view, which fit into the terminal."""
    for part in view:
        if isinstance(part, ViewLine):
            yield from _wrap_line(part, terminal)
        else:
            yield from _lay_out_table(part, terminal)


def _wrap_line(source: ViewLine, terminal: Terminal) -> "Iterator[Text]":
    return _wrap(_join(source.cells, terminal), _join([source.margin], terminal), terminal.columns)


def _join(cells: Sequence[Cell], terminal: Terminal) -> "Text":
    from rich.text import Text

    return Text.assemble(*[(terminal.printable(cell.text), cell.style) for cell in cells])


def _wrap(text: "Text", margin: "Text", columns: int) -> "Iterator[Text]":
    """Yields a text in lines that fit; all but the first begin with the margin."""
    text.rstrip()
    if text.cell_len <= columns:
        yield text
        return
    lead, body = text.divide([len(margin)])
    # Rich needs a console only to justify lines, and loading it takes as long as a score.
    no_console: Any = None
    for line in body.wrap(no_console, max(columns - margin.cell_len, 2)):
        line.rstrip()
        yield lead + line
        lead = margin


def _lay_out_table(table: ViewTable, terminal: Terminal) -> "Iterator[Text]":
    from rich.text import Text

    rows = [
        row if isinstance(row, ViewLine) else [_join([cell], terminal) for cell in row]
        for row in table.rows
    ]
    names = [Text(name, "dim") for name in table.header]
    columns = [*zip(*[row for row in rows if not isinstance(row, ViewLine)], strict=True)]
    widths = [max(cell.cell_len for cell in column) for column in columns]
    names = names if columns else []  # lines of text alone need no header
    # The name of a column may run into the next column, if that has no name.
    spills = [name == "" for name in table.header[1:-1]] + [False, False]
    for column, name in enumerate(names):
        if not spills[column]:
            widths[column] = max(widths[column], name.cell_len)
    gaps = GAP * (len(widths) - 1)
    _fit_widths(widths, terminal.columns - table.indent - gaps)
    margin = Text(" " * (table.indent + sum(widths[:-1]) + gaps))
    if names:
        header, end = Text(" " * table.indent), table.indent
        for name, width, is_spilling in zip(names, widths, spills, strict=False):
            header.pad_right(end - header.cell_len)
            if not is_spilling:
                name.truncate(width, overflow=terminal.overflow)
            header.append_text(name)
            end += width + GAP
        yield from _wrap(header, Text(" " * table.indent), terminal.columns)
    for row in rows:
        if isinstance(row, ViewLine):
            yield from _wrap_line(row, terminal)
            continue
        for cell, width in zip(row[:-1], widths, strict=False):
            cell.truncate(width, overflow=terminal.overflow, pad=True)
        line = Text(" " * GAP).join(row)
        yield from _wrap(Text(" " * table.indent) + line, margin, terminal.columns)


def _fit_widths(widths: list[int], room: int) -> None:
    """Narrows the widest columns until they fit; the last one keeps up to a third of the room."""
    while sum(widths) > room and max(widths) > 1:
        minimum = room // 3 if len(widths) > 1 else 0
        count = len(widths) - (widths[-1] <= minimum)
        widest = max(range(count), key=lambda column: widths[column])
        widths[widest] -= 1
