"""Reads the content of a message or a result: a text, or a list of parts.

Formats differ in which parts are text and which are refused. Each reader decides that. This module
has the operations that all readers share.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from otap.formats.json.paths import JsonPath
from otap.formats.json.syntax import parse_text
from otap.formats.limits import ARGUMENTS_DEPTH


def message_texts(
    content: Any, path: JsonPath, text_in: Callable[[Any, JsonPath], str | None]
) -> list[str]:
    """Returns the text of a message as a list of one text, with each part on its own lines.

    The list is empty if the content is null, blank, or has no text, as in a message with only a
    call.

    Args:
        content: a text, a list of parts, or null.
        path: the path to the content.
        text_in: returns the text of one part, or ``None`` if it has no text, like a picture.

    Raises:
        FormatError: if the content is anything else, or ``text_in`` refuses a part.
    """
    if content is None:
        return []
    if not isinstance(content, str):
        texts = [text_in(part, part_path) for part, part_path in path.items(content)]
        content = "\n".join(text for text in texts if text is not None)
    return [content] if content.strip() else []


def text_part(part: Any, path: JsonPath) -> str | None:
    """Returns the text of a part of any type, or None if it has no text."""
    text = path.object(part).get("text")
    return text if isinstance(text, str) else None


def unless_blank(text: Any) -> list[str]:
    """Returns a list of one text, or an empty list if the text is blank or is no text."""
    return [text] if isinstance(text, str) and text.strip() else []


def object_in(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Returns the object under a key, or an empty one if the key has no object."""
    member = value.get(key)
    return member if isinstance(member, dict) else {}


def value_at(value: Any, keys: Iterable[str | int]) -> Any:
    """Returns the value at the end of a path of keys and indices, or None if there is none."""
    try:
        for key in keys:
            value = value[key]
    except (LookupError, TypeError):
        return None
    return value


def list_at(value: Any, *keys: str | int) -> list[Any]:
    """Returns the list at the end of a path of keys and indices, or an empty one."""
    member = value_at(value, keys)
    return member if isinstance(member, list) else []


def text_of(part: Mapping[str, Any], path: JsonPath, *keys: str) -> str | None:
    """Returns the text under the first of these keys that a part has; ``None`` if it is empty.

    Raises:
        FormatError: if the value is not text.
    """
    key = next((key for key in keys if key in part), None)
    if key is None or part[key] is None or part[key] == "":
        return None
    return path[key].text(part[key])


def is_text(part: Any, *kinds: str) -> bool:
    """Returns whether a part has a text, and is of one of these types if any are given."""
    if not isinstance(part, dict) or not isinstance(part.get("text"), str):
        return False
    return not kinds or part.get("type") in kinds


def join_texts(content: Any, *kinds: str) -> Any:
    """Joins a list of nothing but text parts to one text. Returns any other result unchanged.

    Args:
        content: the result of a call.
        kinds: the types of parts that are text. If none are given, every type may be text.
    """
    if isinstance(content, list) and content and all(is_text(part, *kinds) for part in content):
        return "\n".join(part["text"] for part in content)
    return content


def drop_nulls(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the notes that are not null."""
    return {key: note for key, note in notes.items() if note is not None}


def parse_inner(value: Any, otherwise: Any = None) -> Any:
    """Parses a text inside a trace as JSON. Returns any value that is no text unchanged.

    Args:
        value: the text.
        otherwise: returned if the text is not JSON.
    """
    if not isinstance(value, str):
        return value
    try:
        return parse_text(value, ARGUMENTS_DEPTH)
    except ValueError:
        return otherwise
