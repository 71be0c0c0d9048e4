"""Chat messages as OpenAI writes them -> the steps of one conversation."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from otap.formats.calls import Call, OpenCalls, calls_of
from otap.formats.places import Place, described
from otap.trajectory import Step

ROLES = ("system", "developer", "user", "assistant", "tool", "function")


@dataclass(frozen=True)
class Conversation:
    """What one list of messages says about a run."""

    request: tuple[str, ...]
    steps: tuple[Step, ...]
    metadata: dict[str, Any]


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
    messages: Iterable[tuple[Any, Place]], *, reasoning: bool = False
) -> Conversation:
    """Reads the messages of one conversation, each with its place.

    Args:
        messages: the messages, in order.
        reasoning: whether text that leads to no call becomes a reasoning step.

    Raises:
        FormatError: with the place of the first thing that no message may hold.
    """
    reader = _Reader(reasoning)
    for index, (value, place) in enumerate(messages):
        reader.message(index, place.object(value), place)
    reader.silence()
    steps = tuple(_step(str(number), item) for number, item in enumerate(reader.done, 1))
    lost = {"results_without_call": reader.lost} if reader.lost else {}
    return Conversation(tuple(reader.request), steps, lost)


@dataclass(slots=True)
class _Thought:
    """Text of the assistant that led to no call."""

    action: str
    notes: dict[str, Any]


@dataclass(slots=True)
class _Reader:
    reasoning: bool
    request: list[str] = field(default_factory=list)
    done: list[Call | _Thought] = field(default_factory=list)
    lost: list[dict[str, Any]] = field(default_factory=list)
    open: OpenCalls = field(default_factory=OpenCalls)
    spoken: list[str] = field(default_factory=list)  # by the assistant, since anybody else did
    turns: int = 0

    def message(self, index: int, message: dict[str, Any], place: Place) -> None:
        role = message.get("role")
        if role == "assistant":
            self._assistant(message, place)
            return
        self.silence()
        _refuse_calls(message, place)
        if role in ("tool", "function"):
            self._result(index, message, place)
        elif role == "user":
            self.request.extend(_text(message.get("content"), place["content"]))
        elif role not in ROLES:
            raise place["role"].error(
                f"expected one of {', '.join(ROLES)}, found {described(role)}"
            )

    def silence(self) -> None:
        """Ends what the assistant said without a call after it."""
        if self.reasoning:
            self.done.extend(_Thought(text, self._said()) for text in self.spoken)
        self.spoken.clear()

    def _assistant(self, message: dict[str, Any], place: Place) -> None:
        self.spoken.extend(_text(message.get("content"), place["content"]))
        calls = calls_of(message, place)
        if not calls:
            return
        self.turns += 1
        action = "\n".join(self.spoken) or None
        self.spoken.clear()
        for call in calls:
            call.turn, call.action = self.turns, action
            call.notes.update(self._said())
            self.open.add(call)
        self.done.extend(calls)

    def _result(self, index: int, message: dict[str, Any], place: Place) -> None:
        identifier = place["tool_call_id"].label(message.get("tool_call_id"))
        content = _effect(message.get("content"))
        call = self.open.take(identifier, message.get("name"))
        if call is not None:
            call.effect = content
            return
        kept: dict[str, Any] = {
            key: message[key] for key in ("tool_call_id", "name") if key in message
        }
        self.lost.append({"message": index, **kept, "content": content})

    def _said(self) -> dict[str, Any]:
        return {"said": len(self.request)}


def _step(identifier: str, item: Call | _Thought) -> Step:
    if isinstance(item, _Thought):
        thought = {"kind": "reasoning", "action": item.action, "metadata": item.notes}
        return Step.model_validate({"id": identifier, **thought})
    fields = {
        "id": identifier,
        "kind": "tool",
        "action": item.action,
        "tool": item.tool,
        "arguments": item.arguments,
        "effect": item.effect,
        "turn": item.turn,
        "metadata": item.notes,
    }
    return Step.model_validate(fields)


def _refuse_calls(message: dict[str, Any], place: Place) -> None:
    for key in ("tool_calls", "function_call"):
        if message.get(key):
            raise place[key].error("only messages of the assistant may call tools")


def _text(content: Any, place: Place) -> list[str]:
    """Returns what a message says: one text, or none where it is blank or all pictures."""
    if content is None:
        return []
    if not isinstance(content, str):
        parts = enumerate(place.array(content))
        texts = [_part_text(part, place[index]) for index, part in parts]
        content = "\n".join(text for text in texts if text)
    return [content] if content.strip() else []


def _part_text(part: Any, place: Place) -> str | None:
    if isinstance(part, str):
        return part
    if _is_foreign_part(place.object(part)):
        raise place.error("a tool call or result inside 'content': no message of OpenAI's kind")
    text = part.get("text", part.get("refusal"))
    return None if text is None or text == "" else place["text"].text(text)


def _is_foreign_part(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    words = [part.get("type"), *part]
    return any("tool" in str(word).lower() or "function" in str(word).lower() for word in words)


def _effect(content: Any) -> Any:
    """Returns a result as it was recorded; a list of text parts is their text."""
    if isinstance(content, list) and all(_is_text_part(part) for part in content):
        return "\n".join(part["text"] for part in content)
    return content


def _is_text_part(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)
