"""Tools whose arguments decide the role of a call: shells, requests, editors and databases."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from otap.run import words as table
from otap.run.commands import is_statement
from otap.run.names import split_name
from otap.trajectory import Step
from otap.values.keys import canonical_key
from otap.values.tool_names import MAX_NAME

Kind = Literal["shell", "request", "editor", "database"]

_COMMAND_KEYS = ("command", "cmd", "commands")
_OPTION_KEYS = {
    "args", "arguments", "argv", "options", "flags", "input", "stdin", "chars", "script",
}  # fmt: skip
_STATEMENT_KEYS = ("sql", "query", "statement")
_PROGRAM_KEYS = ("code", "source", "script", "program", "cell")
_KINDS: tuple[tuple[Kind, frozenset[str]], ...] = (
    ("shell", table.SHELLS),
    ("request", table.REQUESTS),
    ("editor", table.EDITORS),
    ("database", table.DATABASES),
)


@lru_cache(maxsize=4096)
def kind_of(tool: str | None) -> Kind | None:
    """Returns the kind of a tool whose arguments show the role of a call; None for other tools."""
    if tool is None or len(tool) > MAX_NAME:
        return None
    name_words = split_name(tool)
    for kind, kind_words in _KINDS:
        if not kind_words.isdisjoint(name_words):
            return kind
    return None


def command_of(arguments: Any) -> str | list[str] | None:
    """Returns the command line of a call of a shell; None if there is not exactly one."""
    if not isinstance(arguments, Mapping):
        return None
    commands = [arguments[key] for key in _COMMAND_KEYS if key in arguments]
    if len(commands) != 1 or not _OPTION_KEYS.isdisjoint(arguments):
        return None
    command = commands[0]
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        return command
    return command if isinstance(command, str) else None


def statement_of(arguments: Any) -> str | None:
    """Returns the statement of SQL of a call; None if there is not exactly one."""
    if not isinstance(arguments, Mapping):
        return None
    texts = [arguments[key] for key in _STATEMENT_KEYS if isinstance(arguments.get(key), str)]
    return texts[0] if len(texts) == 1 and is_statement(texts[0]) else None


def program_of(step: Step) -> str | None:
    """Returns the program that a call runs; None if it runs none."""
    if not isinstance(step.arguments, Mapping) or step.tool is None or len(step.tool) > MAX_NAME:
        return None
    if table.INTERPRETERS.isdisjoint(split_name(step.tool)):
        return None
    for key, value in step.arguments.items():
        if canonical_key(key) in _PROGRAM_KEYS and isinstance(value, str):
            return value
    return None


@lru_cache(maxsize=4096)
def runs_programs(tool: str) -> bool:
    """Returns whether a tool runs the program that it receives, and does not save or send it."""
    words = split_name(tool[:MAX_NAME])
    if table.INTERPRETERS.isdisjoint(words):
        return False
    return not table.RUNNING.isdisjoint(words) or table.WRITING.isdisjoint(words)
