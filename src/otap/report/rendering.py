"""Fills in the templates of pages and Markdown, which escape everything, and of terminal views.

Whatever a template is given is text, unless another template produced it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from otap import _numbers
from otap._patterns import regex
from otap.errors import shown, shown_path
from otap.report.model.vocabulary import (
    MOVED,
    RULES,
    SIGNS,
    escape_markdown,
    name_step,
    visible,
    word_kind,
)
from otap.report.view import SEVERITY_STYLES, Cell, View, ViewLine, ViewTable, quality_style

if TYPE_CHECKING:
    from jinja2 import Environment

MAX_TEXT = 10_000  # characters of one text of a view

# Templates of views are plain text. Control characters mark its structure:
#   \x02 STYLE \x03 TEXT \x04      a text in a style
#   \x05 STYLE \x05                at the beginning of a line: the style of the whole line
#   \x1e CELL \x1f CELL ...        a row of a table
#   \x1d NAME \x1f NAME ...        the header of a table
_LINE = regex("( *)(?:\x05([^\x05]*)\x05)?(.*)")  # indent, style, text
_CELL = regex("\x02([^\x03]*)\x03([^\x04]*)\x04|([^\x02]+)")  # style and text, or unstyled text


class MarkedText(str):
    """A text that is escaped already; its control characters are those above."""

    __slots__ = ()


def _escape_controls(text: object) -> str:
    return text if isinstance(text, MarkedText) else shown(text, MAX_TEXT)


def style_text(text: object, style: str) -> MarkedText:
    """Returns a text of a view in a style of rich."""
    return MarkedText(f"\x02{style}\x03{_escape_controls(text)}\x04")


def write_row(*cells: object) -> MarkedText:
    """Returns a row of a table of a view."""
    return MarkedText("\x1e" + "\x1f".join(_escape_controls(cell) for cell in cells))


def write_header(*names: str) -> MarkedText:
    """Returns the column names that begin a table of a view."""
    return MarkedText("\x1d" + "\x1f".join(names))


_VIEW_GLOBALS = {
    "row": write_row,
    "header": write_header,
    **{style: MarkedText(f"\x05{style}\x05") for style in ("bold", "dim", "green", "yellow")},
}
_FILTERS: Mapping[str, Callable[..., Any]] = {
    **{
        name.removesuffix("_text"): function
        for name, function in vars(_numbers).items()
        if "_text" in name
    },
    "counted": _numbers.count_text,
    "tenths": lambda value: _numbers.ABSENT if value is None else _numbers.decimal_text(value),
    "step_name": name_step,
    "kind_word": word_kind,
    "short": shown,
    "path": shown_path,
    "visible": visible,
    "markdown": lambda *arguments: Markup(escape_markdown(*arguments)),
    "lookup": lambda key, table: table[key],
    "style": style_text,
    "severity": lambda name, form="%s": style_text(form % name, SEVERITY_STYLES[name]),
    "quality": lambda score: style_text(_numbers.score_text(score), quality_style(score)),
}


@cache
def _load_templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # slow to load

    environment = Environment(
        loader=PackageLoader("otap.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(_FILTERS)
    environment.globals.update(signs=SIGNS, moved_sign=MOVED, rules=RULES)
    return environment


def render_template(name: str, **variables: object) -> Markup:
    """Returns a filled-in template as markup, which other templates do not escape again.

    Args:
        name: its file in ``templates``.
        **variables: of the template; texts are escaped.
    """
    return Markup(_load_templates().get_template(name).render(**variables))


@cache
def _load_text_templates() -> "Environment":
    return _load_templates().overlay(
        autoescape=False, finalize=_escape_controls, keep_trailing_newline=True
    )


def render_text(name: str, **variables: object) -> str:
    """Returns a filled-in template as plain text; its texts are escaped like those of a view."""
    return _load_text_templates().get_template(name).render(**variables).removesuffix("\n")


def render_view(name: str, **variables: object) -> View:
    """Returns the lines and tables of a template; adjacent rows form one table.

    Args:
        name: its file in ``templates``.
        **variables: of the template; texts are put on one line, with control characters escaped.
    """
    parts: list[ViewLine | ViewTable] = []
    rows: list[Sequence[Cell] | ViewLine] = []
    for text in render_text(name, **_VIEW_GLOBALS, **variables).split("\n"):
        match = _LINE.fullmatch(text)
        assert match is not None  # the pattern matches any line
        indent, style, body = match.groups("")
        mark, cells = body[:1], [_read_cells(cell, style) for cell in body[1:].split("\x1f")]
        if mark == "\x1d":
            rows = []
            parts.append(ViewTable(rows, tuple(name[0].text for name in cells), len(indent)))
        elif mark == "\x1e":
            if not isinstance(parts[-1], ViewTable):
                rows = []
                parts.append(ViewTable(rows, indent=len(indent)))
            rows.append([cell[0] for cell in cells])
        else:
            margins = [Cell(indent)] if indent else []
            parts.append(ViewLine((*margins, *_read_cells(body, style)), Cell(indent)))
    return parts


def _read_cells(text: str, line_style: str) -> list[Cell]:
    """Returns the pieces of a text, each in its own style or else in that of the line."""
    cells = [
        Cell(styled or plain, style or line_style) for style, styled, plain in _CELL.findall(text)
    ]
    return cells or [Cell("", line_style)]
