"""Messages of Vercel's AI SDK: those that models are given, and those that pages show."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from otap.formats.json.documents import Document
from otap.formats.json.places import Place, described
from otap.formats.readers.chats.turns import Turns
from otap.formats.steps.calls import Call, made_call
from otap.formats.steps.content import joined, text_of
from otap.formats.steps.conversation import conversations
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.silent import note_part
from otap.trajectory import Trajectory

NAME = "ai-sdk"
DESCRIPTION = "messages of Vercel's AI SDK, model or UI: a list, {'messages': [...]}, or JSONL"
STEP = "each tool call of an assistant message, whoever ran the tool"
KNOWN_BY = "messages with parts such as 'tool-call', or a list of 'parts'"

_ROLES = ("system", "user", "assistant", "tool", "data")
_LEFT_OUT = ("tools",)
# Parts that ask the user for leave to call, and what the user said.
_APPROVAL = ("tool-approval-request", "tool-approval-response")
_GIVEN = ("input", "args", "rawInput")  # where a call has its arguments, by version and state
_STATES: dict[Any, Literal["ok", "error"]] = {
    "result": "ok",
    "output-available": "ok",
    "output-error": "error",
    "output-denied": "error",
}
_FAILED: dict[bool, Literal["ok", "error"]] = {True: "error", False: "ok"}
_OUTPUTS: dict[Any, Literal["ok", "error"]] = {
    **dict.fromkeys(("text", "json", "content"), "ok"),
    **dict.fromkeys(("error-text", "error-json", "execution-denied"), "error"),
}


def recognises(value: Any) -> bool:
    """Says whether this is a conversation with parts of this SDK, or a list that begins with one.

    Messages for models that call nothing are no other than a conversation of OpenAI's kind.
    """
    if _is_message(value) or _is_conversation(value):
        return any(map(_is_own, _messages(value)))
    first = value[0] if isinstance(value, list) and value else None
    return _is_conversation(first) and any(map(_is_own, _messages(first)))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each conversation."""
    for kept in conversations(document, _is_message, left_out=_LEFT_OUT):
        recorder = Recorder(reasoning)
        for index, (value, place) in enumerate(kept.messages):
            _record(recorder, index, place.object(value), place)
        yield kept.run(recorder.conversation())


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("role") in _ROLES and "messages" not in value


def _is_conversation(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else value
    return isinstance(messages, list) and bool(messages) and _is_message(messages[0])


def _messages(value: Any) -> list[Any]:
    return list(value.get("messages", [value]) if isinstance(value, dict) else value)


def _is_own(message: Any) -> bool:
    """Says whether a message is written as only this SDK does."""
    if not isinstance(message, dict):
        return False
    parts, content = message.get("parts"), message.get("content")
    if isinstance(parts, list):
        return bool(parts) and "messageId" not in message and all(map(_is_typed, parts))
    called = content if isinstance(content, list) else message.get("toolInvocations")
    return isinstance(called, list) and any(
        isinstance(part, dict) and "toolCallId" in part for part in called
    )


def _is_typed(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("type"), str)


def _record(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    role = message.get("role")
    if not isinstance(role, str) or not role:
        raise place["role"].error(f"expected one of {', '.join(_ROLES)}, found {described(role)}")
    if role == "assistant":
        _answer(recorder, index, message, place)
    elif role == "user":
        texts = (_text(recorder, part, where) for part, where in _parts(message, place))
        said = "\n".join(text for text in texts if text)
        recorder.user([said] if said.strip() else [])
    elif role == "tool":
        _results(recorder, index, message, place)
    else:
        _other(recorder, role)


def _other(recorder: Recorder, role: str) -> None:
    recorder.interrupted()
    if role in _ROLES:
        recorder.ignored("data for a page" if role == "data" else "system prompt")
    else:
        recorder.unknown(f"message of role '{role}'")


def _parts(message: dict[str, Any], place: Place) -> Iterator[tuple[dict[str, Any], Place]]:
    """Returns the parts of a message; those for pages tell also what ``content`` does."""
    key = "parts" if isinstance(message.get("parts"), list) else "content"
    content = message.get(key)
    if isinstance(content, str):
        yield {"type": "text", "text": content}, place[key]
        return
    yield from place[key].objects(content)


def _answer(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    turns = Turns(recorder, {"message": index})
    if not isinstance(message.get("parts"), list):
        for value, where in place["toolInvocations"].objects(message.get("toolInvocations")):
            _invocation(turns, value, where)
    for part, where in _parts(message, place):
        _part(turns, part, where)
    turns.end()


def _part(turns: Turns, part: dict[str, Any], place: Place) -> None:
    """Records a part of an answer."""
    kind = part.get("type")
    if kind == "tool-call":
        turns.call(_call(part, part.get("toolName"), place))
    elif kind == "tool-result":
        turns.result(_identifier(part, place), part.get("toolName"), *_returned(part))
    elif kind == "tool-invocation":
        where = place["toolInvocation"]
        _invocation(turns, where.object(part.get("toolInvocation")), where)
    elif "toolCallId" in part and kind not in _APPROVAL:
        _shown(turns, part, place)
    elif kind == "step-start":
        turns.end()
    elif text := _text(turns.recorder, part, place):
        turns.say(text)


def _invocation(turns: Turns, value: dict[str, Any], place: Place) -> None:
    """Records a call as versions before 5 show it; those of one step ran side by side."""
    turns.begin(value.get("step"))
    turns.call(_call(value, value.get("toolName"), place))
    if value.get("state") == "result":
        turns.waits(_identifier(value, place), value.get("toolName"), *_returned(value))


def _shown(turns: Turns, part: dict[str, Any], place: Place) -> None:
    """Records a call as pages show it: its type has the name, or says that it is dynamic."""
    kind = part.get("type")
    named = kind.removeprefix("tool-") if isinstance(kind, str) else None
    name = part.get("toolName") if kind == "dynamic-tool" else named
    turns.call(_call(part, name, place))
    state = part.get("state")
    status = _STATES.get(state) if isinstance(state, str) else None
    if status is not None:
        turns.waits(_identifier(part, place), name, _output(part), status)


def _output(part: Mapping[str, Any]) -> Any:
    """Returns what a page shows of a result: what came back, or why nothing did."""
    told = next((part[key] for key in ("output", "errorText") if part.get(key) is not None), None)
    approval = part.get("approval")
    return approval.get("reason") if told is None and isinstance(approval, dict) else told


def _call(part: Mapping[str, Any], name: Any, place: Place) -> Call:
    given = next((part[key] for key in _GIVEN if part.get(key) is not None), None)
    return made_call(name, given, _identifier(part, place), place["toolName"])


def _identifier(part: Mapping[str, Any], place: Place) -> str | None:
    return place["toolCallId"].label(part.get("toolCallId"))


def _results(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    recorder.interrupted()
    for part, where in _parts(message, place):
        if part.get("type") != "tool-result":
            _text(recorder, part, where)
            continue
        identifier = _identifier(part, where)
        kept = {"message": index, "tool_call_id": identifier}
        returned, status = _returned(part)
        recorder.result(identifier, part.get("toolName"), returned, status, kept=kept)


def _returned(part: Mapping[str, Any]) -> tuple[Any, Literal["ok", "error"] | None]:
    """Returns what came back, and how; since version 5 an object says what kind of value it is."""
    output = part.get("output")
    kind = output.get("type") if isinstance(output, dict) else None
    if isinstance(output, dict) and isinstance(kind, str) and kind in _OUTPUTS:
        returned = output.get("reason" if kind == "execution-denied" else "value")
        return joined(returned, "text"), _OUTPUTS[kind]
    failed = part.get("isError")
    returned = part.get("result") if output is None else output
    return returned, _FAILED[failed] if isinstance(failed, bool) else None


def _text(recorder: Recorder, part: dict[str, Any], place: Place) -> str | None:
    """Returns the text of a part; what else it is, is noted."""
    kind = part.get("type")
    if kind == "text":
        return text_of(part, place, "text")
    if kind in _APPROVAL:
        recorder.ignored("question whether a call may run")
    elif isinstance(kind, str) and kind.startswith("data-"):
        recorder.ignored("data for a page")
    else:
        note_part(recorder, kind)
    return None
