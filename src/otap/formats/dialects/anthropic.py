"""Messages of Anthropic's API: what was said, called and returned are blocks of the content."""

from collections.abc import Mapping
from typing import Any

from otap.formats.json.paths import JsonPath, described
from otap.formats.steps import tables
from otap.formats.steps.calls import Result, new_call
from otap.formats.steps.content import drop_nulls, join_texts, list_at, value_at
from otap.formats.steps.exchanges import messages_in

NAME = "anthropic"
DESCRIPTION = "messages of Anthropic's API: a list, {'messages': [...]}, a list of these, or JSONL"
STEP = "each block of an assistant message that uses a tool, the tools of the server included"
KNOWN_BY = "messages whose 'content' has blocks 'tool_use' or 'tool_result'"

_SPEAKERS = tables.speakers(system="system")
_USE, _RESULT = "tool_use", "tool_result"  # how the types of blocks end, whoever runs the tool
_NOTED = ("server_name", "toolset_name")  # whose tool it is
# How the results begin of calls that the user, a rule or Claude Code itself did not let run.
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
_OUTSIDE = ("Permission to use ", "Claude requested permissions to ")
_DENIED = ("denied", "you haven't granted")


def _is_anthropic_message(value: Any) -> bool:
    return tables.has_role(value, _SPEAKERS)


def _has_blocks(value: Any) -> bool:
    """Says whether tools are called, or results returned, in blocks of Anthropic's kind.

    Without any use of a tool this is no other than a conversation of OpenAI's kind.
    """
    messages = messages_in(value) or [value]
    said = (each for each in messages if value_at(each, ("role",)) in ("user", "assistant"))
    kinds = (value_at(block, ("type",)) for each in said for block in list_at(each, "content"))
    return any(str(kind).endswith((_USE, _RESULT)) for kind in kinds)


def _add_call(message: tables.Message, block: dict[str, Any], place: JsonPath) -> None:
    identifier = place.label_in(block, "id")
    call = new_call(block.get("name"), block.get("input"), identifier, place["name"])
    call.notes.update(drop_nulls({key: block.get(key) for key in _NOTED}))
    where = place["caller"]
    caller = where.object(block.get("caller") or {})
    if caller.get("tool_id") is not None:
        call.notes["caller"] = where["tool_id"].label(caller["tool_id"])
    message.items.append(call)


def _add_result(message: tables.Message, block: dict[str, Any], place: JsonPath) -> None:
    identifier = place.label_in(block, "tool_use_id")
    if "tool_use_id" not in block:
        message.unknown.append("result that names no call")
    content = block.get("content")
    content = "" if content == [] else join_texts(content, "text")
    notes = (("not_run", True),) if _never_ran(content, block.get("is_error")) else ()
    status = _status_of_block(block, place)
    message.items.append(Result(identifier, None, content, status, notes=notes))


def _status_of_block(block: Mapping[str, Any], place: JsonPath) -> tables.Status:
    """Servers say of their own tools' failures in the content only."""
    failed, content = block.get("is_error"), block.get("content")
    if failed is None:
        return "error" if str(value_at(content, ("type",))).endswith("_error") else None
    if not isinstance(failed, bool):
        raise place["is_error"].error(f"expected true or false, found {described(failed)}")
    return "error" if failed else "ok"


def _never_ran(content: Any, failed: object) -> bool:
    """Says whether a result tells that its call was not run."""
    if failed is not True or not isinstance(content, str) or not content.startswith(_NOT_RUN):
        return False
    return not content.startswith(_OUTSIDE) or any(word in content[:500] for word in _DENIED)


DIALECT = tables.MessageSchema(
    _is_anthropic_message,
    _SPEAKERS,
    {"text": tables.TextKeys(), _USE: _add_call, _RESULT: _add_result},
    tables.parts_by_type("type", _USE, _RESULT),
    # Not kept but for hints of tools: what could have been called is not what was done.
    ignored_keys=("tools", "system", "mcp_servers"),
    part_word="block",
    is_specific=_has_blocks,
    messages_in=messages_in,
)
recognises, read = DIALECT.recognises, DIALECT.read
