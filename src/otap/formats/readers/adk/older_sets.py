"""Eval sets of Google's ADK as they were before version 1: queries with the tool uses expected."""

from typing import Any

from otap.formats.json.places import Place
from otap.formats.readers.adk.objects import Fields
from otap.formats.steps.calls import Call
from otap.formats.steps.recorder import Recorder

_EXPECTED = ("expected_tool_use", "reference", "expected_intermediate_agent_responses")


def is_query(value: Any) -> bool:
    """Says whether this is one query with what is expected of the agent."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("query"), str)
        and any(key in value for key in _EXPECTED)
    )


def is_case(value: Any) -> bool:
    """Says whether this is a case: a name, and its queries."""
    if not isinstance(value, dict) or not {"name", "data"} <= value.keys():
        return False
    data = value["data"]
    return isinstance(data, list) and (is_query(data[0]) if data else "initial_session" in value)


def record_query(recorder: Recorder, query: Fields) -> None:
    """Records what is asked, the uses of tools that are expected, and the answer.

    Raises:
        FormatError: with the place of the first thing that no query may hold.
    """
    recorder.user([query.place["query"].text(query.value.get("query"))])
    for use, place in query.place["expected_tool_use"].objects(
        query.value.get("expected_tool_use")
    ):
        _use(recorder, use, place)
    for said in query.objects("expected_intermediate_agent_responses"):
        text = said.value.get("text")
        recorder.assistant(
            [text] if isinstance(text, str) and text else [], (), said.label("author")
        )
        recorder.interrupted()
    reference = query.value.get("reference")
    recorder.assistant([reference] if isinstance(reference, str) and reference.strip() else [])


def _use(recorder: Recorder, use: dict[str, Any], place: Place) -> None:
    tool = place["tool_name"].text(use.get("tool_name"))
    call = Call(tool, use.get("tool_input"), None, {})
    recorder.assistant((), [call])
    if use.get("mock_tool_output") is not None:
        recorder.result(None, tool, use["mock_tool_output"], kept={})
