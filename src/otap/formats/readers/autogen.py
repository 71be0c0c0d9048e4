"""Messages and events of AutoGen, in task results, in streams and in saved states."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from otap.formats import chats
from otap.formats.content import list_at, unless_blank
from otap.formats.conversations import RawConversation, find_conversations
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.times import parse_time
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import ToolCall, ToolResult
from otap.trajectory import Trajectory

NAME = "autogen"
DESCRIPTION = "messages of AutoGen (0.4 and later): results of tasks, streams, saved states, JSONL"
STEP = "each tool call that an agent requests, and each piece of code that one runs"
KNOWN_BY = "messages with a 'source' and a 'type' of AutoGen, such as 'ToolCallRequestEvent'"

_CALLS = ("ToolCallRequestEvent", "AssistantMessage")
_RESULTS = ("ToolCallExecutionEvent", "FunctionExecutionResultMessage")
_TEXTS = ("TextMessage", "MultiModalMessage", "StopMessage", "UserMessage")
_STRUCTURED = "StructuredMessage"
_SUMMARY, _HANDOFF, _THOUGHT = "ToolCallSummaryMessage", "HandoffMessage", "ThoughtEvent"
_CODE, _CODE_RESULT = "CodeGenerationEvent", "CodeExecutionEvent"
_SILENT = {
    "SystemMessage": "system prompt",
    "MemoryQueryEvent": "memory",
    "UserInputRequestedEvent": "question to the user",
    "ModelClientStreamingChunkEvent": "piece of an answer",
    "SelectSpeakerEvent": "choice of the next speaker",
    "SelectorEvent": "choice of the next speaker",
}
_TYPES = {*_CALLS, *_RESULTS, *_TEXTS, _STRUCTURED, _SUMMARY, _HANDOFF, _THOUGHT}
_TYPES |= {_CODE, _CODE_RESULT, *_SILENT}
_STATES = ("TeamState", "AssistantAgentState", "ChatAgentContainerState", "SocietyOfMindAgentState")
_CALL = chats.CallKeys()
_RESULT = chats.ResultKeys(
    ids=("call_id",),
    status=chats.StatusKey("is_error", {True: "error", False: "ok"}),
    clean=chats.identity,
)
_MAX_DEPTH = 8  # levels of states inside states


def recognises(value: Any) -> bool:
    """Returns whether this is a message, a result, a state, or a list that begins with one."""
    return _SCHEMA.recognises(value) or _is_state(first_of(value))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one trajectory for each conversation."""
    if _is_state(first_of(document.value)):
        for value, path in document.items():
            messages, thread_path = _thread_of(value, path)
            yield _run_of(RawConversation(thread_path.items(messages), {}, path), reasoning)
        return
    for conversation in find_conversations(document, _is_autogen_message):
        yield _run_of(conversation, reasoning)


def _is_autogen_message(message: Any) -> bool:
    kind = _type_of(message)
    if kind not in _TYPES or "content" not in message:
        return kind == _CODE_RESULT
    return "source" in message or kind in ("SystemMessage", _RESULTS[1])


def _type_of(message: Any) -> str | None:
    kind = message.get("type") if isinstance(message, dict) else None
    return kind.partition("[")[0] if isinstance(kind, str) else None


def _is_state(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in _STATES


def _thread_of(value: Any, path: JsonPath) -> tuple[list[Any], JsonPath]:
    """Returns the messages of a state: those of a team's manager, or the context of its agent.

    Raises:
        FormatError: if there are none, or those of several agents without a manager.
    """
    contexts = list(_contexts_in(path.object(value), path, _MAX_DEPTH))
    threads = [context for context in contexts if context[1].expression.endswith("message_thread")]
    if len(contexts) != 1 and not threads:
        raise path.error(f"expected the messages of one agent or of a team, found {len(contexts)}")
    return (threads or contexts)[0]


def _contexts_in(
    state: dict[str, Any], path: JsonPath, depth: int
) -> Iterator[tuple[list[Any], JsonPath]]:
    if thread := list_at(state, "message_thread"):
        yield thread, path["message_thread"]
    if context := list_at(state, "llm_context", "messages"):
        yield context, path["llm_context"]["messages"]
    if not depth:
        return
    agents = state.get("agent_states")
    for name, agent in agents.items() if isinstance(agents, dict) else ():
        if isinstance(agent, dict):
            yield from _contexts_in(agent, path["agent_states"][name], depth - 1)
    agent = state.get("agent_state")
    if isinstance(agent, dict):
        yield from _contexts_in(agent, path["agent_state"], depth - 1)


def _user_names(messages: list[tuple[dict[str, Any], JsonPath]]) -> set[str]:
    """Returns the names under which a person speaks; agents of other teams have other names."""
    sources = [(_type_of(message), _source_of(message)) for message, _ in messages]
    speakers = [source for kind, source in sources if kind in _TEXTS]
    users = {source for source in speakers if source.lower().startswith("user")}
    if not users and sources and sources[0][0] == "UserMessage":
        users = {speakers[0]}
    return users | {source for kind, source in sources if kind == "UserInputRequestedEvent"}


def _source_of(message: Mapping[str, Any]) -> str:
    source = message.get("source")
    return source if isinstance(source, str) else ""


def _run_of(conversation: RawConversation, reasoning: bool) -> Trajectory:
    messages = [(path.object(value), path) for value, path in conversation.messages]
    reader = _ThreadReader(Recorder(reasoning, "without_calls"), _user_names(messages))
    for index, (message, path) in enumerate(messages):
        reader.record(index, message, path)
    return conversation.to_trajectory(reader.recorder.conversation())


@dataclass(slots=True)
class _ThreadReader:
    """Records the messages of one conversation in order."""

    recorder: Recorder
    users: set[str]
    _thoughts: list[str] = field(default_factory=list)
    _speaker: str = ""

    def record(self, index: int, value: dict[str, Any], path: JsonPath) -> None:
        """Records one message."""
        kind, source = _type_of(value), _source_of(value)
        if kind is None:
            if "messages" not in value:
                raise path["type"].error(f"expected text, found {described(value.get('type'))}")
            self.recorder.ignored("result that repeats its messages")
            return
        if source and source != self._speaker:
            self.recorder.interrupted()
            self._speaker = source
        message = self._read_message(kind, value, path)
        if message is not None:
            message.agent = source or None
            time = parse_time(value.get("created_at"), path["created_at"])
            chats.set_times(message, time, results=True)
            _SCHEMA.record(self.recorder, message, {"message": index})
        if kind == _SUMMARY:  # repeats results, and does not announce the next call
            self.recorder.interrupted()

    def _read_message(
        self, kind: str, value: dict[str, Any], path: JsonPath
    ) -> chats.Message | None:
        """Returns a message, or None if it is only counted or belongs to the next one."""
        message = chats.Message("assistant")
        if kind in _CALLS and isinstance(value.get("content"), list):
            thought = value.get("thought")  # the model's text beside the calls
            message.items += [thought] if isinstance(thought, str) else self._thoughts
            self._thoughts = []
            _add_parts(_CALL, message, value, path)
        elif kind in _RESULTS:
            message.role = "tool"
            _add_parts(_RESULT, message, value, path)
        elif kind == _CODE:
            self._add_code(message, value, path)
        elif kind == _CODE_RESULT:
            message.role = "tool"
            execution = path["result"].object(value.get("result"))
            status: chats.Status = "ok" if execution.get("exit_code") == 0 else "error"
            message.items.append(
                ToolResult(None, "code_execution", execution.get("output"), status)
            )
        elif kind == _THOUGHT:
            self._thoughts = self._texts_in(value, path)
        else:
            return self._read_text(kind, value, path)
        return message if message.items else None

    def _add_code(self, message: chats.Message, value: dict[str, Any], path: JsonPath) -> None:
        blocks = path["code_blocks"].array(value.get("code_blocks"))
        if blocks:
            arguments = blocks[0] if len(blocks) == 1 else {"code_blocks": blocks}
            message.items += self._texts_in(value, path)
            message.items.append(ToolCall("code_execution", arguments, None, {}))

    def _read_text(self, kind: str, value: dict[str, Any], path: JsonPath) -> chats.Message | None:
        if kind not in _TYPES:
            self.recorder.unknown(f"message of type '{kind}'")
            return None
        by_user, ignored = _source_of(value) in self.users, _SILENT.get(kind)
        if ignored is None and self._thoughts:
            self.recorder.ignored("thought")
            self._thoughts = []
        if kind == _HANDOFF and not by_user:
            ignored = "handoff already recorded as a call"
        texts = [] if ignored is not None else self._texts_in(value, path)
        if kind == "UserMessage" and not by_user:
            self.recorder.interrupted()
            ignored = "message of another agent"
        if ignored is not None:
            self.recorder.ignored(ignored)
            return None
        is_from_user = by_user and kind != "AssistantMessage"
        return chats.Message("user" if is_from_user else "assistant", [*texts])

    def _texts_in(self, value: dict[str, Any], path: JsonPath) -> list[str]:
        """Returns the text of a message; structured content becomes JSON text."""
        content = value.get("content")
        if isinstance(content, dict):
            return [json.dumps(content, ensure_ascii=False)]
        message = chats.Message(None)
        _SCHEMA.add_content(message, value, path)
        self.recorder.note((), message.ignored)
        return unless_blank("\n".join(message.texts))


def _add_parts(
    entry: chats.CallKeys | chats.ResultKeys,
    message: chats.Message,
    value: dict[str, Any],
    path: JsonPath,
) -> None:
    for part, part_path in path["content"].objects(value.get("content")):
        entry(message, part, part_path)


_SCHEMA = chats.MessageSchema(
    _is_autogen_message,
    chats.speakers(tool="tool"),
    {"picture": "picture"},
    lambda part, path: (("picture", part, path),),
)
