"""Spans as tracers write them that put something around what an agent did, or keep it apart."""

import json
from pathlib import Path

import pytest

from otap import formats

MADE = Path(__file__).parents[2] / "made" / "otel"


def tree(steps, *fields):
    """Returns some fields of each step, and of its substeps where there are any."""
    found = []
    for step in steps:
        values = tuple(getattr(step, field) for field in ("tool", *fields))
        found.append((*values, tree(step.substeps, *fields)) if step.substeps else values)
    return found


def test_openllmetry():
    """Made by OpenLLMetry of LangGraph: calls as the model asked for them, results as it saw."""
    run = formats.read(MADE / "openllmetry.jsonl")
    assert sorted(tree(run.steps, "status", "turn", "agent")[:2]) == [
        ("get_weather", "ok", 1, "travel"),
        ("search_hotels", "ok", 1, "travel"),
    ]
    assert tree(run.steps[2:], "status", "turn", "agent") == [
        ("book_hotel", "error", 2, "travel"),
        ("book_hotel", "ok", 3, "travel"),
        ("ask_guide", "ok", 4, "travel", [("get_sights", "ok", 1, "guide")]),
    ]
    found = {step.tool: (step.arguments, step.effect) for step in run.steps}
    assert found["get_weather"] == ({"city": "Rome"}, "Sunny in Rome.")
    assert found["search_hotels"][0] == {"city": "Rome", "max_price": 150}
    assert run.request == ("A room in Rome, please.",)
    assert run.unread.unknown == {}


def test_smolagents():
    """Made by OpenInference of smolagents: arguments have their names, the task is the request."""
    run = formats.read(MADE / "smolagents_spans.jsonl")
    assert tree(run.steps, "arguments", "effect", "status") == [
        ("search_hotels", {"city": "Rome"}, '["H7 in Rome", "H9 in Rome"]', "ok"),
        ("get_weather", {"city": "Rome"}, "Sunny in Rome.", "ok"),
        ("book_hotel", {"hotel": "H7"}, None, "error"),
        ("book_hotel", {"hotel": "H9"}, "Booked H9.", "ok"),
        ("final_answer", {"answer": "H9 is booked."}, "H9 is booked.", "ok"),
    ]
    assert run.request == ("A room in Rome, please.",)


def test_agentcore():
    """Made by AWS's AgentCore of Strands: what was said stands in log records beside the spans."""
    run = formats.read(MADE / "agentcore.jsonl")
    assert tree(run.steps, "status", "turn", "agent", "action") == [
        ("get_weather", "ok", 1, "trip", "I look at both."),
        ("get_weather", "error", 1, "trip", "I look at both."),
        ("ask_librarian", "ok", 2, "trip", None, [("look_up", "ok", 1, "librarian", None)]),
    ]
    assert [step.arguments for step in run.steps] == [
        {"city": "Paris"},
        {"city": "Atlantis"},
        {"question": "Capital of Italy?"},
    ]
    assert run.steps[1].effect == "Error: no such city"
    assert run.request == ("Paris or Atlantis?",)


def test_vercel_ai():
    """Made by Vercel's AI SDK: spans of calls and the model's answers are one step each."""
    run = formats.read(MADE / "vercel_ai.jsonl")
    assert set(tree(run.steps, "turn", "status", "effect", "action")[:2]) == {
        ("get_weather", 1, "error", "no such city", "I look at both."),
        ("get_weather", 1, None, '{"weather":"sunny","city":"Paris"}', "I look at both."),
    }
    last = run.steps[2]
    assert (last.tool, last.arguments) == ("book_room", {"hotel": "H7", "nights": 2})
    assert last.effect == "booked B1"
    assert run.request == ("A room in Paris or Atlantis, please.",)


def span(identifier, parent=None, /, **attributes):
    """Returns a span in a list; of the attributes' names ``__`` is a dot."""
    number = int("".join(filter(str.isdigit, identifier)))
    return {
        "trace_id": "t",
        "span_id": identifier,
        "parent_span_id": parent,
        "name": attributes.pop("name", "span"),
        "start_time": 1_777_555_053_000_000_000 + number * 1000,
        "end_time": 1_777_555_053_000_000_500 + number * 1000,
        "attributes": {key.replace("__", "."): value for key, value in attributes.items()},
    }


def chat(identifier, parent=None, said=None, heard=None, **more):
    """Returns the span of a model with what it heard and said."""
    told = {}
    for side, role, text in (("input", "user", heard), ("output", "assistant", said)):
        if text is not None:
            parts = [{"type": "text", "content": text}] if isinstance(text, str) else text
            told[f"gen_ai__{side}__messages"] = [{"role": role, "parts": parts}]
    return span(identifier, parent, gen_ai__operation__name="chat", **told, **more)


def tool(identifier, parent=None, **attributes):
    """Returns the span of a tool."""
    named = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "search"}
    return span(identifier, parent, **named, **attributes)


@pytest.mark.parametrize(
    ("recorded", "arguments"),
    [
        ({"input_str": "{'a': 1}", "inputs": {"a": 1}, "tags": [], "metadata": {}}, {"a": 1}),
        ({"input_str": '{"a": 1}', "tags": [], "metadata": {}, "kwargs": {}}, {"a": 1}),
        ({"inputs": {"a": 1}, "tags": [], "metadata": {}, "kwargs": {}}, {"a": 1}),
        ({"args": [], "kwargs": {"a": 1}}, {"a": 1}),
        ({"args": [{"a": 1}], "kwargs": {}}, {"a": 1}),
        ({"args": [1], "kwargs": {"b": 2}}, {"args": [1], "b": 2}),
        ({"args": ["-l"], "cmd": "ls"}, {"args": ["-l"], "cmd": "ls"}),
        ({"args": ["-l"]}, {"args": ["-l"]}),
        ({"inputs": [1], "a": 1}, {"inputs": [1], "a": 1}),
    ],
)
def test_what_tracers_put_around_arguments(write, recorded, arguments):
    """Arguments are what the model asked for; what a tool calls so itself stays as it is."""
    spans = [tool("s1", traceloop__entity__input=json.dumps(recorded))]
    assert formats.read(write(spans)).steps[0].arguments == arguments


def test_what_llama_index_puts_around(write):
    """A tool of LlamaIndex takes its arguments by name, and returns what it was asked as well."""
    returned = {"blocks": [], "tool_name": "book", "raw_input": {}, "raw_output": "full"}
    about = {
        "openinference__span__kind": "TOOL",
        "tool__parameters": json.dumps({"properties": {"hotel": {"type": "string"}}}),
        "input__value": json.dumps({"kwargs": {"hotel": "H7"}}),
    }
    for failed, status in ((True, "error"), (False, None)):
        output = json.dumps({**returned, "is_error": failed})
        (step,) = formats.read(write([span("s1", output__value=output, **about)])).steps
        assert (step.arguments, step.effect, step.status) == ({"hotel": "H7"}, "full", status)


@pytest.mark.parametrize(
    ("spans", "unknown"),
    [
        ([chat("s1")], {"span of a model without an answer": 1}),
        ([chat("s1", heard="A room.")], {"span of a model without an answer": 1}),
        ([chat("s1", said="No.")], {}),
        ([chat("s1"), tool("s2")], {}),
        ([{**chat("s1"), "status": {"code": "ERROR"}}], {}),
        (
            [span("s1", gen_ai__operation__name="invoke_agent")],
            {"span of an agent without an answer": 1},
        ),
        (
            [span("s1", gen_ai__operation__name="dream")],
            {"span with gen_ai.operation.name 'dream'": 1},
        ),
        (
            [span("s1", openinference__span__kind="TOOOL")],
            {"span with openinference.span.kind 'TOOOL'": 1},
        ),
        ([span("s1", llm__model_name="m")], {"span of a model that does not say what it is": 1}),
        (
            [chat("s1", said=[{"type": "dance"}])],
            {"part of type 'dance'": 1, "span of a model without an answer": 1},
        ),
        ([chat("s1", said=[{"type": "image"}, {"type": "text", "content": "x"}])], {}),
    ],
)  # fmt: skip
def test_nothing_silent(write, spans, unknown):
    """What no rule knows is told, and so is a model whose answer nobody kept."""
    run = formats.read(write(spans))
    assert run.unread.unknown == unknown
    assert run.understood == (not unknown)


@pytest.mark.parametrize("operation", ["create_agent", "embeddings", "retrieval"])
def test_spans_that_make_no_run(write, operation):
    """An agent that was only made, or a search, is no run; beside one it is left out."""
    spans = [span("s1", gen_ai__operation__name=operation), {**tool("s2"), "trace_id": "u"}]
    assert [run.id for run in formats.read_all(write(spans))] == ["u"]
    spans[1]["trace_id"] = "t"
    assert formats.read(write(spans)).unread.ignored == {f"span of kind '{operation}'": 1}


def test_who_is_the_user(write):
    """What an agent says to one that works for it is no request; the outermost hears the user."""
    agent = {"gen_ai__operation__name": "invoke_agent"}
    spans = [
        span("s1", gen_ai__agent__name="boss", **agent),
        chat("s2", "s1", said="Look.", heard="A room."),
        span("s3", "s1", gen_ai__agent__name="clerk", **agent),
        chat("s4", "s3", said="H7.", heard="Find hotels."),
    ]
    assert formats.read(write(spans)).request == ("A room.",)
    assert formats.read(write(spans[2:])).request == ("Find hotels.",)


def test_what_was_said_before(write):
    """An agent that is told the latest request alone does not put it before what came before."""

    def heard(*texts):
        parts = [[{"type": "text", "content": text}] for text in texts]
        return {"gen_ai__input__messages": [{"role": "user", "parts": each} for each in parts]}

    spans = [
        span("s1", gen_ai__operation__name="invoke_agent", **heard("And Oslo?")),
        chat("s2", "s1", said="Rain.", **heard("Rome?", "And Oslo?")),
    ]
    assert formats.read(write(spans)).request == ("Rome?", "And Oslo?")
    again = [chat("s1", **heard("Yes.", "And Oslo?", "Yes.")), chat("s2", **heard("Yes."))]
    assert formats.read(write(again)).request == ("Yes.", "And Oslo?", "Yes.")


def test_handoff_told_twice(write):
    """A handoff that a model asked for and that has a span is one step."""
    part = {"type": "tool_call", "id": "c1", "name": "transfer_to_the_clerk", "arguments": {}}
    handed = span("s2", openinference__span__kind="TOOL", name="handoff to The Clerk")
    run = formats.read(write([chat("s1", said=[part]), handed]))
    assert tree(run.steps) == [("transfer_to_the_clerk",)]


def test_exception(write):
    """A call during which an exception happened failed, unless its span says that it is well."""
    failed = {**tool("s1"), "events": [{"name": "exception", "attributes": {}}]}
    well = {**failed, "span_id": "s2", "status": {"code": "OK"}}
    assert tree(formats.read(write([failed, well])).steps, "status") == [
        ("search", "error"),
        ("search", "ok"),
    ]


CALLED = {
    "index": 0,
    "finish_reason": "tool_calls",
    "message": {
        "role": "assistant",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
        ],
    },
}
RECORDS = [
    ("gen_ai.user.message", {"content": "A room."}),
    ("gen_ai.choice", CALLED),
]


def record(name, body, **more):
    """Returns a log record as the SDK of Python writes it."""
    return {
        "body": body,
        "severity_number": 9,
        "timestamp": "2026-04-30T13:17:33Z",
        "trace_id": "t",
        "span_id": "s1",
        "attributes": {"event.name": name},
        **more,
    }


def any_value(value):
    """Returns a value as OTLP writes it."""
    if isinstance(value, dict):
        return {
            "kvlistValue": {"values": [{"key": k, "value": any_value(v)} for k, v in value.items()]}
        }
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(item) for item in value]}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def otlp_record(name, body):
    """Returns a log record as OTLP writes it."""
    return {
        "traceId": "t",
        "spanId": "s1",
        "timeUnixNano": "1777555053000000000",
        "eventName": name,
        "body": any_value(body),
    }


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("otlp", [False, True])
def test_log_records(write, alone, otlp):
    """Events in log records belong to their span; without it they are a model's own."""
    if otlp:
        listed = [otlp_record(*told) for told in RECORDS]
        records = [{"resourceLogs": [{"scopeLogs": [{"logRecords": listed}]}]}]
    else:
        records = [record(*told) for told in RECORDS]
    run = formats.read(write([*([] if alone else [chat("s1")]), *records], "logs.jsonl"))
    assert run.request == ("A room.",)
    assert tree(run.steps, "arguments") == [("search", {})]


def test_details_in_a_log_record(write):
    """The event with all details of an inference has the messages in its attributes."""
    message = {"role": "assistant", "parts": [{"type": "tool_call", "name": "f", "arguments": {}}]}
    attributes = {
        "event.name": "gen_ai.client.inference.operation.details",
        "gen_ai.output.messages": [message],
    }
    assert tree(formats.read(write([record("", None, attributes=attributes)])).steps) == [("f",)]


FLAT = {
    "openinference.span.kind": "LLM",
    "llm.input_messages": [{"message.role": "user", "message.content": "A room."}],
    "llm.output_messages": [
        {"message": {"role": "assistant", "tool_calls": [
            {"tool_call": {"id": "c1", "function": {"name": "f", "arguments": "{}"}}}
        ]}}
    ],
}  # fmt: skip
NESTED = {"openinference": {"span": {"kind": "LLM"}}, "llm": {
    "input_messages": [{"message": {"role": "user", "content": "A room."}}],
    "output_messages": FLAT["llm.output_messages"],
}}  # fmt: skip
ROW = {
    "name": "llm",
    "span_kind": "LLM",
    "parent_id": None,
    "start_time": 1777555053000,
    "end_time": 1777555054000,
    "status_code": "OK",
    "events": [],
}


@pytest.mark.parametrize("attributes", [FLAT, NESTED])
@pytest.mark.parametrize("shape", ["row", "span", "answer"])
def test_phoenix(write, attributes, shape):
    """Spans of Phoenix: rows of its table, its client's spans, or its server's answer."""
    found = {**ROW, "context": {"trace_id": "t", "span_id": "s"}, "attributes": attributes}
    if shape == "row":
        columns = {f"attributes.{key}": value for key, value in attributes.items()}
        found = {**ROW, "context.span_id": "s", "context.trace_id": "t", **columns}
    run = formats.read(
        write({"data": [found], "next_cursor": None} if shape == "answer" else [found])
    )
    assert run.request == ("A room.",)
    assert tree(run.steps, "arguments") == [("f", {})]


def test_phoenix_says_kinds_beside_the_attributes(write):
    """Where attributes say nothing, the kind that Phoenix's client writes beside them counts."""
    kinds = {"s1": "AGENT", "s2": "TOOL", "s3": "UNKNOWN", "s4": []}
    found = [
        {
            **ROW,
            "name": f"span {span}",
            "context": {"trace_id": "t", "span_id": span},
            "span_kind": kind,
            "parent_id": "s1" if span != "s1" else None,
            "attributes": {"input.value": "{}"},
        }
        for span, kind in kinds.items()
    ]
    run = formats.read(write(found))
    assert tree(run.steps, "arguments") == [("span s2", {})]
    assert run.unread.unknown == {}


def test_agent_framework():
    """Made by Microsoft's Agent Framework: two calls side by side, one of which failed."""
    run = formats.read(MADE / "agent_framework.jsonl")
    assert tree(run.steps, "arguments", "status", "turn", "agent", "action") == [
        ("get_weather", {"city": "Paris"}, None, 1, "trip", "I look at both."),
        ("get_weather", {"city": "Atlantis"}, "error", 1, "trip", "I look at both."),
    ]
    assert run.steps[0].effect == "Sunny in Paris."
    assert run.request == ("Paris or Atlantis?",)


def test_autogen():
    """Made by AutoGen, whose spans of tools have neither arguments nor results."""
    run = formats.read(MADE / "autogen_spans.jsonl")
    assert tree(run.steps, "arguments", "effect", "status", "agent") == [
        ("get_weather", None, None, None, "trip"),
        ("get_weather", None, None, "error", "trip"),
    ]


def test_adk():
    """Made by Google's ADK, whose models know no ids: each call is one step, with its agent."""
    run = formats.read(MADE / "adk_spans.jsonl")
    assert tree(run.steps, "arguments", "turn", "agent", "action") == [
        ("search", {"city": "Rome"}, 1, "trip", "I look."),
        ("search", {"city": "Atlantis"}, 1, "trip", "I look."),
        ("transfer_to_agent", {"agent_name": "cashier"}, 2, "trip", None),
        ("pay", {"amount": 90.0}, 3, "cashier", None),
    ]
    assert all(step.effect is not None for step in run.steps)
    assert run.request == ("A room in Rome, please.",)


def test_messages_of_an_agent_alone(write):
    """Where no model's span is there, Pydantic AI's agent has what the user said."""
    talk = [{"role": "user", "parts": [{"type": "text", "content": "A room?"}]}]
    agent = span(
        "s1", gen_ai__operation__name="invoke_agent", pydantic_ai__all_messages=json.dumps(talk)
    )
    assert formats.read(write([agent])).request == ("A room?",)
