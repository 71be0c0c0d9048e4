"""Finds the states of one run among conversations: each state extends the one before it."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

# Fields that move to the latest message as a conversation grows, or that are not sent again.
_TRANSIENT_KEYS = (
    *("cache_control", "provider_specific_fields"),
    *("reasoning", "reasoning_content", "reasoning_details"),
)
_ANSWER_MARK = "stop_reason"  # a key that only answers of Anthropic's server have
_ANSWER_KEYS = ("id", "type", "model", "stop_reason", "stop_sequence", "usage", "container")


def latest_extensions(conversations: Sequence[tuple[Any, Sequence[Any]]]) -> list[int | None]:
    """Finds for each conversation the index of the last later one that extends it.

    A conversation extends another if it has the same name and begins with the same messages. None
    means that no later conversation does. Two branches with a common beginning are two runs.

    Args:
        conversations: the name and the messages of each.
    """
    extensions: list[int | None] = [None] * len(conversations)
    if len(conversations) < 2:
        return extensions
    last_with_prefix: dict[bytes, int] = {}
    for index in reversed(range(len(conversations))):
        name, messages = conversations[index]
        prefixes = [b"", *_prefix_hashes(name, messages)]
        extensions[index] = last_with_prefix.get(prefixes[-1])
        for prefix in prefixes[:-1]:
            last_with_prefix.setdefault(prefix, index)
    return extensions


def _prefix_hashes(name: Any, messages: Sequence[Any]) -> Iterator[bytes]:
    """Yields after each message a hash of the name and the messages up to it."""
    prefix = _extend_hash(b"", name)
    for message in messages:
        prefix = _extend_hash(prefix, _as_sent_again(message))
        yield prefix


def _as_sent_again(message: Any) -> Any:
    """Returns a message as later requests repeat it: without empty and transient fields."""
    if not isinstance(message, dict):
        return message
    dropped = _TRANSIENT_KEYS + _ANSWER_KEYS if _ANSWER_MARK in message else _TRANSIENT_KEYS
    fields = _without_empty(message, dropped)
    if "content" in fields:
        fields["content"] = _plain_content(fields["content"])
    return fields


def _without_empty(value: Any, dropped: tuple[str, ...]) -> Any:
    """Returns an object without some keys, and without empty values."""
    if not isinstance(value, dict):
        return value
    fields = {key: item for key, item in value.items() if item not in (None, "", [], {})}
    return {key: item for key, item in fields.items() if key not in dropped}


def _plain_content(content: Any) -> Any:
    """Returns the content of a message. A single block of text becomes that text."""
    if not isinstance(content, list):
        return content
    blocks = [_without_empty(block, ("cache_control",)) for block in content]
    match blocks:
        case [{"type": _, "text": text, **rest}] if not rest:
            return text
    return blocks


def _extend_hash(prefix: bytes, value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True).encode()
    return hashlib.sha256(prefix + text).digest()
