"""Chat messages of OpenAI's chat completions, in the shapes in which people keep them."""

from collections.abc import Iterator
from typing import Any

from otap.formats.documents import Document
from otap.formats.messages import has_foreign_parts, is_message, read_messages
from otap.formats.places import Place
from otap.trajectory import Trajectory, parse_trajectory

NAME = "openai"
DESCRIPTION = "OpenAI chat messages: a list, {'messages': [...]}, a list of these, or JSONL"
STEP = "each tool call of an assistant message"

# Not kept: what could have been called says nothing about what was done, and is long.
_LEFT_OUT = {"messages", "tools", "functions"}


def recognises(value: Any) -> bool:
    """Says whether this is a conversation, or a list that begins with one."""
    if is_message(value) or _is_conversation(value):
        messages = _messages(value)
    elif isinstance(value, list) and value and _is_conversation(value[0]):
        messages = _messages(value[0])
    else:
        return False
    return not has_foreign_parts(messages)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each conversation."""
    value = document.value
    if is_message(value) or (isinstance(value, list) and is_message(value[0])):
        found = read_messages(document.items(), reasoning=reasoning)
        yield parse_trajectory(vars(found), str(document.place))
        return
    for conversation, place in document.items():
        yield _trajectory(conversation, place, reasoning)


def _is_conversation(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else value
    return isinstance(messages, list) and bool(messages) and is_message(messages[0])


def _messages(value: Any) -> list[Any]:
    return list(value.get("messages", [value]) if isinstance(value, dict) else value)


def _trajectory(value: Any, place: Place, reasoning: bool) -> Trajectory:
    around: dict[str, Any] = {}
    if isinstance(value, dict):
        around = {key: item for key, item in value.items() if key not in _LEFT_OUT}
        value, place = value.get("messages"), place["messages"]
    messages = place.array(value)
    if not messages:
        raise place.error("expected at least one message, found none")
    found = read_messages(
        ((message, place[index]) for index, message in enumerate(messages)), reasoning=reasoning
    )
    names = _names_in(around)
    if isinstance(around.get("metadata"), dict):
        around = {**around.pop("metadata"), **around}
    metadata = {**around, **found.metadata}
    return parse_trajectory({**vars(found), **names, "metadata": metadata}, str(place))


def _names_in(around: dict[str, Any]) -> dict[str, Any]:
    """Takes out of what stands beside the messages what names the run."""
    names: dict[str, Any] = {}
    for field, key in (("id", "id"), ("task", "task_id"), ("task", "task"), ("trial", "trial")):
        if field not in names and _is_name(around.get(key)):
            name = around.pop(key)
            names[field] = name if field == "trial" else str(name)
    return names


def _is_name(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""
