"""Messages and events of AutoGen, in results of tasks, in streams and in saved states."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from otap.formats.json.documents import Document, first_of
from otap.formats.json.places import Place, described
from otap.formats.json.times import moment
from otap.formats.steps import tables
from otap.formats.steps.calls import Call, Result
from otap.formats.steps.content import said
from otap.formats.steps.conversation import Kept, conversations
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory

NAME = "autogen"
DESCRIPTION = "messages of AutoGen (0.4 and later): results of tasks, streams, saved states, JSONL"
STEP = "each tool call that an agent requests, and each piece of code that one runs"
KNOWN_BY = "messages with a 'source' whose 'type' is one of AutoGen's, as 'ToolCallRequestEvent'"

_CALLS = ("ToolCallRequestEvent", "AssistantMessage")
_RESULTS = ("ToolCallExecutionEvent", "FunctionExecutionResultMessage")
_TEXTS = ("TextMessage", "MultiModalMessage", "StopMessage", "UserMessage")
_STRUCTURED = "StructuredMessage"
_SUMMARY, _HANDOFF, _THOUGHT = "ToolCallSummaryMessage", "HandoffMessage", "ThoughtEvent"
_CODE, _RAN = "CodeGenerationEvent", "CodeExecutionEvent"
_SILENT = {
    "SystemMessage": "system prompt",
    "MemoryQueryEvent": "memory",
    "UserInputRequestedEvent": "question to the user",
    "ModelClientStreamingChunkEvent": "piece of an answer",
    "SelectSpeakerEvent": "choice of who speaks",
    "SelectorEvent": "choice of who speaks",
}
_TYPES = {*_CALLS, *_RESULTS, *_TEXTS, _STRUCTURED, _SUMMARY, _HANDOFF, _THOUGHT, _CODE, _RAN}
_TYPES |= set(_SILENT)
_STATES = ("TeamState", "AssistantAgentState", "ChatAgentContainerState", "SocietyOfMindAgentState")
_CALL = tables.CallKeys()
_RESULT = tables.ResultKeys(
    ids=("call_id",),
    status=tables.StatusKey("is_error", {True: "error", False: "ok"}),
    clean=tables.as_recorded,
)
_DIALECT = tables.Dialect(
    lambda value: _is_autogen_message(value), tables.speakers(tool="tool"), {}, tables.parts_by_key
)
_DEPTH = 8  # of states in states


def recognises(value: Any) -> bool:
    """Says whether this is a message, a result, a state, or a list that begins with one."""
    first = first_of(value)
    return _is_autogen_message(first) or _is_autogen_conversation(first) or _is_state(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each conversation."""
    if _is_state(first_of(document.value)):
        for value, place in document.items():
            messages, where = _thread(value, place, _DEPTH)
            listed = [(message, where[index]) for index, message in enumerate(messages)]
            yield _run_of(Kept(listed, {}, place), reasoning)
        return
    for kept in conversations(document, _is_autogen_message):
        yield _run_of(kept, reasoning)


def _is_autogen_message(value: Any) -> bool:
    """Says whether this is a message or an event of AutoGen."""
    if (
        not isinstance(value, dict)
        or _kind_of_message(value) not in _TYPES
        or "content" not in value
    ):
        return _kind_of_message(value) == _RAN
    return "source" in value or _kind_of_message(value) in ("SystemMessage", _RESULTS[1])


def _kind_of_message(value: Any) -> str | None:
    kind = value.get("type") if isinstance(value, dict) else None
    return kind.partition("[")[0] if isinstance(kind, str) else None


def _is_autogen_conversation(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else value
    return isinstance(messages, list) and bool(messages) and _is_autogen_message(messages[0])


def _is_state(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in _STATES


def _thread(value: Any, place: Place, depth: int) -> tuple[list[Any], Place]:
    """Returns the messages of a state: those of a team's manager, or what its agent has in mind.

    Raises:
        FormatError: if there are none, or those of several agents and of no manager.
    """
    found = list(_threads(place.object(value), place, depth))
    threads = [(listed, where) for listed, where in found if where.trail.endswith("message_thread")]
    chosen = threads or found
    if len(chosen) != 1 and not threads:
        raise place.error(f"expected the messages of one agent or of a team, found {len(chosen)}")
    listed, where = chosen[0]
    return listed, where


def _threads(value: dict[str, Any], place: Place, depth: int) -> Iterator[tuple[list[Any], Place]]:
    context = value.get("llm_context")
    known = context.get("messages") if isinstance(context, dict) else None
    found = (
        (value.get("message_thread"), place["message_thread"]),
        (known, place["llm_context"]["messages"]),
    )
    yield from ((listed, where) for listed, where in found if listed and isinstance(listed, list))
    for state, where in _states_inside(value, place) if depth else ():
        yield from _threads(state, where, depth - 1)


def _states_inside(value: dict[str, Any], place: Place) -> Iterator[tuple[dict[str, Any], Place]]:
    """Yields the states inside a state."""
    inner = value.get("agent_states")
    for name, state in inner.items() if isinstance(inner, dict) else ():
        if isinstance(state, dict):
            yield state, place["agent_states"][name]
    if isinstance(value.get("agent_state"), dict):
        yield value["agent_state"], place["agent_state"]


def _users(messages: list[tuple[dict[str, Any], Place]]) -> set[str]:
    """Returns the names under which a person speaks: agents of other teams have theirs."""
    asked = {_source_of(m) for m, _ in messages if _kind_of_message(m) == "UserInputRequestedEvent"}
    spoke = [_source_of(m) for m, _ in messages if _kind_of_message(m) in _TEXTS]
    named = {source for source in spoke if source.lower().startswith("user")}
    first = (
        {spoke[0]}
        if spoke and not named and _kind_of_message(messages[0][0]) == "UserMessage"
        else set()
    )
    return asked | named | first


def _source_of(message: Mapping[str, Any]) -> str:
    source = message.get("source")
    return source if isinstance(source, str) else ""


def _run_of(kept: Kept, reasoning: bool) -> Trajectory:
    messages = [(place.object(value), place) for value, place in kept.messages]
    recording = _Recording(Recorder(reasoning, "without_calls"), _users(messages))
    for index, (message, place) in enumerate(messages):
        recording.record(index, message, place)
    return kept.run(recording.recorder.conversation())


@dataclass(slots=True)
class _Recording:
    """Records the messages of one conversation in order."""

    recorder: Recorder
    users: set[str]
    _thought: list[str] = field(default_factory=list)
    _speaker: str = ""

    def record(self, index: int, message: dict[str, Any], place: Place) -> None:
        """Records one message."""
        kind, source = _kind_of_message(message), _source_of(message)
        if kind is None:
            if "messages" not in message:
                raise place["type"].error(f"expected text, found {described(message.get('type'))}")
            self.recorder.ignored("result that tells its messages again")
            return
        if source and source != self._speaker:
            self.recorder.interrupted()
            self._speaker = source
        told = self._read_by_kind(kind, message, place)
        if told is not None:
            told.agent = source or None
            at = moment(message.get("created_at"), place["created_at"])
            tables.set_times(told, at, results=True)
            _DIALECT.record(self.recorder, told, {"message": index})

    def _read_by_kind(
        self, kind: str, message: dict[str, Any], place: Place
    ) -> tables.Message | None:
        """Returns what a message says; none where that is noted, or belongs to the next."""
        told, content = tables.Message("assistant"), message.get("content")
        if kind in _CALLS and isinstance(content, list):
            thought = message.get("thought")  # what the model wrote beside the calls
            told.items += [thought] if isinstance(thought, str) else self._thought
            self._thought = []
            for call, where in place["content"].objects(content):
                _CALL(told, call, where)
        elif kind in _RESULTS:
            told.role = "tool"
            for result, where in place["content"].objects(content):
                _RESULT(told, result, where)
        elif kind == _CODE:
            self._add_code(told, message, place)
        elif kind == _RAN:
            told.role = "tool"
            result = place["result"].object(message.get("result"))
            status: Literal["ok", "error"] = "ok" if result.get("exit_code") == 0 else "error"
            told.items.append(Result(None, "code_execution", result.get("output"), status))
        elif kind == _THOUGHT:
            self._thought = [
                text for text in _texts_in_message(self.recorder, message, place) if text
            ]
            return None
        else:
            return self._read_text(kind, message, place)
        return told if told.items else None

    def _add_code(self, told: tables.Message, message: dict[str, Any], place: Place) -> None:
        blocks = place["code_blocks"].array(message.get("code_blocks"))
        if blocks:
            arguments = blocks[0] if len(blocks) == 1 else {"code_blocks": blocks}
            told.items += _texts_in_message(self.recorder, message, place)
            told.items.append(Call("code_execution", arguments, None, {}))

    def _read_text(self, kind: str, message: dict[str, Any], place: Place) -> tables.Message | None:
        if kind in _SILENT:
            self.recorder.ignored(_SILENT[kind])
            return None
        if kind not in _TYPES:
            self.recorder.unknown(f"message of type '{kind}'")
            return None
        if self._thought:
            self.recorder.ignored("thought")
            self._thought = []
        by_user = _source_of(message) in self.users
        if kind == _HANDOFF and not by_user:
            self.recorder.ignored("handoff that its call tells")
            return None
        texts: list[str | Call | Result | None] = [
            *_texts_in_message(self.recorder, message, place)
        ]
        if kind != "AssistantMessage" and by_user:
            return tables.Message("user", texts)
        if kind == "UserMessage":
            self.recorder.interrupted()
            self.recorder.ignored("words of another agent")
            return None
        if kind == _SUMMARY:  # what came back, and no word on what comes next
            self.recorder.assistant(map(str, texts), agent=_source_of(message) or None)
            self.recorder.interrupted()
            return None
        return tables.Message("assistant", texts)


def _texts_in_message(recorder: Recorder, message: dict[str, Any], place: Place) -> list[str]:
    """Returns what a message says; a form that was filled in as JSON."""
    content = message.get("content")
    if isinstance(content, dict):
        return [json.dumps(content, ensure_ascii=False)]

    def text_in(part: Any, where: Place) -> str | None:
        if isinstance(part, str):
            return part or None
        where.object(part)
        recorder.ignored("picture")
        return None

    return said(content, place["content"], text_in)
