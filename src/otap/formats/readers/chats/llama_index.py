"""Messages of LlamaIndex, alone and in the memories and stores in which it saves them."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.places import Place, described
from otap.formats.steps.calls import Call, calls_of, made_call
from otap.formats.steps.content import said, text_of
from otap.formats.steps.conversation import Kept, conversations
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.silent import note_part
from otap.trajectory import Trajectory

NAME = "llama-index"
DESCRIPTION = "messages of LlamaIndex: a list, {'messages': [...]}, a chat store, or JSONL"
STEP = "each tool call of an assistant message"
KNOWN_BY = "messages with 'role' and 'blocks' or 'additional_kwargs', or a store of such"

_ASSISTANT = ("assistant", "chatbot", "model")
_RESULTS = ("tool", "function")
_SYSTEM = ("system", "developer")
_ROLES = (*_SYSTEM, "user", *_ASSISTANT, *_RESULTS)


def recognises(value: Any) -> bool:
    """Says whether this is a message, a conversation, a store, or a list that begins with one."""
    first = value[0] if isinstance(value, list) and value else value
    return is_message(first) or _is_conversation(first) or _store(first) is not None


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each conversation."""
    for kept in _kept(document):
        recorder = Recorder(reasoning)
        for index, (value, place) in enumerate(kept.messages):
            _record(recorder, index, place.object(value), place)
        yield kept.run(recorder.conversation())


def is_message(value: Any) -> bool:
    """Says whether this is a message of LlamaIndex; before version 0.12 it had no blocks."""
    if not isinstance(value, dict) or value.get("role") not in _ROLES or "messages" in value:
        return False
    blocks = value.get("blocks")
    if isinstance(blocks, list):
        return all(isinstance(block, dict) and "block_type" in block for block in blocks)
    return isinstance(value.get("additional_kwargs"), dict) and "type" not in value


def _is_conversation(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else value
    return isinstance(messages, list) and bool(messages) and is_message(messages[0])


def _store(value: Any) -> dict[str, Any] | None:
    """Returns the conversations of a store, or of the memory that has one, by their names."""
    if isinstance(value, dict) and isinstance(value.get("chat_store"), dict):
        value = value["chat_store"]
    store = value.get("store") if isinstance(value, dict) else None
    if not isinstance(store, dict):
        return None
    first = next((messages for messages in store.values() if messages), None)
    return store if isinstance(first, list) and is_message(first[0]) else None


def _kept(document: Document) -> Iterator[Kept]:
    """Returns the conversations; a store has one for each of its names."""
    if not any(_store(value) is not None for value, _ in document.items()):
        yield from conversations(document, is_message)
        return
    for value, place in document.items():
        store = _store(value)
        if store is None:
            raise place.error(f"expected a chat store, found {described(value)}")
        where = place["chat_store"]["store"] if "chat_store" in value else place["store"]
        for name, messages in store.items():
            yield Kept(_placed(messages, where[name]), {"id": name}, where[name])


def _placed(messages: Any, place: Place) -> list[tuple[Any, Place]]:
    return [(message, place[index]) for index, message in enumerate(place.array(messages))]


def _record(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    role = message.get("role")
    if not isinstance(role, str) or not role:
        raise place["role"].error(f"expected one of {', '.join(_ROLES)}, found {described(role)}")
    if role in _ASSISTANT:
        recorder.assistant(_texts(recorder, message, place), _calls(message, place))
        return
    recorder.interrupted()
    if role in _RESULTS:
        _result(recorder, index, message, place)
    elif role == "user":
        recorder.user(_texts(recorder, message, place))
    elif role in _SYSTEM:
        recorder.ignored("system prompt")
    else:
        recorder.unknown(f"message of role '{role}'")


def _texts(recorder: Recorder, message: dict[str, Any], place: Place) -> list[str]:
    key = "blocks" if "blocks" in message else "content"
    return said(message.get(key), place[key], partial(_block_text, recorder))


def _block_text(recorder: Recorder, block: Any, place: Place) -> str | None:
    kind = place.object(block).get("block_type")
    if kind == "text":
        return text_of(block, place, "text")
    if kind != "tool_call":
        note_part(recorder, kind, "block")
    return None


def _calls(message: dict[str, Any], place: Place) -> list[Call]:
    """Returns the calls of a message; where blocks tell them, other fields tell them again."""
    blocks = list(place["blocks"].objects(message.get("blocks")))
    calls = [_call(block, at) for block, at in blocks if block.get("block_type") == "tool_call"]
    where = place["additional_kwargs"]
    return calls or calls_of(where.object(message.get("additional_kwargs") or {}), where)


def _call(block: dict[str, Any], place: Place) -> Call:
    identifier = place["tool_call_id"].label(block.get("tool_call_id"))
    given = block.get("tool_kwargs")
    return made_call(block.get("tool_name"), given, identifier, place["tool_name"])


def _result(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    where = place["additional_kwargs"]
    about = where.object(message.get("additional_kwargs") or {})
    identifier = where["tool_call_id"].label(about.get("tool_call_id"))
    kept = {"message": index, "tool_call_id": identifier}
    texts = _texts(recorder, message, place)
    content = texts[0] if texts else message.get("content", "")
    recorder.result(identifier, about.get("name"), content, kept=kept)
