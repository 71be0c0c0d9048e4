"""Chat messages as OpenAI writes them -> the steps of one conversation."""

import re
from collections.abc import Iterable
from functools import partial
from typing import Any, Literal

from otap.formats.json.places import Place, described
from otap.formats.steps.calls import calls_of
from otap.formats.steps.content import joined, said, text_of
from otap.formats.steps.conversation import Conversation
from otap.formats.steps.recorder import Judge, Recorder
from otap.formats.steps.silent import note_part

ROLES = ("system", "developer", "user", "assistant", "tool", "function")

# Where messages of other vendors, which have roles as well, say what was said and called.
_ELSEWHERE = ("parts", "blocks", "contents", "toolInvocations", "additional_kwargs")
# How Amazon's Converse names parts, which have no type.
_CONVERSE = {"reasoningContent", "guardContent", "citationsContent", "cachePoint", "searchResult"}
_CONVERSE |= {"image", "document", "video", "audio"}
_OWN = frozenset(("role", "content", "tool_calls", "function_call", "tool_call_id"))
_OWN |= {"tool_choice", "tool_plan"}
_FAILED = ("is_error", "isError", "tool_call_error")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OF_CALLS = re.compile(r"(?:^|_)(?:tool|call|function|action|invocation|command)s?(?:_(?!id)|$)")


def is_message(value: Any) -> bool:
    """Says whether this looks like one chat message."""
    if not isinstance(value, dict) or "messages" in value:
        return False
    return value.get("role") in ROLES and not _is_foreign(value)


def has_foreign_parts(messages: Iterable[Any]) -> bool:
    """Says whether tools are called where other vendors have it: in ``content``, or beside it."""
    return any(map(_holds_calls, messages))


def _holds_calls(message: Any) -> bool:
    if not isinstance(message, dict):
        return False
    if _is_foreign(message):
        return True
    parts = message.get("content")
    if not isinstance(parts, list):
        return False
    if message.get("role") in ("tool", "function"):  # results may be of any kind
        return any(isinstance(part, dict) and "toolCallId" in part for part in parts)
    return message.get("role") in ("user", "assistant") and any(map(_is_foreign_part, parts))


def _is_foreign(message: dict[str, Any]) -> bool:
    if any(isinstance(message.get(key), list | dict) for key in _ELSEWHERE):
        return True
    parts = message.get("content")  # Haystack has 'meta' beside parts without a type
    return isinstance(message.get("meta"), dict) and isinstance(parts, list) and _untyped(parts)


def _untyped(parts: list[Any]) -> bool:
    return all(isinstance(part, dict) and "type" not in part for part in parts)


def read_messages(
    messages: Iterable[tuple[Any, Place]],
    *,
    reasoning: bool = False,
    heard: Literal["all", "without_calls"] = "all",
    judge: Judge | None = None,
) -> Conversation:
    """Reads the messages of one conversation, each with its place.

    Args:
        messages: the messages, in order.
        reasoning: whether text that leads to no call becomes a reasoning step.
        heard: which texts of the assistant the user is told.
        judge: says of a result whether the call succeeded, where a format tells it so.

    Raises:
        FormatError: with the place of the first thing that no message may hold.
    """
    recorder = Recorder(reasoning, heard, judge)
    for index, (value, place) in enumerate(messages):
        _record(recorder, index, place.object(value), place)
    return recorder.conversation()


def _record(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    role = message.get("role")
    if role == "assistant":
        recorder.assistant(_texts(recorder, message, place), calls_of(message, place))
        _note_fields(recorder, message)
        return
    recorder.interrupted()
    _refuse_calls(message, place)
    if role in ("tool", "function"):
        _results(recorder, index, message, place)
    elif role == "user":
        recorder.user(_texts(recorder, message, place))
    elif role in ROLES:
        recorder.ignored("system prompt")
    elif isinstance(role, str) and role:
        recorder.unknown(f"message of role '{role}'")
    else:
        raise place["role"].error(f"expected one of {', '.join(ROLES)}, found {described(role)}")


def _texts(recorder: Recorder, message: dict[str, Any], place: Place) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content] if content.strip() else []
    return said(content, place["content"], partial(_part_text, recorder))


def _note_fields(recorder: Recorder, message: dict[str, Any]) -> None:
    """Notes the fields of an answer that by their names may hold calls, and are none of OpenAI."""
    for key, value in message.items():
        if key in _OWN or not value or not isinstance(value, list | dict | str):
            continue
        if key in _ELSEWHERE or _OF_CALLS.search(_CAMEL.sub("_", key).lower()):
            recorder.unknown(f"field '{key}' of a message")


def _results(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    """Records what came back; AutoGen before 0.4, and AG2, answer several calls in one message."""
    if not isinstance(message.get("tool_responses"), list):
        _result(recorder, index, message, place)
        return
    for response, at in place["tool_responses"].objects(message["tool_responses"]):
        _result(recorder, index, response, at)


def _result(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    identifier = place.label_in(message, "tool_call_id")
    kept: dict[str, Any] = {"message": index}
    kept.update((key, message[key]) for key in ("tool_call_id", "name") if key in message)
    content = _effect(message.get("content"))
    name = message.get("name")
    recorder.result(identifier, name, content, _status(message), kept=kept)


def _status(message: dict[str, Any]) -> Literal["error"] | None:
    """Returns whether a result is marked as failed beside its content, as frameworks mark it."""
    marked = any(message.get(key) is True for key in _FAILED) or message.get("status") == "error"
    error = message.get("error")
    told = error is True or (isinstance(error, str | dict) and bool(error))
    return "error" if marked or told else None


def _refuse_calls(message: dict[str, Any], place: Place) -> None:
    for key in ("tool_calls", "function_call"):
        if message.get(key):
            raise place[key].error("only messages of the assistant may call tools")


def _part_text(recorder: Recorder, part: Any, place: Place) -> str | None:
    """Returns the text of a part, or why the model refused; a bare text is a part, too."""
    if isinstance(part, str):
        return part or None
    if _is_foreign_part(place.object(part)):
        raise place.error("a tool call or result inside 'content': no message of OpenAI's kind")
    if "text" not in part and "refusal" not in part:
        note_part(recorder, part.get("type"))
    return text_of(part, place, "text", "refusal")


def _is_foreign_part(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    if "type" not in part and not _CONVERSE.isdisjoint(part):
        return True
    words = [part.get("type"), *part]
    return any("tool" in str(word).lower() or "function" in str(word).lower() for word in words)


def _effect(content: Any) -> Any:
    """Returns a result as it was recorded; a list of texts, be it empty, is their text."""
    return "" if content == [] else joined(content)
