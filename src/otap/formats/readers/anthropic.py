"""Messages of Anthropic's API: texts, tool calls and results are blocks of the content."""

from collections.abc import Mapping
from typing import Any

from otap.formats import chats
from otap.formats.content import drop_nulls, join_texts, list_at, value_at
from otap.formats.exchanges import messages_in
from otap.formats.json.paths import JsonPath, described
from otap.formats.tool_calls import ToolResult, new_call

NAME = "anthropic"
DESCRIPTION = "messages of Anthropic's API: a list, {'messages': [...]}, a list of these, or JSONL"
STEP = "each block of an assistant message that uses a tool, server tools included"
KNOWN_BY = "messages whose 'content' has blocks 'tool_use' or 'tool_result'"

_ROLES = chats.speakers(system="system")
_USE, _RESULT = "tool_use", "tool_result"  # the endings of block types, server tools included
_TOOL_SOURCES = ("server_name", "toolset_name")
# How a result begins if the user, a rule or Claude Code itself did not let the call run.
REFUSED = "The user doesn't want to proceed with this tool use."
_NOT_RUN = (
    REFUSED,
    "The user doesn't want to take this action right now.",
    "[Request interrupted by user",
    "Permission for this tool use was denied",
    "Permission to use ",
    "Claude requested permissions to ",
    "<tool_use_error>InputValidationError",
    "<tool_use_error>Cancelled:",
    "<tool_use_error>Error: No such tool available",
    "<tool_use_error>No such tool available",
)
# These beginnings need one of the words of denial as well.
_PERMISSION = ("Permission to use ", "Claude requested permissions to ")
_DENIED = ("denied", "you haven't granted")


def _is_anthropic_message(message: Any) -> bool:
    return chats.has_role(message, _ROLES)


def _has_tool_blocks(value: Any) -> bool:
    """Returns whether any block uses a tool or returns its result, in the form of Anthropic.

    Without such a block the messages look like messages of OpenAI.
    """
    return any(
        str(value_at(block, ("type",))).endswith((_USE, _RESULT))
        for message in messages_in(value) or [value]
        if value_at(message, ("role",)) in ("user", "assistant")
        for block in list_at(message, "content")
    )


def _add_call(message: chats.Message, block: dict[str, Any], path: JsonPath) -> None:
    call_id = path.label_in(block, "id")
    call = new_call(block.get("name"), block.get("input"), call_id, path["name"])
    call.notes.update(drop_nulls({key: block.get(key) for key in _TOOL_SOURCES}))
    caller_path = path["caller"]
    caller = caller_path.object(block.get("caller") or {})
    if caller.get("tool_id") is not None:
        call.notes["caller"] = caller_path["tool_id"].label(caller["tool_id"])
    message.items.append(call)


def _add_result(message: chats.Message, block: dict[str, Any], path: JsonPath) -> None:
    call_id = path.label_in(block, "tool_use_id")
    if "tool_use_id" not in block:
        message.unknown.append("result without a call id")
    content = block.get("content")
    content = "" if content == [] else join_texts(content, "text")
    notes = (("not_run", True),) if _is_refusal(content, block.get("is_error")) else ()
    message.items.append(ToolResult(call_id, None, content, _status_of(block, path), notes=notes))


def _status_of(block: Mapping[str, Any], path: JsonPath) -> chats.Status:
    """Returns the status of a result; a failed server tool shows only in the content's type."""
    failed, content = block.get("is_error"), block.get("content")
    if failed is None:
        return "error" if str(value_at(content, ("type",))).endswith("_error") else None
    if not isinstance(failed, bool):
        raise path["is_error"].error(f"expected true or false, found {described(failed)}")
    return "error" if failed else "ok"


def _is_refusal(content: Any, failed: object) -> bool:
    """Returns whether a result states that its call did not run."""
    if failed is not True or not isinstance(content, str) or not content.startswith(_NOT_RUN):
        return False
    return not content.startswith(_PERMISSION) or any(word in content[:500] for word in _DENIED)


SCHEMA = chats.MessageSchema(
    _is_anthropic_message,
    _ROLES,
    {"text": chats.TextKeys(), _USE: _add_call, _RESULT: _add_result},
    chats.parts_by_type("type", _USE, _RESULT),
    # Only the hints of tool definitions are read: a tool that was available was not yet called.
    ignored_keys=("tools", "system", "mcp_servers"),
    part_word="block",
    is_specific=_has_tool_blocks,
    messages_in=messages_in,
)
recognises, read = SCHEMA.recognises, SCHEMA.read
