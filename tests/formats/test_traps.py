"""Traps of traces in the wild, one test each, read by detection alone.

What a trace tells twice counts once; what it does not tell is unknown, and not empty; what is out
of order is put in order; what is broken is named with its file and place; and what is written in
another way is the same. How each format is read as a whole is tested beside this, in its own file.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import otap
from builders import openai_call as call
from builders import openai_result as answer
from otap import Step, formats
from otap.errors import FormatError

Plain = dict[str, Any]
Write = Callable[..., Path]

CITY: Plain = {"city": "Rome"}
UNPARSED: Plain = {"arguments_unparsed": True}
SECOND = 1_000_000_000
START = 1_777_555_053 * SECOND


def asked(*calls: Plain, **more: Any) -> Plain:
    """A message of OpenAI's assistant that asks for calls."""
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **more}


def span(identifier: str, parent: str | None, at: float, **attributes: Any) -> Plain:
    """A span of OpenTelemetry that takes a second; of the attributes' names ``__`` is a dot."""
    return {
        "trace_id": "t",
        "span_id": identifier,
        "parent_span_id": parent,
        "name": identifier,
        "start_time": START + int(at * SECOND),
        "end_time": START + int((at + 1) * SECOND),
        "attributes": {f"gen_ai.{k.replace('__', '.')}": v for k, v in attributes.items()},
    }


def ran(identifier: str, at: float, parent: str | None = None, **attributes: Any) -> Plain:
    """The span of a tool that is named like it."""
    tool = {"operation__name": "execute_tool", "tool__name": identifier}
    return span(identifier, parent, at, **{**tool, **attributes})


def chat(identifier: str, at: float, parent: str | None = None, **messages: Any) -> Plain:
    """The span of a model; each of its messages is a list of parts, by 'input' or 'output'."""
    roles = {"input": "user", "output": "assistant"}
    told = {
        f"{side}__messages": [{"role": roles[side], "parts": parts}]
        for side, parts in messages.items()
    }
    return span(identifier, parent, at, operation__name="chat", **told)


def part(name: str = "search", identifier: str = "c1") -> Plain:
    """A call as OpenTelemetry writes it in a message."""
    return {"type": "tool_call", "id": identifier, "name": name, "arguments": CITY}


def steps_of(write: Write, document: Any, name: str = "trace.json") -> tuple[Step, ...]:
    """The steps of the one run of a document, read by detection alone."""
    return formats.read(write(document, name)).steps


def tools(steps: tuple[Step, ...]) -> list[Any]:
    """The tool of each step; where there are steps inside it, with these."""
    return [(step.tool, tools(step.substeps)) if step.substeps else step.tool for step in steps]


def rated(arguments: Any, **settings: Any) -> float:
    """The score of a call against one for a room on a floor with a view."""
    gold, run = (
        otap.Trajectory(steps=(Step(id="1", tool="book", arguments=data),))
        for data in ({"floor": 1, "view": True, "beds": 2}, arguments)
    )
    return otap.Scorer(otap.Config(**settings)).score(run, gold).score


def test_arguments_as_text_or_object(write: Write) -> None:
    """Arguments are an object, whether they were written as one or as text."""
    both = asked(call(arguments='{"city": "Rome"}'), call(arguments=CITY))
    assert [step.arguments for step in steps_of(write, [both])] == [CITY, CITY]


def test_arguments_that_do_not_parse(write: Write) -> None:
    """Arguments that a model left half-written are kept as they are, and marked."""
    (step,) = steps_of(write, [asked(call(arguments='{"city": "Ro'))])
    assert (step.arguments, step.metadata["arguments_unparsed"]) == ('{"city": "Ro', True)


def test_repeated_ids(write: Write) -> None:
    """Calls that share an id are all kept, each with its own result."""
    turns = [
        message
        for city in ("Rome", "Oslo")
        for message in (asked(call("f", json.dumps({"city": city}), "x")), answer(city, "x"))
    ]
    steps = steps_of(write, turns)
    assert [(step.arguments, step.effect) for step in steps] == [
        (CITY, "Rome"),
        ({"city": "Oslo"}, "Oslo"),
    ]
    assert len({step.id for step in steps}) == 2


def test_missing_ids(write: Write) -> None:
    """Where nothing has an id, results belong to the calls in their order."""
    steps = steps_of(write, [asked(call("f"), call("g")), answer("1"), answer("2")])
    assert [(step.tool, step.effect) for step in steps] == [("f", "1"), ("g", "2")]


def test_content_that_was_not_captured(write: Write) -> None:
    """Arguments and results that a tracer was not to record are unknown, which costs nothing."""
    (bare,) = steps_of(write, [ran("search", 0)])
    assert bare.arguments is bare.effect is bare.status is bare.action is None
    (full,) = steps_of(write, [ran("search", 0, tool__call__arguments=CITY)])
    run, gold = (otap.Trajectory(steps=(step,)) for step in (bare, full))
    result = otap.score(run, gold)
    assert (result.score, result.findings) == (1.0, ())


@pytest.mark.parametrize("key", ["response", "result"])
def test_response_or_result(write: Write, key: str) -> None:
    """What came back is found under either name that the convention has had for it."""
    back = {"type": "tool_call_response", "id": "c1", key: "H7"}
    (step,) = steps_of(write, [chat("m", 0, output=[part()]), chat("n", 1, input=[back])])
    assert step.effect == "H7"


def test_retries(write: Write) -> None:
    """An attempt that failed and its retry are two steps, which may count as one."""
    failed = {**ran("book", 0), "status": {"code": "ERROR"}}
    steps = steps_of(write, [failed, {**ran("book", 2), "span_id": "again"}])
    assert [(step.tool, step.status) for step in steps] == [("book", "error"), ("book", None)]
    run = otap.Trajectory(steps=steps)
    folded = otap.Scorer(otap.Config(failed="folded")).filtered(run)
    assert [step.id for step in folded.steps] == ["2"]


def test_calls_that_never_ran(write: Write) -> None:
    """A call that was asked for and never ran is a step of which nothing came back."""
    asks = chat("m", 0, output=[part("search", "c1"), part("pay", "c2")])
    pay, search = steps_of(write, [asks, ran("search", 2, tool__call__id="c1")])
    assert (pay.tool, pay.arguments, pay.effect, pay.started_at) == ("pay", CITY, None, None)
    assert search.started_at is not None


def test_calls_inside_calls(write: Write) -> None:
    """What a sub-agent called is inside the call that started it, however deep the spans lie."""
    spans = [
        ran("ask_guide", 0),
        span("guide", "ask_guide", 0.1, operation__name="invoke_agent", agent__name="guide"),
        chat("m", 0.2, "guide", output=[part("look", "c2")]),
        ran("look", 0.3, "m", tool__call__id="c2"),
        ran("book", 2),
    ]
    steps = steps_of(write, spans)
    assert tools(steps) == [("ask_guide", ["look"]), "book"]
    assert steps[0].substeps[0].agent == "guide"


def test_tools_of_the_server(write: Write) -> None:
    """A tool that the model's provider ran is a step, though nothing ran here."""
    found = [{"type": "web_search_result", "url": "https://example.org"}]
    blocks = [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": CITY},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": found},
    ]
    (step,) = steps_of(write, [{"role": "assistant", "content": blocks}])
    assert (step.tool, step.arguments, step.effect) == ("web_search", CITY, found)


def test_history_that_a_compaction_repeats(write: Write) -> None:
    """What a compaction keeps of the past is not done again."""
    item = {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}"}
    kept = {"message": "", "replacement_history": [item]}
    kinds = {"session_meta": {"id": "s"}, "response_item": item, "compacted": kept}
    lines = [
        {"timestamp": "2026-11-21T10:16:12Z", "type": kind, "payload": payload}
        for kind, payload in kinds.items()
    ]
    assert tools(steps_of(write, lines, "rollout.jsonl")) == ["ls"]


def test_history_that_was_cut(write: Write) -> None:
    """Calls are told by events though the messages at the end have forgotten them."""
    events: list[Plain] = [
        {"event": "tool", "type": "function", "id": name, "function": name, "arguments": {}}
        for name in ("search", "book")
    ]
    kept = [{"role": "tool", "tool_call_id": "book", "function": "book", "content": "booked"}]
    sample = {"id": 1, "epoch": 1, "input": "A room.", "events": events, "messages": kept}
    spec = {"task": "hotel", "model": "m", "dataset": {}}
    log = {"version": 2, "status": "success", "eval": spec, "samples": [sample]}
    assert tools(steps_of(write, log)) == ["search", "book"]


def test_context_that_was_copied(write: Write) -> None:
    """Steps copied from an earlier trajectory were done there; one that goes on says where."""
    acts = [
        {
            "step_id": number,
            "source": "agent",
            "message": "",
            "tool_calls": [{"tool_call_id": "c", "function_name": name, "arguments": {}}],
            "is_copied_context": copied,
        }
        for number, name, copied in ((1, "search", True), (2, "book", False))
    ]
    trajectory = {
        "schema_version": "ATIF-v1.8",
        "agent": {"name": "a", "version": "1"},
        "steps": acts,
        "continued_trajectory_ref": "next.json",
    }
    run = formats.read(write(trajectory))
    assert tools(run.steps) == ["book"]
    assert run.metadata["continued_trajectory_ref"] == "next.json"


def test_names_that_a_wrapper_gives(write: Write) -> None:
    """A tool of an MCP server that has one name here and another there is one call."""
    spans = [
        ran("mcp__fs__read", 0),
        ran("read", 0.1, "mcp__fs__read", tool__call__arguments={"path": "a"}),
    ]
    (step,) = steps_of(write, spans)
    assert (step.tool, step.arguments, step.substeps) == ("mcp__fs__read", {"path": "a"}, ())


@pytest.mark.parametrize("arguments", [CITY, json.dumps(CITY), "{"])
def test_tools_behind_a_handler(write: Write, arguments: Any) -> None:
    """A span named for what handles calls is the call of the tool that it handles."""
    told = {
        "mlflow.spanType": "TOOL",
        "mlflow.spanInputs": {"call": {"tool_name": "list_hotels", "args": arguments}},
        "mlflow.spanOutputs": ["H7"],
    }
    handler = {
        "span_id": "a",
        "parent_span_id": None,
        "name": "ToolManager.handle_call",
        "attributes": {key: json.dumps(value) for key, value in told.items()},
    }
    (step,) = steps_of(write, {"info": {"trace_id": "t"}, "data": {"spans": [handler]}})
    assert (step.tool, step.effect) == ("list_hotels", ["H7"])
    assert (step.arguments, step.metadata) == ((CITY, {}) if arguments != "{" else ("{", UNPARSED))


def test_merged_tools(write: Write) -> None:
    """A span that sums up calls made side by side is no call."""
    assert tools(steps_of(write, [ran("search", 0), ran("(merged tools)", 0)])) == ["search"]


def test_client_and_server_of_a_tool(write: Write) -> None:
    """The request to an MCP server inside the span of the tool is the same call."""
    request = {**span("tools/call", "read", 0.1, tool__name="read"), "name": "tools/call read"}
    request["attributes"]["mcp.method.name"] = "tools/call"
    assert tools(steps_of(write, [ran("read", 0), request])) == ["read"]


def test_told_by_the_model_and_by_the_tool(write: Write) -> None:
    """A call in the span of a model and in that of a tool is one step that knows what both know."""
    spans = [chat("m", 0, output=[part()]), ran("search", 2, tool__call__result="H7")]
    (step,) = steps_of(write, spans)
    assert (step.arguments, step.effect, step.metadata["call_id"]) == (CITY, "H7", "c1")


def test_results_in_messages_of_the_user(write: Write) -> None:
    """A result that stands in a message of the user is no words of the user."""
    use = {"type": "tool_use", "id": "c", "name": "search", "input": CITY}
    back = {"type": "tool_result", "tool_use_id": "c", "content": "H7"}
    talk = [
        {"role": "user", "content": "A room."},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [back]},
    ]
    run = formats.read(write(talk))
    assert (run.request, [step.effect for step in run.steps]) == (("A room.",), ["H7"])


def test_spans_out_of_order(write: Write) -> None:
    """Spans are in order of time, whatever their order in the file."""
    steps = steps_of(write, [ran("c", 4), ran("a", 0), ran("b", 2)])
    assert tools(steps) == ["a", "b", "c"]


def test_clocks_that_differ(write: Write) -> None:
    """A span that began before the one it is in, by another clock, is still inside it."""
    steps = steps_of(write, [ran("look", -5, "ask"), ran("ask", 0), ran("book", 2)])
    assert tools(steps) == [("ask", ["look"]), "book"]


def test_orphans(write: Write) -> None:
    """A span whose parent was not exported is kept, where its time says."""
    assert tools(steps_of(write, [ran("b", 2), ran("a", 0, "lost")])) == ["a", "b"]


def test_circle_of_spans(write: Write) -> None:
    """Spans that are inside each other are an error with the file and the place."""
    path = write([ran("a", 0, "b"), ran("b", 1, "a")])
    message = re.escape(f"{path}: [0]: span 't/a' is its own ancestor")
    with pytest.raises(FormatError, match=message):
        formats.read(path)


def test_calls_side_by_side(write: Write) -> None:
    """The calls of one answer share a turn, though their results come in another order."""
    turn = asked(call("f", "{}", "a"), call("g", "{}", "b"))
    talk = [turn, answer("of g", "b"), answer("of f", "a"), asked(call("h", "{}", "c"))]
    assert [(step.tool, step.turn, step.effect) for step in steps_of(write, talk)] == [
        ("f", 1, "of f"),
        ("g", 1, "of g"),
        ("h", 2, None),
    ]


def test_texts_kept_apart(write: Write) -> None:
    """What a log keeps in attachments, and in a pool of messages, is put back."""
    calls = [{"id": "c", "function": "search", "arguments": {"city": "attachment://1"}}]
    message = {"role": "assistant", "content": "", "tool_calls": calls}
    pooled = {"role": "tool", "tool_call_id": "c", "content": "attachment://2"}
    sample = {
        "id": 1,
        "epoch": 1,
        "input": "A room.",
        "events": [{"event": "model", "output": {"choices": [{"message": message}]}}],
        "events_data": {"messages": [pooled], "calls": []},
        "attachments": {"1": "Rome", "2": "H7"},
    }
    spec = {"task": "hotel", "model": "m", "dataset": {}}
    log = {"version": 2, "status": "success", "eval": spec, "samples": [sample]}
    (step,) = steps_of(write, log)
    assert (step.arguments, step.effect) == (CITY, "H7")


def test_calls_of_the_user(write: Write) -> None:
    """A tool that the user is to use is the user's step; calls of no known owner are refused."""
    actions: list[Plain] = [
        {"action_id": str(n), "requestor": who, "name": "toggle", "arguments": {}, "info": None}
        for n, who in enumerate(("user", "assistant"))
    ]
    task = {
        "id": "7",
        "user_scenario": {"instructions": "You are Mia."},
        "evaluation_criteria": {"actions": actions, "nl_assertions": []},
    }
    (gold,) = formats.read_references(write([task]))
    assert [step.agent for step in gold.steps] == ["user", "assistant"]
    path = write([asked(call(), role="user"), asked(call())])
    message = re.escape(f"{path}: [0].tool_calls: only messages of the assistant may call tools")
    with pytest.raises(FormatError, match=message):
        formats.read(path)


def test_values_written_in_another_way() -> None:
    """1, 1.0 and "1" are the same, and so are true and "true"; another value is not."""
    assert rated({"floor": 1.0, "view": "true", "beds": "2"}) == 1.0
    assert rated({"floor": 1, "view": "false", "beds": 2}) < 1.0


def test_defaults_left_out() -> None:
    """A default may be left out where it is said to be one, and only there."""
    short = {"floor": 1, "view": True}
    assert rated(short) < 1.0
    assert rated(short, parameters={"book": {"defaults": {"beds": 2}}}) == 1.0
