"""Messages as Anthropic writes them: what was said, called and returned are blocks of content."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from otap.formats.json.places import Place, described
from otap.formats.readers.anthropic.refusals import never_ran
from otap.formats.steps.calls import Call, call_notes
from otap.formats.steps.content import joined, text_of
from otap.formats.steps.nested import NestedRecorder
from otap.formats.steps.silent import note_part

ROLES = ("user", "assistant", "system")

_USE, _RESULT = "tool_use", "tool_result"  # how the types of blocks end, whoever runs the tool
_NOTED = ("server_name", "toolset_name")  # whose tool it is


def has_blocks(messages: Iterable[Any]) -> bool:
    """Says whether tools are called, or results returned, in blocks of Anthropic's kind."""
    return any(
        isinstance(block, dict) and (_is(block, _USE) or _is(block, _RESULT))
        for message in messages
        if isinstance(message, dict) and message.get("role") in ("user", "assistant")
        if isinstance(message.get("content"), list)
        for block in message["content"]
    )


class Part(NamedTuple):
    """A message, or a part of one that was written in parts, with its place and time."""

    value: Mapping[str, Any]
    place: Place
    at: datetime | None = None


class _Block(NamedTuple):
    value: dict[str, Any]
    place: Place
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Message:
    """One message, with what its format knows of it."""

    parts: Sequence[Part]
    kept: Mapping[str, Any]  # names this message where a result in it belongs to no call
    agent: str | None = None
    inside: str | None = None  # the call that a sub-agent works for
    heard: bool = True  # whether the texts of a user's message are really the user's

    def record(self, recorder: NestedRecorder) -> None:
        """Records what this message says.

        Raises:
            FormatError: with the place of the first thing that no message may hold.
        """
        value, place, _ = self.parts[0]
        role = value.get("role")
        if role == "assistant":
            self._assistant(recorder)
        elif role in ROLES:
            if role == "system":
                recorder.ignored("system prompt")
            self._other(recorder, heard=self.heard and role == "user")
        else:
            raise place["role"].error(
                f"expected one of {', '.join(ROLES)}, found {described(role)}"
            )

    def _assistant(self, recorder: NestedRecorder) -> None:
        """Records calls as one turn, unless a result stands between them: a server ran those."""
        texts: list[str] = []
        calls: list[Call] = []
        for block in self._blocks():
            if _is(block.value, _RESULT):
                self._turn(recorder, texts, calls)
                texts, calls = [], []
                self._result(recorder, block)
            elif _is(block.value, _USE):
                calls.append(_call(block))
            else:
                texts += _texts(recorder, block)
        self._turn(recorder, texts, calls)

    def _turn(self, recorder: NestedRecorder, texts: list[str], calls: list[Call]) -> None:
        """Records the calls of the model, then those that a tool of the server made for it."""
        own = [call for call in calls if _caller(call) is None]
        place = self.parts[0].place
        recorder.assistant(texts, own, self.agent, self.inside, place)
        for call in calls:
            if (caller := _caller(call)) is not None:
                recorder.assistant([], [call], self.agent, caller, place)

    def _other(self, recorder: NestedRecorder, *, heard: bool) -> None:
        recorder.interrupted(self.inside)
        texts: list[str] = []
        for block in self._blocks():
            if _is(block.value, _USE):
                raise block.place.error("only messages of the assistant may call tools")
            if _is(block.value, _RESULT):
                self._result(recorder, block)
            else:
                texts += _texts(recorder, block)
        if texts and heard:
            recorder.user(["\n".join(texts)], self.inside)

    def _blocks(self) -> Iterator[_Block]:
        for value, place, at in self.parts:
            content, where = value.get("content"), place["content"]
            if isinstance(content, str):
                yield _Block({"type": "text", "text": content}, place, at)
            elif content is not None:
                for index, block in enumerate(where.array(content)):
                    yield _Block(where[index].object(block), where[index], at)

    def _result(self, recorder: NestedRecorder, block: _Block) -> None:
        value, place, at = block
        identifier = place["tool_use_id"].label(value.get("tool_use_id"))
        kept = {**self.kept, "tool_use_id": identifier}
        content, status = _content(value.get("content")), _status(value, place)
        call = recorder.result(identifier, content, status, kept=kept, inside=self.inside)
        if call is not None:
            call.ended_at = at
            if never_ran(content, value.get("is_error")):
                call.notes["not_run"] = True


def _call(block: _Block) -> Call:
    value, place, at = block
    identifier = place["id"].label(value.get("id"))
    notes = call_notes(identifier)
    notes.update((key, value[key]) for key in _NOTED if value.get(key) is not None)
    caller = place["caller"].object(value.get("caller") or {})
    if caller.get("tool_id") is not None:
        notes["caller"] = place["caller"]["tool_id"].label(caller["tool_id"])
    name = value.get("name")
    if name is None or name == "":
        name, notes["unnamed"] = None, True
    else:
        name = place["name"].text(name)
    return Call(name, value.get("input"), identifier, notes, started_at=at)


def _is(block: Mapping[str, Any], ending: str) -> bool:
    kind = block.get("type")
    return isinstance(kind, str) and kind.endswith(ending)


def _caller(call: Call) -> str | None:
    """Returns the call of a server's tool that made this one, as a program does."""
    return call.notes.get("caller")


def _texts(recorder: NestedRecorder, block: _Block) -> list[str]:
    """Returns the text of a block; none where it is blank, a thought or a picture."""
    if block.value.get("type") != "text":
        note_part(recorder, block.value.get("type"), "block")
        return []
    text = text_of(block.value, block.place, "text")
    return [text] if text is not None and text.strip() else []


def _content(content: Any) -> Any:
    """Returns a result as it was recorded; a list of texts, be it empty, is their text."""
    return "" if content == [] else joined(content, "text")


def _status(block: Mapping[str, Any], place: Place) -> Literal["ok", "error"] | None:
    """Servers say of their own tools' failures in the content only."""
    failed = block.get("is_error")
    if failed is None:
        content = block.get("content")
        return "error" if isinstance(content, dict) and _is(content, "_error") else None
    if not isinstance(failed, bool):
        raise place["is_error"].error(f"expected true or false, found {described(failed)}")
    return "error" if failed else "ok"
