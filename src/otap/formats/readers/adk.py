"""Sessions and eval sets of Google's Agent Development Kit (ADK), in snake_case or camelCase."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from otap.formats import chats
from otap.formats.content import unless_blank
from otap.formats.json.documents import Document, first_of
from otap.formats.readers import gemini
from otap.formats.readers.gemini import Fields, field_of, key_of
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import ToolCall, ToolResult
from otap.formats.tool_definitions import tool_facts
from otap.trajectory import Trajectory

NAME = "adk"
DESCRIPTION = "sessions and eval sets of Google's Agent Development Kit (ADK)"
STEP = "each function call of an agent; in an eval set, each expected tool use"
KNOWN_BY = (
    "events with 'author' and 'invocationId', 'eval_cases', or queries with the expected tool use"
)

_EXPECTED_KEYS = ("expected_tool_use", "reference", "expected_intermediate_agent_responses")


def _status_of_response(result: chats.Object) -> chats.Status:
    """Returns the status of a response: ADK writes ``error``, and asks tools for ``status``."""
    response = result.get("response")
    if not isinstance(response, dict):
        return None
    if response.get("error") is not None or response.get("status") == "error":
        return "error"
    return "ok" if response.get("status") in ("ok", "success") else None


_RESPONSE = chats.ResultKeys(("response",), status=_status_of_response, clean=chats.identity)
_CALL = chats.CallKeys("name", ("args",))
_SCHEMA = replace(
    gemini.SCHEMA,
    parts={
        **gemini.PARTS,
        "thought": "",
        "function_response": _RESPONSE,
        "tool_response": replace(_RESPONSE, name="tool_type"),
        **{kind: f"part with '{kind}'" for kind in ("inline_data", "file_data")},
    },
    joined_roles=(chats.USER, chats.ASSISTANT),
)


def recognises(value: Any) -> bool:
    """Returns whether this is a session, an eval set, or a list of these or of events."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    return (
        _is_event(first)
        or _is_invocation(first)
        or _is_eval_set(first)
        or _is_session(first)
        or _is_older_case(first)
        or _is_query(first)
    )


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields a run for each session, and the expected run for each case of an eval set."""
    first = first_of(document.value)
    if _is_event(first) or _is_invocation(first) or _is_query(first):
        recorder = Recorder(reasoning)
        items = [Fields(path.object(value), path) for value, path in document.items()]
        if _is_event(first):
            record_events(recorder, items)
        elif _is_invocation(first):
            for index, invocation in enumerate(items):
                record_invocation(recorder, invocation, index)
        else:
            for query in items:
                _record_query(recorder, query)
        yield recorder.conversation().to_trajectory(document.root, {}, {})
        return
    for value, path in document.items():
        item = Fields(path.object(value), path)
        if _is_eval_set(item.mapping):
            yield from _runs_of_cases(item, reasoning)
        elif _is_older_case(item.mapping):
            yield _run_of_older_case(item, reasoning)
        else:
            yield _run_of_session(item, reasoning)


def _is_session(value: dict[str, Any]) -> bool:
    """Returns whether this is a session, with or without events."""
    events = value.get("events")
    if not isinstance(events, list):
        return False
    if not events:
        return {"id", "state"} <= value.keys() and field_of(value, "app_name") is not None
    return _is_event(events[0])


def _is_event(value: Any) -> bool:
    """Returns whether this is an event, as a runner yields it."""
    return isinstance(value, dict) and "author" in value and key_of(value, "invocation_id") in value


def _is_invocation(value: dict[str, Any]) -> bool:
    """Returns whether this is one turn of a conversation, as metrics of evaluations receive it."""
    keys = {key_of(value, name) for name in ("user_content", "intermediate_data")}
    return keys <= value.keys()


def _run_of_session(session: Fields, reasoning: bool) -> Trajectory:
    recorder = Recorder(reasoning)
    record_events(recorder, session.objects("events"))
    names, notes = {"id": session.label("id")}, {"app_name": session.label("app_name")}
    return recorder.conversation().to_trajectory(session.path, names, notes)


def _is_eval_set(value: dict[str, Any]) -> bool:
    return isinstance(field_of(value, "eval_cases"), list)


def _runs_of_cases(eval_set: Fields, reasoning: bool) -> Iterator[Trajectory]:
    set_id = eval_set.get("eval_set_id")
    for case in eval_set.objects("eval_cases"):
        if case.get("conversation") is not None or case.get("conversation_scenario") is None:
            yield _run_of_case(case, set_id, reasoning)


def _run_of_case(case: Fields, set_id: Any, reasoning: bool) -> Trajectory:
    recorder = Recorder(reasoning)
    case.at("conversation").array(case.get("conversation"))
    invocations = case.objects("conversation")
    for index, invocation in enumerate(invocations):
        record_invocation(recorder, invocation, index)
    case_id = case.label("eval_id")
    fields = {"id": case_id, "task": case_id, **facts_of_tools(invocations)}
    return recorder.conversation().to_trajectory(case.path, fields, {"eval_set_id": set_id})


def _run_of_older_case(case: Fields, reasoning: bool) -> Trajectory:
    recorder = Recorder(reasoning)
    for query in case.objects("data"):
        _record_query(recorder, query)
    name = case.label("name")
    return recorder.conversation().to_trajectory(case.path, {"id": name, "task": name}, {})


def record_events(recorder: Recorder, events: list[Fields]) -> None:
    """Records events in order; a change of author ends the turn.

    Raises:
        FormatError: with the path of the first invalid field.
    """
    last_author = None
    for index, event in enumerate(events):
        author = event.label("author")
        if author != last_author:
            recorder.interrupted()
        last_author = author
        content = event.object_if_any("content")
        if event.get("partial") is True:  # a complete event follows
            continue
        recorder.add_usage(event.mapping)
        if content is not None:
            _record_content(recorder, content, author, index)


def record_invocation(recorder: Recorder, invocation: Fields, index: int) -> None:
    """Records the request of the user, the calls, and the final answer.

    Raises:
        FormatError: with the path of the first invalid field.
    """
    request, answer = (
        invocation.object_if_any("user_content"),
        invocation.object_if_any("final_response"),
    )
    _record_content(recorder, request or Fields({}, invocation.path), "user", index)
    intermediate = invocation.object_if_any("intermediate_data")
    if intermediate is not None:
        record_events(recorder, intermediate.objects("invocation_events"))
        _record_uses(recorder, intermediate, index)
        _record_responses(recorder, intermediate, index)
    if answer is not None:
        _record_content(recorder, answer, None, index)
    else:
        recorder.interrupted()


def facts_of_tools(invocations: Iterable[Fields]) -> dict[str, Any]:
    """Returns the hints in the tool declarations of all agents, as the field ``tools``."""
    declarations: list[Any] = []
    for invocation in invocations:
        details = invocation.object_if_any("app_details")
        agents = details.get("agent_details") if details is not None else None
        declarations += [
            field_of(agent, "tool_declarations")
            for agent in (agents.values() if isinstance(agents, dict) else ())
            if isinstance(agent, dict)
        ]
    return tool_facts(*declarations)


def _record_content(recorder: Recorder, content: Fields, author: str | None, index: int) -> None:
    """Records a content of the user or, for any other author, of the agent with that name."""
    role = "user" if author == "user" else gemini.MODEL
    message = _SCHEMA.read_message({**content.mapping, "role": role}, content.path)
    message.agent = author
    _SCHEMA.record(recorder, message, {"event": index})


def _record_uses(recorder: Recorder, intermediate: Fields, index: int) -> None:
    """Records two parallel lists of calls and responses, matched by id and name, in order."""
    responses: dict[Any, deque[ToolResult]] = defaultdict(deque)
    for response in intermediate.objects("tool_responses"):
        result = _RESPONSE.read(response.mapping, response.path)
        responses[result.call_id, result.name].append(result)
    for use in intermediate.objects("tool_uses"):
        call = _CALL.read(use.mapping, use.path)
        recorder.assistant((), [call])
        matches = responses[call.id, call.tool]
        if matches:
            recorder.tool_result(matches.popleft(), {"event": index})
    for unmatched in responses.values():
        for result in unmatched:
            recorder.tool_result(result, {"event": index})


def _record_responses(recorder: Recorder, intermediate: Fields, index: int) -> None:
    """Records the intermediate responses of agents: pairs of an author and parts."""
    list_path = intermediate.at("intermediate_responses")
    responses = intermediate.get("intermediate_responses")
    for pair, pair_path in list_path.items(responses) if responses is not None else ():
        author, parts = [*pair_path.array(pair), None, None][:2]
        message = chats.Message(gemini.MODEL, agent=pair_path[0].label(author))
        for part, part_path in pair_path[1].objects(parts):
            _SCHEMA.add_part(message, part, part_path)
        _SCHEMA.record(recorder, message, {"event": index})
        recorder.interrupted()


def _is_query(value: Any) -> bool:
    """Returns whether this is one query with the expected tool uses or answer."""
    if not isinstance(value, dict) or not isinstance(value.get("query"), str):
        return False
    return not value.keys().isdisjoint(_EXPECTED_KEYS)


def _is_older_case(value: dict[str, Any]) -> bool:
    """Returns whether this is a case of an older eval set: a name, and its queries."""
    queries = value.get("data") if "name" in value else None
    if not isinstance(queries, list):
        return False
    return _is_query(queries[0]) if queries else "initial_session" in value


def _record_query(recorder: Recorder, query: Fields) -> None:
    """Records the query, the expected tool uses, and the expected answer.

    Raises:
        FormatError: with the path of the first invalid field.
    """
    recorder.user([query.path["query"].text(query.mapping.get("query"))])
    uses = query.path["expected_tool_use"].objects(query.mapping.get("expected_tool_use"))
    for use, path in uses:
        tool, output = path["tool_name"].text(use.get("tool_name")), use.get("mock_tool_output")
        recorder.assistant((), [ToolCall(tool, use.get("tool_input"), None, {})])
        if output is not None:
            recorder.result(None, tool, output, origin={})
    for response in query.objects("expected_intermediate_agent_responses"):
        texts = unless_blank(response.mapping.get("text"))
        recorder.assistant(texts, (), response.label("author"))
        recorder.interrupted()
    recorder.assistant(unless_blank(query.mapping.get("reference")))
