"""Sessions of Gemini CLI: a record a file, or, of newer versions, lines that add to one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from otap.formats.dialects.google import Fields
from otap.formats.json.documents import Document, first_of
from otap.formats.json.places import Place
from otap.formats.json.times import moment
from otap.formats.steps.calls import Call, made_call
from otap.formats.steps.content import recorded, said
from otap.formats.steps.conversation import Kept
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory

NAME = "gemini-cli"
DESCRIPTION = "sessions of Gemini CLI: ~/.gemini/tmp/.../chats/session-*.json or .jsonl"
STEP = "each tool call of the model"
KNOWN_BY = "'sessionId' and 'projectHash', with 'messages' or before the lines that have them"

_NOTICES = ("info", "error", "warning")
_SET, _REWIND = "$set", "$rewindTo"
_KEPT = ("projectHash", "startTime", "kind", "summary")  # of what the first line says
_STATUS: dict[Any, Literal["ok", "error"]] = {
    "success": "ok",
    "error": "error",
    "cancelled": "error",
}


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
                yield session.run(reasoning)
            session = _Session(place)
        if session is not None:
            session.add(line, place)
    if session is not None:
        yield session.run(reasoning)


def _begins(value: Any) -> bool:
    return isinstance(value, dict) and {"sessionId", "projectHash"} <= value.keys()


@dataclass(slots=True)
class _Session:
    """The messages of one session: a line with a known id takes the place of an earlier one."""

    place: Place
    _about: dict[str, Any] = field(default_factory=dict)
    _messages: list[Fields] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)
    _taken_back: int = 0
    _unknown: list[str] = field(default_factory=list)

    def add(self, line: dict[str, Any], place: Place) -> None:
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
            self._message(Fields(line, place))
        else:
            self._unknown.append(f"line with '{next(iter(line), 'nothing')}'")

    def run(self, reasoning: bool) -> Trajectory:
        """Returns the run of the session."""
        recorder = Recorder(reasoning)
        for what in self._unknown:
            recorder.unknown(what)
        for _ in range(self._taken_back):
            recorder.ignored("message that was taken back")
        for index, message in enumerate(self._messages):
            _record(recorder, message, index)
            recorder.spent(message.value)
        around = {key: self._about.get(key) for key in _KEPT}
        named = recorded({"id": self._about.get("sessionId"), **around})
        return Kept((), named, self.place).run(recorder.conversation())

    def _update(self, about: dict[str, Any], place: Place) -> None:
        """Notes what a line says of the session; one with messages has all of them."""
        if about.get("messages") is not None:
            self._messages.clear()
            self._numbers.clear()
            for message, where in place["messages"].objects(about["messages"]):
                self._message(Fields(message, where))
        self._about.update((key, value) for key, value in about.items() if key != "messages")

    def _message(self, message: Fields) -> None:
        identifier = message.label("id")
        number = None if identifier is None else self._numbers.get(identifier)
        if number is not None:
            self._messages[number] = message
            return
        if identifier is not None:
            self._numbers[identifier] = len(self._messages)
        self._messages.append(message)

    def _drop(self, first: int) -> None:
        """Takes back this message and those after it; all, where it is not known."""
        while len(self._messages) > first:
            identifier = self._messages.pop().label("id")
            self._numbers.pop(identifier or "", None)
            self._taken_back += 1


def _record(recorder: Recorder, message: Fields, index: int) -> None:
    kind = message.at("type").text(message.get("type"))
    if kind == "gemini":
        calls = message.objects("toolCalls")
        if message.get("thoughts"):
            recorder.ignored("thought")
        recorder.assistant(_texts(recorder, message, "content"), [_call(call) for call in calls])
        for call in calls:
            _answer(recorder, call, index)
    elif kind == "user":
        shown = "content" if message.get("displayContent") is None else "displayContent"
        recorder.user(_texts(recorder, message, shown))
    elif kind in _NOTICES:
        recorder.ignored("notice")
    else:
        recorder.unknown(f"message of type '{kind}'")


def _texts(recorder: Recorder, message: Fields, name: str) -> list[str]:
    """Returns what a message says; responses in it are those that the calls have."""

    def text_in(part: Any, place: Place) -> str | None:
        found = Fields({"text": part} if isinstance(part, str) else place.object(part), place)
        if found.get("text") is not None and found.get("thought") is not True:
            return found.at("text").text(found.get("text")) if found.get("text") else None
        for key in (key for key, value in found.value.items() if value is not None):
            _note(recorder, key)
        return None

    content = message.get(name)
    where = message.at(name)
    return said([content] if isinstance(content, dict) else content, where, text_in)


def _note(recorder: Recorder, key: str) -> None:
    if key in ("inlineData", "fileData"):
        recorder.ignored("file")
    elif key == "functionResponse":
        recorder.ignored("result that its call has")
    elif key not in ("text", "thought", "thoughtSignature"):
        recorder.unknown(f"part with '{key}'")


def _call(call: Fields) -> Call:
    identifier = call.label("id")
    return made_call(call.get("name"), call.get("args"), identifier, call.at("name"))


def _answer(recorder: Recorder, call: Fields, index: int) -> None:
    """Records what came back from a call; what still ran when it was written has no status."""
    told = call.get("status")
    status = _STATUS.get(told) if isinstance(told, str) else None
    if status is None and call.get("result") is None:
        return
    identifier = call.label("id")
    kept = {"message": index, "id": identifier}
    returned = _returned(call.get("result"))
    made = recorder.result(identifier, call.get("name"), returned, status, kept=kept)
    if made is not None:
        made.ended_at = moment(call.get("timestamp"), call.at("timestamp"))


def _returned(result: Any) -> Any:
    """Returns what a tool answered: the output inside the response that the model was given."""
    parts = result if isinstance(result, list) else [result]
    found = [
        p["functionResponse"] for p in parts if isinstance(p, dict) and "functionResponse" in p
    ]
    if not found or not isinstance(found[0], dict):
        return result
    response = found[0].get("response")
    if isinstance(response, dict) and list(response) == ["output"]:
        return response["output"]
    return response
