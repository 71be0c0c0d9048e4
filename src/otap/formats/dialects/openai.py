"""Chat messages of OpenAI's chat completions, in the shapes in which people keep them."""

import re
from collections.abc import Iterable
from typing import Any, Literal

from otap.formats.json.paths import JsonPath
from otap.formats.readers.coding.mini_swe_agent import tells_commands
from otap.formats.readers.openai_responses import is_typed_item
from otap.formats.steps import tables
from otap.formats.steps.calls import Result, parse_calls
from otap.formats.steps.content import join_texts, list_at, value_at
from otap.formats.steps.conversation import name_of_run
from otap.formats.steps.exchanges import messages_in

NAME = "openai"
DESCRIPTION = "OpenAI chat messages: a list, {'messages': [...]}, a list of these, or JSONL"
STEP = "each tool call of an assistant message"
KNOWN_BY = "messages with 'role', and calls beside their 'content'"

NAME_OF_RUN = name_of_run

# What says of an object that its messages are more than that: files of agents, and of benchmarks,
# and what Amazon's Converse is asked and answers.
_OTHERS = ("trajectory_format", "termination_reason", "toolConfig", "inferenceConfig", "stopReason")
_SPEAKERS = tables.speakers(system="system developer", tool="tool function")
# Where messages of other vendors, which have roles as well, say what was said and called.
_ELSEWHERE = ("parts", "blocks", "contents", "items", "toolInvocations", "additional_kwargs")
# How Amazon's Converse names parts, which have no type.
_CONVERSE = {"reasoningContent", "guardContent", "citationsContent", "cachePoint", "searchResult"}
_CONVERSE |= {"image", "document", "video", "audio"}
_OWN = frozenset(("role", "content", "tool_calls", "function_call", "tool_call_id"))
_OWN |= {"tool_choice", "tool_plan"}
_FAILED = ("is_error", "isError", "tool_call_error")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OF_CALLS = re.compile(r"(?:^|_)(?:tool|call|function|action|invocation|command)s?(?:_(?!id)|$)")


def is_chat_message(value: Any) -> bool:
    """Says whether this looks like one chat message."""
    return tables.has_role(value, _SPEAKERS) and not _is_of_others(value)


def _is_own(value: Any) -> bool:
    """Says whether this is of OpenAI's kind, and of nobody else's."""
    others = isinstance(value, dict) and not value.keys().isdisjoint(_OTHERS)
    if others and not is_chat_message(value):
        return False
    messages = messages_in(value) or [value]
    foreign = (_holds_foreign_calls(message) or is_typed_item(message) for message in messages)
    return not any(foreign) and not tells_commands(messages)


def _holds_foreign_calls(message: Any) -> bool:
    """Says whether tools are called where other vendors have it: in ``content``, or beside it."""
    if not isinstance(message, dict):
        return False
    if _is_of_others(message) or _says_elsewhere(message):
        return True
    parts = list_at(message, "content")
    if message.get("role") in ("tool", "function"):  # results may be of any kind
        return any(isinstance(part, dict) and "toolCallId" in part for part in parts)
    return message.get("role") in ("user", "assistant") and any(map(_is_foreign_part, parts))


def _says_elsewhere(message: dict[str, Any]) -> bool:
    """Says whether a message has nothing where OpenAI's have it, but has parts elsewhere."""
    if any(message.get(key) for key in _OWN - {"role"}):
        return False
    return any(_holds_parts(value) for key, value in message.items() if key not in _OWN)


def _holds_parts(value: Any) -> bool:
    """Says whether parts of a message, or one with such, stand here; goose has JSON in a text."""
    if isinstance(value, str):
        return value.startswith('[{"')
    return isinstance(value_at(value, ("content",)) or value_at(value, (0, "type")), str | list)


def _is_of_others(message: dict[str, Any]) -> bool:
    if any(isinstance(message.get(key), list | dict) for key in _ELSEWHERE):
        return True
    parts = message.get("content")  # Haystack has 'meta' beside parts without a type
    untyped = (
        isinstance(part, dict) and "type" not in part for part in list_at(message, "content")
    )
    return isinstance(message.get("meta"), dict) and isinstance(parts, list) and all(untyped)


def _is_foreign_part(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    if "type" not in part and not _CONVERSE.isdisjoint(part):
        return True
    words = [part.get("type"), *part]
    return any("tool" in str(word).lower() or "function" in str(word).lower() for word in words)


def _tell_openai_part(part: dict[str, Any], place: JsonPath) -> Iterable[tables.Part]:
    """Tells a text, or why the model refused, from other parts."""
    if _is_foreign_part(part):
        raise place.error("a tool call or result inside 'content': no message of OpenAI's kind")
    speaks = "text" in part or "refusal" in part
    return [("text" if speaks else part.get("type"), part, place)]


def _add_calls(message: tables.Message, value: dict[str, Any], place: JsonPath) -> None:
    """Adds calls; notes fields that by their names may hold calls, and are none of OpenAI's."""
    if message.role != "assistant":
        for key in ("tool_calls", "function_call"):
            if value.get(key):
                raise place[key].error("only messages of the assistant may call tools")
        return
    message.items += parse_calls(value, place)
    for key, held in value.items():
        if key in _OWN or not held or not isinstance(held, list | dict | str):
            continue
        if key in _ELSEWHERE or _OF_CALLS.search(_CAMEL.sub("_", key).lower()):
            message.unknown.append(f"field '{key}' of a message")


def _results_of_message(value: dict[str, Any], place: JsonPath) -> list[Result]:
    """Returns what came back; AutoGen before 0.4, and AG2, answer several calls in one message."""
    if not isinstance(value.get("tool_responses"), list):
        return [_result_of_response(value, place)]
    responses = place["tool_responses"].objects(value["tool_responses"])
    return [_result_of_response(response, at) for response, at in responses]


def _result_of_response(value: dict[str, Any], place: JsonPath) -> Result:
    content = value.get("content")
    content = "" if content == [] else join_texts(content)
    identifier = place.label_in(value, "tool_call_id")
    return Result(identifier, value.get("name"), content, _status_of_message(value))


def _status_of_message(value: dict[str, Any]) -> Literal["error"] | None:
    """Returns whether a result is marked as failed beside its content, as frameworks mark it."""
    marked = any(value.get(key) is True for key in _FAILED) or value.get("status") == "error"
    error = value.get("error")
    told = error is True or (isinstance(error, str | dict) and bool(error))
    return "error" if marked or told else None


DIALECT = tables.MessageSchema(
    is_chat_message,
    _SPEAKERS,
    {"text": tables.TextKeys(("text", "refusal"))},
    _tell_openai_part,
    read_extra_fields=_add_calls,
    results_of_message=_results_of_message,
    joined_roles=(tables.USER, tables.ASSISTANT),
    # Not kept but for its hints: what could have been called is not what was done, and is long.
    ignored_keys=("tools", "functions"),
    is_specific=_is_own,
    messages_in=messages_in,
)
recognises, read = DIALECT.recognises, DIALECT.read
