"""Foreign text in Markdown, and tables of it."""

from collections.abc import Iterable, Iterator, Sequence

from otap._patterns import regex
from otap.errors import shown

_SPECIAL = regex(r"([\\`*_\[\]#|~$@^]|:(?=//)|(?<=www)\.)")
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def text_of(text: str, limit: int = 160) -> str:
    """Returns foreign text on one line, with all that Markdown or HTML would obey escaped.

    No mention, link, reference to an issue or picture is made of it. Plain words stay as they are.
    """
    line = shown(text, limit).translate(_MARKUP)
    return _SPECIAL.sub(lambda sign: f"&#{ord(sign[1])};", line.replace("&", "\0")).replace(
        "\0", "&"
    )


def table_lines(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table, and an empty one behind it; cells are written as they are."""
    yield f"| {' | '.join(header)} |"
    yield "|---" * len(header) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""
