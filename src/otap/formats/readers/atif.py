"""Files in ATIF, the Agent Trajectory Interchange Format of Harbor, versions 1.2 to 1.8."""

from collections.abc import Iterator
from functools import partial
from itertools import starmap
from typing import Any

from otap.errors import LimitError
from otap.formats.json.documents import Document, first_of
from otap.formats.json.places import Place, described
from otap.formats.limits import MAX_NESTING
from otap.formats.steps.calls import Call, call_notes
from otap.formats.steps.content import is_text, joined, note_part, recorded, said
from otap.formats.steps.conversation import Conversation
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory, parse_trajectory

NAME = "atif"
DESCRIPTION = "ATIF (Agent Trajectory Interchange Format): a trajectory, a list, or one a line"
STEP = "each tool call of an agent step, or its action where it calls no tool but is answered"
KNOWN_BY = "'schema_version' that begins with 'ATIF-v', 'agent' and 'steps'"
BY_ITEM = True

_SOURCES = ("system", "user", "agent")


def recognises(value: Any) -> bool:
    """Says whether this says of itself that it is ATIF, or is a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict) or not {"agent", "steps"} <= first.keys():
        return False
    version = first.get("schema_version")
    return isinstance(version, str) and version.startswith("ATIF-v")


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each trajectory; trajectories inside it are the sub-steps of calls."""
    return starmap(partial(_run, reasoning=reasoning), document.items())


def _run(item: Any, place: Place, *, reasoning: bool) -> Trajectory:
    value = place.object(item)
    reader = _Reader(value, place, reasoning)
    found = reader.conversation()
    facts = tool_facts(value["agent"].get("tool_definitions"))
    notes = reader.notes | found.metadata
    fields = {**vars(found), "id": reader.name, **facts, "metadata": notes}
    return parse_trajectory(fields, str(place))


class _Reader:
    """Reads one trajectory, which may hold those of other agents."""

    def __init__(
        self, value: dict[str, Any], place: Place, reasoning: bool, nesting: int = 0
    ) -> None:
        if nesting > MAX_NESTING:
            raise LimitError(f"{place}: trajectories inside others, deeper than {MAX_NESTING}")
        self._value, self._place, self._nesting = value, place, nesting
        self._reasoning = reasoning
        self._recorder = Recorder(reasoning)
        agent = place["agent"].object(value.get("agent"))
        self._agent = place["agent"]["name"].label(agent.get("name"))
        self._inside = self._embedded()
        names = (place[key].label(value.get(key)) for key in ("trajectory_id", "session_id"))
        self.name = next((name for name in names if name is not None), None)
        self.notes = _notes(value, agent)

    def conversation(self) -> Conversation:
        """Returns the run; trajectories that no result refers to are named in its metadata."""
        for index, step in enumerate(self._place["steps"].array(self._value.get("steps"))):
            place = self._place["steps"][index]
            if place.object(step).get("is_copied_context") is not True:
                self._record(step, place)
        if self._inside:
            self.notes["subagents_without_call"] = list(self._inside)
        return self._recorder.conversation()

    def _embedded(self) -> dict[str, "_Reader"]:
        key = "subagent_trajectories"
        found = self._value.get(key)
        readers = []
        for index, value in enumerate(self._place[key].array(found) if found is not None else []):
            place = self._place[key][index]
            readers.append(_Reader(place.object(value), place, self._reasoning, self._nesting + 1))
        return {reader.name: reader for reader in readers if reader.name is not None}

    def _record(self, step: dict[str, Any], place: Place) -> None:
        source = step.get("source")
        texts = _texts(self._recorder, step.get("message"), place["message"])
        if source == "agent":
            self._act(step, place, texts)
        elif source == "user":
            self._recorder.user(texts)
        elif source == "system":
            self._recorder.interrupted()
            self._recorder.ignored("system prompt")
        else:
            expected = ", ".join(_SOURCES)
            raise place["source"].error(f"expected one of {expected}, found {described(source)}")

    def _act(self, step: dict[str, Any], place: Place, texts: list[str]) -> None:
        self._recorder.spent(step)
        where = place["tool_calls"]
        listed = step.get("tool_calls")
        calls = [_call(c, where[n]) for n, c in enumerate(where.array(listed or []))]
        results = _results(step, place)
        if results and not calls:
            calls = [Call(None, None, None, {"unnamed": True})]
        self._recorder.assistant(texts, calls, self._agent)
        for result, at in results:
            self._answer(result, at)

    def _answer(self, result: dict[str, Any], place: Place) -> None:
        identifier = place["source_call_id"].label(result.get("source_call_id"))
        content = joined(result.get("content"))
        kept = {"source_call_id": identifier}
        call = self._recorder.result(identifier, None, content, kept=kept)
        references, where = result.get("subagent_trajectory_ref"), place["subagent_trajectory_ref"]
        for index, value in enumerate(where.array(references) if references is not None else []):
            reference = where[index].object(value)
            name = where[index]["trajectory_id"].label(reference.get("trajectory_id"))
            if call is not None and name in self._inside:
                steps = (*call.substeps, *self._inside.pop(name).conversation().steps)
                call.substeps = tuple(
                    step.model_copy(update={"id": str(number)})
                    for number, step in enumerate(steps, 1)
                )


def _notes(value: dict[str, Any], agent: dict[str, Any]) -> dict[str, Any]:
    notes = {
        "agent_version": agent.get("version"),
        "model_name": agent.get("model_name"),
        "continued_trajectory_ref": value.get("continued_trajectory_ref"),
    }
    return recorded(notes)


def _results(step: dict[str, Any], place: Place) -> list[tuple[dict[str, Any], Place]]:
    if step.get("observation") is None:
        return []
    where = place["observation"]
    results = where["results"].array(where.object(step["observation"]).get("results"))
    places = [where["results"][index] for index in range(len(results))]
    return [(at.object(result), at) for result, at in zip(results, places, strict=True)]


def _call(value: Any, place: Place) -> Call:
    call = place.object(value)
    identifier = place["tool_call_id"].label(call.get("tool_call_id"))
    notes = call_notes(identifier)
    tool = place["function_name"].text(call.get("function_name"))
    return Call(tool, call.get("arguments"), identifier, notes)


def _texts(recorder: Recorder, message: Any, place: Place) -> list[str]:
    """Returns what a message says: one text, or none where it is blank or all pictures."""
    if not isinstance(message, list | None) and message != "":
        place.text(message)
    return said(message, place, partial(_part_text, recorder))


def _part_text(recorder: Recorder, part: Any, place: Place) -> str | None:
    """Returns the text of a part that has one, be it empty; its type does not matter."""
    if is_text(place.object(part)):
        text: str = part["text"]
        return text
    note_part(recorder, part.get("type"))
    return None
