"""The commands that SWE-agent gives its models beside those of the shell, with their arguments."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from otap.formats.readers.coding.shell import command_call
from otap.formats.steps.calls import Call

# Where a command ends that holds lines of text, in the versions that have such commands.
_TEXT_ENDS = {"edit": "end_of_edit", "insert": "end_of_insert"}
_LINES = re.compile(r"(\d+):(\d+)\Z")
# What a word of a line consists of, and what lies between words; all else means more to a shell.
_PIECE = re.compile(
    r"""(?P<blank>[^\S\n]+)|'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)"|\\(?P<escaped>.)"""
    r"""|(?P<plain>[^\s'"\\();<>|&]+)""",
    re.DOTALL,
)
_ESCAPED = re.compile(r'\\(["\\$`])')
_OPTION = "--"
_MANY = "view_range"  # the only option that takes two words

# By their signatures in the bundles of tools, over all versions.
_SIGNATURES: dict[str, tuple[str, ...]] = {
    "open": ("path", "line_number"),
    "goto": ("line_number",),
    "scroll_up": (),
    "scroll_down": (),
    "create": ("filename",),
    "find_file": ("file_name", "dir"),
    "search_dir": ("search_term", "dir"),
    "search_file": ("search_term", "file"),
    "filemap": ("file_path",),
    "edit": ("search", "replace", "replace_all"),
    "insert": ("text", "line"),
    "set_cursors": ("start_line", "end_line"),
    "str_replace_editor": ("command", "path"),
    "view_image": ("image_file",),
    "submit": ("result",),
    "exit_forfeit": (),
    "think": ("thought",),
    "connect_start": ("server_address", "port"),
    "connect_sendline": ("line",),
    "connect_exec": ("command",),
    "connect_stop": (),
    "debug_start": ("binary",),
    "debug_stop": (),
    "debug_step": (),
    "debug_continue": (),
    "debug_exec": ("command",),
    "debug_add_breakpoint": ("breakpoint",),
    "decompile": ("binary_path",),
    "disassemble": ("binary_path",),
}
_OPTIONS = ("file_text", "old_str", "new_str", "insert_line", _MANY, "function_name")


class _Text(NamedTuple):
    """A command that holds lines of text: its first line, and the text."""

    words: Sequence[str]
    text: str


def call_of(action: str) -> Call:
    """Returns the call that an action makes: one of the commands by name, else one of the shell.

    Args:
        action: what the agent ran, as its shell got it.
    """
    command = action.strip()
    name = command.split(None, 1)[0] if command else ""
    arguments = _arguments(name, command) if name in _SIGNATURES else None
    if arguments is None:
        return command_call(command)
    return Call(name, arguments, None, {})


def _arguments(name: str, command: str) -> dict[str, Any] | None:
    """Returns the arguments by name; nothing where the line is more than this one command."""
    within = _text_in(name, command)
    if within is not None:
        return _edited(within)
    words = _words(command)
    return None if words is None else _named(_SIGNATURES[name], words[1:])


def _text_in(name: str, command: str) -> _Text | None:
    end = _TEXT_ENDS.get(name)
    if end is None or not command.endswith(end):
        return None
    first, _, rest = command.removesuffix(end).partition("\n")
    return _Text(first.split()[1:], rest.removesuffix("\n"))


def _edited(within: _Text) -> dict[str, Any] | None:
    """Returns the arguments of an edit that names lines, a cursor before it, or a line alone."""
    named = {"replacement_text": within.text}
    if not within.words:
        return named
    lines = _LINES.match(within.words[0])
    if lines is not None:
        return {"start_line": lines[1], "end_line": lines[2], **named}
    return {"line_number": within.words[0], "text": within.text}


def _words(command: str) -> list[str] | None:
    """Returns the words of a command; nothing where the shell would see more than words."""
    words: list[list[str]] = [[]]
    at = 0
    while at < len(command):
        piece = _PIECE.match(command, at)
        if piece is None or piece.lastgroup is None:
            return None
        if piece.lastgroup == "blank":
            words.append([])
        else:
            words[-1].append(_read(piece.lastgroup, piece[piece.lastgroup]))
        at = piece.end()
    return ["".join(pieces) for pieces in words if pieces]


def _read(kind: str, text: str) -> str:
    return _ESCAPED.sub(r"\1", text) if kind == "double" else text


def _named(signature: tuple[str, ...], words: list[str]) -> dict[str, Any] | None:
    """Returns words as arguments, options by their names; nothing where there are too many."""
    arguments: dict[str, Any] = {}
    free = list(signature)
    waiting = list(reversed(words))
    while waiting:
        word = waiting.pop()
        option = word.removeprefix(_OPTION)
        if word.startswith(_OPTION) and option in _OPTIONS and waiting:
            arguments[option] = _value(option, waiting)
        elif free:
            arguments[free.pop(0)] = word
        else:
            return None
    return arguments


def _value(option: str, waiting: list[str]) -> Any:
    if option != _MANY:
        return waiting.pop()
    return [waiting.pop() for _ in range(min(2, len(waiting)))]
