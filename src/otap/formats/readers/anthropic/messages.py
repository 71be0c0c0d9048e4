"""Messages of Anthropic's API, in the shapes in which people keep them."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.readers.anthropic.blocks import ROLES, Message, Part, has_blocks
from otap.formats.steps.conversation import conversations
from otap.formats.steps.exchanges import messages_in
from otap.formats.steps.nested import NestedRecorder
from otap.trajectory import Trajectory

NAME = "anthropic"
DESCRIPTION = "messages of Anthropic's API: a list, {'messages': [...]}, a list of these, or JSONL"
STEP = "each block of an assistant message that uses a tool, the tools of the server included"
KNOWN_BY = "messages whose 'content' has blocks 'tool_use' or 'tool_result'"

# Not kept but for hints of tools: what could have been called is not what was done.
_LEFT_OUT = ("tools", "system", "mcp_servers")


def recognises(value: Any) -> bool:
    """Says whether this is a conversation with tools, or a list that begins with one.

    Without any use of a tool it is no other than a conversation of OpenAI's kind.
    """
    if _is_message(value) or _is_conversation(value):
        return has_blocks(_messages(value))
    first = value[0] if isinstance(value, list) and value else None
    return _is_conversation(first) and has_blocks(_messages(first))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each conversation."""
    for kept in conversations(document, _is_message, left_out=_LEFT_OUT):
        recorder = NestedRecorder(reasoning)
        for index, (value, place) in enumerate(kept.messages):
            part = Part(place.object(value), place)
            Message([part], {"message": index}).record(recorder)
        yield kept.run(recorder.conversation())


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("role") in ROLES and "messages" not in value


def _is_conversation(value: Any) -> bool:
    messages = messages_in(value)
    return bool(messages) and _is_message(messages[0])


def _messages(value: Any) -> list[Any]:
    return messages_in(value) or [value]
