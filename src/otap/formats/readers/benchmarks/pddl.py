"""Plans in the notation of PDDL: text, with an action a line."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.syntax import refuse_binary
from otap.formats.limits import Limits
from otap.trajectory import Step, Trajectory

NAME = "pddl"
DESCRIPTION = "a plan as planners write it: text with an action a line, as in '(pick-up a)'"
STEP = "each action of the plan"
KNOWN_BY = "text whose first line is an action in parentheses"


def parse(data: bytes, place: JsonPath, limits: Limits) -> str:
    """Returns the text of a plan, which is no JSON, as its own value.

    Args:
        data: the bytes of the file.
        place: names the file in errors.
        limits: not needed: text has no depth.

    Raises:
        FormatError: if it is no text in UTF-8.
    """
    del limits
    refuse_binary(data, place)
    return data.decode(errors="replace")  # its end may be half a character


def recognises(value: Any) -> bool:
    """Says whether this is text that begins with an action; comments may stand before it."""
    if not isinstance(value, str):
        return False
    lines = (_uncommented(line) for line in value.splitlines())
    return _words(next((line for line in lines if line), "")) is not None


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the plan.

    ``reasoning`` changes nothing here: a plan is nothing but actions.
    """
    del reasoning
    yield Trajectory(steps=tuple(steps_of(document.value, document.root)))


def steps_of(plan: str, place: JsonPath) -> Iterator[Step]:
    """Returns the actions of a plan, numbered from 1.

    Raises:
        FormatError: for the first line that is no action.
    """
    done = 0
    for number, line in enumerate(plan.splitlines(), 1):
        action = _uncommented(line)
        if not action:
            continue
        words = _words(action)
        if words is None:
            raise place.error(
                f"line {number} of the plan is no action as in '(pick-up a)': {described(action)}"
            )
        done += 1
        yield action_step(done, words)


def action_step(number: int, words: list[str]) -> Step:
    """Returns one action: its name, and what it is applied to."""
    fields = {"id": str(number), "tool": words[0], "arguments": words[1:]}
    return Step.model_validate(fields)


def _uncommented(line: str) -> str:
    return line.partition(";")[0].strip()


def _words(action: str) -> list[str] | None:
    """Returns the name of an action and what it is applied to; nothing where this is none."""
    inside = action[1:-1]
    if (action[:1], action[-1:]) != ("(", ")") or "(" in inside or ")" in inside:
        return None
    return inside.split() or None
