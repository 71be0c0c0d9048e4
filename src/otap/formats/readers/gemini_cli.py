"""Sessions of Gemini CLI: a record a file, or, of newer versions, lines that add to one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from otap.formats.dialects.gemini import parts_in_snake_case
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import parse_time
from otap.formats.steps import tables
from otap.formats.steps.calls import Result
from otap.formats.steps.content import drop_nulls
from otap.formats.steps.conversation import RawConversation
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory

NAME = "gemini-cli"
DESCRIPTION = "sessions of Gemini CLI: ~/.gemini/tmp/.../chats/session-*.json or .jsonl"
STEP = "each tool call of the model"
KNOWN_BY = "'sessionId' and 'projectHash', with 'messages' or before the lines that have them"

_SET, _REWIND = "$set", "$rewindTo"
_KEPT = ("projectHash", "startTime", "kind", "summary")  # of what the first line says
_CALL = tables.CallKeys("name", ("args",))
_status = tables.StatusKey("status", {"success": "ok", "error": "error", "cancelled": "error"})


def recognises(value: Any) -> bool:
    """Says whether this is a session, or a list that begins with one."""
    return _begins(first_of(value))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each session."""
    session: _Session | None = None
    for value, place in document.items():
        line = place.object(value)
        if _begins(line):
            if session is not None:
                yield session.to_trajectory(reasoning)
            session = _Session(place)
        if session is not None:
            session.add(line, place)
    if session is not None:
        yield session.to_trajectory(reasoning)


def _begins(value: Any) -> bool:
    return isinstance(value, dict) and {"sessionId", "projectHash"} <= value.keys()


@dataclass(slots=True)
class _Session:
    """The messages of one session: a line with a known id takes the place of an earlier one."""

    place: JsonPath
    _about: dict[str, Any] = field(default_factory=dict)
    _messages: list[tuple[dict[str, Any], JsonPath]] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)
    _taken_back: int = 0
    _unknown: list[str] = field(default_factory=list)

    def add(self, line: dict[str, Any], place: JsonPath) -> None:
        """Adds a line.

        Raises:
            FormatError: with the place of the first thing that no line may hold.
        """
        if _begins(line):
            self._update(line, place)
        elif _SET in line:
            self._update(place[_SET].object(line[_SET]), place[_SET])
        elif _REWIND in line:
            identifier = place[_REWIND].label(line[_REWIND])
            self._drop(self._numbers.get(identifier or "", 0))
        elif "type" in line and "id" in line:
            self._message(line, place)
        else:
            self._unknown.append(f"line with '{next(iter(line), 'nothing')}'")

    def to_trajectory(self, reasoning: bool) -> Trajectory:
        """Returns the run of the session."""
        recorder = Recorder(reasoning)
        for what in self._unknown:
            recorder.unknown(what)
        for _ in range(self._taken_back):
            recorder.ignored("message that was taken back")
        for index, (message, place) in enumerate(self._messages):
            told = _DIALECT.read_message(_with_shown_content(message), place)
            _DIALECT.record(recorder, told, {"message": index})
        around = {key: self._about.get(key) for key in _KEPT}
        named = drop_nulls({"id": self._about.get("sessionId"), **around})
        return RawConversation(self._messages, named, self.place).to_trajectory(
            recorder.conversation()
        )

    def _update(self, about: dict[str, Any], place: JsonPath) -> None:
        """Notes what a line says of the session; one with messages has all of them."""
        if about.get("messages") is not None:
            self._messages.clear()
            self._numbers.clear()
            for message, where in place["messages"].objects(about["messages"]):
                self._message(message, where)
        self._about.update((key, value) for key, value in about.items() if key != "messages")

    def _message(self, message: dict[str, Any], place: JsonPath) -> None:
        identifier = place.label_in(message, "id")
        number = None if identifier is None else self._numbers.get(identifier)
        if number is not None:
            self._messages[number] = message, place
            return
        if identifier is not None:
            self._numbers[identifier] = len(self._messages)
        self._messages.append((message, place))

    def _drop(self, first: int) -> None:
        """Takes back this message and those after it; all, where it is not known."""
        while len(self._messages) > first:
            message, place = self._messages.pop()
            self._numbers.pop(place.label_in(message, "id") or "", None)
            self._taken_back += 1


def _with_shown_content(message: dict[str, Any]) -> dict[str, Any]:
    """Returns a message with what the user saw of it; a part that is alone is a list, too."""
    content = message.get("content")
    if message.get("type") == "user" and message.get("displayContent") is not None:
        content = message["displayContent"]
    return {**message, "content": [content] if isinstance(content, dict) else content}


def _add_gemini_calls(message: tables.Message, value: dict[str, Any], place: JsonPath) -> None:
    """Adds the calls of an answer with what came back; one that still ran has no result."""
    if message.role != "gemini":
        return
    message.ignored += ["thought"] if value.get("thoughts") else []
    for told, where in place["toolCalls"].objects(value.get("toolCalls")):
        call, status, result = _CALL.read(told, where), _status(told), told.get("result")
        message.items.append(call)
        if status is not None or result is not None:
            at = parse_time(told.get("timestamp"), where["timestamp"])
            output = _output_in(result)
            message.items.append(Result(call.id, call.tool, output, status, at, waits=True))


def _output_in(result: Any) -> Any:
    """Returns what a tool answered: the output inside the response that the model was given."""
    parts = result if isinstance(result, list) else [result]
    found = [part["functionResponse"] for part in parts if _is_response(part)]
    if not found or not isinstance(found[0], dict):
        return result
    response = found[0].get("response")
    if isinstance(response, dict) and list(response) == ["output"]:
        return response["output"]
    return response


def _is_response(part: Any) -> bool:
    return isinstance(part, dict) and "functionResponse" in part


_DIALECT = tables.MessageSchema(
    lambda value: isinstance(value, dict) and "type" in value,
    tables.speakers(assistant="gemini") | dict.fromkeys(("info", "error", "warning"), "notice"),
    {
        "text": tables.add_text,
        **dict.fromkeys(("inline_data", "file_data"), "file"),
        "function_response": "result that its call has",
        **dict.fromkeys(("thought", "thought_signature"), ""),
    },
    parts_in_snake_case,
    role="type",
    read_extra_fields=_add_gemini_calls,
    joined_roles=(tables.USER, tables.ASSISTANT),
)
