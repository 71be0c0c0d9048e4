"""Chat messages of OpenAI's chat completions, in the shapes in which people keep them."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.readers.coding.commands_in_text import tells_commands
from otap.formats.readers.openai.items import is_typed_item
from otap.formats.readers.openai.messages import has_foreign_parts, is_message, read_messages
from otap.formats.steps.conversation import Kept, conversations, name_of_run
from otap.formats.steps.exchanges import messages_in
from otap.trajectory import Trajectory

NAME = "openai"
DESCRIPTION = "OpenAI chat messages: a list, {'messages': [...]}, a list of these, or JSONL"
STEP = "each tool call of an assistant message"
KNOWN_BY = "messages with 'role', and calls beside their 'content'"

NAME_OF_RUN = name_of_run

# Not kept but for its hints: what could have been called is not what was done, and is long.
_LEFT_OUT = ("tools", "functions")
# What says of an object that its messages are more than that: files of agents, and of benchmarks,
# and what Amazon's Converse is asked and answers.
_OTHERS = ("trajectory_format", "termination_reason", "toolConfig", "inferenceConfig", "stopReason")


def recognises(value: Any) -> bool:
    """Says whether this is a conversation, or a list that begins with one."""
    if is_message(value) or _is_conversation(value):
        messages = _messages(value)
    elif isinstance(value, list) and value and _is_conversation(value[0]):
        messages = _messages(value[0])
    else:
        return False
    foreign = has_foreign_parts(messages) or any(map(is_typed_item, messages))
    return not foreign and not tells_commands(messages)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each conversation."""
    kept = conversations(document, is_message, left_out=_LEFT_OUT)
    return map(partial(_run, reasoning=reasoning), kept)


def _run(kept: Kept, *, reasoning: bool) -> Trajectory:
    return kept.run(read_messages(kept.messages, reasoning=reasoning))


def _is_conversation(value: Any) -> bool:
    if isinstance(value, dict) and any(key in value for key in _OTHERS):
        return False
    messages = messages_in(value)
    return bool(messages) and is_message(messages[0])


def _messages(value: Any) -> list[Any]:
    return messages_in(value) or [value]
