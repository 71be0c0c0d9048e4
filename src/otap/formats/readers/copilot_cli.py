"""Events of GitHub's Copilot CLI and SDK: a session a file, an event a line."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import parse_time
from otap.formats.steps.calls import Result, parse_call
from otap.formats.steps.content import drop_nulls, join_texts, object_in, unless_blank
from otap.formats.steps.conversation import RawConversation
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory

NAME = "copilot-cli"
DESCRIPTION = "events of GitHub's Copilot CLI: ~/.copilot/session-state/.../events.jsonl"
STEP = "each tool request of the assistant, and each execution that nobody asked for"
KNOWN_BY = "events with 'type', 'data' and 'parentId'"

_BEGINS = "session.start"
# What says nothing of what was done, by the beginning of the type.
_IGNORED = ("session.", "assistant.", "tool.execution_p", "system.", "hook.", "pending_", "abort")


def recognises(value: Any) -> bool:
    """Says whether this is an event, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict) or not {"type", "data", "parentId"} <= first.keys():
        return False
    return isinstance(first["type"], str) and "." in first["type"]


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each session."""
    session: _Session | None = None
    for value, place in document.items():
        event = place.object(value)
        if session is None or event.get("type") == _BEGINS:
            if session is not None:
                yield session.to_trajectory()
            session = _Session(place, reasoning)
        session.add(event, place)
    if session is not None:
        yield session.to_trajectory()


class _Session:
    """What happened in one session."""

    def __init__(self, place: JsonPath, reasoning: bool) -> None:
        self._place, self._recorder = place, Recorder(reasoning)
        self._about: dict[str, Any] = {}
        self._asked: set[str] = set()

    def add(self, event: dict[str, Any], place: JsonPath) -> None:
        """Adds an event.

        Raises:
            FormatError: with the place of the first thing that no event may hold.
        """
        kind, where = place["type"].text(event.get("type")), place["data"]
        data = where.object(event.get("data") or {})
        match kind:
            case "session.start":
                self._about = drop_nulls(
                    {"id": data.get("sessionId"), **object_in(data, "context")}
                )
            case "user.message":
                self._recorder.user(unless_blank(data.get("content")))
            case "assistant.message":
                self._ask(data, where)
            case "tool.execution_start":
                self._begin(data, where)
            case "tool.execution_complete":
                self._end(data, parse_time(event.get("timestamp"), place["timestamp"]), where)
            case _ if kind.startswith(_IGNORED):
                self._recorder.ignored(f"event '{kind}'")
            case _:
                self._recorder.unknown(f"event '{kind}'")

    def to_trajectory(self) -> Trajectory:
        """Returns the run of the session."""
        return RawConversation([], self._about, self._place).to_trajectory(
            self._recorder.conversation()
        )

    def _ask(self, data: dict[str, Any], place: JsonPath) -> None:
        calls = []
        for asked, where in place["toolRequests"].objects(data.get("toolRequests")):
            identifier = where["toolCallId"].label(asked.get("toolCallId"))
            calls.append(
                parse_call(asked.get("name"), asked.get("arguments"), identifier, where["name"])
            )
            self._asked.add(identifier or "")
        self._recorder.assistant(unless_blank(data.get("content")), calls)

    def _begin(self, data: dict[str, Any], place: JsonPath) -> None:
        identifier = place["toolCallId"].label(data.get("toolCallId"))
        if identifier not in self._asked:
            name, said = data.get("toolName"), data.get("arguments")
            call = parse_call(name, said, identifier, place["toolName"])
            self._recorder.in_call(data.get("parentToolCallId")).assistant((), [call])

    def _end(self, data: dict[str, Any], ended: Any, place: JsonPath) -> None:
        identifier = place["toolCallId"].label(data.get("toolCallId"))
        failed = data.get("success") is False
        told = object_in(data, "error" if failed else "result")
        content = told.get("message" if failed else "content")
        result = Result(identifier, None, join_texts(content), "error" if failed else "ok", ended)
        self._recorder.tool_result(result, {"event": "tool.execution_complete"})
