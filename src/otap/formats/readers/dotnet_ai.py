"""Messages of Microsoft.Extensions.AI, the .NET library of chat clients and agents.

The shape is that of ``ChatMessage`` and ``ChatResponse`` in Microsoft.Extensions.AI 9 and 10, as
its ``AIJsonUtilities`` serialise them, or with the names of the properties unchanged.
"""

from collections.abc import Iterable
from typing import Any

from otap.formats import chats
from otap.formats.content import join_texts
from otap.formats.json.paths import JsonPath
from otap.formats.tool_calls import ToolResult, parse_call

NAME = "dotnet-ai"
DESCRIPTION = "messages of .NET's Microsoft.Extensions.AI: a list, {'messages': [...]}, or JSONL"
STEP = "each function call in the contents of an assistant's message"
KNOWN_BY = "messages with 'contents' whose parts have a '$type'"

_ROLES = chats.speakers(system="system", tool="tool")


def _is_message(message: Any) -> bool:
    if not isinstance(message, dict):
        return False
    contents = _field(message, "contents")
    if _field(message, "role") not in tuple(_ROLES) or not isinstance(contents, list):
        return False
    return bool(contents) and all(isinstance(part, dict) and "$type" in part for part in contents)


def _field(part: dict[str, Any], name: str) -> Any:
    """Returns a field in camelCase or, as .NET writes it by default, in PascalCase."""
    return part.get(name, part.get(name[0].upper() + name[1:]))


def _parts_of(part: dict[str, Any], path: JsonPath) -> Iterable[chats.Part]:
    return [(part.get("$type"), part, path)]


def _add_text(message: chats.Message, part: dict[str, Any], path: JsonPath) -> None:
    chats.add_text(message, _field(part, "text") or "", path["text"])


def _add_call(message: chats.Message, part: dict[str, Any], path: JsonPath) -> None:
    call_id = path["callId"].label(_field(part, "callId"))
    arguments = _field(part, "arguments")
    message.items.append(parse_call(_field(part, "name"), arguments, call_id, path["name"]))


def _add_result(message: chats.Message, part: dict[str, Any], path: JsonPath) -> None:
    call_id = path["callId"].label(_field(part, "callId"))
    status: chats.Status = "error" if _field(part, "exception") else None
    message.items.append(ToolResult(call_id, None, join_texts(_field(part, "result")), status))


SCHEMA = chats.MessageSchema(
    _is_message,
    _ROLES,
    {
        "text": _add_text,
        "functionCall": _add_call,
        "functionResult": _add_result,
        "reasoning": "thought",
        "usage": "tokens",
        **dict.fromkeys(("data", "uri", "hostedFile", "hostedVectorStore"), "file"),
        "error": "notice",
    },
    _parts_of,
    role=lambda message: _field(message, "role"),
    content=("contents", "Contents"),
    agent=("authorName", "AuthorName"),
    joined_roles=(chats.USER, chats.ASSISTANT),
)
recognises, read = SCHEMA.recognises, SCHEMA.read
