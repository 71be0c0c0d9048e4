"""What a step says, line by line: a field each, and each value of the arguments."""

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from otap._numbers import count_text
from otap.report.pages.texts import visible
from otap.report.story.leaves import leaves
from otap.trajectory import Step

FIELDS = ("action", "tool", "arguments", "effect", "state")
VALUES = 300  # of the arguments of one step that are looked at
_BRIEF = 200  # characters of JSON on a few lines


class Line(NamedTuple):
    """A field, or a value of the arguments by its path.

    Attributes:
        name: of the field, or the path.
        is_value: whether it is a value of the arguments.
    """

    name: str
    is_value: bool = False


def lines(step: Step, limit: int) -> Iterator[tuple[Line, str]]:
    """Yields each line with its text.

    Args:
        step: the step.
        limit: the most characters of one text.
    """
    for name in FIELDS:
        value = getattr(step, name)
        if value is None:
            continue
        if name == "arguments" and isinstance(value, Mapping) and value:
            yield from _values(value, limit)
        else:
            yield Line(name), _text(value, limit)


def _values(arguments: Mapping[str, object], limit: int) -> Iterator[tuple[Line, str]]:
    found = list(leaves(arguments))
    for path, value in found[:VALUES]:
        yield Line(visible(path, 120), is_value=True), _text(value, limit)
    if len(found) > VALUES:
        yield Line("…", is_value=True), count_text(len(found) - VALUES, "more value")


def _text(value: object, limit: int) -> str:
    """A value as text; JSON that has no room on a few lines has a line for each of its values."""
    if isinstance(value, str):
        return visible(value, limit)
    whole = json.dumps(value, ensure_ascii=False)
    spread = json.dumps(value, ensure_ascii=False, indent=1) if len(whole) > _BRIEF else whole
    return visible(spread, limit)
