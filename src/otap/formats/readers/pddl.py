"""Plans in the notation of PDDL: text with one action a line."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.syntax import refuse_binary
from otap.formats.limits import Limits
from otap.trajectory import Step, Trajectory

NAME = "pddl"
DESCRIPTION = "a plan as planners write it: text with one action a line, such as '(pick-up a)'"
STEP = "each action of the plan"
KNOWN_BY = "text whose first line is an action in parentheses"


def parse(data: bytes, path: JsonPath, limits: Limits) -> str:
    """Returns the text of a plan, which stands for its JSON.

    Args:
        data: the bytes of the file.
        path: names the file in errors.
        limits: not used, because text has no depth.

    Raises:
        FormatError: if the file is not UTF-8 text.
    """
    del limits
    refuse_binary(data, path)
    return data.decode(errors="replace")  # the file may end inside a character


def recognises(value: Any) -> bool:
    """Returns whether this is text that begins with an action, perhaps after comments."""
    if not isinstance(value, str):
        return False
    lines = (_without_comment(line) for line in value.splitlines())
    return _words_of(next((line for line in lines if line), "")) is not None


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields the plan.

    ``reasoning`` has no effect: a plan has nothing but actions.
    """
    del reasoning
    yield Trajectory(steps=tuple(steps_of(document.value, document.root)))


def steps_of(plan: str, path: JsonPath) -> Iterator[Step]:
    """Yields the actions of a plan, numbered from 1.

    Raises:
        FormatError: for the first line that is not an action.
    """
    step_number = 0
    for line_number, line in enumerate(plan.splitlines(), 1):
        action = _without_comment(line)
        if not action:
            continue
        words = _words_of(action)
        if words is None:
            raise path.error(
                f"line {line_number} of the plan is not an action such as '(pick-up a)': "
                f"{described(action)}"
            )
        step_number += 1
        yield action_step(step_number, words)


def action_step(number: int, words: list[str]) -> Step:
    """Returns one action: its name as the tool, and its objects as arguments."""
    fields = {"id": str(number), "tool": words[0], "arguments": words[1:]}
    return Step.model_validate(fields)


def _without_comment(line: str) -> str:
    return line.partition(";")[0].strip()


def _words_of(action: str) -> list[str] | None:
    """Returns the name of an action and its objects, or None if this is not an action."""
    content = action[1:-1]
    if (action[:1], action[-1:]) != ("(", ")") or "(" in content or ")" in content:
        return None
    return content.split() or None
