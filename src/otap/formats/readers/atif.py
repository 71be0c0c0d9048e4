"""Files in ATIF, the Agent Trajectory Interchange Format of Harbor, versions 1.2 to 1.8."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from otap.errors import LimitError
from otap.formats import chats
from otap.formats.content import drop_nulls, is_text
from otap.formats.conversations import Conversation
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.limits import MAX_NESTING
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import Call
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
    return document.map(lambda item, path: _run(path.object(item), path, reasoning))


def _run(trajectory: dict[str, Any], path: JsonPath, reasoning: bool) -> Trajectory:
    reader = _Reader(trajectory, path, reasoning)
    conversation = reader.conversation()
    facts = tool_facts(trajectory["agent"].get("tool_definitions"))
    return conversation.to_trajectory(path, {"id": reader.name, **facts})


@dataclass(slots=True)
class _Reader:
    """Reads one trajectory, which may hold those of subagents."""

    trajectory: dict[str, Any]
    path: JsonPath
    reasoning: bool
    nesting: int = 0
    name: str | None = field(init=False)
    _subagents: dict[str | None, "_Reader"] = field(init=False)

    def __post_init__(self) -> None:
        if self.nesting > MAX_NESTING:
            raise LimitError(f"{self.path}: trajectories nest deeper than {MAX_NESTING} levels")
        self.name = chats.label_of(self.trajectory, ("trajectory_id", "session_id"), self.path)
        key = "subagent_trajectories"
        readers = [
            _Reader(trajectory, path, self.reasoning, self.nesting + 1)
            for trajectory, path in self.path[key].objects(self.trajectory.get(key))
        ]
        self._subagents = {reader.name: reader for reader in readers if reader.name is not None}

    def conversation(self) -> Conversation:
        """Returns the run; its metadata lists trajectories that no result refers to."""
        agent = self.path["agent"].object(self.trajectory.get("agent"))
        name = self.path["agent"]["name"].label(agent.get("name"))
        recorder = Recorder(self.reasoning)
        for value, path in self.path["steps"].items(self.trajectory.get("steps")):
            step = path.object(value)
            if step.get("is_copied_context") is not True:
                self._record_step(recorder, step, path, name)
        conversation = recorder.conversation()
        notes = {
            "agent_version": agent.get("version"),
            "model_name": agent.get("model_name"),
            "continued_trajectory_ref": self.trajectory.get("continued_trajectory_ref"),
            "subagents_without_call": list(self._subagents) or None,
        }
        return replace(conversation, metadata={**drop_nulls(notes), **conversation.metadata})

    def _record_step(
        self, recorder: Recorder, step: dict[str, Any], path: JsonPath, name: str | None
    ) -> None:
        message = _SCHEMA.read_message(step, path)
        message.agent = name
        results = list(_results_in(step, path)) if message.role == "agent" else []
        if results and not message.calls:
            message.items.append(Call(None, None, None, {"unnamed": True}))
        if message.role == "agent":
            recorder.add_usage(step)
        _SCHEMA.record(recorder, message, {})
        for result, result_path in results:
            call = recorder.tool_result(_RESULT.read(result, result_path), {})
            key = "subagent_trajectory_ref"
            for reference, reference_path in result_path[key].objects(result.get(key)):
                subagent = reference_path["trajectory_id"].label(reference.get("trajectory_id"))
                if call is not None and subagent in self._subagents:
                    _add_substeps(call, self._subagents.pop(subagent).conversation().steps)


def _add_substeps(call: Call, steps: tuple[Step, ...]) -> None:
    numbered = enumerate((*call.substeps, *steps), 1)
    call.substeps = tuple(step.model_copy(update={"id": str(number)}) for number, step in numbered)


def _results_in(step: dict[str, Any], path: JsonPath) -> Iterator[tuple[dict[str, Any], JsonPath]]:
    observation_path = path["observation"]
    observation = step.get("observation")
    observation = observation_path.object({} if observation is None else observation)
    return observation_path["results"].objects(observation.get("results"))


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
