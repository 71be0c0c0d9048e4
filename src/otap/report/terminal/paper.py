"""What is drawn on: how wide it is, and which characters it has."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from otap._caching import cached_property
from otap.errors import shown
from otap.report.story.signs import MOVED, SIGNS, Sign
from otap.report.terminal.widths import fitting, width
from otap.report.view import Cell, Line

PIPE = 100  # columns where nobody says how many there are
NARROWEST = 50  # below it lines are longer than the terminal
SCREEN = 80  # of a terminal that does not say
_BETWEEN = "   "  # items side by side
_SIGNS = "".join(one.sign for one in (*SIGNS.values(), MOVED)) + "█▓▒░·│├╭╰─┼┬┴●○→…⋮"
# What our own sentences have beside ASCII, where a terminal has nothing else.
_PLAIN = str.maketrans({"…": "...", "→": "->", "·": ".", "⋮": ":"})


@dataclass(frozen=True)
class Paper:
    """Where something is drawn.

    Attributes:
        columns: how long a line may be.
        encoding: of the stream that it is printed to.
    """

    columns: int = PIPE
    encoding: str = "utf-8"

    @cached_property
    def plain(self) -> bool:
        """Whether there is only ASCII to draw with."""
        return self._printable(_SIGNS) != _SIGNS

    def sign(self, sign: Sign) -> str:
        """Returns the character of a relation."""
        return sign.plain if self.plain else sign.sign

    def text(self, text: object, limit: int = 10_000) -> str:
        """Returns foreign text on one line, of printable characters that this paper has.

        Args:
            text: anything; its ``str`` is shown.
            limit: the most characters.
        """
        return self.own(shown(text, limit))

    def own(self, text: str) -> str:
        """Returns a sentence of ours in characters that this paper has."""
        return self._printable(text.translate(_PLAIN) if self.plain else text)

    def cut(self, text: str, columns: int) -> str:
        """Returns a text that takes no more than so many columns, and says if it is cut."""
        if width(text) <= columns:
            return text
        end = self.own("…")
        return text[: fitting(text, columns - len(end))] + end

    def squeezed(self, text: str, columns: int) -> str:
        """Returns a name that takes no more than so many columns: its beginning and its end."""
        if width(text) <= columns:
            return text
        gap = self.own("…")
        room = max(columns - len(gap), 0)
        begin = text[: fitting(text, room // 2)]
        end = text[::-1]
        end = end[: fitting(end, room - width(begin))][::-1]
        return begin + gap + end

    def wrapped(self, text: str, columns: int, at: str = " ") -> Iterator[str]:
        """Yields a text in lines of so many columns, broken behind ``at`` where that can be."""
        rest = text
        while width(rest) > columns:
            most = fitting(rest, columns + (at == " "))
            end = rest.rfind(at, 0, most) + 1 or max(1, fitting(rest, columns))
            yield rest[:end].rstrip(" ")
            rest = rest[end:].lstrip(" ")
        yield rest

    def paragraph(
        self, text: str, style: str = "", indent: int = 0, lead: tuple[Cell, ...] = ()
    ) -> Iterator[Line]:
        """Yields the lines of a text behind a margin; what leads it in stands in the margin.

        Args:
            text: printable on this paper.
            style: of all of it.
            indent: columns of the margin.
            lead: cells of exactly that many columns; none: blank.
        """
        margin = (Cell(" " * indent),)
        for number, part in enumerate(self.wrapped(text, max(self.columns - indent, 10))):
            yield Line((*(lead if lead and not number else margin), Cell(part, style)))

    def packed(self, items: Sequence[Sequence[Cell]], indent: int = 0) -> Iterator[Line]:
        """Yields items side by side, as many to a line as there is room for."""
        margin, between = Cell(" " * indent), Cell(_BETWEEN)
        taken, columns = [margin], indent
        for item in items:
            wide = sum(width(cell.text) for cell in item)
            if len(taken) > 1 and columns + len(_BETWEEN) + wide > self.columns:
                yield Line(tuple(taken))
                taken, columns = [margin], indent
            lead = [between] if len(taken) > 1 else []
            taken += [*lead, *item]
            columns += wide + len(_BETWEEN) * len(lead)
        yield Line(tuple(taken))

    def _printable(self, text: str) -> str:
        return text.encode(self.encoding, "backslashreplace").decode(self.encoding)


def paper_of(stream: TextIO) -> Paper:
    """Returns the paper that a stream is: as wide as COLUMNS says, else as its terminal."""
    return Paper(max(_columns(stream), NARROWEST), stream.encoding or "utf-8")


def _columns(stream: TextIO) -> int:
    said = os.environ.get("COLUMNS", "")
    if said.isascii() and said.isdigit() and int(said):
        return min(int(said), 10_000)
    if not stream.isatty():
        return PIPE
    try:
        return os.get_terminal_size(stream.fileno()).columns or SCREEN
    except (OSError, ValueError):
        return SCREEN


def padded(text: str, columns: int) -> str:
    """Returns a text followed by as many spaces as it needs to take so many columns."""
    return text + " " * (columns - width(text))
