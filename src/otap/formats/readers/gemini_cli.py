"""Sessions of Gemini CLI: one record per file, or in newer versions lines that extend it."""

from typing import Any

from otap.formats import chats
from otap.formats.content import drop_nulls
from otap.formats.conversations import RawConversation
from otap.formats.events import EventLog
from otap.formats.json.documents import first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.json.times import parse_time
from otap.formats.readers.gemini import parts_in_snake_case
from otap.formats.tool_calls import ToolResult
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


def _is_session(value: Any) -> bool:
    return isinstance(value, dict) and {"sessionId", "projectHash"} <= value.keys()


class _GeminiSession(EventLog):
    """The messages of one session: a line with a known id replaces the earlier message."""

    def __init__(self, path: JsonPath, reasoning: bool) -> None:
        super().__init__(path, reasoning)
        self._messages: list[JsonObject] = []
        self._indices: dict[str, int] = {}

    def is_end(self, event: JsonObject) -> bool:
        return _is_session(event.mapping)

    def add(self, event: JsonObject) -> None:
        if _is_session(event.mapping):
            self._update(event)
        elif _SET in event.mapping:
            self._update(JsonObject(event.at(_SET).object(event.get(_SET)), event.at(_SET)))
        elif _REWIND in event.mapping:
            self._rewind(self._indices.get(event.label(_REWIND) or "", 0))
        elif {"type", "id"} <= event.mapping.keys():
            self._add_message(event)
        else:
            self.recorder.unknown(f"line with '{next(iter(event.mapping), 'nothing')}'")

    def to_trajectory(self) -> Trajectory:
        for index, (line, path) in enumerate(self._messages):
            message = _MESSAGES.read_message(_with_displayed_content(line), path)
            _MESSAGES.record(self.recorder, message, {"message": index})
        fields = drop_nulls({key: self.fields.get(key) for key in _METADATA})
        if self.fields.get("sessionId") is not None:
            fields["id"] = self.fields["sessionId"]
        raw = RawConversation(self._messages, fields, self.path)
        return raw.to_trajectory(self.recorder.conversation())

    def _update(self, session: JsonObject) -> None:
        """Updates the fields of the session; a list of messages replaces all messages."""
        if session.get("messages") is not None:
            self._messages.clear()
            self._indices.clear()
            for message in session.objects("messages"):
                self._add_message(message)
        self.fields |= {key: field for key, field in session.mapping.items() if key != "messages"}

    def _add_message(self, message: JsonObject) -> None:
        identifier = message.label("id")
        if identifier in self._indices:
            self._messages[self._indices[identifier]] = message
            return
        if identifier is not None:
            self._indices[identifier] = len(self._messages)
        self._messages.append(message)

    def _rewind(self, first: int) -> None:
        """Removes all messages from this index on."""
        while len(self._messages) > first:
            self._indices.pop(self._messages.pop().label("id") or "", None)
            self.recorder.ignored("message that was taken back")


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
            message.items.append(ToolResult(call.id, call.tool, output, status, time, waits=True))


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
read = _GeminiSession.read
