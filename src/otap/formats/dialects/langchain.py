"""Messages of LangChain, in the three shapes in which it writes them, and states of LangGraph."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal

from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath, described
from otap.formats.steps import tables
from otap.formats.steps.calls import Call, Result, parse_call, parse_calls
from otap.formats.steps.content import join_texts, list_at, value_at
from otap.formats.steps.conversation import RawConversation, find_conversations

NAME = "langchain"
DESCRIPTION = "messages of LangChain, and states of LangGraph: a conversation, a list, or JSONL"
STEP = "each tool call of an AI message, those with invalid arguments included"
KNOWN_BY = "messages with 'type' human, ai, system or tool, or constructors of such"

_SPEAKERS = tables.speakers("human", "ai", tool="tool function", system="system")
_KINDS = (*_SPEAKERS, "chat", "remove")
_ROLES = {"user": "human", "human": "human", "assistant": "ai", "ai": "ai"}  # of chat messages
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


def is_langchain_message(value: Any) -> bool:
    """Says whether this is a message of LangChain, in any of its shapes."""
    if not isinstance(value, dict):
        return False
    if _fields_key(value) is not None:
        return _kind_of(value) in _KINDS
    if "role" in value or "content" not in value:
        return False
    kind = _kind_of(value)
    return kind in ("human", "ai") or (kind in _KINDS and value.keys() <= _KEYS)


def _fields_key(message: dict[str, Any]) -> str | None:
    """Returns the key under which a message has its fields; none where it is not wrapped."""
    if message.get("lc") == 1 and message.get("type") == "constructor":
        return "kwargs"
    return "data" if isinstance(message.get("data"), dict) and "content" not in message else None


def _kind_of(message: dict[str, Any]) -> str | None:
    """Returns what a message is, in one word: "ai" of an "ai", an AIMessage, an AIMessageChunk."""
    name = message.get("type")
    if name == "constructor":
        name = value_at(message, ("id", -1))
    return (
        name.removesuffix("Chunk").removesuffix("Message").lower()
        if isinstance(name, str)
        else None
    )


def open_message(message: dict[str, Any], place: JsonPath) -> tuple[dict[str, Any], JsonPath]:
    """Returns the fields of a message, with what it is as their role, and their place.

    What it is, is human, ai, system or tool; a chat message is what its role says.

    Raises:
        FormatError: if it is no message of LangChain.
    """
    kind, key = _kind_of(message), _fields_key(message)
    if kind not in _KINDS:
        name = "id" if key == "kwargs" else "type"
        raise place[name].error(
            f"expected a message of LangChain ({', '.join(_KINDS)}), "
            f"found {described(message.get(name))}"
        )
    if key is not None:
        message, place = place[key].object(message.get(key)), place[key]
    role = kind if kind != "chat" else _ROLES.get(str(message.get("role")), message.get("role"))
    return {**message, "role": role or kind}, place


def _opened_conversations(document: Document) -> Iterator[RawConversation]:
    for kept in find_conversations(document, is_langchain_message):
        names = {key: kept.extra_fields[key] for key in _NAMES if key in kept.extra_fields}
        messages = [open_message(place.object(value), place) for value, place in kept.messages]
        told = [(value, place) for value, place in messages if value["role"] != "remove"]
        yield replace(kept, messages=told, extra_fields=names, tokens=kept.token_usage())


def _add_langchain_calls(message: tables.Message, value: dict[str, Any], place: JsonPath) -> None:
    """Adds the calls of a message; those in ``additional_kwargs`` repeat them.

    Only old recordings have them nowhere else. Blocks of the content repeat them as well.
    """
    if message.role != "ai":
        return
    where = place["additional_kwargs"]
    beside = value.get("additional_kwargs")
    listed = list(_listed_calls(value, place))
    message.items += listed or parse_calls(where.object(beside or {}), where)
    for _ in list_at(beside, "tool_outputs"):
        message.unknown.append("output of a server's tool")  # older versions kept them here


def _listed_calls(value: dict[str, Any], place: JsonPath) -> Iterable[Call]:
    for key in ("tool_calls", "invalid_tool_calls"):
        for call, where in place[key].objects(value.get(key) or []):
            identifier = where.label_in(call, "id")
            made = parse_call(call.get("name"), call.get("args"), identifier, where["name"])
            if call.get("error") is not None:
                made.notes["error"] = call["error"]
            made.status = "error" if key == "invalid_tool_calls" else None  # it never ran
            yield made


def _results_of_tool_message(value: dict[str, Any], place: JsonPath) -> list[Result]:
    identifier = place.label_in(value, "tool_call_id")
    artifact = value.get("artifact")
    notes = () if artifact is None else (("artifact", artifact),)
    told, name = value.get("status"), place.label_in(value, "name")
    if not isinstance(told, str | None) or told not in _STATUS:
        raise place["status"].error(f"expected 'success' or 'error', found {described(told)}")
    content = join_texts(value.get("content"))
    return [Result(identifier, name, content, _STATUS[told], notes=notes)]


DIALECT = tables.MessageSchema(
    is_langchain_message,
    _SPEAKERS,
    {"text": tables.TextKeys(), **dict.fromkeys(_AGAIN, "")},
    tables.parts_by_type("type"),
    read_extra_fields=_add_langchain_calls,
    results_of_message=_results_of_tool_message,
    agent=("name",),
    joined_roles=(tables.USER, tables.ASSISTANT),
    part_word="block",
    find_conversations=_opened_conversations,
)
recognises, read = DIALECT.recognises, DIALECT.read
