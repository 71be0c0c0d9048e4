"""Files in ATIF, the Agent Trajectory Interchange Format of Harbor, versions 1.2 to 1.8."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from otap.errors import LimitError
from otap.formats import chats
from otap.formats.content import drop_nulls, is_text
from otap.formats.conversations import Conversation
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.limits import MAX_NESTING
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import ToolCall
from otap.formats.tool_definitions import tool_facts
from otap.trajectory import Step, Trajectory

NAME = "atif"
DESCRIPTION = "ATIF (Agent Trajectory Interchange Format): a trajectory, a list, or one a line"
STEP = "each tool call of an agent step, or the step itself if it has results but no call"
KNOWN_BY = "'schema_version' that begins with 'ATIF-v', 'agent' and 'steps'"
BY_ITEM = True


def recognises(value: Any) -> bool:
    """Returns whether the schema version names ATIF, here or in the first item of a list."""
    first = first_of(value)
    if not isinstance(first, dict) or not {"agent", "steps"} <= first.keys():
        return False
    version = first.get("schema_version")
    return isinstance(version, str) and version.startswith("ATIF-v")


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each trajectory; the trajectories inside it are substeps of calls."""

    def read_run(value: Any, path: JsonPath) -> Trajectory:
        reader = _SubagentReader(JsonObject(path.object(value), path), reasoning)
        conversation = reader.conversation()
        facts = tool_facts(reader.trajectory.object("agent").get("tool_definitions"))
        return conversation.to_trajectory(path, {"id": reader.name, **facts})

    return document.map(read_run)


@dataclass(slots=True)
class _SubagentReader:
    """Reads one trajectory, which may hold those of subagents."""

    trajectory: JsonObject
    reasoning: bool
    nesting: int = 0
    name: str | None = field(init=False)
    _subagents: dict[str | None, "_SubagentReader"] = field(init=False)

    def __post_init__(self) -> None:
        path = self.trajectory.path
        if self.nesting > MAX_NESTING:
            raise LimitError(f"{path}: trajectories nest deeper than {MAX_NESTING} levels")
        keys = ("trajectory_id", "session_id")
        self.name = chats.label_of(self.trajectory.mapping, keys, path)
        readers = [
            _SubagentReader(trajectory, self.reasoning, self.nesting + 1)
            for trajectory in self.trajectory.objects("subagent_trajectories")
        ]
        self._subagents = {reader.name: reader for reader in readers if reader.name is not None}

    def conversation(self) -> Conversation:
        """Returns the run; its metadata lists trajectories that no result refers to."""
        agent_path = self.trajectory.at("agent")
        agent = JsonObject(agent_path.object(self.trajectory.get("agent")), agent_path)
        name = agent.label("name")
        recorder = Recorder(self.reasoning)
        steps_path = self.trajectory.at("steps")
        for value, path in steps_path.items(self.trajectory.get("steps")):
            step = JsonObject(path.object(value), path)
            if step.get("is_copied_context") is not True:
                self._record_step(recorder, step, name)
        conversation = recorder.conversation()
        notes = {
            "agent_version": agent.get("version"),
            "model_name": agent.get("model_name"),
            "continued_trajectory_ref": self.trajectory.get("continued_trajectory_ref"),
            "subagents_without_call": list(self._subagents) or None,
        }
        return replace(conversation, metadata={**drop_nulls(notes), **conversation.metadata})

    def _record_step(self, recorder: Recorder, step: JsonObject, name: str | None) -> None:
        message = _SCHEMA.read_message(*step)
        message.agent = name
        results: list[JsonObject] = []
        if message.role == "agent":
            results = step.object("observation").objects("results")
            recorder.add_usage(step.mapping)
        if results and not message.calls:
            message.items.append(ToolCall(None, None, None, {"unnamed": True}))
        _SCHEMA.record(recorder, message, {})
        for result in results:
            call = recorder.tool_result(_RESULT.read(*result), {})
            for reference in result.objects("subagent_trajectory_ref"):
                subagent = reference.label("trajectory_id")
                if call is not None and subagent in self._subagents:
                    _add_substeps(call, self._subagents.pop(subagent).conversation().steps)


def _add_substeps(call: ToolCall, steps: tuple[Step, ...]) -> None:
    numbered = enumerate((*call.substeps, *steps), 1)
    call.substeps = tuple(step.model_copy(update={"id": str(number)}) for number, step in numbered)


def _add_calls(message: chats.Message, step: dict[str, Any], path: JsonPath) -> None:
    for call, call_path in path["tool_calls"].objects(step.get("tool_calls")):
        _CALL(message, call, call_path)


def _classify_part(part: dict[str, Any], path: JsonPath) -> Iterator[chats.Part]:
    """Yields the kind of a part: "text" if it has a text, whatever its type."""
    yield "text" if is_text(part) else part.get("type"), part, path


_CALL = chats.CallKeys("function_name", ids=("tool_call_id",))
_RESULT = chats.ResultKeys(ids=("source_call_id",))
_SCHEMA = chats.MessageSchema(
    lambda value: isinstance(value, dict) and "source" in value,
    chats.speakers(assistant="agent", system="system"),
    {"text": chats.TextKeys()},
    _classify_part,
    role="source",
    content=("message",),
    read_extra_fields=_add_calls,
    joined_roles=(chats.USER, chats.ASSISTANT),
)
