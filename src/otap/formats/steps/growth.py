"""Conversations that were written again and again while they grew, as logs of requests do."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

# What moves to the latest message whenever a conversation goes on, or is never sent again.
_LEFT_OUT = (
    *("cache_control", "provider_specific_fields"),
    *("reasoning", "reasoning_content", "reasoning_details"),
)
_IS_ANSWER = "stop_reason"  # only an answer of Anthropic's server has it, and more about itself
_OF_ANSWERS = ("id", "type", "model", "stop_reason", "stop_sequence", "usage", "container")


def continued(conversations: Sequence[tuple[Any, Sequence[Any]]]) -> list[int | None]:
    """Returns for each conversation the last one after it that begins with all of it, and goes on.

    Of two branches that share a beginning neither is the beginning of the other: both are runs.

    Args:
        conversations: of each what names it, which must be equal, and its messages.
    """
    later: list[int | None] = [None] * len(conversations)
    if len(conversations) < 2:
        return later
    begun: dict[bytes, int] = {}
    for index in reversed(range(len(conversations))):
        *states, whole = [b"", *_chain(*conversations[index])]
        later[index] = begun.get(whole)
        for state in states:
            begun.setdefault(state, index)
    return later


def _chain(name: Any, messages: Sequence[Any]) -> Iterator[bytes]:
    """Yields after each message what tells the conversation so far from any other."""
    state = _digest(b"", name)
    for message in messages:
        state = _digest(state, _plain(message))
        yield state


def _plain(message: Any) -> Any:
    """Returns a message as it is sent again: without fields that are empty, or of answers only."""
    if not isinstance(message, dict):
        return message
    left_out = (*_LEFT_OUT, *(_OF_ANSWERS if _IS_ANSWER in message else ()))
    kept = {key: value for key, value in _filled(message).items() if key not in left_out}
    if "content" in kept:
        kept["content"] = _content(kept["content"])
    return kept


def _filled(value: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if item not in (None, "", [], {})}


def _content(content: Any) -> Any:
    """Returns what a message says; one block of nothing but text is that text."""
    if not isinstance(content, list):
        return content
    blocks = [_block(block) for block in content]
    only = blocks[0] if len(blocks) == 1 and isinstance(blocks[0], dict) else {}
    return only["text"] if only.keys() == {"type", "text"} else blocks


def _block(block: Any) -> Any:
    if not isinstance(block, dict):
        return block
    return {key: value for key, value in _filled(block).items() if key != "cache_control"}


def _digest(before: bytes, value: Any) -> bytes:
    written = json.dumps(value, sort_keys=True, ensure_ascii=True).encode()
    return hashlib.sha256(before + written).digest()
