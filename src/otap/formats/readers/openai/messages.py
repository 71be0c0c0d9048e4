"""Chat messages as OpenAI writes them -> the steps of one conversation."""

from collections.abc import Iterable
from typing import Any, Literal

from otap.formats.json.places import Place, described
from otap.formats.steps.calls import calls_of
from otap.formats.steps.content import joined, said, text_of
from otap.formats.steps.conversation import Conversation
from otap.formats.steps.recorder import Recorder

ROLES = ("system", "developer", "user", "assistant", "tool", "function")


def is_message(value: Any) -> bool:
    """Says whether this looks like one chat message."""
    return isinstance(value, dict) and value.get("role") in ROLES and "messages" not in value


def has_foreign_parts(messages: Iterable[Any]) -> bool:
    """Says whether tools are called inside ``content``, as other vendors have it."""
    return any(
        _is_foreign_part(part)
        for message in messages
        if isinstance(message, dict) and message.get("role") in ("user", "assistant")
        if isinstance(message.get("content"), list)
        for part in message["content"]
    )


def read_messages(
    messages: Iterable[tuple[Any, Place]],
    *,
    reasoning: bool = False,
    heard: Literal["all", "without_calls"] = "all",
) -> Conversation:
    """Reads the messages of one conversation, each with its place.

    Args:
        messages: the messages, in order.
        reasoning: whether text that leads to no call becomes a reasoning step.
        heard: which texts of the assistant the user is told.

    Raises:
        FormatError: with the place of the first thing that no message may hold.
    """
    recorder = Recorder(reasoning, heard)
    for index, (value, place) in enumerate(messages):
        _record(recorder, index, place.object(value), place)
    return recorder.conversation()


def _record(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    role = message.get("role")
    if role == "assistant":
        recorder.assistant(
            said(message.get("content"), place["content"], _part_text), calls_of(message, place)
        )
        return
    recorder.interrupted()
    _refuse_calls(message, place)
    if role in ("tool", "function"):
        _result(recorder, index, message, place)
    elif role == "user":
        recorder.user(said(message.get("content"), place["content"], _part_text))
    elif role not in ROLES:
        raise place["role"].error(f"expected one of {', '.join(ROLES)}, found {described(role)}")


def _result(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    identifier = place["tool_call_id"].label(message.get("tool_call_id"))
    kept: dict[str, Any] = {"message": index}
    kept.update((key, message[key]) for key in ("tool_call_id", "name") if key in message)
    content = _effect(message.get("content"))
    name = message.get("name")
    recorder.result(identifier, name, content, kept=kept)


def _refuse_calls(message: dict[str, Any], place: Place) -> None:
    for key in ("tool_calls", "function_call"):
        if message.get(key):
            raise place[key].error("only messages of the assistant may call tools")


def _part_text(part: Any, place: Place) -> str | None:
    """Returns the text of a part, or why the model refused; a bare text is a part, too."""
    if isinstance(part, str):
        return part or None
    if _is_foreign_part(place.object(part)):
        raise place.error("a tool call or result inside 'content': no message of OpenAI's kind")
    return text_of(part, place, "text", "refusal")


def _is_foreign_part(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    words = [part.get("type"), *part]
    return any("tool" in str(word).lower() or "function" in str(word).lower() for word in words)


def _effect(content: Any) -> Any:
    """Returns a result as it was recorded; a list of texts, be it empty, is their text."""
    return "" if content == [] else joined(content)
