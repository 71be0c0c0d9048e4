"""Messages of Haystack, as ``ChatMessage.to_dict`` writes them, and what its agents return."""

from collections.abc import Iterable, Mapping
from typing import Any

from otap.formats.json.paths import JsonPath
from otap.formats.steps import tables
from otap.formats.steps.calls import Result
from otap.formats.steps.content import join_texts

NAME = "haystack"
DESCRIPTION = "messages of Haystack: a list, {'messages': [...]}, a list of these, or JSONL"
STEP = "each tool call of an assistant message"
KNOWN_BY = "messages with 'meta' whose 'content' has parts, as 'tool_call' or 'text'"

_SPEAKERS = tables.speakers(system="system", tool="tool")
_CALL, _RESULT = "tool_call", "tool_call_result"
# How a part is known that was dumped without the key of its kind.
_BARE = {
    "tool_name": _CALL,
    "origin": _RESULT,
    "reasoning_text": "reasoning",
    "base64_image": "image",
    "base64_data": "file",
}
_status = tables.StatusKey("error", {True: "error", False: "ok"})


def _field(message: Mapping[str, Any], name: str) -> Any:
    """Returns a field; before version 2.9 their names began with '_'."""
    return message.get(name if name in message else f"_{name}")


def _is_haystack_message(value: Any) -> bool:
    if not isinstance(value, dict) or "messages" in value or "id" in value:
        return False
    role, content, meta = (_field(value, name) for name in ("role", "content", "meta"))
    if role not in tuple(_SPEAKERS) or not isinstance(content, list) or not isinstance(meta, dict):
        return False
    return all(isinstance(part, dict) and "type" not in part for part in content)


def _tell_part_by_key(part: dict[str, Any], place: JsonPath) -> Iterable[tables.Part]:
    bare = next((kind for name, kind in _BARE.items() if name in part), None)
    if bare is not None:
        return [(bare, part, place)]
    told = [(key, value, place[key]) for key, value in part.items() if value is not None]
    return told[:1] or [("nothing", None, place)]


def _add_result(message: tables.Message, part: Any, place: JsonPath) -> None:
    """Adds a result, which tells the call that it is of once more."""
    result, where = place.object(part), place["origin"]
    origin = where.object(result.get("origin"))
    identifier = where["id"].label(origin.get("id"))
    content = join_texts(result.get("result"))
    message.items.append(Result(identifier, origin.get("tool_name"), content, _status(result)))


_DIALECT = tables.MessageSchema(
    _is_haystack_message,
    _SPEAKERS,
    {
        "text": tables.add_text,
        _CALL: tables.CallKeys("tool_name"),
        _RESULT: _add_result,
        "image": "picture",
        "file": "file",
        "reasoning": "thought",
    },
    _tell_part_by_key,
    role=lambda message: _field(message, "role"),
    content=("content", "_content"),
    agent=("name", "_name"),
    joined_roles=(tables.USER, tables.ASSISTANT),
    ignored_keys=("last_message", "token_usage", "step_count", "tool_call_counts"),
)
recognises, read = _DIALECT.recognises, _DIALECT.read
