"""Chat messages of OpenAI's chat completions, in the shapes in which people store them."""

import re
from collections.abc import Iterable
from typing import Any, Literal

from otap.formats import chats
from otap.formats.content import join_texts, list_at, value_at
from otap.formats.conversations import name_of_run
from otap.formats.exchanges import messages_in
from otap.formats.json.paths import JsonPath
from otap.formats.readers.mini_swe_agent import is_mini_swe_agent
from otap.formats.readers.openai_responses import is_typed_item
from otap.formats.tool_calls import ToolResult, parse_calls

NAME = "openai"
DESCRIPTION = "OpenAI chat messages: a list, {'messages': [...]}, a list of these, or JSONL"
STEP = "each tool call of an assistant message"
KNOWN_BY = "messages with 'role', and calls beside their 'content'"

NAME_OF_RUN = name_of_run

# Keys of objects whose messages belong to another format: files of agents and of benchmarks, and
# requests and responses of Amazon's Converse.
_FOREIGN_FILE_KEYS = (
    *("trajectory_format", "termination_reason", "suite_name"),
    *("toolConfig", "inferenceConfig", "stopReason"),
)
_ROLES = chats.speakers(system="system developer", tool="tool function")
# Where messages of other vendors, which have roles as well, hold their texts and calls.
_FOREIGN_KEYS = ("parts", "blocks", "contents", "items", "toolInvocations", "additional_kwargs")
# The keys of the parts of Amazon's Converse, which have no type.
_CONVERSE = {"reasoningContent", "guardContent", "citationsContent", "cachePoint", "searchResult"}
_CONVERSE |= {"image", "document", "video", "audio"}
_MESSAGE_KEYS = frozenset(("role", "content", "tool_calls", "function_call", "tool_call_id"))
_MESSAGE_KEYS |= {"tool_choice", "tool_plan"}
_ERROR_FLAGS = ("is_error", "isError", "tool_call_error")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CALL_KEY = re.compile(r"(?:^|_)(?:tool|call|function|action|invocation|command)s?(?:_(?!id)|$)")


def is_chat_message(message: Any) -> bool:
    """Returns whether this looks like one chat message."""
    return chats.has_role(message, _ROLES) and not _is_foreign(message)


def _is_openai(value: Any) -> bool:
    """Returns whether a message or a conversation is in this format and in no other."""
    has_foreign_key = isinstance(value, dict) and not value.keys().isdisjoint(_FOREIGN_FILE_KEYS)
    if has_foreign_key and not is_chat_message(value):
        return False
    messages = messages_in(value) or [value]
    if any(_has_foreign_calls(message) or is_typed_item(message) for message in messages):
        return False
    return not is_mini_swe_agent(messages)


def _has_foreign_calls(message: Any) -> bool:
    """Returns whether a message has calls in the form of another vendor."""
    if not isinstance(message, dict):
        return False
    if _is_foreign(message) or _has_only_foreign_parts(message):
        return True
    parts = list_at(message, "content")
    if message.get("role") in ("tool", "function"):  # results may be of any kind
        return any(isinstance(part, dict) and "toolCallId" in part for part in parts)
    return message.get("role") in ("user", "assistant") and any(
        _is_foreign_part(part) for part in parts
    )


def _has_only_foreign_parts(message: dict[str, Any]) -> bool:
    """Returns whether a message is empty for OpenAI, but has parts under another key."""
    if any(message.get(key) for key in _MESSAGE_KEYS - {"role"}):
        return False
    return any(_has_parts(value) for key, value in message.items() if key not in _MESSAGE_KEYS)


def _has_parts(value: Any) -> bool:
    """Returns whether this is a list of parts, a message with parts, or JSON text as in goose."""
    if isinstance(value, str):
        return value.startswith('[{"')
    return isinstance(value_at(value, ("content",)) or value_at(value, (0, "type")), str | list)


def _is_foreign(message: dict[str, Any]) -> bool:
    if any(isinstance(message.get(key), list | dict) for key in _FOREIGN_KEYS):
        return True
    parts = message.get("content")  # Haystack has 'meta' beside parts without a type
    if not isinstance(parts, list) or not isinstance(message.get("meta"), dict):
        return False
    return all(isinstance(part, dict) and "type" not in part for part in parts)


def _is_foreign_part(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    if "type" not in part and not _CONVERSE.isdisjoint(part):
        return True
    words = [part.get("type"), *part]
    return any("tool" in str(word).lower() or "function" in str(word).lower() for word in words)


def _classify_part(part: dict[str, Any], path: JsonPath) -> Iterable[chats.Part]:
    """Returns the kind of a part: "text" for a text or a refusal, else its type."""
    if _is_foreign_part(part):
        raise path.error("a tool call or result inside 'content': not a message of OpenAI's kind")
    is_text = "text" in part or "refusal" in part
    return [("text" if is_text else part.get("type"), part, path)]


def _add_calls(message: chats.Message, value: dict[str, Any], path: JsonPath) -> None:
    """Adds calls, and notes unknown fields that may hold calls by their names."""
    if message.role != "assistant":
        for key in ("tool_calls", "function_call"):
            if value.get(key):
                raise path[key].error("only messages of the assistant may call tools")
        return
    message.items += parse_calls(value, path)
    for key, content in value.items():
        if key in _MESSAGE_KEYS or not content or not isinstance(content, list | dict | str):
            continue
        if key in _FOREIGN_KEYS or _CALL_KEY.search(_CAMEL.sub("_", key).lower()):
            message.unknown.append(f"field '{key}' of a message")


def _results_of_message(message: dict[str, Any], path: JsonPath) -> list[ToolResult]:
    """Returns the results in a message; AutoGen before 0.4, and AG2, write several in one."""
    if not isinstance(message.get("tool_responses"), list):
        return [_result_of(message, path)]
    responses = path["tool_responses"].objects(message["tool_responses"])
    return [_result_of(response, response_path) for response, response_path in responses]


def _result_of(response: dict[str, Any], path: JsonPath) -> ToolResult:
    content = response.get("content")
    content = "" if content == [] else join_texts(content)
    error = response.get("error")
    if content == "" and isinstance(error, dict):  # messages of Inspect
        content = error.get("message", "")
    call_id = path.label_in(response, "tool_call_id")
    return ToolResult(call_id, response.get("name"), content, _status_of(response))


def _status_of(response: dict[str, Any]) -> Literal["error"] | None:
    """Returns "error" if a field beside the content marks a failure, as frameworks do."""
    is_marked = any(response.get(key) is True for key in _ERROR_FLAGS)
    error = response.get("error")
    has_error = error is True or (isinstance(error, str | dict) and bool(error))
    return "error" if is_marked or response.get("status") == "error" or has_error else None


SCHEMA = chats.MessageSchema(
    is_chat_message,
    _ROLES,
    {"text": chats.TextKeys(("text", "refusal"))},
    _classify_part,
    read_extra_fields=_add_calls,
    results_of_message=_results_of_message,
    joined_roles=(chats.USER, chats.ASSISTANT),
    # Only the hints of tool definitions are read, because definitions are long and are not calls.
    ignored_keys=("tools", "functions"),
    is_specific=_is_openai,
    messages_in=messages_in,
)
recognises, read = SCHEMA.recognises, SCHEMA.read
