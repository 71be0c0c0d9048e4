"""Sessions of Cursor: transcripts of its editor, and the stream of its command ``cursor-agent``.

The shapes are those of ``~/.cursor/projects/.../agent-transcripts/*.jsonl`` of 2026, and of
``cursor-agent --output-format stream-json``, as its documentation and captured streams in the tests
of public adapters have them. With ``--stream-partial-output`` a message comes in pieces, which have
a time but no ``model_call_id``, and then copies of these pieces.
"""

from typing import Any, ClassVar

from otap.formats.chats import Status
from otap.formats.content import drop_nulls, is_text, join_texts, list_at, object_in, unless_blank
from otap.formats.events import EventLog
from otap.formats.json.documents import first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.json.times import time_from_epoch
from otap.formats.tool_calls import ToolCall, ToolResult, parse_call
from otap.trajectory import Trajectory

NAME = "cursor"
DESCRIPTION = "sessions of Cursor: transcripts of agents, or the stream of cursor-agent"
STEP = "each tool use of the assistant"
KNOWN_BY = "lines with 'role' and 'message', or events 'tool_call' with a 'call_id'"

_ROLES = ("user", "assistant")
# The editor wraps the text of the user, and adds others for the model.
_QUERY = "<user_query>", "</user_query>"
_CALL_SUFFIX = "ToolCall"
_MAX_EVENTS = 1000  # in which a call may show the format


def recognises(value: Any) -> bool:
    """Returns whether this is a line of a session, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    if "type" not in first:
        return _is_transcript_line(first)
    return is_cursor_stream(value)


def _is_transcript_line(line: dict[str, Any]) -> bool:
    message = line.get("message")
    if line.get("role") not in _ROLES or not isinstance(message, dict):
        return False
    return "role" not in message and isinstance(message.get("content"), list | str)


def is_cursor_stream(value: Any) -> bool:
    """Returns whether this is the stream of cursor-agent.

    Its events resemble those of Claude Code, but its calls are events of their own. Its first
    event says where the key comes from, and lists no tools.
    """
    lines = value[:_MAX_EVENTS] if isinstance(value, list) else [value]
    events = [line for line in lines if isinstance(line, dict)]
    calls = (event for event in events if event.get("type") == "tool_call")
    call = next(calls, None)
    if call is not None:
        return isinstance(call.get("tool_call"), dict) and "call_id" in call
    start = events[0] if events else {}
    has_keys = {"apiKeySource", "permissionMode"} <= start.keys()
    return has_keys and start.get("type") == "system" and "tools" not in start


class _CursorSession(EventLog):
    silent = ("system", "thinking", "turn_ended", "interaction_query")

    def __init__(self, path: JsonPath, reasoning: bool) -> None:
        super().__init__(path, reasoning)
        self._started: set[str | None] = set()
        self._pieces: list[str] = []  # of a message that is not complete
        self._complete: list[str] = []  # messages that came in pieces

    def add(self, event: JsonObject) -> None:
        if event.get("session_id") is not None and "id" not in self.fields:
            self.fields = drop_nulls({"id": event.get("session_id"), "model": event.get("model")})
        if event.get("type") == "assistant" and self._add_piece(event):
            return
        if event.get("type") not in self.silent:
            self._end_message()
        if "type" in event.mapping:
            super().add(event)
        else:
            self._read_message(event)

    def to_trajectory(self) -> Trajectory:
        self._end_message()
        return super().to_trajectory()

    def _add_piece(self, event: JsonObject) -> bool:
        """Adds a piece of a message; returns whether an event is one, or a copy of pieces."""
        parts = list_at(event.mapping, "message", "content")
        texts = [part["text"] for part in parts if is_text(part)]
        if not parts or len(texts) < len(parts):
            return False
        text = "".join(texts)
        if "timestamp_ms" in event.mapping and "model_call_id" not in event.mapping:
            self._pieces.append(text)
            return True
        piece = "".join(self._pieces)
        if text in (
            piece,
            self._complete[-1:] and self._complete[-1],
            "".join(self._complete) + piece,
        ):
            self.recorder.ignored("copy of a message")
            return True
        return False

    def _end_message(self) -> None:
        if self._pieces:
            text = "".join(self._pieces)
            self._pieces.clear()
            self._complete.append(text)
            self.recorder.assistant(unless_blank(text))

    def _read_message(self, event: JsonObject) -> None:
        role = event.get("role") or event.get("type")
        message = event.object("message")
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        texts, calls = [], []
        results: list[ToolResult] = []
        for part in (JsonObject(*part) for part in message.at("content").objects(content)):
            kind = part.get("type")
            if kind == "text":
                texts += unless_blank(part.get("text"))
            elif kind == "tool_use":
                call_id = part.label("id")
                calls.append(
                    parse_call(part.get("name"), part.get("input"), call_id, part.at("name"))
                )
            elif kind == "tool_result":
                status: Status = "error" if part.get("is_error") is True else None
                content = join_texts(part.get("content"))
                results.append(ToolResult(part.label("tool_use_id"), None, content, status))
            else:
                self._note_part(kind)
        for result in results:
            self.recorder.tool_result(result, {"role": role})
        if role == "assistant":
            self.recorder.assistant(["\n".join(texts)] if texts else (), calls)
        elif role == "user":
            self.recorder.user([_query_in("\n".join(texts))] if texts else ())
            self.recorder.note(["call of the user"] * len(calls), ())
        else:
            self.recorder.unknown(f"message of role '{role}'")

    def _note_part(self, kind: Any) -> None:
        if kind in ("thinking", "redacted-reasoning", "reasoning"):
            self.recorder.ignored("thought")
        elif kind == "image":
            self.recorder.ignored("picture")
        else:
            self.recorder.unknown(f"part of type '{kind}'")

    def _read_call(self, event: JsonObject) -> None:
        """Records a call of the stream: when it starts, or when it is completed without a start."""
        call_id, is_completed = event.label("call_id"), event.get("subtype") == "completed"
        call, result = _call_in(event.object("tool_call"), call_id)
        if not is_completed or call_id not in self._started:
            call.started_at = time_from_epoch(event.get("timestamp_ms"), 1e-3)
            self.recorder.assistant((), [call])
            self._started.add(call_id)
        if is_completed:
            self.recorder.tool_result(result, {"event": "tool_call"})

    def _read_result(self, event: JsonObject) -> None:
        self.recorder.add_usage(event.mapping)
        self.recorder.ignored("result of the session")

    readers: ClassVar = {
        **dict.fromkeys(_ROLES, _read_message),
        "tool_call": _read_call,
        "result": _read_result,
    }


def _query_in(text: str) -> str:
    """Returns the words of the user in a message of the editor."""
    start, end = _QUERY
    _, opened, rest = text.partition(start)
    query, closed, _ = rest.partition(end)
    return query.strip() if opened and closed else text


def _call_in(wrapper: JsonObject, call_id: str | None) -> tuple[ToolCall, ToolResult]:
    """Returns the call under the key of its tool, such as ``readToolCall``, and its result."""
    key = next((key for key in wrapper.mapping if key.endswith(_CALL_SUFFIX)), "function")
    inner = wrapper.object(key)
    if key == "function":
        name, arguments = inner.get("name"), inner.get("arguments")
    else:
        name, arguments = key.removesuffix(_CALL_SUFFIX), inner.get("args")
        if isinstance(arguments, dict) and key == "mcpToolCall":
            name, arguments = _mcp_call(arguments)
    call = parse_call(name, arguments, call_id, wrapper.at(key))
    result = inner.get("result") or wrapper.get("result")
    content, status = _outcome_in(result)
    return call, ToolResult(call_id, call.tool, content, status)


def _mcp_call(arguments: dict[str, Any]) -> tuple[Any, Any]:
    """Returns the name and the arguments of the server's tool."""
    name = arguments.get("toolName", arguments.get("name"))
    server = arguments.get("providerIdentifier")
    if isinstance(server, str) and isinstance(name, str) and server:
        name = f"{server}__{name}"
    return name, arguments.get("args")


def _outcome_in(result: Any) -> tuple[Any, Status]:
    """Returns the content of a result, under the key that says how the call ended."""
    if not isinstance(result, dict):
        return result, None
    for key in ("error", "rejected", "failure", "timeout", "permissionDenied"):
        if key in result:
            return result[key], "error"
    if "success" not in result:
        return result, None
    success = object_in(result, "success") or result["success"]
    code = success.get("exitCode") if isinstance(success, dict) else None
    is_error = isinstance(success, dict) and success.get("isError") is True
    content = list_at(success, "content") or success
    return join_texts(content), "error" if is_error or code not in (None, 0) else "ok"


read = _CursorSession.read
