"""Messages of Vercel's AI SDK: model messages and UI messages."""

from collections.abc import Iterable
from typing import Any, Literal

from otap.formats import chats
from otap.formats.content import join_texts, value_at
from otap.formats.json.paths import JsonPath
from otap.formats.tool_calls import ToolResult

NAME = "ai-sdk"
DESCRIPTION = "messages of Vercel's AI SDK, model or UI: a list, {'messages': [...]}, or JSONL"
STEP = "each tool call of an assistant message, whoever ran the tool"
KNOWN_BY = "messages with parts such as 'tool-call', or a list of 'parts'"

_ROLES = chats.speakers(tool="tool", system="system") | {"data": "data for the user interface"}
_APPROVAL = "request to approve a call"
_STATES: dict[str, Literal["ok", "error"]] = {
    **dict.fromkeys(("result", "output-available"), "ok"),
    **dict.fromkeys(("output-error", "output-denied"), "error"),
}
_STATUS_BY_STATE = chats.StatusKey("state", _STATES)
_STATUS_BY_FLAG = chats.StatusKey("isError", {True: "error", False: "ok"})
_OUTPUT_TYPES: dict[str, Literal["ok", "error"]] = {
    **dict.fromkeys(("text", "json", "content"), "ok"),
    **dict.fromkeys(("error-text", "error-json", "execution-denied"), "error"),
}
_CALL = chats.CallKeys("toolName", ("input", "args", "rawInput"), ("toolCallId",))


def _has_sdk_role(message: Any) -> bool:
    return chats.has_role(message, _ROLES)


def _is_of_sdk(value: Any) -> bool:
    """Returns whether a message or a conversation has parts that only this SDK writes.

    Model messages without a tool call look like messages of OpenAI.
    """
    messages = value.get("messages", [value]) if isinstance(value, dict) else value
    return any(_has_sdk_parts(message) for message in messages)


def _has_sdk_parts(message: Any) -> bool:
    if not isinstance(message, dict):
        return False
    parts, content = message.get("parts"), message.get("content")
    if isinstance(parts, list):
        typed = all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in parts)
        return bool(parts) and "messageId" not in message and typed
    calls = content if isinstance(content, list) else message.get("toolInvocations")
    return isinstance(calls, list) and any(
        isinstance(part, dict) and "toolCallId" in part for part in calls
    )


def _classify_part(part: dict[str, Any], path: JsonPath) -> Iterable[chats.Part]:
    kind = part.get("type")
    if isinstance(kind, str) and kind not in _PARTS:
        if "toolCallId" in part:
            kind = "UI call"
        elif kind.startswith("data-"):
            kind = "data"
    return [(kind, part, path)]


def _result_of(part: dict[str, Any], path: JsonPath) -> ToolResult:
    """Returns a result; since version 5 the output is an object with a type."""
    call_id, name = path.label_in(part, "toolCallId"), part.get("toolName")
    output = part.get("output")
    kind = value_at(output, ("type",))
    if isinstance(kind, str) and kind in _OUTPUT_TYPES:
        content = value_at(output, ("reason" if kind == "execution-denied" else "value",))
        return ToolResult(call_id, name, join_texts(content, "text"), _OUTPUT_TYPES[kind])
    content = part.get("result") if output is None else output
    return ToolResult(call_id, name, content, _STATUS_BY_FLAG(part))


def _add_invocation(message: chats.Message, part: dict[str, Any], path: JsonPath) -> None:
    """Adds a call of a UI message before version 5; the calls of one step ran in parallel."""
    call_path = path["toolInvocation"]
    _add_call_of_step(message, call_path.object(part.get("toolInvocation")), call_path)


def _add_call_of_step(message: chats.Message, call: dict[str, Any], path: JsonPath) -> None:
    step = call.get("step")
    if message.calls and step != message.step:
        message.items.append(chats.END_OF_TURN)
    message.step = step
    _CALL(message, call, path)
    if call.get("state") == "result":
        message.items.append(_result_of(call, path)._replace(waits=True))


def _add_invocations(message: chats.Message, value: dict[str, Any], path: JsonPath) -> None:
    """Adds the calls of ``toolInvocations``, which came before the text of the content."""
    if not isinstance(value.get("parts"), list):
        content_items, message.items = message.items, []
        for call, call_path in path["toolInvocations"].objects(value.get("toolInvocations")):
            _add_call_of_step(message, call, call_path)
        message.items += content_items


def _add_ui_call(message: chats.Message, part: dict[str, Any], path: JsonPath) -> None:
    """Adds a call of a UI message, whose type ends with the tool's name or is "dynamic-tool"."""
    kind = part["type"]
    name = part.get("toolName") if kind == "dynamic-tool" else kind.removeprefix("tool-")
    call, status = _CALL.read({**part, "toolName": name}, path), _STATUS_BY_STATE(part)
    message.items.append(call)
    if status is not None:
        content = chats.value_in(part, ("output", "errorText"))
        content = value_at(part, ("approval", "reason")) if content is None else content
        message.items.append(ToolResult(call.id, name, content, status, waits=True))


_PARTS: dict[str, chats.Entry] = {
    "text": chats.TextKeys(),
    "tool-call": _CALL,
    "tool-result": lambda message, part, path: message.items.append(_result_of(part, path)),
    "tool-invocation": _add_invocation,
    "UI call": _add_ui_call,
    "step-start": lambda message, *_: message.items.append(chats.END_OF_TURN),
    "tool-approval-request": _APPROVAL,
    "tool-approval-response": _APPROVAL,
    "data": "data for the user interface",
}
_SCHEMA = chats.MessageSchema(
    _has_sdk_role,
    _ROLES,
    _PARTS,
    _classify_part,
    content=("parts", "content"),
    read_extra_fields=_add_invocations,
    text_continues_turn=False,
    ignored_keys=("tools",),
    is_specific=_is_of_sdk,
)
recognises, read = _SCHEMA.recognises, _SCHEMA.read
