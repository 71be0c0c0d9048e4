"""Messages of Haystack, as ``ChatMessage.to_dict`` writes them, and the outputs of its agents."""

from collections.abc import Iterable, Mapping
from typing import Any

from otap.formats import chats
from otap.formats.content import join_texts
from otap.formats.json.paths import JsonPath
from otap.formats.tool_calls import ToolResult

NAME = "haystack"
DESCRIPTION = "messages of Haystack: a list, {'messages': [...]}, a list of these, or JSONL"
STEP = "each tool call of an assistant message"
KNOWN_BY = "messages with 'meta' whose 'content' has parts, such as 'tool_call' or 'text'"

_ROLES = chats.speakers(system="system", tool="tool")
_CALL, _RESULT = "tool_call", "tool_call_result"
# The kind of a part that was dumped without its kind as key, by a key that only this kind has.
_KIND_BY_KEY = {
    "tool_name": _CALL,
    "origin": _RESULT,
    "reasoning_text": "reasoning",
    "base64_image": "image",
    "base64_data": "file",
}
_status = chats.StatusKey("error", {True: "error", False: "ok"})


def _field(message: Mapping[str, Any], name: str) -> Any:
    """Returns a field; before version 2.9 their names began with '_'."""
    return message.get(name if name in message else f"_{name}")


def _is_haystack_message(message: Any) -> bool:
    if not isinstance(message, dict) or "messages" in message or "id" in message:
        return False
    role, content, meta = (_field(message, name) for name in ("role", "content", "meta"))
    if role not in tuple(_ROLES) or not isinstance(content, list) or not isinstance(meta, dict):
        return False
    return all(isinstance(part, dict) and "type" not in part for part in content)


def _classify_part(part: dict[str, Any], path: JsonPath) -> Iterable[chats.Part]:
    for key, kind in _KIND_BY_KEY.items():
        if key in part:
            return [(kind, part, path)]
    for kind, content in part.items():
        if content is not None:
            return [(kind, content, path[kind])]
    return [("nothing", None, path)]


def _add_result(message: chats.Message, part: Any, path: JsonPath) -> None:
    """Adds a result, which repeats its call under ``origin``."""
    result, origin_path = path.object(part), path["origin"]
    origin = origin_path.object(result.get("origin"))
    call_id = origin_path["id"].label(origin.get("id"))
    content = join_texts(result.get("result"))
    message.items.append(ToolResult(call_id, origin.get("tool_name"), content, _status(result)))


_SCHEMA = chats.MessageSchema(
    _is_haystack_message,
    _ROLES,
    {
        "text": chats.add_text,
        _CALL: chats.CallKeys("tool_name"),
        _RESULT: _add_result,
        "image": "picture",
        "file": "file",
        "reasoning": "thought",
    },
    _classify_part,
    role=lambda message: _field(message, "role"),
    content=("content", "_content"),
    agent=("name", "_name"),
    joined_roles=(chats.USER, chats.ASSISTANT),
    ignored_keys=("last_message", "token_usage", "step_count", "tool_call_counts"),
)
recognises, read = _SCHEMA.recognises, _SCHEMA.read
