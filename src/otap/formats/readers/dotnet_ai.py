"""Messages of Microsoft.Extensions.AI, the .NET library of chat clients and agents.

The shapes are those of ``ChatMessage``, ``ChatResponse`` and the kinds of ``AIContent``, versions 9
and 10 (github.com/dotnet/extensions), as ``AIJsonUtilities`` serialise them, or with the names of
the properties unchanged.
"""

from collections.abc import Iterable
from typing import Any

from otap.formats import chats
from otap.formats.content import drop_nulls, join_texts
from otap.formats.json.paths import JsonPath
from otap.formats.tool_calls import ToolResult, parse_call

NAME = "dotnet-ai"
DESCRIPTION = "messages of .NET's Microsoft.Extensions.AI: a list, {'messages': [...]}, or JSONL"
STEP = "each function call in the contents of an assistant's message"
KNOWN_BY = "messages with 'contents' whose parts have a '$type'"

_HOSTED_CALL = "ToolCall"
_HOSTED = ("codeInterpreter", "imageGeneration", "webSearch")
# An approved call is a function call as well.
_APPROVALS = tuple(
    f"{kind}Approval{part}"
    for kind in ("function", "tool", "mcpServerTool")
    for part in ("Request", "Response")
)
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


def _add_server_call(message: chats.Message, part: dict[str, Any], path: JsonPath) -> None:
    """Adds a call that the service ran on an MCP server."""
    name = _field(part, "name") or _field(part, "toolName")
    server = _field(part, "serverName")
    if isinstance(name, str) and isinstance(server, str) and server:
        name = f"{server}__{name}"
    call_id = path["callId"].label(_field(part, "callId"))
    message.items.append(parse_call(name, _field(part, "arguments"), call_id, path["name"]))


def _add_hosted_call(message: chats.Message, part: dict[str, Any], path: JsonPath) -> None:
    """Adds a call of a tool of the service itself, such as its interpreter of code."""
    call_id = path["callId"].label(_field(part, "callId"))
    name = str(part["$type"]).removesuffix(_HOSTED_CALL)
    arguments = {key: _field(part, key) for key in ("inputs", "queries")}
    message.items.append(parse_call(name, drop_nulls(arguments), call_id, path["$type"]))


def _add_result(message: chats.Message, part: dict[str, Any], path: JsonPath) -> None:
    call_id = path["callId"].label(_field(part, "callId"))
    status: chats.Status = "error" if _field(part, "exception") else None
    contents = (_field(part, key) for key in ("result", "outputs", "output"))
    content = next((content for content in contents if content is not None), None)
    message.items.append(ToolResult(call_id, None, join_texts(content), status))


SCHEMA = chats.MessageSchema(
    _is_message,
    _ROLES,
    {
        "text": _add_text,
        "functionCall": _add_call,
        "functionResult": _add_result,
        "mcpServerToolCall": _add_server_call,
        "mcpServerToolResult": _add_result,
        **dict.fromkeys((f"{tool}{_HOSTED_CALL}" for tool in _HOSTED), _add_hosted_call),
        **dict.fromkeys((f"{tool}ToolResult" for tool in _HOSTED), _add_result),
        **dict.fromkeys(_APPROVALS, "approval of a call"),
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
