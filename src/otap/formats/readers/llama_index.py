"""Messages of LlamaIndex, alone or in the memories and chat stores that save them."""

from collections.abc import Iterator
from typing import Any

from otap.formats import chats
from otap.formats.content import value_at
from otap.formats.conversations import RawConversation, find_conversations
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.formats.tool_calls import ToolResult, parse_calls

NAME = "llama-index"
DESCRIPTION = "messages of LlamaIndex: a list, {'messages': [...]}, a chat store, or JSONL"
STEP = "each tool call of an assistant message"
KNOWN_BY = "messages with 'role' and 'blocks' or 'additional_kwargs', or a store of such messages"

_ROLES = chats.speakers(
    assistant="assistant chatbot model", tool="tool function", system="system developer"
)


def recognises(value: Any) -> bool:
    """Returns whether this is a message, a conversation, a store, or a list of these."""
    return _SCHEMA.recognises(value) or _store_in(first_of(value)) is not None


def _is_llama_message(message: Any) -> bool:
    """Returns whether this is a message of LlamaIndex; before version 0.12 it had no blocks."""
    if not chats.has_role(message, _ROLES):
        return False
    blocks = message.get("blocks")
    if isinstance(blocks, list):
        return all(isinstance(block, dict) and "block_type" in block for block in blocks)
    return isinstance(message.get("additional_kwargs"), dict) and "type" not in message


def _store_in(value: Any) -> dict[str, Any] | None:
    """Returns the conversations of a store, or of a memory with a store, by their names."""
    store = value_at(value, ("chat_store", "store")) or value_at(value, ("store",))
    if not isinstance(store, dict):
        return None
    nonempty = (messages for messages in store.values() if messages)
    first = value_at(next(nonempty, None), (0,))
    return store if _is_llama_message(first) else None


def _stores_and_conversations(document: Document) -> Iterator[RawConversation]:
    """Yields the conversations; a store has one for each name."""
    if not any(_store_in(value) is not None for value, _ in document.items()):
        yield from find_conversations(document, _is_llama_message)
        return
    for value, path in document.items():
        store = _store_in(value)
        if store is None:
            raise path.error(f"expected a chat store, found {described(value)}")
        store_path = path["chat_store"]["store"] if "chat_store" in value else path["store"]
        for name, messages in store.items():
            list_path = store_path[name]
            yield RawConversation(list_path.items(messages), {"id": name}, list_path)


def _add_calls(message: chats.Message, value: dict[str, Any], path: JsonPath) -> None:
    """Adds the calls in ``additional_kwargs``, unless blocks hold the same calls."""
    if not message.calls:
        kwargs_path = path["additional_kwargs"]
        kwargs = kwargs_path.object(value.get("additional_kwargs") or {})
        message.items += parse_calls(kwargs, kwargs_path)


def _results_of_tool(value: dict[str, Any], path: JsonPath) -> list[ToolResult]:
    kwargs_path = path["additional_kwargs"]
    kwargs = kwargs_path.object(value.get("additional_kwargs") or {})
    message = chats.Message(None)
    _SCHEMA.add_content(message, value, path)
    text = "\n".join(message.texts)
    call_id = kwargs_path.label_in(kwargs, "tool_call_id")
    content = text if text.strip() else value.get("content", "")
    return [ToolResult(call_id, kwargs.get("name"), content)]


_SCHEMA = chats.MessageSchema(
    _is_llama_message,
    _ROLES,
    {
        "text": chats.TextKeys(),
        "tool_call": chats.CallKeys("tool_name", ("tool_kwargs",), ("tool_call_id",)),
    },
    chats.parts_by_type("block_type"),
    content=("blocks", "content"),
    read_extra_fields=_add_calls,
    results_of_message=_results_of_tool,
    joined_roles=(chats.USER, chats.ASSISTANT),
    part_word="block",
    find_conversations=_stores_and_conversations,
)
read = _SCHEMA.read
