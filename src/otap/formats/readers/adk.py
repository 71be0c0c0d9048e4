"""Sessions and eval sets of Google's Agent Development Kit (ADK), in snake_case or camelCase."""

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from otap.formats.dialects import gemini
from otap.formats.dialects.gemini import Fields, field_of, key_of
from otap.formats.json.documents import Document, first_of
from otap.formats.steps import tables
from otap.formats.steps.calls import Call, Result
from otap.formats.steps.content import drop_nulls, unless_blank
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory, parse_trajectory

NAME = "adk"
DESCRIPTION = "sessions and eval sets of Google's Agent Development Kit (ADK)"
STEP = "each function call of an agent; in an eval set, each tool use that is expected"
KNOWN_BY = (
    "events with 'author' and 'invocationId', 'eval_cases', or queries with their expected tool use"
)

_EXPECTED = ("expected_tool_use", "reference", "expected_intermediate_agent_responses")


def _status_of_response(result: tables.Object) -> tables.Status:
    """ADK itself answers with an ``error``; it asks tools to answer with a ``status``."""
    response = result.get("response")
    if not isinstance(response, dict):
        return None
    if response.get("error") is not None or response.get("status") == "error":
        return "error"
    return "ok" if response.get("status") in ("ok", "success") else None


_RESPONSE = tables.ResultKeys(("response",), status=_status_of_response, clean=tables.identity)
_CALL = tables.CallKeys("name", ("args",))
_DIALECT = replace(
    gemini.DIALECT,
    parts={
        **gemini.PARTS,
        "thought": "",
        "function_response": _RESPONSE,
        "tool_response": replace(_RESPONSE, name="tool_type"),
        **{kind: f"part with '{kind}'" for kind in ("inline_data", "file_data")},
    },
    joined_roles=(tables.USER, tables.ASSISTANT),
)


def recognises(value: Any) -> bool:
    """Says whether this is a session or an eval set, or a list that begins with one or events."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    return (
        _is_event(first)
        or _is_set(first)
        or _is_session(first)
        or _is_case(first)
        or _is_query(first)
    )


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns a run for each session, and for each case of an eval set its expected run."""
    if _is_event(first_of(document.value)):
        recorder, about = Recorder(reasoning), Fields({}, document.root)
        events = [Fields(place.object(value), place) for value, place in document.items()]
        record_events(recorder, events)
        yield finished(recorder, {}, {}, about)
        return
    if _is_query(first_of(document.value)):
        recorder = Recorder(reasoning)
        for value, place in document.items():
            _record_query(recorder, Fields(place.object(value), place))
        yield finished(recorder, {}, {}, Fields({}, document.root))
        return
    for value, place in document.items():
        item = Fields(place.object(value), place)
        if _is_set(item.value):
            yield from _runs_of_cases(item, reasoning)
        elif _is_case(item.value):
            yield _older_case(item, reasoning)
        else:
            yield session(item, reasoning)


def _is_session(value: dict[str, Any]) -> bool:
    """Says whether this is a session, with or without events."""
    events = value.get("events")
    if not isinstance(events, list):
        return False
    if not events:
        return {"id", "state"} <= value.keys() and field_of(value, "app_name") is not None
    return _is_event(events[0])


def _is_event(value: Any) -> bool:
    """Says whether this is an event, as a runner yields it."""
    return isinstance(value, dict) and "author" in value and key_of(value, "invocation_id") in value


def session(item: Fields, reasoning: bool) -> Trajectory:
    """Returns the run of a session.

    Raises:
        FormatError: with the place of the first thing that no session may hold.
    """
    recorder = Recorder(reasoning)
    record_events(recorder, item.objects("events"))
    return finished(recorder, {"id": item.label("id")}, {"app_name": item.label("app_name")}, item)


def finished(
    recorder: Recorder, names: dict[str, Any], notes: dict[str, Any], item: Fields
) -> Trajectory:
    """Returns what was recorded as a run.

    Args:
        recorder: what has recorded the run.
        names: its fields beside those.
        notes: what is kept in its metadata, where it is known.
        item: what it was read from.

    Raises:
        FormatError: if it is no trajectory.
    """
    found = recorder.conversation()
    metadata = {**drop_nulls(notes), **found.metadata}
    return parse_trajectory(
        {**found.trajectory_fields(), **names, "metadata": metadata}, str(item.place)
    )


def _is_set(value: dict[str, Any]) -> bool:
    return isinstance(field_of(value, "eval_cases"), list)


def _runs_of_cases(item: Fields, reasoning: bool) -> Iterator[Trajectory]:
    name = item.get("eval_set_id")
    for case in item.objects("eval_cases"):
        if case.get("conversation") is not None or case.get("conversation_scenario") is None:
            yield _run_of_case(case, name, reasoning)


def _run_of_case(case: Fields, name: Any, reasoning: bool) -> Trajectory:
    recorder = Recorder(reasoning)
    case.at("conversation").array(case.get("conversation"))
    invocations = case.objects("conversation")
    for index, invocation in enumerate(invocations):
        record_invocation(recorder, invocation, index)
    identifier = case.label("eval_id")
    tools = [tool for invocation in invocations for tool in declared(invocation)]
    names = {"id": identifier, "task": identifier, **tool_facts(*tools)}
    return finished(recorder, names, {"eval_set_id": name}, case)


def _older_case(case: Fields, reasoning: bool) -> Trajectory:
    recorder = Recorder(reasoning)
    for query in case.objects("data"):
        _record_query(recorder, query)
    identifier = case.label("name")
    return finished(recorder, {"id": identifier, "task": identifier}, {}, case)


def record_events(recorder: Recorder, events: list[Fields]) -> None:
    """Records events in order; what another agent said leads to no call of this one.

    Raises:
        FormatError: with the place of the first thing that no event may hold.
    """
    before = None
    for index, event in enumerate(events):
        author = event.label("author")
        if author != before:
            recorder.interrupted()
        _record_event(recorder, event, author, index)
        before = author


def record_invocation(recorder: Recorder, invocation: Fields, index: int) -> None:
    """Records what the user asked, what was done, and what was answered at last.

    Raises:
        FormatError: with the place of the first thing that no invocation may hold.
    """
    asked, final = invocation.object("user_content"), invocation.object("final_response")
    _record_content(recorder, asked or Fields({}, invocation.place), "user", index)
    between = invocation.object("intermediate_data")
    if between is not None:
        record_events(recorder, between.objects("invocation_events"))
        _record_uses(recorder, between, index)
        _record_between(recorder, between, index)
    if final is not None:
        _record_content(recorder, final, None, index)
    else:
        recorder.interrupted()


def declared(invocation: Fields) -> Iterator[Any]:
    """Yields the tools that each agent was given, where an invocation says so."""
    about = invocation.object("app_details")
    agents = about.get("agent_details") if about is not None else None
    for agent in agents.values() if isinstance(agents, dict) else ():
        if isinstance(agent, dict):
            yield Fields(agent, invocation.place).get("tool_declarations")


def _record_event(recorder: Recorder, event: Fields, author: str | None, index: int) -> None:
    """Records one event; a partial one comes again when it is whole."""
    content = event.object("content")
    if event.get("partial") is True:
        return
    recorder.add_usage(event.value)
    if content is not None:
        _record_content(recorder, content, author, index)


def _record_content(recorder: Recorder, content: Fields, author: str | None, index: int) -> None:
    """Records a content; what is not the user's is of the agent of this name."""
    role = "user" if author == "user" else gemini.MODEL
    message = _DIALECT.read_message({**content.value, "role": role}, content.place)
    message.agent = author
    _DIALECT.record(recorder, message, {"event": index})


def _record_uses(recorder: Recorder, between: Fields, index: int) -> None:
    """Records calls and responses that lie side by side: each response by id and name, in order."""
    waiting: dict[Any, deque[Result]] = defaultdict(deque)
    for response in between.objects("tool_responses"):
        result = _RESPONSE.read(response.value, response.place)
        waiting[result.call_id, result.name].append(result)
    for use in between.objects("tool_uses"):
        call = _CALL.read(use.value, use.place)
        recorder.assistant((), [call])
        answers = waiting[call.id, call.tool]
        if answers:
            recorder.tool_result(answers.popleft(), {"event": index})
    for result in (one for answers in waiting.values() for one in answers):
        recorder.tool_result(result, {"event": index})


def _record_between(recorder: Recorder, between: Fields, index: int) -> None:
    """Records what agents said on the way: pairs of an author and parts."""
    where = between.at("intermediate_responses")
    found = between.get("intermediate_responses")
    for number, pair in enumerate(where.array(found) if found is not None else []):
        author, parts = [*where[number].array(pair), None, None][:2]
        name = where[number][0].label(author)
        message = tables.Message(gemini.MODEL, agent=name)
        for part, at in where[number][1].objects(parts):
            _DIALECT.add_part(message, part, at)
        _DIALECT.record(recorder, message, {"event": index})
        recorder.interrupted()


def _is_query(value: Any) -> bool:
    """Says whether this is one query with what is expected of the agent."""
    if not isinstance(value, dict) or not isinstance(value.get("query"), str):
        return False
    return not value.keys().isdisjoint(_EXPECTED)


def _is_case(value: dict[str, Any]) -> bool:
    """Says whether this is a case: a name, and its queries."""
    data = value.get("data") if "name" in value else None
    return isinstance(data, list) and (_is_query(data[0]) if data else "initial_session" in value)


def _record_query(recorder: Recorder, query: Fields) -> None:
    """Records what is asked, the uses of tools that are expected, and the answer.

    Raises:
        FormatError: with the place of the first thing that no query may hold.
    """
    recorder.user([query.place["query"].text(query.value.get("query"))])
    where = query.place["expected_tool_use"]
    for use, place in where.objects(query.value.get("expected_tool_use")):
        tool, returned = place["tool_name"].text(use.get("tool_name")), use.get("mock_tool_output")
        recorder.assistant((), [Call(tool, use.get("tool_input"), None, {})])
        if returned is not None:
            recorder.result(None, tool, returned, origin={})
    for said in query.objects("expected_intermediate_agent_responses"):
        recorder.assistant(unless_blank(said.value.get("text")), (), said.label("author"))
        recorder.interrupted()
    recorder.assistant(unless_blank(query.value.get("reference")))
