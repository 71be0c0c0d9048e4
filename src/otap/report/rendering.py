"""Templates: of pages and Markdown, which escape everything, and of views for a terminal.

Everything that is put into a template is text, unless a template made it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from otap import _numbers
from otap._patterns import regex
from otap.errors import shown, shown_path
from otap.report.model.words import (
    MOVED,
    SIGNS,
    escape_markdown,
    name_step,
    visible,
    word_kind,
)
from otap.report.view import SEVERITY_STYLES, Cell, Line, Table, View, quality_style

if TYPE_CHECKING:
    from jinja2 import Environment

LONGEST = 10_000  # characters of one text of a view
_LINE = regex("( *)(?:\x05([^\x05]*)\x05)?(.*)")
_CELL = regex("\x02([^\x03]*)\x03([^\x04]*)\x04|([^\x02]+)")


class Marked(str):
    """A text with marks of ours, which say where cells begin and how they look."""

    __slots__ = ()


def _escape_marks(value: object) -> str:
    return value if isinstance(value, Marked) else shown(value, LONGEST)


def style_text(value: object, style: str) -> Marked:
    """Returns a text of a view in a style of rich."""
    return Marked(f"\x02{style}\x03{_escape_marks(value)}\x04")


def write_row(*cells: object) -> Marked:
    """Returns a row of a table of a view."""
    return Marked("\x1e" + "\x1f".join(map(_escape_marks, cells)))


def write_header(*names: str) -> Marked:
    """Returns the names of columns, with which a table begins."""
    return Marked("\x1d" + "\x1f".join(names))


_MARKS = {
    "row": write_row,
    "header": write_header,
    **{name: Marked(f"\x05{name}\x05") for name in ("bold", "dim", "green", "yellow")},
}
_FILTERS: Mapping[str, Callable[..., Any]] = {
    **{name.removesuffix("_text"): one for name, one in vars(_numbers).items() if "_text" in name},
    "counted": _numbers.count_text,
    "tenths": lambda value: _numbers.ABSENT if value is None else _numbers.decimal_text(value),
    "step_name": name_step,
    "kind_word": word_kind,
    "short": shown,
    "path": shown_path,
    "visible": visible,
    "markdown": lambda *given: Markup(escape_markdown(*given)),
    "lookup": lambda key, table: table[key],
    "style": style_text,
    "severity": lambda value, form="%s": style_text(form % value, SEVERITY_STYLES[value]),
    "quality": lambda value: style_text(_numbers.score_text(value), quality_style(value)),
}


@cache
def _load_templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # as slow to load as a score

    found = Environment(
        loader=PackageLoader("otap.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(_FILTERS)
    found.globals.update(signs=SIGNS, moved_sign=MOVED)
    return found


def render_template(name: str, **given: object) -> Markup:
    """Returns a template filled in, as markup that other templates take as it is.

    Args:
        name: its file in ``templates``.
        **given: what it shows; texts are escaped.
    """
    return Markup(_load_templates().get_template(name).render(**given))


@cache
def _load_views() -> "Environment":
    return _load_templates().overlay(
        autoescape=False, finalize=_escape_marks, keep_trailing_newline=True
    )


def render_text(name: str, **given: object) -> str:
    """Returns a template filled in as plain text; its texts are escaped as those of a view."""
    return _load_views().get_template(name).render(**given).removesuffix("\n")


def render_view(name: str, **given: object) -> View:
    """Returns the lines and tables of a template; its rows next to each other are one table.

    Args:
        name: its file in ``templates``.
        **given: what it shows; texts are on one line, and their control characters escaped.
    """
    parts: list[Line | Table] = []
    rows: list[Sequence[Cell] | Line] = []
    text = render_text(name, **_MARKS, **given)
    for margin, style, body in map(_split_line, text.split("\n")):
        mark, cells = body[:1], [_read_cells(one, style) for one in body[1:].split("\x1f")]
        if mark == "\x1d":
            parts.append(Table(rows := [], tuple(one[0].text for one in cells), len(margin)))
        elif mark == "\x1e":
            if not isinstance(parts[-1], Table):
                parts.append(Table(rows := [], indent=len(margin)))
            rows.append([one[0] for one in cells])
        else:
            margins = [Cell(margin)] if margin else []
            parts.append(Line((*margins, *_read_cells(body, style)), Cell(margin)))
    return parts


def _split_line(text: str) -> Sequence[str]:
    """The margin of a line, the style of all of it, and what it says."""
    found = _LINE.fullmatch(text)
    assert found is not None  # it matches any line
    return found.groups("")


def _read_cells(text: str, style: str) -> list[Cell]:
    """Texts each in its own style, else in that of the whole line."""
    found = [Cell(inner or plain, own or style) for own, inner, plain in _CELL.findall(text)]
    return found or [Cell("", style)]
