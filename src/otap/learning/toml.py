"""Plain data as TOML, with a comment above each line that has one."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from otap._patterns import regex
from otap.errors import ConfigError, shown

_BARE = regex(r"[A-Za-z0-9_-]+\Z")
LINE = 96  # characters of a comment, before it goes on in the next line

Path = tuple[str, ...]
# What is said of values: of the one at a path and None, or of a member of a list there and itself.
Comments = Mapping[tuple[Path, str | None], str]


def document(data: Mapping[str, Any], comments: Comments) -> str:
    """Returns a table and all in it as a document.

    Args:
        data: tables, lists, texts, numbers, flags.
        comments: what is said of values, if anything.

    Raises:
        ConfigError: for a value that TOML cannot hold.
    """
    return "".join(f"{line}\n" for line in _table((), data, comments))


def comment(text: str, indent: str = "") -> Iterator[str]:
    """Yields a text as lines of a comment, whatever it holds, those of a part as far in as it."""
    for part in text.split("\n"):
        words = shown(part.lstrip(" "), 2000).split(" ")
        start = "#" + " " * (len(part) - len(part.lstrip(" ")))
        line = start
        for word in (shown(word, LINE) for word in words):
            if len(line) + len(word) >= LINE and line != start:
                yield indent + line
                line = f"{start}  " if len(start) > 1 else start
            line += f" {word}"
        yield (indent + line).rstrip()


def key(name: str) -> str:
    """Returns a name as a key."""
    return name if _BARE.match(name) else text(name)


def text(value: str) -> str:
    """Returns a text between quotes on one line, with everything escaped that is not printable."""
    return '"' + "".join(map(_character, value)) + '"'


def _character(one: str) -> str:
    if one in '"\\':
        return f"\\{one}"
    if one.isprintable():
        return one
    return f"\\u{ord(one):04x}" if ord(one) < 0x10000 else f"\\U{ord(one):08x}"


def _table(path: Path, data: Mapping[str, Any], comments: Comments) -> Iterator[str]:
    """What a table holds itself, then the tables in it."""
    tables = [name for name, value in data.items() if isinstance(value, Mapping)]
    if path and (len(tables) < len(data) or not data):
        yield from ("", f"[{'.'.join(map(key, path))}]")
    for name, value in data.items():
        if name not in tables:
            yield from _setting((*path, name), value, comments)
    for name in tables:
        yield from _table((*path, name), data[name], comments)


def _setting(path: Path, value: Any, comments: Comments) -> Iterator[str]:
    if (path, None) in comments:
        yield from comment(comments[path, None])
    members = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
    if not any((path, one) in comments for one in members):
        yield f"{key(path[-1])} = {_value(value, path)}"
        return
    yield f"{key(path[-1])} = ["
    for member in value:
        if isinstance(member, str) and (path, member) in comments:
            yield from comment(comments[path, member], "  ")
        yield f"  {_value(member, path)},"
    yield "]"


def _value(value: Any, path: Path) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        parts = (f"{key(name)} = {_value(part, path)}" for name, part in value.items())
        return f"{{ {', '.join(parts)} }}" if value else "{}"
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Sequence):
        return f"[{', '.join(_value(part, path) for part in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    raise ConfigError(f"{shown('.'.join(path))}: TOML cannot hold {shown(value)}; leave it out")
