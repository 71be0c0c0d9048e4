"""What a step calls, as two runs have it in common: its tool, and its arguments as text."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from otap.scoring import Side

THINKING = "thinking"  # the name of a step that calls nothing


@dataclass(frozen=True)
class Call:
    """What a step calls.

    Attributes:
        tool: the tool, or THINKING.
        failed: whether it failed: a call that failed and one that worked are two things.
        text: its arguments, or what it says; equal where they are equal.
        leaves: the same value by value, each with its path.
    """

    tool: str
    failed: bool
    text: str
    leaves: frozenset[str]

    @property
    def kind(self) -> tuple[str, bool]:
        """What steps of one column have in common."""
        return self.tool, self.failed


def calls(side: Side) -> list[Call]:
    """Returns what each step of a side calls."""
    return [
        _call(step.tool, step.action if step.tool is None else step.arguments, failed)
        for step, failed in zip(side.steps, side.failed, strict=True)
    ]


def _call(tool: str | None, said: object, failed: bool) -> Call:
    text = json.dumps(said, sort_keys=True)
    return Call(tool or THINKING, failed, text, frozenset(_leaves(said, "")))


def _leaves(value: object, path: str) -> Iterator[str]:
    """The values with the names under which they stand; members of a list under that of it."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _leaves(one, f"{path}.{key}")
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one, path)
    else:
        yield f"{path}={json.dumps(value)}"
