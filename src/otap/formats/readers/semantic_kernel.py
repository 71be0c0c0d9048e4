"""Chat histories of Semantic Kernel, as its Python and .NET versions serialise them."""

from collections.abc import Iterable, Mapping
from typing import Any

from otap.formats import chats
from otap.formats.chats import Message
from otap.formats.json.paths import JsonPath
from otap.formats.tool_calls import ToolResult, parse_call

NAME = "semantic-kernel"
DESCRIPTION = "chat histories of Semantic Kernel, of Python or .NET: one, a list, or JSONL"
STEP = "each function call of the assistant"
KNOWN_BY = "messages with 'items' and 'content_type', or with 'Items' and a 'Role'"

_ROLES = chats.speakers(system="system developer", tool="tool")
_KINDS = {
    "TextContent": "text",
    "FunctionCallContent": "function_call",
    "FunctionResultContent": "function_result",
    "ImageContent": "image",
    "ReasoningContent": "reasoning",
}


def _is_kernel_message(message: Any) -> bool:
    if not isinstance(message, dict):
        return False
    if message.get("content_type") == "message":
        return isinstance(message.get("items"), list)
    return "Role" in message and isinstance(message.get("Items"), list)


def _role_of(message: Mapping[str, Any]) -> Any:
    role = message.get("role", message.get("Role"))
    return role.get("Label") if isinstance(role, dict) else role


def _field(part: Mapping[str, Any], name: str) -> Any:
    """Returns a field by its name in snake_case; .NET writes PascalCase."""
    return part.get(name, part.get("".join(word.capitalize() for word in name.split("_"))))


def _tool_of(part: Mapping[str, Any]) -> Any:
    """Returns the name that the model sees: ``plugin-function``."""
    if isinstance(part.get("name"), str):
        return part["name"]
    plugin, function = _field(part, "plugin_name"), _field(part, "function_name")
    return f"{plugin}-{function}" if plugin and function else function


def _classify_part(part: dict[str, Any], path: JsonPath) -> Iterable[chats.Part]:
    kind = part.get("content_type", part.get("$type"))
    return [(_KINDS.get(str(kind), kind), part, path)]


def _add_text(message: Message, part: dict[str, Any], path: JsonPath) -> None:
    chats.add_text(message, _field(part, "text") or "", path["text"])


def _add_call(message: Message, part: dict[str, Any], path: JsonPath) -> None:
    call_id = path["id"].label(_field(part, "id"))
    arguments = _field(part, "arguments")
    message.items.append(parse_call(_tool_of(part), arguments, call_id, path["name"]))


def _add_result(message: Message, part: dict[str, Any], path: JsonPath) -> None:
    call_id = path["id"].label(_field(part, "call_id") or _field(part, "id"))
    message.items.append(ToolResult(call_id, _tool_of(part), _field(part, "result")))


SCHEMA = chats.MessageSchema(
    _is_kernel_message,
    _ROLES,
    {
        "text": _add_text,
        "function_call": _add_call,
        "function_result": _add_result,
        "image": "picture",
        "reasoning": "thought",
        **dict.fromkeys(("annotation", "streaming_annotation"), "source"),
        **dict.fromkeys(("file_reference", "streaming_file_reference", "binary"), "file"),
    },
    _classify_part,
    role=_role_of,
    content=("items", "Items"),
    agent=("name", "AuthorName"),
    joined_roles=(chats.USER, chats.ASSISTANT),
)
recognises, read = SCHEMA.recognises, SCHEMA.read
