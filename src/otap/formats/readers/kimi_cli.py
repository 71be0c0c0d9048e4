"""Sessions of Kimi CLI: the messages of ``context.jsonl``, or the events of ``wire.jsonl``.

The shapes are those of ``soul/context.py``, ``wire/file.py`` and ``wire/types.py`` in
github.com/MoonshotAI/kimi-cli. The files lie in ``~/.kimi/sessions/.../SESSION/``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from otap.formats import chats
from otap.formats.chats import Status
from otap.formats.content import drop_nulls, is_text, join_texts, list_at, unless_blank
from otap.formats.conversations import RawConversation
from otap.formats.events import EventLog
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.json.times import time_from_epoch
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import ToolResult, parse_call, parse_calls
from otap.formats.unread import UnreadTally
from otap.trajectory import Trajectory

NAME = "kimi-cli"
DESCRIPTION = "sessions of Kimi CLI: context.jsonl or wire.jsonl of ~/.kimi/sessions"
STEP = "each tool call of the assistant; the calls of a sub-agent are substeps"
KNOWN_BY = "a first line of role '_system_prompt' or '_checkpoint', or events with a 'payload'"

_NOTES = ("_system_prompt", "_checkpoint", "_usage")  # roles of lines that are no messages
_INPUTS = ("input_other", "input_cache_read", "input_cache_creation")  # tokens
_SYSTEM = "<system>"  # around texts of the program in a message
_ERRORS = (f"{_SYSTEM}ERROR:", f"{_SYSTEM}ERROR</system>")


def recognises(value: Any) -> bool:
    """Returns whether this is a line of a session, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    return first.get("role") in _NOTES or _is_wire(first)


def _is_wire(line: dict[str, Any]) -> bool:
    """Returns whether this is a line of ``wire.jsonl``."""
    if line.get("type") == "metadata":
        return "protocol_version" in line
    message = line.get("message")
    return "timestamp" in line and isinstance(message, dict) and {"type", "payload"} <= set(message)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields the session as one run."""
    if _is_wire(first_of(document.value)):
        yield from _KimiWire.read(document, reasoning=reasoning)
        return
    lines = list(document.objects())
    messages = [(line.mapping, line.path) for line in lines if line.get("role") not in _NOTES]
    tally = UnreadTally()
    tally.ignored("note of the program", len(lines) - len(messages))
    raw = RawConversation(messages, {}, document.root)
    run = raw.to_trajectory(_SCHEMA.read_messages(messages, reasoning=reasoning))
    tally.add(run.unread)
    yield run.model_copy(update={"unread": tally.counts()})


def _add_text(message: chats.Message, part: dict[str, Any], path: JsonPath) -> None:
    """Adds a text; those of the program in a message of the user are only counted."""
    text = part.get("text")
    if message.role == "user" and isinstance(text, str) and text.startswith(_SYSTEM):
        message.ignored.append("text of the program")
    else:
        chats.add_text(message, text or "", path["text"])


def _add_calls(message: chats.Message, value: dict[str, Any], path: JsonPath) -> None:
    if message.role == "assistant":
        message.items += parse_calls(value, path)


def _results_of(message: dict[str, Any], path: JsonPath) -> list[ToolResult]:
    content = join_texts(message.get("content"))
    failed = isinstance(content, str) and content.startswith(_ERRORS)
    status: Status = "error" if failed else "ok"
    return [ToolResult(path.label_in(message, "tool_call_id"), None, content, status)]


_SCHEMA = chats.MessageSchema(
    lambda message: chats.has_role(message, ("system", "user", "assistant", "tool")),
    chats.speakers(system="system", tool="tool"),
    {"text": _add_text, "think": "thought"},
    chats.parts_by_type("type"),
    read_extra_fields=_add_calls,
    results_of_message=_results_of,
    joined_roles=(chats.USER, chats.ASSISTANT),
)


@dataclass(slots=True)
class _Speaker:
    """The agent, or a sub-agent: its recorder, and the parts of an answer that is not complete."""

    recorder: Recorder
    pieces: list[str] = field(default_factory=list)
    calls: list[tuple[JsonObject, list[str], Any]] = field(default_factory=list)

    def end_answer(self) -> None:
        """Records the text and the calls so far as one turn."""
        calls = []
        for function, written, call_id in self.calls:
            arguments = "".join(written)
            call = parse_call(function.get("name"), arguments, call_id, function.at("name"))
            calls.append(call)
        if self.pieces or calls:
            self.recorder.assistant(unless_blank("".join(self.pieces)), calls)
        self.pieces, self.calls = [], []


class _KimiWire(EventLog):
    """The events of one session."""

    silent = (
        *("TurnEnd", "Step", "Compaction", "Hook", "MCP", "Notification", "Approval"),
        *("Question", "ToolCallRequest", "PlanDisplay", "metadata"),
    )

    def __init__(self, path: JsonPath, reasoning: bool) -> None:
        super().__init__(path, reasoning)
        self._speakers: dict[str | None, _Speaker] = {None: _Speaker(self.recorder)}
        self._parent: str | None = None  # the call in which the present event happened
        self._time: Any = None

    def add(self, event: JsonObject) -> None:
        if "message" not in event.mapping:
            super().add(event)
            return
        self._time = time_from_epoch(event.get("timestamp"))
        self._add_message(event.object("message"))

    def _add_message(self, message: JsonObject) -> None:
        kind = message.text("type")
        if kind not in ("ContentPart", "ToolCall", "ToolCallPart", "StatusUpdate"):
            self._speaker().end_answer()
        super().add(message)

    def to_trajectory(self) -> Trajectory:
        for speaker in self._speakers.values():
            speaker.end_answer()
        return super().to_trajectory()

    def _speaker(self) -> _Speaker:
        return self._speakers[self._parent]

    def _read_inner(self, message: JsonObject) -> None:
        """Reads an event of a sub-agent."""
        payload, outer = message.object("payload"), self._parent
        parent = payload.label("parent_tool_call_id") or payload.label("task_tool_call_id")
        if parent is not None and parent not in self._speakers:
            self._speakers[parent] = _Speaker(self._speaker().recorder.in_call(parent))
        self._parent = parent
        self._add_message(payload.object("event"))
        self._parent = outer

    def _read_user(self, message: JsonObject) -> None:
        content = message.object("payload").get("user_input")
        parts = list_at(message.mapping, "payload", "user_input")
        texts = [content] if isinstance(content, str) else [p["text"] for p in parts if is_text(p)]
        self._speaker().recorder.user(unless_blank("\n".join(texts)))

    def _read_part(self, message: JsonObject) -> None:
        part, speaker = message.object("payload"), self._speaker()
        if part.get("type") == "text" and isinstance(part.get("text"), str):
            if speaker.calls:
                speaker.end_answer()
            speaker.pieces.append(part.get("text"))
        else:
            speaker.recorder.note_part(part.get("type"))

    def _read_call(self, message: JsonObject) -> None:
        payload = message.object("payload")
        function = payload.object("function")
        arguments = function.get("arguments")
        written = [arguments] if isinstance(arguments, str) else []
        self._speaker().calls.append((function, written, payload.label("id")))

    def _read_call_part(self, message: JsonObject) -> None:
        """Adds a piece of the arguments of the last call."""
        piece, calls = message.object("payload").get("arguments_part"), self._speaker().calls
        if calls and isinstance(piece, str):
            calls[-1][1].append(piece)
        elif piece is not None:
            self.recorder.unknown("part of no call")

    def _read_result(self, message: JsonObject) -> None:
        payload = message.object("payload")
        returned = payload.mapping.get("return_value", payload.get("result"))
        status: Status = None
        if isinstance(returned, dict):
            failed = returned.get("is_error") is True
            status = "error" if failed else "ok"
            returned = _content_of(returned, failed=failed)
        result = ToolResult(payload.label("tool_call_id"), None, returned, status, self._time)
        self._speaker().recorder.tool_result(result, {"event": "ToolResult"})

    def _read_status(self, message: JsonObject) -> None:
        usage = message.object("payload").object("token_usage").mapping
        inputs: list[int] = [usage[key] for key in _INPUTS if type(usage.get(key)) is int]
        if inputs:
            tokens = {"input_tokens": sum(inputs), "output_tokens": usage.get("output")}
            self.recorder.add_usage({"usage": drop_nulls(tokens)})
        self.recorder.ignored("event 'StatusUpdate'")

    readers: ClassVar = {
        "TurnBegin": _read_user,
        "SteerInput": _read_user,
        "ContentPart": _read_part,
        "ToolCall": _read_call,
        "ToolCallPart": _read_call_part,
        "ToolResult": _read_result,
        "StatusUpdate": _read_status,
        "SubagentEvent": _read_inner,
    }


def _content_of(returned: dict[str, Any], *, failed: bool) -> Any:
    """Returns the output of a tool, after the message that says why it failed."""
    output, message = join_texts(returned.get("output")), returned.get("message")
    if not failed or not isinstance(message, str) or not message:
        return output
    return f"{message}\n{output}" if isinstance(output, str) and output else message
