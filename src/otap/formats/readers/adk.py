"""Sessions and eval sets of Google's Agent Development Kit (ADK), in snake_case or camelCase."""

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from otap.formats.json.documents import Document, first_of
from otap.formats.json.places import Place
from otap.formats.steps.calls import Call, call_notes
from otap.formats.steps.content import recorded
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory, parse_trajectory

NAME = "adk"
DESCRIPTION = "sessions and eval sets of Google's Agent Development Kit (ADK)"
STEP = "each function call of an agent; in an eval set, each tool use that is expected"
KNOWN_BY = "events with 'author' and 'invocationId', or 'eval_cases'"


def recognises(value: Any) -> bool:
    """Says whether this is a session or an eval set, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    return isinstance(_field(first, "eval_cases"), list) or _is_session(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns a run for each session, and for each case of an eval set its expected run."""
    for value, place in document.items():
        item = _Object(place.object(value), place)
        if item.get("eval_cases") is None:
            yield _session(item, reasoning)
            continue
        name = item.get("eval_set_id")
        for case in item.objects("eval_cases"):
            if case.get("conversation") is not None or case.get("conversation_scenario") is None:
                yield _case(case, name, reasoning)


def _is_session(value: dict[str, Any]) -> bool:
    events = value.get("events")
    if not isinstance(events, list):
        return False
    if not events:
        return {"id", "state"} <= value.keys() and _field(value, "app_name") is not None
    first = events[0]
    return isinstance(first, dict) and "author" in first and _key(first, "invocation_id") in first


def _key(value: dict[str, Any], name: str) -> str:
    """Returns the key of a field as it is written here."""
    first, *others = name.split("_")
    camel = first + "".join(word.capitalize() for word in others)
    return camel if camel in value else name


def _field(value: dict[str, Any], name: str) -> Any:
    return value.get(_key(value, name))


class _Object(NamedTuple):
    """A JSON object and its place; its fields are found by either spelling of their names."""

    value: dict[str, Any]
    place: Place

    def get(self, name: str) -> Any:
        """Returns a field, or nothing."""
        return _field(self.value, name)

    def at(self, name: str) -> Place:
        """Returns the place of a field."""
        return self.place[_key(self.value, name)]

    def object(self, name: str) -> "_Object | None":
        """Returns a field that is an object, or null."""
        found = self.get(name)
        return None if found is None else _Object(self.at(name).object(found), self.at(name))

    def objects(self, name: str) -> "list[_Object]":
        """Returns a field that is a list of objects, or null."""
        return [_Object(item, place) for item, place in self.at(name).objects(self.get(name))]

    def label(self, name: str) -> str | None:
        """Returns a field that names something."""
        return self.at(name).label(self.get(name))


def _session(session: _Object, reasoning: bool) -> Trajectory:
    recorder = Recorder(reasoning)
    _record_events(recorder, session.objects("events"))
    notes = {"app_name": session.label("app_name")}
    return _run(recorder, {"id": session.label("id")}, notes, session.place)


def _case(case: _Object, name: Any, reasoning: bool) -> Trajectory:
    recorder = Recorder(reasoning)
    case.at("conversation").array(case.get("conversation"))
    for index, invocation in enumerate(case.objects("conversation")):
        _record_invocation(recorder, invocation, index)
    identifier = case.label("eval_id")
    names = {"id": identifier, "task": identifier, **tool_facts(*_declared(case))}
    return _run(recorder, names, {"eval_set_id": name}, case.place)


def _declared(case: _Object) -> Iterator[Any]:
    """Yields the tools that each agent was given, where an eval set says so."""
    for invocation in case.objects("conversation"):
        about = invocation.object("app_details")
        agents = about.get("agent_details") if about is not None else None
        for agent in agents.values() if isinstance(agents, dict) else ():
            if isinstance(agent, dict):
                yield _field(agent, "tool_declarations")


def _run(
    recorder: Recorder, names: dict[str, Any], notes: dict[str, Any], place: Place
) -> Trajectory:
    found = recorder.conversation()
    return parse_trajectory(
        {**vars(found), **names, "metadata": {**recorded(notes), **found.metadata}}, str(place)
    )


def _record_events(recorder: Recorder, events: list[_Object]) -> None:
    """Records events in order; what another agent said leads to no call of this one."""
    before = None
    for index, event in enumerate(events):
        author = event.label("author")
        if author != before:
            recorder.interrupted()
        _record(recorder, event, author, index)
        before = author


def _record(recorder: Recorder, event: _Object, author: str | None, index: int) -> None:
    """Records one event; a partial one comes again when it is whole."""
    content = event.object("content")
    if content is None or event.get("partial") is True:
        return
    parts = content.objects("parts")
    if author == "user":
        recorder.user(_texts(parts))
    else:
        calls = [_call(call) for part in parts if (call := part.object("function_call"))]
        texts = _texts(parts)
        if texts or calls:
            recorder.assistant(texts, calls, author)
    for part in parts:
        response = part.object("function_response")
        if response is not None:
            _result(recorder, response, index)


def _texts(parts: list[_Object]) -> list[str]:
    """Returns what is said as one text; a model's thoughts are not said."""
    said = [part.at("text").text(part.get("text")) for part in parts if _speaks(part)]
    text = "\n".join(said)
    return [text] if text.strip() else []


def _speaks(part: _Object) -> bool:
    return part.get("text") not in (None, "") and part.get("thought") is not True


def _call(call: _Object) -> Call:
    identifier = call.label("id")
    notes = call_notes(identifier)
    return Call(call.at("name").text(call.get("name")), call.get("args"), identifier, notes)


def _result(recorder: Recorder, response: _Object, index: int) -> None:
    content, name = response.get("response"), response.get("name")
    identifier = response.label("id")
    kept = {"event": index, "id": identifier, "name": name}
    recorder.result(identifier, name, content, _status(content), kept=kept)


def _status(response: Any) -> Literal["ok", "error"] | None:
    """ADK itself answers with an ``error``; it asks tools to answer with a ``status``."""
    if not isinstance(response, dict):
        return None
    if response.get("error") is not None or response.get("status") == "error":
        return "error"
    return "ok" if response.get("status") in ("ok", "success") else None


def _record_invocation(recorder: Recorder, invocation: _Object, index: int) -> None:
    asked, final = invocation.object("user_content"), invocation.object("final_response")
    recorder.user(_texts(asked.objects("parts")) if asked else [])
    between = invocation.object("intermediate_data")
    if between is not None:
        _record_events(recorder, between.objects("invocation_events"))
        _record_uses(recorder, between, index)
    recorder.assistant(_texts(final.objects("parts")) if final else [])


def _record_uses(recorder: Recorder, between: _Object, index: int) -> None:
    """Records calls and responses that lie side by side: each response by id and name, in order."""
    waiting: dict[Any, deque[_Object]] = defaultdict(deque)
    for response in between.objects("tool_responses"):
        waiting[response.label("id"), response.label("name")].append(response)
    for use in between.objects("tool_uses"):
        call = _call(use)
        recorder.assistant((), [call])
        answers = waiting[call.id, call.tool]
        if answers:
            _result(recorder, answers.popleft(), index)
    for response in (one for answers in waiting.values() for one in answers):
        _result(recorder, response, index)
