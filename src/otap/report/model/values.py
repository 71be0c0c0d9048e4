"""What a step was given and what came back, as text."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from otap._numbers import count_text
from otap._patterns import regex
from otap.errors import shown

DEEPEST = 6  # levels of keys that have paths of their own
LONGEST = 4000  # characters of one text of a page
# Line ends and tabs are drawn by the page; all else that is not printable could hide or turn text.
_HIDDEN = regex(r"[^\n\t\x20-\x7e]")


def value_text(value: JsonValue, limit: int) -> str:
    """Returns a value on one line: texts as they are, all else as JSON; nothing for null.

    Args:
        value: from a trace.
        limit: the most characters.
    """
    if value is None:
        return ""
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return shown(text[: limit + 1], limit)


def arguments_text(given: JsonValue, limit: int = 120, longest: int = 60) -> str:
    """Returns what a step was given on one line: its arguments by name.

    Args:
        given: from a trace.
        limit: the most characters.
        longest: the most characters of one value.
    """
    if not isinstance(given, dict):
        return value_text(given, limit)
    pairs = (f"{shown(key, 40)}: {value_text(v, longest) or 'null'}" for key, v in given.items())
    return shown(", ".join(pairs), limit)


def iterate_leaves(value: object, path: str = "", depth: int = 0) -> Iterator[tuple[str, object]]:
    """Yields each single value of arguments with its path of keys.

    What is empty, or deeper than DEEPEST, is a value as it is.
    """
    members: Iterable[tuple[str, object]] = ()
    if depth < DEEPEST and isinstance(value, Mapping):
        members = ((f"{path}.{key}" if path else key, one) for key, one in value.items())
    elif depth < DEEPEST and isinstance(value, Sequence) and not isinstance(value, str):
        members = ((f"{path}[{place}]", one) for place, one in enumerate(value))
    if not members or not value:
        yield path, value
    for name, member in members:
        yield from iterate_leaves(member, name, depth + 1)


def visible(text: object, limit: int = LONGEST) -> str:
    """Returns a text as a page can show it: control and direction marks as escapes, long ones cut.

    It is not escaped for HTML: the template does that.

    Args:
        text: anything; its ``str`` is shown.
        limit: the most characters.
    """
    whole = str(text)
    seen = _HIDDEN.sub(_escape_hidden, whole[:limit])
    rest = len(whole) - limit
    return f"{seen}… and {count_text(rest, 'more character')}" if rest > 0 else seen


def _escape_hidden(found: re.Match[str]) -> str:
    character = found[0]
    return character if character.isprintable() else shown(character)
