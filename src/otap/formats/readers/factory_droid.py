"""Sessions of Factory's Droid: messages like those of Anthropic's API, each in a line.

The shape is that of ``~/.factory/sessions/*.jsonl`` of droid 0.20 and later.
"""

from collections.abc import Iterator
from typing import Any

from otap.formats.content import drop_nulls
from otap.formats.conversations import RawConversation
from otap.formats.json.documents import Document, first_of
from otap.formats.readers.anthropic import SCHEMA
from otap.formats.unread import UnreadTally
from otap.trajectory import Trajectory

NAME = "factory-droid"
DESCRIPTION = "sessions of Factory's Droid: ~/.factory/sessions/.../*.jsonl"
STEP = "each block of an assistant message that uses a tool"
KNOWN_BY = "a line of type 'session_start', or lines of type 'message' with a 'message'"

_STATES = ("todo_state", "compaction_state", "session_end", "agent_state")


def recognises(value: Any) -> bool:
    """Returns whether this is a line of a session, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    if first.get("type") == "session_start":
        return "id" in first
    message = first.get("message")
    return first.get("type") == "message" and isinstance(message, dict) and "role" in message


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields the session as one run."""
    names: dict[str, Any] = {}
    messages = []
    tally = UnreadTally()
    for line in document.objects():
        kind = line.get("type")
        if kind == "message":
            messages.append((line.get("message"), line.at("message")))
        elif kind == "session_start":
            names = drop_nulls({key: line.get(key) for key in ("id", "title", "cwd")})
        elif kind in _STATES:
            tally.ignored(f"line of type '{kind}'")
        else:
            tally.unknown(f"line of type '{kind}'")
    raw = RawConversation(messages, names, document.root)
    run = raw.to_trajectory(SCHEMA.read_messages(messages, reasoning=reasoning))
    tally.add(run.unread)
    yield run.model_copy(update={"unread": tally.counts()})
