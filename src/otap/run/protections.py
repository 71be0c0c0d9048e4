"""Arguments that switch a protection on or off, and options of commands that switch one off."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from pydantic import JsonValue

from otap.run import words as table
from otap.run.kinds import command_of, kind_of
from otap.run.names import split_name
from otap.trajectory import Step
from otap.values.commands import normalize_line, split_line, split_shell

MAX_LEAVES = 300
MAX_DEPTH = 6
MAX_COMMAND = 10_000  # characters of a command in which options are looked for
MAX_KEY = 80  # longer keys are data

_ON = frozenset(("true", "1", "yes", "on", "enabled", "enable", "required", "always", "strict"))
_OFF = frozenset((
    "false", "0", "no", "off", "disabled", "disable", "none", "never", "skip", "bypass", "optional",
))  # fmt: skip


class Switches(NamedTuple):
    """The protections that a call switches.

    Attributes:
        off: those that it switches off: by path of keys, the value as text.
        on: the paths of those that it switches on.
    """

    off: Mapping[str, str]
    on: Sequence[str]


def read_switches(step: Step) -> Switches:
    """Returns the protections that a call switches on or off."""
    switched_off: dict[str, str] = {}
    switched_on: list[str] = []
    for path, value, is_protective in _list_switches(step.arguments):
        position = _switch(value)
        if position is is_protective:
            switched_on.append(path)
        elif position is not None:
            switched_off[path] = str(value).lower()
    if kind_of(step.tool) == "shell":
        command = command_of(step.arguments)
        text = command if isinstance(command, str) else " ".join(command or ())
        lines = split_line(text[:MAX_COMMAND])
        switched_off |= {
            f"option {word}": "given"
            for line in ([lines] if isinstance(lines, str) else lines)
            for _, word in split_shell(normalize_line(str(line)))
            if word and _is_unsafe_option(word)
        }
    return Switches(switched_off, switched_on)


def _list_switches(arguments: JsonValue) -> Iterator[tuple[str, JsonValue, bool]]:
    """Yields the path and the value of each argument about a protection, and if true protects."""
    if not isinstance(arguments, Mapping):
        return
    pending: list[tuple[str, str, JsonValue, int]] = [("", "", dict(arguments), 0)]
    count = 0
    while pending and count < MAX_LEAVES:
        path, key, value, depth = pending.pop()
        count += 1
        if isinstance(value, dict) and depth < MAX_DEPTH:
            for name, member in list(value.items())[:MAX_LEAVES]:
                pending.append((f"{path}.{name}" if path else name, name, member, depth + 1))
        elif isinstance(value, list) and depth < MAX_DEPTH:
            pending += [(path, key, member, depth + 1) for member in value[:MAX_LEAVES]]
        elif (is_protective := _is_protective(key)) is not None:
            yield path, value, is_protective


def _switch(value: JsonValue) -> bool | None:
    """The position of a switch; None for a value that is none."""
    text = str(value).strip().lower() if isinstance(value, bool | int | str) else ""
    return True if text in _ON else False if text in _OFF else None


@lru_cache(maxsize=10_000)
def _is_protective(key: str) -> bool | None:
    """Whether a key protects if it is true, or if it is false; None for keys of other kinds."""
    if not key or len(key) > MAX_KEY:
        return None
    words = split_name(key)
    if words and words[-1] in table.NAMING:
        return None
    if not table.UNPROTECTIVE.isdisjoint(words):
        return False
    is_about_protection = not table.PROTECTIVE.isdisjoint(words)
    if not is_about_protection:
        return None
    return table.INVERTING.isdisjoint(words)


def _is_unsafe_option(word: str) -> bool:
    name, _, value = word.partition("=")
    if name in table.UNSAFE_OPTIONS:
        return value.lower() not in _OFF
    if not name.startswith("-"):
        return False
    protective = _is_protective(name.lstrip("-"))
    return protective is True and value.lower() in _OFF
