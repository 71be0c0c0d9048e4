"""The tree of errors, and how foreign text is shown in one.

::

    OtapError
    ├── FormatError          a file that cannot be read as a run
    │   └── LimitError       a file or run beyond a named limit
    ├── DependencyError      a run whose dependencies cannot be found in the way asked for
    ├── EncoderError         an encoder that cannot load, or that returned no usable vectors
    ├── ConfigError          a setting that is unknown or out of range
    └── NoReferenceError     no reference to compare a run with

Every message is one line: what is wrong, where, and how to mend it.
"""

SHOWN_LENGTH = 80
PATH_LENGTH = 500


class OtapError(Exception):
    """An error that the user can mend; its message is one line, safe to print."""

    def __str__(self) -> str:
        return shown(super().__str__(), limit=1000)


class FormatError(OtapError):
    """A file, or a part of one, that cannot be read as a run."""


class LimitError(FormatError):
    """A file or a run beyond one of the limits, which the message names."""


class DependencyError(OtapError):
    """The dependencies of a run cannot be found by the mechanism asked for."""


class EncoderError(OtapError):
    """An encoder cannot load, or returned no usable vectors."""


class ConfigError(OtapError):
    """A setting is unknown or out of range."""


class NoReferenceError(OtapError):
    """There is no reference to compare a run with."""


def shown(text: object, limit: int = SHOWN_LENGTH) -> str:
    """Returns ``text`` on one line, cut to ``limit`` characters, with control characters escaped.

    What comes out of a trace may hold terminal escapes, bidirectional overrides or lone surrogates:
    nothing of it reaches a terminal unescaped.

    Args:
        text: anything; its ``str`` is shown.
        limit: the most characters, the ellipsis included.
    """
    line = str(text)
    if not line.isprintable():
        line = "".join(c if c.isprintable() else _escaped(c) for c in line)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def shown_path(path: object) -> str:
    """Returns a file's path as `shown` does, long enough to be found by it; none as quotes."""
    return shown(path, PATH_LENGTH) or "''"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
