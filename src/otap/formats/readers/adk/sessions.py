"""Sessions and eval sets of Google's Agent Development Kit (ADK), in snake_case or camelCase."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.readers.adk.events import declared, record_events, record_invocation
from otap.formats.readers.adk.objects import Fields, field_of, key_of
from otap.formats.readers.adk.older_sets import is_case, is_query, record_query
from otap.formats.steps.content import recorded
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory, parse_trajectory

NAME = "adk"
DESCRIPTION = "sessions and eval sets of Google's Agent Development Kit (ADK)"
STEP = "each function call of an agent; in an eval set, each tool use that is expected"
KNOWN_BY = (
    "events with 'author' and 'invocationId', 'eval_cases', or queries with their expected tool use"
)


def recognises(value: Any) -> bool:
    """Says whether this is a session or an eval set, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    return _is_set(first) or is_session(first) or is_case(first) or is_query(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns a run for each session, and for each case of an eval set its expected run."""
    if is_query(first_of(document.value)):
        recorder = Recorder(reasoning)
        for value, place in document.items():
            record_query(recorder, Fields(place.object(value), place))
        yield finished(recorder, {}, {}, Fields({}, document.place))
        return
    for value, place in document.items():
        item = Fields(place.object(value), place)
        if _is_set(item.value):
            yield from _cases(item, reasoning)
        elif is_case(item.value):
            yield _older_case(item, reasoning)
        else:
            yield session(item, reasoning)


def is_session(value: dict[str, Any]) -> bool:
    """Says whether this is a session, with or without events."""
    events = value.get("events")
    if not isinstance(events, list):
        return False
    if not events:
        return {"id", "state"} <= value.keys() and field_of(value, "app_name") is not None
    first = events[0]
    return isinstance(first, dict) and "author" in first and key_of(first, "invocation_id") in first


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
    metadata = {**recorded(notes), **found.metadata}
    return parse_trajectory({**vars(found), **names, "metadata": metadata}, str(item.place))


def _is_set(value: dict[str, Any]) -> bool:
    return isinstance(field_of(value, "eval_cases"), list)


def _cases(item: Fields, reasoning: bool) -> Iterator[Trajectory]:
    name = item.get("eval_set_id")
    for case in item.objects("eval_cases"):
        if case.get("conversation") is not None or case.get("conversation_scenario") is None:
            yield _case(case, name, reasoning)


def _case(case: Fields, name: Any, reasoning: bool) -> Trajectory:
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
        record_query(recorder, query)
    identifier = case.label("name")
    return finished(recorder, {"id": identifier, "task": identifier}, {}, case)
