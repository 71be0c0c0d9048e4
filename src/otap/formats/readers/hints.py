"""What to do with files of well-known kinds that no reader reads."""

from collections.abc import Callable
from typing import Any

from otap.formats.json.documents import first_of

_PIECES = ("message_start", "content_block_start", "response.created")


def _is_in_pieces(value: dict[str, Any]) -> bool:
    return value.get("object") == "chat.completion.chunk" or value.get("type") in _PIECES


def _is_of_codex(value: dict[str, Any]) -> bool:
    return value.get("type") == "thread.started"


def _is_sharegpt(value: dict[str, Any]) -> bool:
    turn = first_of(value.get("conversations"))
    return isinstance(turn, dict) and {"from", "value"} <= turn.keys()


def _is_of_assistants(value: dict[str, Any]) -> bool:
    listed = first_of(value.get("data")) if isinstance(value.get("data"), list) else value
    kind = listed.get("object") if isinstance(listed, dict) else None
    return isinstance(kind, str) and kind.startswith("thread.")


def _is_of_events(value: dict[str, Any]) -> bool:
    return {"event", "run_id", "data"} <= value.keys()


_HINTS: tuple[tuple[Callable[[dict[str, Any]], bool], str], ...] = (
    (_is_in_pieces, "an answer in pieces: keep the whole answer, with the messages before it"),
    (_is_of_codex, "the stream of 'codex exec --json': take the rollout in ~/.codex/sessions"),
    (_is_sharegpt, "turns of ShareGPT: write messages with 'role', 'content' and 'tool_calls'"),
    (_is_of_assistants, "a thread of OpenAI's Assistants: write its run steps as chat messages"),
    (_is_of_events, "events of LangChain: keep the messages of the last state instead"),
)


def hint(value: Any) -> str | None:
    """Returns what a document is that no format recognises, and what to take instead.

    Args:
        value: the JSON of the document.
    """
    first = first_of(value)
    if not isinstance(first, dict):
        return None
    return next((words for is_such, words in _HINTS if is_such(first)), None)
