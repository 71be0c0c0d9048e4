"""Messages of LangChain, in the three shapes in which it writes them, and states of LangGraph."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal

from otap.formats import chats
from otap.formats.content import join_texts, list_at, value_at
from otap.formats.conversations import RawConversation, find_conversations
from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath, described
from otap.formats.tool_calls import ToolCall, ToolResult, parse_call, parse_calls

NAME = "langchain"
DESCRIPTION = "messages of LangChain, and states of LangGraph: a conversation, a list, or JSONL"
STEP = "each tool call of an AI message, those with invalid arguments included"
KNOWN_BY = "messages with 'type' human, ai, system or tool, or their constructors"

_ROLES = chats.speakers("human", "ai", tool="tool function", system="system")
_KINDS = (*_ROLES, "chat", "remove")
_CHAT_ROLES = {"user": "human", "human": "human", "assistant": "ai", "ai": "ai"}
_STATUS: dict[Any, Literal["ok", "error"] | None] = {"success": "ok", "error": "error", None: None}

# All keys of a message from LangChain's model_dump(): other libraries write "type": "system", too.
_KEYS = {
    *("content", "additional_kwargs", "response_metadata", "type", "name", "id", "example"),
    *("tool_calls", "invalid_tool_calls", "usage_metadata", "chunk_position"),
    *("tool_call_id", "artifact", "status"),
}
# Blocks of the content that repeat the calls of a message.
_REPEATED = ("tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call")
_NAME_KEYS = ("id", "task_id", "task", "trial")  # other fields of a state may be long


def is_langchain_message(message: Any) -> bool:
    """Returns whether this is a message of LangChain, in any of its shapes."""
    if not isinstance(message, dict):
        return False
    if _fields_key(message) is not None:
        return _kind_of(message) in _KINDS
    if "role" in message or "content" not in message:
        return False
    kind = _kind_of(message)
    return kind in ("human", "ai") or (kind in _KINDS and message.keys() <= _KEYS)


def _fields_key(message: dict[str, Any]) -> str | None:
    """Returns the key that holds the fields of a message, or None if they are not wrapped."""
    if message.get("lc") == 1 and message.get("type") == "constructor":
        return "kwargs"
    return "data" if isinstance(message.get("data"), dict) and "content" not in message else None


def _kind_of(message: dict[str, Any]) -> str | None:
    """Returns the kind in one word: "ai" for an "ai", an AIMessage or an AIMessageChunk."""
    name = message.get("type")
    if name == "constructor":
        name = value_at(message, ("id", -1))
    if not isinstance(name, str):
        return None
    return name.removesuffix("Chunk").removesuffix("Message").lower()


def open_message(message: dict[str, Any], path: JsonPath) -> tuple[dict[str, Any], JsonPath]:
    """Returns the fields of a message with its kind as ``role``, and their path.

    The kind is human, ai, system or tool; a chat message has the kind of its own role.

    Raises:
        FormatError: if this is not a message of LangChain.
    """
    kind, key = _kind_of(message), _fields_key(message)
    if kind not in _KINDS:
        name = "id" if key == "kwargs" else "type"
        raise path[name].error(
            f"expected a message of LangChain ({', '.join(_KINDS)}), "
            f"found {described(message.get(name))}"
        )
    if key is not None:
        message, path = path[key].object(message.get(key)), path[key]
    role = message.get("role")
    role = _CHAT_ROLES.get(str(role), role) if kind == "chat" else kind
    return {**message, "role": role or kind}, path


def _opened_conversations(document: Document) -> Iterator[RawConversation]:
    for conversation in find_conversations(document, is_langchain_message):
        fields = conversation.extra_fields
        names = {key: fields[key] for key in _NAME_KEYS if key in fields}
        opened = [open_message(path.object(value), path) for value, path in conversation.messages]
        messages = [placed for placed in opened if placed[0]["role"] != "remove"]
        yield replace(
            conversation, messages=messages, extra_fields=names, tokens=conversation.token_usage()
        )


def _add_calls(message: chats.Message, value: dict[str, Any], path: JsonPath) -> None:
    """Adds the calls of a message.

    Old recordings have them only in ``additional_kwargs``; in others these repeat the calls.
    """
    if message.role != "ai":
        return
    kwargs_path = path["additional_kwargs"]
    kwargs = value.get("additional_kwargs")
    calls = list(_calls_in(value, path))
    message.items += calls or parse_calls(kwargs_path.object(kwargs or {}), kwargs_path)
    for _ in list_at(kwargs, "tool_outputs"):
        message.unknown.append("output of a server's tool")  # of older versions


def _calls_in(message: dict[str, Any], path: JsonPath) -> Iterable[ToolCall]:
    for key in ("tool_calls", "invalid_tool_calls"):
        for tool_call, call_path in path[key].objects(message.get(key) or []):
            call_id = call_path.label_in(tool_call, "id")
            name, arguments = tool_call.get("name"), tool_call.get("args")
            call = parse_call(name, arguments, call_id, call_path["name"])
            if tool_call.get("error") is not None:
                call.notes["error"] = tool_call["error"]
            call.status = "error" if key == "invalid_tool_calls" else None  # it never ran
            yield call


def _results_of_tool_message(message: dict[str, Any], path: JsonPath) -> list[ToolResult]:
    call_id = path.label_in(message, "tool_call_id")
    artifact = message.get("artifact")
    notes = () if artifact is None else (("artifact", artifact),)
    status, name = message.get("status"), path.label_in(message, "name")
    if not isinstance(status, str | None) or status not in _STATUS:
        raise path["status"].error(f"expected 'success' or 'error', found {described(status)}")
    content = join_texts(message.get("content"))
    return [ToolResult(call_id, name, content, _STATUS[status], notes=notes)]


SCHEMA = chats.MessageSchema(
    is_langchain_message,
    _ROLES,
    {"text": chats.TextKeys(), **dict.fromkeys(_REPEATED, "")},
    chats.parts_by_type("type"),
    read_extra_fields=_add_calls,
    results_of_message=_results_of_tool_message,
    agent=("name",),
    joined_roles=(chats.USER, chats.ASSISTANT),
    part_word="block",
    find_conversations=_opened_conversations,
)
recognises, read = SCHEMA.recognises, SCHEMA.read
