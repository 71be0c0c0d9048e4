"""States, checkpoints and updates of LangGraph, whose messages are those of LangChain.

The shapes are those of langgraph 1.0 to 1.2: ``StateSnapshot``, ``CheckpointTuple``, checkpoints,
the threads of its server, and the output of ``stream`` with the modes ``updates`` and ``values``.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from otap.formats.content import drop_nulls, object_in, value_at
from otap.formats.conversations import RawConversation, latest_extensions
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.readers.langchain import SCHEMA, is_langchain_message, open_message
from otap.trajectory import Trajectory

NAME = "langgraph"
DESCRIPTION = "states, checkpoints and updates of LangGraph: one, a history, or JSONL"
STEP = "each tool call of an AI message"
KNOWN_BY = "'values' beside 'next', 'channel_values', or updates of nodes with 'messages'"

_INTERRUPT = "__interrupt__"


class _State(NamedTuple):
    """The messages of one state, the id of its thread, and its time."""

    messages: list[tuple[Any, JsonPath]]
    thread: str | None
    time: Any


def recognises(value: Any) -> bool:
    """Returns whether this is a state or an update, or a list that begins with one."""
    first = _opened(first_of(value))
    if not isinstance(first, dict):
        return False
    if _keys_to_messages(first) is not None or _is_named_state(first_of(value)):
        return True
    updates = value if isinstance(value, list) else [value]
    return _is_update(first) and any(_has_messages(_opened(update)) for update in updates)


def _opened(item: Any) -> Any:
    """Returns an update of a stream with subgraphs, or with several modes, without its name."""
    is_named = isinstance(item, list) and len(item) in (2, 3)
    return item[-1] if is_named and isinstance(item[0], list | str) else item


def _is_named_state(item: Any) -> bool:
    """Returns whether this is a whole state of a stream, with the name of its mode or subgraph."""
    messages = value_at(_opened(item), ("messages",))
    is_state = isinstance(messages, list) and bool(messages) and is_langchain_message(messages[0])
    return isinstance(item, list) and is_state


def _keys_to_messages(state: dict[str, Any]) -> tuple[str, ...] | None:
    """Returns the keys that lead to the messages of a state or a checkpoint."""
    paths = (("values",), ("checkpoint", "channel_values"), ("channel_values",))
    for keys in paths:
        if keys == ("values",) and "next" not in state:
            continue
        for path in ((*keys, "messages"), keys):
            messages = value_at(state, path)
            if isinstance(messages, list) and messages and is_langchain_message(messages[0]):
                return path
    return None


def _is_update(item: Any) -> bool:
    """Returns whether an object has the output of nodes under their names."""
    if not isinstance(item, dict) or not item:
        return False
    return all(
        node == _INTERRUPT or written is None or _is_written(written)
        for node, written in item.items()
    )


def _is_written(written: Any) -> bool:
    """Returns whether a node may have written this: an object, or a list of objects."""
    parts = written if isinstance(written, list) else [written]
    return all(isinstance(part, dict) and not is_langchain_message(part) for part in parts)


def _has_messages(item: Any) -> bool:
    return _is_update(item) and any(
        is_langchain_message(message) for message, _ in _messages_written(item, JsonPath(""))
    )


def _messages_written(item: dict[str, Any], path: JsonPath) -> Iterator[tuple[Any, JsonPath]]:
    """Yields the messages that the nodes of an update wrote."""
    for node, written in item.items():
        if node == _INTERRUPT:
            continue
        for part in written if isinstance(written, list) else [written]:
            messages = part.get("messages") if isinstance(part, dict) else None
            for message in messages if isinstance(messages, list) else [messages]:
                if isinstance(message, dict):
                    yield message, path[node]["messages"]


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one trajectory for each thread, from its last state; updates are one run."""
    first = _opened(first_of(document.value))
    if any(_is_named_state(value) for value, _ in document.items()):
        yield from _read_states([_named_state(*item) for item in document.items()], reasoning)
        return
    if _keys_to_messages(first) is None:
        yield _read_messages(_updates(document), {}, document.root, reasoning)
        return
    states = [_state_of(path.object(_opened(value)), path) for value, path in document.items()]
    times = [state.time for state in states if isinstance(state.time, str)]
    if len(times) > 1 and times[0] > times[-1]:  # a history begins with the last state
        states.reverse()
    yield from _read_states(states, reasoning)


def _read_states(states: list[_State], reasoning: bool) -> Iterator[Trajectory]:
    """Yields one trajectory for each thread, from its last state."""
    extensions = latest_extensions(
        [(state.thread, [message for message, _ in state.messages]) for state in states]
    )
    for state, extension in zip(states, extensions, strict=True):
        if extension is None and state.messages:
            fields = drop_nulls({"id": state.thread})
            yield _read_messages(state.messages, fields, state.messages[0][1], reasoning)


def _named_state(item: Any, path: JsonPath) -> _State:
    """Returns a state of a stream; an update has none, because a later state repeats it."""
    if not _is_named_state(item):
        return _State([], None, None)
    names = item[0] if isinstance(item[0], list) else []
    thread = "/".join(name for name in names if isinstance(name, str)) or None
    messages_path = path[len(item) - 1]["messages"]
    return _State(messages_path.items(item[-1]["messages"]), thread, None)


def _updates(document: Document) -> list[tuple[Any, JsonPath]]:
    """Returns the messages of a stream. A message that a later node wrote again counts once."""
    messages: list[tuple[Any, JsonPath]] = []
    indices: dict[Any, int] = {}
    for value, path in document.items():
        item = _opened(value)
        for message, message_path in _messages_written(path.object(item), path):
            fields, _ = open_message(message, message_path)
            key = fields.get("id")
            if isinstance(key, str) and key in indices:
                messages[indices[key]] = message, message_path
                continue
            indices[key] = len(messages)
            messages.append((message, message_path))
    return messages


def _state_of(state: dict[str, Any], path: JsonPath) -> _State:
    keys = _keys_to_messages(state)
    messages = [] if keys is None else path.at(*keys).items(value_at(state, keys))
    checkpoint, config = object_in(state, "checkpoint"), object_in(state, "config")
    sources = (object_in(config, "configurable"), checkpoint, object_in(state, "metadata"), state)
    threads = (source.get("thread_id") for source in sources)
    thread = next((name for name in threads if isinstance(name, str)), None)
    time = state.get("created_at", state.get("ts", checkpoint.get("ts")))
    return _State(messages, thread, time)


def _read_messages(
    messages: list[tuple[Any, JsonPath]],
    fields: dict[str, Any],
    path: JsonPath,
    reasoning: bool,
) -> Trajectory:
    opened = [open_message(item_path.object(message), item_path) for message, item_path in messages]
    present = [message for message in opened if message[0]["role"] != "remove"]
    raw = RawConversation(present, fields, path)
    return raw.to_trajectory(SCHEMA.read_messages(present, reasoning=reasoning))
