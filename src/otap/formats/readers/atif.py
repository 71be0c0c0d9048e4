"""Files in ATIF, the Agent Trajectory Interchange Format of Harbor, versions 1.2 to 1.8."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import starmap
from typing import Any

from otap.errors import LimitError
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.limits import MAX_NESTING
from otap.formats.steps import tables
from otap.formats.steps.calls import Call
from otap.formats.steps.content import drop_nulls, is_text
from otap.formats.steps.conversation import Conversation
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Step, Trajectory, parse_trajectory

NAME = "atif"
DESCRIPTION = "ATIF (Agent Trajectory Interchange Format): a trajectory, a list, or one a line"
STEP = "each tool call of an agent step, or its action where it calls no tool but is answered"
KNOWN_BY = "'schema_version' that begins with 'ATIF-v', 'agent' and 'steps'"
BY_ITEM = True


def recognises(value: Any) -> bool:
    """Says whether this says of itself that it is ATIF, or is a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict) or not {"agent", "steps"} <= first.keys():
        return False
    version = first.get("schema_version")
    return isinstance(version, str) and version.startswith("ATIF-v")


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each trajectory; trajectories inside it are the sub-steps of calls."""
    return starmap(partial(_run_of, reasoning=reasoning), document.items())


def _run_of(item: Any, place: JsonPath, *, reasoning: bool) -> Trajectory:
    value = place.object(item)
    reader = _Reader(value, place, reasoning)
    found = reader.conversation()
    facts = tool_facts(value["agent"].get("tool_definitions"))
    return parse_trajectory({**found.trajectory_fields(), "id": reader.name, **facts}, str(place))


@dataclass(slots=True)
class _Reader:
    """Reads one trajectory, which may hold those of other agents."""

    value: dict[str, Any]
    place: JsonPath
    reasoning: bool
    nesting: int = 0
    name: str | None = field(init=False)
    _inside: dict[str | None, "_Reader"] = field(init=False)

    def __post_init__(self) -> None:
        if self.nesting > MAX_NESTING:
            raise LimitError(f"{self.place}: trajectories inside others, deeper than {MAX_NESTING}")
        self.name = tables.label_of(self.value, ("trajectory_id", "session_id"), self.place)
        key = "subagent_trajectories"
        found = [
            _Reader(value, place, self.reasoning, self.nesting + 1)
            for value, place in self.place[key].objects(self.value.get(key))
        ]
        self._inside = {reader.name: reader for reader in found if reader.name is not None}

    def conversation(self) -> Conversation:
        """Returns the run; trajectories that no result refers to are named in its metadata."""
        agent = self.place["agent"].object(self.value.get("agent"))
        name = self.place["agent"]["name"].label(agent.get("name"))
        recorder, steps = Recorder(self.reasoning), self.place["steps"]
        for index, value in enumerate(steps.array(self.value.get("steps"))):
            step = steps[index].object(value)
            if step.get("is_copied_context") is not True:
                self._record_step(recorder, step, steps[index], name)
        found = recorder.conversation()
        notes = {
            "agent_version": agent.get("version"),
            "model_name": agent.get("model_name"),
            "continued_trajectory_ref": self.value.get("continued_trajectory_ref"),
            "subagents_without_call": list(self._inside) or None,
        }
        return replace(found, metadata={**drop_nulls(notes), **found.metadata})

    def _record_step(
        self, recorder: Recorder, step: dict[str, Any], place: JsonPath, name: str | None
    ) -> None:
        message = _DIALECT.read_message(step, place)
        message.agent = name
        results = list(_results_in(step, place)) if message.role == "agent" else []
        if results and not message.calls:
            message.items.append(Call(None, None, None, {"unnamed": True}))
        if message.role == "agent":
            recorder.add_usage(step)
        _DIALECT.record(recorder, message, {})
        for result, at in results:
            call = recorder.tool_result(_RESULT.read(result, at), {})
            key = "subagent_trajectory_ref"
            for reference, where in at[key].objects(result.get(key)):
                told = where["trajectory_id"].label(reference.get("trajectory_id"))
                if call is not None and told in self._inside:
                    _add_substeps(call, self._inside.pop(told).conversation().steps)


def _add_substeps(call: Call, steps: tuple[Step, ...]) -> None:
    numbered = enumerate((*call.substeps, *steps), 1)
    call.substeps = tuple(step.model_copy(update={"id": str(number)}) for number, step in numbered)


def _results_in(step: dict[str, Any], place: JsonPath) -> Iterator[tuple[dict[str, Any], JsonPath]]:
    where = place["observation"]
    observed = step.get("observation")
    observed = where.object({} if observed is None else observed)
    return where["results"].objects(observed.get("results"))


def _add_atif_calls(message: tables.Message, step: dict[str, Any], place: JsonPath) -> None:
    for call, where in place["tool_calls"].objects(step.get("tool_calls")):
        _CALL(message, call, where)


def _tell_text(part: dict[str, Any], place: JsonPath) -> Iterator[tables.Part]:
    """Tells a part that has a text from others; its type does not matter."""
    yield "text" if is_text(part) else part.get("type"), part, place


_CALL = tables.CallKeys("function_name", ids=("tool_call_id",))
_RESULT = tables.ResultKeys(ids=("source_call_id",))
_DIALECT = tables.MessageSchema(
    lambda value: isinstance(value, dict) and "source" in value,
    tables.speakers(assistant="agent", system="system"),
    {"text": tables.TextKeys()},
    _tell_text,
    role="source",
    content=("message",),
    read_extra_fields=_add_atif_calls,
    joined_roles=(tables.USER, tables.ASSISTANT),
)
