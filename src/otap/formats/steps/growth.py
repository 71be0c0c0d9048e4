"""Conversations that were written again and again while they grew, as logs of requests do."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any


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
    """Returns a message without fields that are empty: an answer that is sent again loses them."""
    if not isinstance(message, dict):
        return message
    return {key: value for key, value in message.items() if value not in (None, "", [], {})}


def _digest(before: bytes, value: Any) -> bytes:
    written = json.dumps(value, sort_keys=True, ensure_ascii=True).encode()
    return hashlib.sha256(before + written).digest()
