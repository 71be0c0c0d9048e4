"""Writes plain data as TOML; the standard library only reads it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from otap._patterns import regex
from otap.errors import ConfigError, shown

LINE = 96  # characters of a comment line
MAX_COMMENT = 2000  # characters of one line of text in a comment; more are cut
_BARE_KEY = regex(r"[A-Za-z0-9_-]+\Z")

Path = tuple[str, ...]


def toml_document(table: Mapping[str, Any]) -> str:
    """Returns a table as a TOML document.

    Args:
        table: tables, lists, strings, numbers and booleans by key.

    Raises:
        ConfigError: for a value that TOML cannot hold, such as None.
    """
    return "".join(f"{line}\n" for line in _table_lines((), table))


def _table_lines(path: Path, table: Mapping[str, Any]) -> Iterator[str]:
    """Yields the values of a table, then its sub-tables."""
    tables = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    if path and (len(tables) < len(table) or not table):
        yield from ("", f"[{'.'.join(toml_key(key) for key in path)}]")
    for key, value in table.items():
        if key not in tables:
            yield f"{toml_key(key)} = {toml_value(value, (*path, key))}"
    for key, subtable in tables.items():
        yield from _table_lines((*path, key), subtable)


def toml_value(value: Any, path: Path = ()) -> str:
    """Returns a value as TOML on one line.

    Args:
        value: a table, list, string, number or boolean.
        path: the keys that lead to the value, for the error message.

    Raises:
        ConfigError: for a value that TOML cannot hold, such as None.
    """
    if isinstance(value, Mapping):
        parts = [f"{toml_key(key)} = {toml_value(member, path)}" for key, member in value.items()]
        return f"{{ {', '.join(parts)} }}" if value else "{}"
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, Sequence):
        return f"[{', '.join(toml_value(member, path) for member in value)}]"
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value).lower()  # True becomes true; numbers stay as they are
    raise ConfigError(f"{shown('.'.join(path))}: TOML cannot hold {shown(value)}; leave it out")


def toml_key(name: str) -> str:
    """Returns a key, in quotes if it needs them."""
    return name if _BARE_KEY.match(name) else toml_string(name)


def toml_string(text: str) -> str:
    """Returns a text as a quoted string on one line, with unprintable characters escaped."""
    return f'"{"".join(_escape(character) for character in text)}"'


def _escape(character: str) -> str:
    if character.isprintable():
        return f"\\{character}" if character in '"\\' else character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def comment_lines(text: str) -> Iterator[str]:
    """Yields a text as comment lines.

    Each line of the text keeps its indentation. If it is wrapped, an indented line continues two
    spaces further in.
    """
    for line in text.split("\n"):
        stripped = line.lstrip(" ")
        start = "#" + " " * (len(line) - len(stripped))
        comment = start
        for word in shown(stripped, MAX_COMMENT).split(" "):
            word = shown(word, LINE)
            if len(comment) + len(word) >= LINE and comment != start:
                yield comment
                comment = f"{start}  " if len(start) > 1 else start
            comment += f" {word}"
        yield comment.rstrip()
