"""What a step was given and what came back, as text on one line."""

import json

from pydantic import JsonValue

from otap.errors import shown


def value_text(value: JsonValue, limit: int) -> str:
    """Returns a value of a trace: texts as they are, all else as JSON; nothing for null.

    Args:
        value: from a trace.
        limit: the most characters.
    """
    if value is None:
        return ""
    if isinstance(value, str) and value:
        return shown(value[: limit + 1], limit)
    return shown(json.dumps(value, ensure_ascii=False)[: limit + 1], limit)


def arguments_text(given: JsonValue, limit: int, longest: int | None = None) -> str:
    """Returns what a step was given: its arguments by name; nothing where it was given nothing.

    Args:
        given: from a trace.
        limit: the most characters.
        longest: of one value; None: as of all.
    """
    if not isinstance(given, dict):
        return value_text(given, limit)
    most = longest or limit
    pairs = (
        f"{shown(key, 40)}: {value_text(value, most) or 'null'}" for key, value in given.items()
    )
    return shown(", ".join(pairs), limit)
