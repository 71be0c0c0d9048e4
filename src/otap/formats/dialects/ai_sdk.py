"""Messages of Vercel's AI SDK: those that models are given, and those that pages show."""

from collections.abc import Iterable
from typing import Any, Literal

from otap.formats.json.paths import JsonPath
from otap.formats.steps import tables
from otap.formats.steps.calls import Result
from otap.formats.steps.content import join_texts, value_at

NAME = "ai-sdk"
DESCRIPTION = "messages of Vercel's AI SDK, model or UI: a list, {'messages': [...]}, or JSONL"
STEP = "each tool call of an assistant message, whoever ran the tool"
KNOWN_BY = "messages with parts such as 'tool-call', or a list of 'parts'"

_SPEAKERS = tables.speakers(tool="tool", system="system") | {"data": "data for a page"}
_APPROVAL = "question whether a call may run"
_STATES: dict[str, Literal["ok", "error"]] = {
    **dict.fromkeys(("result", "output-available"), "ok"),
    **dict.fromkeys(("output-error", "output-denied"), "error"),
}
_STATUS_BY_STATE = tables.StatusKey("state", _STATES)
_STATUS_BY_FLAG = tables.StatusKey("isError", {True: "error", False: "ok"})
_OUTPUTS: dict[str, Literal["ok", "error"]] = {
    **dict.fromkeys(("text", "json", "content"), "ok"),
    **dict.fromkeys(("error-text", "error-json", "execution-denied"), "error"),
}
_CALL = tables.CallKeys("toolName", ("input", "args", "rawInput"), ("toolCallId",))


def _is_sdk_message(value: Any) -> bool:
    return tables.has_role(value, _SPEAKERS)


def _is_own(value: Any) -> bool:
    """Says whether a message or a conversation has parts of this SDK.

    Messages for models that call nothing are no other than a conversation of OpenAI's kind.
    """
    messages = value.get("messages", [value]) if isinstance(value, dict) else value
    return any(map(_is_only_of_sdk, messages))


def _is_only_of_sdk(message: Any) -> bool:
    """Says whether a message is written as only this SDK does."""
    if not isinstance(message, dict):
        return False
    parts, content = message.get("parts"), message.get("content")
    if isinstance(parts, list):
        typed = all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in parts)
        return bool(parts) and "messageId" not in message and typed
    called = content if isinstance(content, list) else message.get("toolInvocations")
    return isinstance(called, list) and any(
        isinstance(part, dict) and "toolCallId" in part for part in called
    )


def _tell_sdk_part(part: dict[str, Any], place: JsonPath) -> Iterable[tables.Part]:
    kind = part.get("type")
    if isinstance(kind, str) and kind not in _PARTS:
        known = "data" if kind.startswith("data-") else kind
        kind = "shown call" if "toolCallId" in part else known
    return [(kind, part, place)]


def _result_of(part: dict[str, Any], place: JsonPath) -> Result:
    """Returns a result; since version 5 an object says what kind of value came back."""
    identifier, name = place.label_in(part, "toolCallId"), part.get("toolName")
    output = part.get("output")
    kind = value_at(output, ("type",))
    if isinstance(kind, str) and kind in _OUTPUTS:
        returned = value_at(output, ("reason" if kind == "execution-denied" else "value",))
        return Result(identifier, name, join_texts(returned, "text"), _OUTPUTS[kind])
    returned = part.get("result") if output is None else output
    return Result(identifier, name, returned, _STATUS_BY_FLAG(part))


def _add_invocation(message: tables.Message, part: dict[str, Any], place: JsonPath) -> None:
    """Adds a call as versions before 5 show it; those of one step ran side by side."""
    where = place["toolInvocation"]
    _add_call_of_step(message, where.object(part.get("toolInvocation")), where)


def _add_call_of_step(message: tables.Message, value: dict[str, Any], where: JsonPath) -> None:
    step = value.get("step")
    if message.calls and step != message.step:
        message.items.append(tables.END_OF_TURN)
    message.step = step
    _CALL(message, value, where)
    if value.get("state") == "result":
        message.items.append(_result_of(value, where)._replace(waits=True))


def _add_invocations(message: tables.Message, value: dict[str, Any], place: JsonPath) -> None:
    """Adds the calls that stand beside the content, which tells what was said after them."""
    if not isinstance(value.get("parts"), list):
        said, message.items = message.items, []
        for call, where in place["toolInvocations"].objects(value.get("toolInvocations")):
            _add_call_of_step(message, call, where)
        message.items += said


def _add_shown(message: tables.Message, part: dict[str, Any], place: JsonPath) -> None:
    """Adds a call as pages show it: its type has the name, or says that it is dynamic."""
    kind = part["type"]
    name = part.get("toolName") if kind == "dynamic-tool" else kind.removeprefix("tool-")
    call, status = _CALL.read({**part, "toolName": name}, place), _STATUS_BY_STATE(part)
    message.items.append(call)
    if status is not None:  # then it says what came back, or why nothing did
        told = tables.value_in(part, ("output", "errorText"))
        told = value_at(part, ("approval", "reason")) if told is None else told
        message.items.append(Result(call.id, name, told, status, waits=True))


_PARTS: dict[str, tables.Entry] = {
    "text": tables.TextKeys(),
    "tool-call": _CALL,
    "tool-result": lambda message, part, place: message.items.append(_result_of(part, place)),
    "tool-invocation": _add_invocation,
    "shown call": _add_shown,
    "step-start": lambda message, *_: message.items.append(tables.END_OF_TURN),
    "tool-approval-request": _APPROVAL,
    "tool-approval-response": _APPROVAL,
    "data": "data for a page",
}
_DIALECT = tables.MessageSchema(
    _is_sdk_message,
    _SPEAKERS,
    _PARTS,
    _tell_sdk_part,
    content=("parts", "content"),
    read_extra_fields=_add_invocations,
    text_continues_turn=False,
    ignored_keys=("tools",),
    is_specific=_is_own,
)
recognises, read = _DIALECT.recognises, _DIALECT.read
