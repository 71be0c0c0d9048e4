"""Messages of LangChain, in the three shapes in which it writes them, and states of LangGraph."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from otap.formats.json.documents import Document, first_of
from otap.formats.json.places import Place, described
from otap.formats.steps.calls import Call, call_notes, calls_of, parsed_arguments
from otap.formats.steps.content import joined, said, text_of
from otap.formats.steps.conversation import Conversation, conversations
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.silent import Noting, note_part
from otap.trajectory import Trajectory

NAME = "langchain"
DESCRIPTION = "messages of LangChain, and states of LangGraph: a conversation, a list, or JSONL"
STEP = "each tool call of an AI message, those with invalid arguments included"
KNOWN_BY = "messages with 'type' human, ai, system or tool, or constructors of such"

KINDS = ("human", "ai", "system", "tool", "function", "chat", "remove")
_STATUS: dict[Any, Literal["ok", "error"] | None] = {"success": "ok", "error": "error", None: None}

# Every key of a message as LangChain's model_dump() writes it: others write "type": "system" too.
_KEYS = {
    *("content", "additional_kwargs", "response_metadata", "type", "name", "id", "example"),
    *("tool_calls", "invalid_tool_calls", "usage_metadata", "chunk_position"),
    *("tool_call_id", "artifact", "status"),
}
# Blocks of the content that tell the calls of a message again.
_AGAIN = ("tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call")
_NAMES = ("id", "task_id", "task", "trial")  # a state may hold anything else, however long


def recognises(value: Any) -> bool:
    """Says whether this is a message, a conversation, or a list that begins with one."""
    first = first_of(value)
    return is_message(first) or _is_conversation(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each conversation."""
    for kept in conversations(document, is_message):
        found = read_messages(kept.messages, reasoning=reasoning)
        names = {key: kept.around[key] for key in _NAMES if key in kept.around}
        yield replace(kept, around=names).run(found)


def is_message(value: Any) -> bool:
    """Says whether this is a message of LangChain, in any of its shapes."""
    if not isinstance(value, dict):
        return False
    if _fields_key(value) is not None:
        return _kind(value) in KINDS
    if "role" in value or "content" not in value:
        return False
    kind = _kind(value)
    return kind in ("human", "ai") or (kind in KINDS and value.keys() <= _KEYS)


def read_messages(
    messages: Iterable[tuple[Any, Place]], *, reasoning: bool = False
) -> Conversation:
    """Reads the messages of one conversation, each with its place.

    Raises:
        FormatError: with the place of the first thing that no message may hold.
    """
    recorder = Recorder(reasoning)
    for index, (value, place) in enumerate(messages):
        _record(recorder, index, place.object(value), place)
    return recorder.conversation()


def _is_conversation(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else value
    return isinstance(messages, list) and bool(messages) and is_message(messages[0])


def _fields_key(message: dict[str, Any]) -> str | None:
    """Returns the key under which a message has its fields; none where it is not wrapped."""
    if message.get("lc") == 1 and message.get("type") == "constructor":
        return "kwargs"
    return "data" if isinstance(message.get("data"), dict) and "content" not in message else None


def _kind(message: dict[str, Any]) -> str | None:
    """Returns what a message is, in one word: "ai" of an "ai", an AIMessage, an AIMessageChunk."""
    name = message.get("type")
    if name == "constructor":
        path = message.get("id")
        name = path[-1] if isinstance(path, list) and path else None
    if not isinstance(name, str):
        return None
    return name.removesuffix("Chunk").removesuffix("Message").lower()


def opened(message: dict[str, Any], place: Place) -> tuple[str, dict[str, Any], Place]:
    """Returns what a message is, its fields, and their place.

    What it is, is one of :data:`KINDS`; a chat message is what its role says.

    Raises:
        FormatError: if it is no message of LangChain.
    """
    kind, key = _kind(message), _fields_key(message)
    if kind not in KINDS:
        name = "id" if key == "kwargs" else "type"
        raise place[name].error(
            f"expected a message of LangChain ({', '.join(KINDS)}), "
            f"found {described(message.get(name))}"
        )
    if key is not None:
        message, place = place[key].object(message.get(key)), place[key]
    return _speaker(kind, message), message, place


def _record(recorder: Recorder, index: int, value: dict[str, Any], where: Place) -> None:
    kind, message, place = opened(value, where)
    if kind == "ai":
        texts = texts_of(message.get("content"), place["content"], recorder)
        agent = place["name"].label(message.get("name"))
        recorder.assistant(texts, calls_in(message, place), agent)
        return
    recorder.interrupted()
    if kind in ("tool", "function"):
        _result(recorder, index, message, place)
    elif kind == "human":
        recorder.user(texts_of(message.get("content"), place["content"], recorder))
    elif kind == "system":
        recorder.ignored("system prompt")
    elif kind == "chat":
        recorder.unknown(f"message of role '{message.get('role')}'")


def _speaker(kind: str, message: dict[str, Any]) -> str:
    """A chat message says in words who speaks."""
    if kind != "chat":
        return kind
    role = message.get("role")
    return {"user": "human", "human": "human", "assistant": "ai", "ai": "ai"}.get(str(role), kind)


def _result(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    identifier = place["tool_call_id"].label(message.get("tool_call_id"))
    status = status_of(message.get("status"), place["status"])
    kept = {"message": index}
    kept.update((key, message[key]) for key in ("tool_call_id", "name") if message.get(key))
    content = joined(message.get("content"))
    call = recorder.result(identifier, message.get("name"), content, status, kept=kept)
    if call is not None and message.get("artifact") is not None:
        call.notes["artifact"] = message["artifact"]


def status_of(value: Any, place: Place) -> Literal["ok", "error"] | None:
    """Returns the status of a tool's message in our words; none where it has none.

    Raises:
        FormatError: if it is neither "success" nor "error".
    """
    if isinstance(value, str | None) and value in _STATUS:
        return _STATUS[value]
    raise place.error(f"expected 'success' or 'error', found {described(value)}")


def calls_in(message: dict[str, Any], place: Place) -> list[Call]:
    """Returns the calls of a message; those in ``additional_kwargs`` repeat them.

    Only old recordings have them nowhere else. Blocks of the content repeat them as well.
    """
    listed = [
        _call(value, place[key][index], key)
        for key in ("tool_calls", "invalid_tool_calls")
        for index, value in enumerate(place[key].array(message.get(key) or []))
    ]
    if listed:
        return listed
    where = place["additional_kwargs"]
    return calls_of(where.object(message.get("additional_kwargs") or {}), where)


def _call(value: Any, place: Place, key: str) -> Call:
    call = place.object(value)
    identifier, name = place["id"].label(call.get("id")), call.get("name")
    notes = call_notes(identifier)
    if name is None or name == "":
        name, notes["unnamed"] = None, True
    else:
        place["name"].text(name)
    arguments, parsed = parsed_arguments(call.get("args"))
    if not parsed:
        notes["arguments_unparsed"] = True
    if call.get("error") is not None:
        notes["error"] = call["error"]
    status: Literal["error"] | None = "error" if key == "invalid_tool_calls" else None  # never ran
    return Call(name, arguments, identifier, notes, status=status)


def texts_of(content: Any, place: Place, noting: Noting | None = None) -> list[str]:
    """Returns what a message says: one text, or none where it is blank or all other blocks.

    Args:
        content: the content of the message.
        place: where it stands.
        noting: who is told of the other blocks.

    Raises:
        FormatError: if a block is neither a text nor an object, or its text is none.
    """
    return said(content, place, partial(_block_text, noting))


def _block_text(noting: Noting | None, block: Any, place: Place) -> str | None:
    """Returns the text of a block of type "text"; a bare text is a block, too."""
    if isinstance(block, str):
        return block or None
    kind = place.object(block).get("type")
    if kind == "text":
        return text_of(block, place, "text")
    if noting is not None and kind not in _AGAIN:
        note_part(noting, kind, "block")
    return None
