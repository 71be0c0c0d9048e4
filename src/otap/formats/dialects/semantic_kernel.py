"""Chat histories of Semantic Kernel, as its Python and its .NET serialise them."""

from collections.abc import Iterable, Mapping
from typing import Any

from otap.formats.json.paths import JsonPath
from otap.formats.steps import tables
from otap.formats.steps.calls import Result, parse_call
from otap.formats.steps.content import list_at
from otap.formats.steps.tables import Message

NAME = "semantic-kernel"
DESCRIPTION = "chat histories of Semantic Kernel, of Python or .NET: one, a list, or JSONL"
STEP = "each function call of the assistant"
KNOWN_BY = "messages with 'items' and 'content_type', or with 'Items' and a 'Role'"

_SPEAKERS = tables.speakers(system="system developer", tool="tool")
_KINDS = {
    "TextContent": "text",
    "FunctionCallContent": "function_call",
    "FunctionResultContent": "function_result",
    "ImageContent": "image",
    "ReasoningContent": "reasoning",
}


def _is_kernel_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("content_type") == "message":
        return isinstance(value.get("items"), list)
    return "Role" in value and isinstance(value.get("Items"), list)


def _role_of(message: Mapping[str, Any]) -> Any:
    role = message.get("role", message.get("Role"))
    return role.get("Label") if isinstance(role, dict) else role


def _field(part: Mapping[str, Any], name: str) -> Any:
    """A field of a part, which .NET writes with a capital at each word."""
    return part.get(name, part.get("".join(word.capitalize() for word in name.split("_"))))


def _tool_of(part: Mapping[str, Any]) -> Any:
    """The function behind its plugin, as the model was told."""
    if isinstance(part.get("name"), str):
        return part["name"]
    plugin, function = _field(part, "plugin_name"), _field(part, "function_name")
    return f"{plugin}-{function}" if plugin and function else function


def _tell_item(part: dict[str, Any], place: JsonPath) -> Iterable[tables.Part]:
    kind = part.get("content_type", part.get("$type"))
    return [(_KINDS.get(str(kind), kind), part, place)]


def _add_text(message: Message, part: dict[str, Any], place: JsonPath) -> None:
    tables.add_text(message, _field(part, "text") or "", place["text"])


def _add_call(message: Message, part: dict[str, Any], place: JsonPath) -> None:
    identifier = place["id"].label(_field(part, "id"))
    said = _field(part, "arguments")
    message.items.append(parse_call(_tool_of(part), said, identifier, place["name"]))


def _add_result(message: Message, part: dict[str, Any], place: JsonPath) -> None:
    identifier = _field(part, "call_id") or _field(part, "id")
    result = Result(place["id"].label(identifier), _tool_of(part), _field(part, "result"))
    message.items.append(result)


DIALECT = tables.MessageSchema(
    _is_kernel_message,
    _SPEAKERS,
    {
        "text": _add_text,
        "function_call": _add_call,
        "function_result": _add_result,
        "image": "picture",
        "reasoning": "thought",
        **dict.fromkeys(("annotation", "streaming_annotation"), "source"),
        **dict.fromkeys(("file_reference", "streaming_file_reference", "binary"), "file"),
    },
    _tell_item,
    role=_role_of,
    content=("items", "Items"),
    agent=("name", "AuthorName"),
    joined_roles=(tables.USER, tables.ASSISTANT),
    messages_in=lambda value: value if isinstance(value, list) else list_at(value, "messages"),
)
recognises, read = DIALECT.recognises, DIALECT.read
