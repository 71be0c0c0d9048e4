"""Agents that write code, which they do with commands of a shell."""

from typing import Any, Literal

from otap.formats.steps.calls import Call, call_notes

SHELL = "bash"  # so that the same command of another agent is the same call


def command_call(command: str, identifier: str | None = None) -> Call:
    """Returns the call of the shell that runs this command."""
    return Call(SHELL, {"command": command}, identifier, call_notes(identifier))


def status_of(code: Any) -> Literal["ok", "error"] | None:
    """Returns what the code that a command returned says: 0 is success; none where it has none."""
    if isinstance(code, bool) or not isinstance(code, int):
        return None
    return "ok" if code == 0 else "error"
