"""The error classes, and the function that makes untrusted text safe to print.

::

    OtapError
    ├── FormatError          a file that cannot be read as a run
    │   ├── ReaderError      a reader failed on a value that it does not expect
    │   └── LimitError       a file or run beyond a named limit
    ├── DependencyError      a run without the dependencies that a mechanism needs
    ├── EncoderError         an encoder that cannot load, or returned unusable vectors
    ├── ConfigError          a setting that is unknown or out of range
    └── NoReferenceError     no reference to compare a run with

Every message is one line with the problem, its location, and how to fix it.
"""

from otap._patterns import regex

SHOWN_LENGTH = 80  # characters
PATH_LENGTH = 500  # characters
# GitHub, Azure and TeamCity run such parts of a log as commands, two of them anywhere in a line.
_HASH_COMMAND = regex(r"#(?=#\w*\[)")
_COLON_COMMAND = regex(r":(?=:)")
_COLONS_AT_START = regex(r"(?m)^([^\S\n]*:)(?=:)")


class OtapError(Exception):
    """An error that the user can fix; its message is one line and safe to print."""

    def __str__(self) -> str:
        return disarm(shown(super().__str__(), limit=1000))


class FormatError(OtapError):
    """A file, or a part of a file, cannot be read as a run."""


class ReaderError(FormatError):
    """A reader failed on a value that it does not expect: a defect of ours, or of an object."""


class LimitError(FormatError):
    """A file or a run exceeds a limit, which the message names."""


class DependencyError(OtapError):
    """The requested mechanism cannot find the dependencies of a run."""


class EncoderError(OtapError):
    """An encoder cannot load, or returned unusable vectors."""


class ConfigError(OtapError):
    """A setting is unknown or out of range."""


class NoReferenceError(OtapError):
    """There is no reference to compare a run with."""


def shown(text: object, limit: int = SHOWN_LENGTH) -> str:
    """Returns ``text`` on one line, cut to ``limit`` characters, with control characters escaped.

    Text from a trace may contain terminal escapes, bidirectional overrides or lone surrogates, so
    it must not reach a terminal unescaped.

    Args:
        text: any object; its ``str`` is used.
        limit: the maximum number of characters, including the ellipsis.
    """
    line = str(text)
    if not line.isprintable():
        line = "".join(
            character
            if character.isprintable()
            else character.encode("unicode_escape").decode("ascii")
            for character in line
        )
    return line if len(line) <= limit else line[: limit - 1] + "…"


def shown_path(path: object) -> str:
    """Returns a path like ``shown``, with a higher limit; an empty path becomes two quotes."""
    return shown(path, PATH_LENGTH) or "''"


def disarm(text: str) -> str:
    """Returns the lines of a log without the signs of commands to the runner of a CI system."""
    return _HASH_COMMAND.sub("# ", _COLON_COMMAND.sub(": ", text))


def disarm_json(text: str) -> str:
    """Returns JSON or TOML with equal data and without the signs of commands to a runner."""
    return _HASH_COMMAND.sub(r"\\u0023", _COLON_COMMAND.sub(r"\\u003a", text))


def disarm_document(text: str) -> str:
    """Returns Markdown, HTML or a drawing like ``disarm``; colons in the middle of a line stay."""
    return _HASH_COMMAND.sub("# ", _COLONS_AT_START.sub(r"\1 ", text))
