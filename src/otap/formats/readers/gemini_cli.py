"""Sessions of Gemini CLI: one record per file, or in newer versions lines that extend it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from otap.formats import chats
from otap.formats.content import drop_nulls
from otap.formats.conversations import RawConversation
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import parse_time
from otap.formats.readers.gemini import parts_in_snake_case
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import Result
from otap.trajectory import Trajectory

NAME = "gemini-cli"
DESCRIPTION = "sessions of Gemini CLI: ~/.gemini/tmp/.../chats/session-*.json or .jsonl"
STEP = "each tool call of the model"
KNOWN_BY = "'sessionId' and 'projectHash', with 'messages' or before the lines that have them"

_SET, _REWIND = "$set", "$rewindTo"
_METADATA = ("projectHash", "startTime", "kind", "summary")  # keys of the first line
_CALL = chats.CallKeys("name", ("args",))
_STATUS = chats.StatusKey("status", {"success": "ok", "error": "error", "cancelled": "error"})


def recognises(value: Any) -> bool:
    """Returns whether this is a session, or a list that begins with one."""
    return _is_session(first_of(value))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one run for each session."""
    session: _Session | None = None
    for value, path in document.items():
        line = path.object(value)
        if _is_session(line):
            if session is not None:
                yield session.to_trajectory(reasoning)
            session = _Session(path)
        if session is not None:
            session.add(line, path)
    if session is not None:
        yield session.to_trajectory(reasoning)


def _is_session(value: Any) -> bool:
    return isinstance(value, dict) and {"sessionId", "projectHash"} <= value.keys()


@dataclass(slots=True)
class _Session:
    """The messages of one session: a line with a known id replaces the earlier message."""

    path: JsonPath
    _fields: dict[str, Any] = field(default_factory=dict)
    _messages: list[tuple[dict[str, Any], JsonPath]] = field(default_factory=list)
    _indices: dict[str, int] = field(default_factory=dict)
    _rewound: int = 0
    _unknown: list[str] = field(default_factory=list)

    def add(self, line: dict[str, Any], path: JsonPath) -> None:
        """Adds a line.

        Raises:
            FormatError: with the path of the first invalid part of the line.
        """
        if _is_session(line):
            self._update(line, path)
        elif _SET in line:
            self._update(path[_SET].object(line[_SET]), path[_SET])
        elif _REWIND in line:
            identifier = path.label_in(line, _REWIND)
            self._rewind(self._indices.get(identifier or "", 0))
        elif "type" in line and "id" in line:
            self._add_message(line, path)
        else:
            self._unknown.append(f"line with '{next(iter(line), 'nothing')}'")

    def to_trajectory(self, reasoning: bool) -> Trajectory:
        """Returns the run of the session."""
        recorder = Recorder(reasoning)
        recorder.note(self._unknown, ["message that was taken back"] * self._rewound)
        for index, (line, path) in enumerate(self._messages):
            message = _MESSAGES.read_message(_with_displayed_content(line), path)
            _MESSAGES.record(recorder, message, {"message": index})
        metadata = {key: self._fields.get(key) for key in _METADATA}
        fields = drop_nulls({"id": self._fields.get("sessionId"), **metadata})
        return RawConversation(self._messages, fields, self.path).to_trajectory(
            recorder.conversation()
        )

    def _update(self, fields: dict[str, Any], path: JsonPath) -> None:
        """Updates the fields of the session; a list of messages replaces all messages."""
        if fields.get("messages") is not None:
            self._messages.clear()
            self._indices.clear()
            for message, message_path in path["messages"].objects(fields["messages"]):
                self._add_message(message, message_path)
        self._fields |= {key: value for key, value in fields.items() if key != "messages"}

    def _add_message(self, message: dict[str, Any], path: JsonPath) -> None:
        identifier = path.label_in(message, "id")
        index = None if identifier is None else self._indices.get(identifier)
        if index is not None:
            self._messages[index] = message, path
            return
        if identifier is not None:
            self._indices[identifier] = len(self._messages)
        self._messages.append((message, path))

    def _rewind(self, first: int) -> None:
        """Removes all messages from this index on."""
        while len(self._messages) > first:
            message, path = self._messages.pop()
            self._indices.pop(path.label_in(message, "id") or "", None)
            self._rewound += 1


def _with_displayed_content(message: dict[str, Any]) -> dict[str, Any]:
    """Returns a message with the content that the user saw; a single part becomes a list."""
    content = message.get("content")
    if message.get("type") == "user" and message.get("displayContent") is not None:
        content = message["displayContent"]
    return {**message, "content": [content] if isinstance(content, dict) else content}


def _add_gemini_calls(message: chats.Message, value: dict[str, Any], path: JsonPath) -> None:
    """Adds the calls of an answer with their results; a call that still runs has none."""
    if message.role != "gemini":
        return
    message.ignored += ["thought"] if value.get("thoughts") else []
    for recorded_call, call_path in path["toolCalls"].objects(value.get("toolCalls")):
        call, status = _CALL.read(recorded_call, call_path), _STATUS(recorded_call)
        response = recorded_call.get("result")
        message.items.append(call)
        if status is not None or response is not None:
            time = parse_time(recorded_call.get("timestamp"), call_path["timestamp"])
            output = _output_in(response)
            message.items.append(Result(call.id, call.tool, output, status, time, waits=True))


def _output_in(result: Any) -> Any:
    """Returns the output of a tool inside the function response that the model received."""
    for part in result if isinstance(result, list) else [result]:
        if isinstance(part, dict) and "functionResponse" in part:
            function_response = part["functionResponse"]
            if not isinstance(function_response, dict):
                return result
            response = function_response.get("response")
            if isinstance(response, dict) and list(response) == ["output"]:
                return response["output"]
            return response
    return result


_MESSAGES = chats.MessageSchema(
    lambda value: isinstance(value, dict) and "type" in value,
    chats.speakers(assistant="gemini") | dict.fromkeys(("info", "error", "warning"), "notice"),
    {
        "text": chats.add_text,
        **dict.fromkeys(("inline_data", "file_data"), "file"),
        "function_response": "result already recorded with its call",
        **dict.fromkeys(("thought", "thought_signature"), ""),
    },
    parts_in_snake_case,
    role="type",
    read_extra_fields=_add_gemini_calls,
    joined_roles=(chats.USER, chats.ASSISTANT),
)
