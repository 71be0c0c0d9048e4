"""Messages and events of AutoGen, in results of tasks, in streams and in saved states."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import getitem
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.times import parse_time
from otap.formats.steps import tables
from otap.formats.steps.calls import Call, Result
from otap.formats.steps.content import list_at, unless_blank
from otap.formats.steps.conversation import RawConversation, find_conversations
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
    clean=tables.identity,
)
_DEPTH = 8  # of states in states


def recognises(value: Any) -> bool:
    """Says whether this is a message, a result, a state, or a list that begins with one."""
    return _DIALECT.recognises(value) or _is_state(first_of(value))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each conversation."""
    if _is_state(first_of(document.value)):
        for value, place in document.items():
            messages, where = _thread(value, place, _DEPTH)
            listed = [(message, where[index]) for index, message in enumerate(messages)]
            yield _run_of(RawConversation(listed, {}, place), reasoning)
        return
    for kept in find_conversations(document, _is_autogen_message):
        yield _run_of(kept, reasoning)


def _is_autogen_message(value: Any) -> bool:
    """Says whether this is a message or an event of AutoGen."""
    kind = _kind_of_message(value)
    if kind not in _TYPES or "content" not in value:
        return kind == _RAN
    return "source" in value or kind in ("SystemMessage", _RESULTS[1])


def _kind_of_message(value: Any) -> str | None:
    kind = value.get("type") if isinstance(value, dict) else None
    return kind.partition("[")[0] if isinstance(kind, str) else None


def _is_state(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in _STATES


def _thread(value: Any, place: JsonPath, depth: int) -> tuple[list[Any], JsonPath]:
    """Returns the messages of a state: those of a team's manager, or what its agent has in mind.

    Raises:
        FormatError: if there are none, or those of several agents and of no manager.
    """
    found = list(_threads(place.object(value), place, depth))
    threads = [one for one in found if one[1].expression.endswith("message_thread")]
    if len(found) != 1 and not threads:
        raise place.error(f"expected the messages of one agent or of a team, found {len(found)}")
    return (threads or found)[0]


def _threads(
    value: dict[str, Any], place: JsonPath, depth: int
) -> Iterator[tuple[list[Any], JsonPath]]:
    for path in (("message_thread",), ("llm_context", "messages")):
        if listed := list_at(value, *path):
            yield listed, reduce(getitem, path, place)
    inner, at = value.get("agent_states"), place["agent_states"]
    states = [(state, at[name]) for name, state in inner.items()] if isinstance(inner, dict) else []
    for state, where in (*states, (value.get("agent_state"), place["agent_state"])):
        if depth and isinstance(state, dict):
            yield from _threads(state, where, depth - 1)


def _users(messages: list[tuple[dict[str, Any], JsonPath]]) -> set[str]:
    """Returns the names under which a person speaks: agents of other teams have theirs."""
    told = [(_kind_of_message(message), _source_of(message)) for message, _ in messages]
    spoke = [source for kind, source in told if kind in _TEXTS]
    named = {source for source in spoke if source.lower().startswith("user")}
    if not named and told and told[0][0] == "UserMessage":
        named = {spoke[0]}
    return named | {source for kind, source in told if kind == "UserInputRequestedEvent"}


def _source_of(message: Mapping[str, Any]) -> str:
    source = message.get("source")
    return source if isinstance(source, str) else ""


def _run_of(kept: RawConversation, reasoning: bool) -> Trajectory:
    messages = [(place.object(value), place) for value, place in kept.messages]
    recording = _Recording(Recorder(reasoning, "without_calls"), _users(messages))
    for index, (message, place) in enumerate(messages):
        recording.record(index, message, place)
    return kept.to_trajectory(recording.recorder.conversation())


@dataclass(slots=True)
class _Recording:
    """Records the messages of one conversation in order."""

    recorder: Recorder
    users: set[str]
    _thought: list[str] = field(default_factory=list)
    _speaker: str = ""

    def record(self, index: int, message: dict[str, Any], place: JsonPath) -> None:
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
        told = self._read_message(kind, message, place)
        if told is not None:
            told.agent = source or None
            at = parse_time(message.get("created_at"), place["created_at"])
            tables.set_times(told, at, results=True)
            _DIALECT.record(self.recorder, told, {"message": index})
        if kind == _SUMMARY:  # what came back, and no word on what comes next
            self.recorder.interrupted()

    def _read_message(
        self, kind: str, message: dict[str, Any], place: JsonPath
    ) -> tables.Message | None:
        """Returns what a message says; none where that is noted, or belongs to the next."""
        told = tables.Message("assistant")
        if kind in _CALLS and isinstance(message.get("content"), list):
            thought = message.get("thought")  # what the model wrote beside the calls
            told.items += [thought] if isinstance(thought, str) else self._thought
            self._thought = []
            _add_each(_CALL, told, message, place)
        elif kind in _RESULTS:
            told.role = "tool"
            _add_each(_RESULT, told, message, place)
        elif kind == _CODE:
            self._add_code(told, message, place)
        elif kind == _RAN:
            told.role = "tool"
            result = place["result"].object(message.get("result"))
            status: tables.Status = "ok" if result.get("exit_code") == 0 else "error"
            told.items.append(Result(None, "code_execution", result.get("output"), status))
        elif kind == _THOUGHT:
            self._thought = self._texts_in(message, place)
        else:
            return self._read_text(kind, message, place)
        return told if told.items else None

    def _add_code(self, told: tables.Message, message: dict[str, Any], place: JsonPath) -> None:
        blocks = place["code_blocks"].array(message.get("code_blocks"))
        if blocks:
            arguments = blocks[0] if len(blocks) == 1 else {"code_blocks": blocks}
            told.items += self._texts_in(message, place)
            told.items.append(Call("code_execution", arguments, None, {}))

    def _read_text(
        self, kind: str, message: dict[str, Any], place: JsonPath
    ) -> tables.Message | None:
        if kind not in _TYPES:
            self.recorder.unknown(f"message of type '{kind}'")
            return None
        by_user, ignored = _source_of(message) in self.users, _SILENT.get(kind)
        if ignored is None and self._thought:
            self.recorder.ignored("thought")
            self._thought = []
        if kind == _HANDOFF and not by_user:
            ignored = "handoff that its call tells"
        told = [] if ignored is not None else self._texts_in(message, place)
        if kind == "UserMessage" and not by_user:
            self.recorder.interrupted()
            ignored = "words of another agent"
        if ignored is not None:
            self.recorder.ignored(ignored)
            return None
        speaks = by_user and kind != "AssistantMessage"
        return tables.Message("user" if speaks else "assistant", [*told])

    def _texts_in(self, message: dict[str, Any], place: JsonPath) -> list[str]:
        """Returns what a message says; a form that was filled in as JSON."""
        content = message.get("content")
        if isinstance(content, dict):
            return [json.dumps(content, ensure_ascii=False)]
        told = tables.Message(None)
        _DIALECT.add_content(told, message, place)
        self.recorder.note((), told.ignored)
        return unless_blank("\n".join(told.texts))


def _add_each(
    entry: tables.CallKeys | tables.ResultKeys,
    told: tables.Message,
    message: dict[str, Any],
    place: JsonPath,
) -> None:
    for part, where in place["content"].objects(message.get("content")):
        entry(told, part, where)


_DIALECT = tables.MessageSchema(
    _is_autogen_message,
    tables.speakers(tool="tool"),
    {"picture": "picture"},
    lambda part, place: (("picture", part, place),),
)
