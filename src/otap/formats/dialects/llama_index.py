"""Messages of LlamaIndex, alone and in the memories and stores in which it saves them."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.formats.steps import tables
from otap.formats.steps.calls import Result, parse_calls
from otap.formats.steps.content import value_at
from otap.formats.steps.conversation import RawConversation, find_conversations

NAME = "llama-index"
DESCRIPTION = "messages of LlamaIndex: a list, {'messages': [...]}, a chat store, or JSONL"
STEP = "each tool call of an assistant message"
KNOWN_BY = "messages with 'role' and 'blocks' or 'additional_kwargs', or a store of such"

_SPEAKERS = tables.speakers(
    assistant="assistant chatbot model", tool="tool function", system="system developer"
)


def recognises(value: Any) -> bool:
    """Says whether this is a message, a conversation, a store, or a list that begins with one."""
    return _DIALECT.recognises(value) or _store_in(first_of(value)) is not None


def _is_llama_message(value: Any) -> bool:
    """Says whether this is a message of LlamaIndex; before version 0.12 it had no blocks."""
    if not tables.has_role(value, _SPEAKERS):
        return False
    blocks = value.get("blocks")
    if isinstance(blocks, list):
        return all(isinstance(block, dict) and "block_type" in block for block in blocks)
    return isinstance(value.get("additional_kwargs"), dict) and "type" not in value


def _store_in(value: Any) -> dict[str, Any] | None:
    """Returns the conversations of a store, or of the memory that has one, by their names."""
    store = value_at(value, ("chat_store", "store")) or value_at(value, ("store",))
    if not isinstance(store, dict):
        return None
    first = value_at(next(filter(None, store.values()), None), (0,))
    return store if _is_llama_message(first) else None


def _stores_and_conversations(document: Document) -> Iterator[RawConversation]:
    """Returns the conversations; a store has one for each of its names."""
    if not any(_store_in(value) is not None for value, _ in document.items()):
        yield from find_conversations(document, _is_llama_message)
        return
    for value, place in document.items():
        store = _store_in(value)
        if store is None:
            raise place.error(f"expected a chat store, found {described(value)}")
        where = place["chat_store"]["store"] if "chat_store" in value else place["store"]
        for name, messages in store.items():
            at = where[name]
            listed = [(message, at[index]) for index, message in enumerate(at.array(messages))]
            yield RawConversation(listed, {"id": name}, at)


def _add_llama_calls(message: tables.Message, value: dict[str, Any], place: JsonPath) -> None:
    """Adds the calls that other fields tell, unless blocks tell the same."""
    if not message.calls:
        where = place["additional_kwargs"]
        message.items += parse_calls(where.object(value.get("additional_kwargs") or {}), where)


def _results_of_tool(value: dict[str, Any], place: JsonPath) -> list[Result]:
    where = place["additional_kwargs"]
    about = where.object(value.get("additional_kwargs") or {})
    told = tables.Message(None)
    _DIALECT.add_content(told, value, place)
    content = "\n".join(told.texts)
    identifier = where.label_in(about, "tool_call_id")
    content = content if content.strip() else value.get("content", "")
    return [Result(identifier, about.get("name"), content)]


_DIALECT = tables.MessageSchema(
    _is_llama_message,
    _SPEAKERS,
    {
        "text": tables.TextKeys(),
        "tool_call": tables.CallKeys("tool_name", ("tool_kwargs",), ("tool_call_id",)),
    },
    tables.parts_by_type("block_type"),
    content=("blocks", "content"),
    read_extra_fields=_add_llama_calls,
    results_of_message=_results_of_tool,
    joined_roles=(tables.USER, tables.ASSISTANT),
    part_word="block",
    find_conversations=_stores_and_conversations,
)
read = _DIALECT.read
