"""Coding agents, which work with shell commands."""

from typing import Any, Literal

from otap.formats.steps.calls import Call, call_notes

SHELL = "bash"  # one name, because all agents run the same commands


def command_call(command: str, call_id: str | None = None) -> Call:
    """Returns the shell call that runs this command."""
    return Call(SHELL, {"command": command}, call_id, call_notes(call_id))


def status_of(code: Any) -> Literal["ok", "error"] | None:
    """Returns the status for an exit code: 0 is "ok"; None if there is no code."""
    if isinstance(code, bool) or not isinstance(code, int):
        return None
    return "ok" if code == 0 else "error"
