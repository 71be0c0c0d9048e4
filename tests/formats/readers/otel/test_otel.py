"""Spans of OpenTelemetry: envelopes, attributes of each generation, and real traces."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made"
START = 1_777_555_053_000_000_000


def plain(name="chat", identifier="s1", parent=None, trace="t1", **attributes):
    """Returns a span as people keep it in a list; of the attributes' names ``__`` is a dot."""
    number = int("".join(filter(str.isdigit, identifier)) or 0)
    return {
        "trace_id": trace,
        "span_id": identifier,
        "parent_span_id": parent,
        "name": name,
        "start_time": START + number * 1000,
        "end_time": START + number * 1000 + 500,
        "attributes": dict(attributes),
        "status": {"code": "UNSET"},
    }


def tool(identifier="s1", parent=None, name="search", trace="t1", **attributes):
    """Returns the span of a tool."""
    span = plain(f"execute_tool {name}", identifier, parent, trace)
    span["attributes"] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        **attributes,
    }
    return span


def model(identifier="s1", parent=None, trace="t1", **attributes):
    """Returns the span of a model."""
    span = plain("chat", identifier, parent, trace)
    span["attributes"] = {"gen_ai.operation.name": "chat", **attributes}
    return span


def any_value(value):
    """Returns a value as OTLP writes it."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case str():
            return {"stringValue": value}
        case list():
            return {"arrayValue": {"values": [any_value(item) for item in value]}}
        case dict():
            return {"kvlistValue": {"values": pairs(value)}}
        case _:
            return {}


def pairs(values):
    """Returns attributes as OTLP writes them."""
    return [{"key": key, "value": any_value(value)} for key, value in values.items()]


def otlp(span):
    """Returns a span as OTLP writes it."""
    return {
        "traceId": span["trace_id"],
        "spanId": span["span_id"],
        "parentSpanId": span["parent_span_id"] or "",
        "name": span["name"],
        "kind": 1,
        "startTimeUnixNano": str(span["start_time"]),
        "endTimeUnixNano": str(span["end_time"]),
        "attributes": pairs(span["attributes"]),
        "status": {"code": {"OK": 1, "ERROR": 2}.get(span["status"]["code"], 0)},
    }


def console(span):
    """Returns a span as the SDK of Python writes it."""
    return {
        "name": span["name"],
        "context": {"trace_id": span["trace_id"], "span_id": span["span_id"]},
        "parent_id": span["parent_span_id"],
        "start_time": "2026-04-30T13:17:33.000001Z",
        "end_time": "2026-04-30T13:17:33.000001500Z",
        "status": {"status_code": span["status"]["code"]},
        "attributes": span["attributes"],
        "events": [],
    }


def jaeger(span):
    """Returns a span as Jaeger writes it."""
    parent = {"refType": "CHILD_OF", "spanID": span["parent_span_id"]}
    return {
        "traceID": span["trace_id"],
        "spanID": span["span_id"],
        "operationName": span["name"],
        "references": [parent] if span["parent_span_id"] else [],
        "startTime": span["start_time"] // 1000,
        "duration": 1,
        "tags": [{"key": k, "type": "any", "value": v} for k, v in span["attributes"].items()],
        "logs": [],
    }


def script(span, context="spanContext"):
    """Returns a span as the SDK of JavaScript has it."""
    start, end = (divmod(span[key], 10**9) for key in ("start_time", "end_time"))
    parent = {"traceId": span["trace_id"], "spanId": span["parent_span_id"]}
    return {
        "name": span["name"],
        context: {"traceId": span["trace_id"], "spanId": span["span_id"], "traceFlags": 1},
        **({"parentSpanContext": parent} if span["parent_span_id"] else {}),
        "kind": 0,
        "startTime": list(start),
        "endTime": list(end),
        "status": {"code": {"OK": 1, "ERROR": 2}.get(span["status"]["code"], 0)},
        "attributes": span["attributes"],
        "events": [],
    }


def resources(span):
    """Returns the list of an export with one span."""
    return [{"resource": {}, "scopeSpans": [{"scope": {"name": "x"}, "spans": [otlp(span)]}]}]


SPAN = tool(
    **{"gen_ai.tool.call.id": "call_1", "gen_ai.tool.call.arguments": {"n": 1, "of": ["a", True]}}
)
ENVELOPES = {
    "otlp": {"resourceSpans": resources(SPAN)},
    "otlp span": otlp(SPAN),
    "list of otlp": [{"resourceSpans": resources(SPAN)}],
    "tempo 1": {"batches": [{"instrumentationLibrarySpans": [{"spans": [otlp(SPAN)]}]}]},
    "tempo 2": {"trace": {"resourceSpans": resources(SPAN)}},
    "jaeger": {"data": [{"traceID": "t1", "spans": [jaeger(SPAN)], "processes": {}}]},
    "jaeger trace": {"traceID": "t1", "spans": [jaeger(SPAN)]},
    "list": [SPAN],
    "span": SPAN,
    "console": console(SPAN),
    "session": {"session_id": "s", "span_count": 1, "spans": [SPAN]},
    "traces and spans": {"traces": ["t1"], "spans": [otlp(SPAN)]},
    "spans in traces": {"traces": [{"trace_id": "t1", "spans": [SPAN]}]},
    "script": script(SPAN),
    "script 1": script(SPAN, "_spanContext"),
}


def tree(steps, *fields):
    """Returns some fields of each step, and of its substeps where there are any."""
    found = []
    for step in steps:
        values = tuple(getattr(step, field) for field in ("tool", *fields))
        found.append((*values, tree(step.substeps, *fields)) if step.substeps else values)
    return found


def count(steps):
    """Returns how many steps there are, with those inside others."""
    return sum(1 + count(step.substeps) for step in steps)


@pytest.fixture
def read(write):
    """Reads spans given as plain data, by detection alone."""

    def read(spans, **options):
        return formats.read(write(spans), **options)

    return read


@pytest.mark.parametrize("name", ENVELOPES)
def test_envelopes(read, name):
    """In every envelope the same span is the same step."""
    run = read(ENVELOPES[name])
    assert (run.id, run.metadata) == ("t1", {})
    (step,) = run.steps
    assert (step.tool, step.arguments) == ("search", {"n": 1, "of": ["a", True]})
    assert step.metadata == {"call_id": "call_1"}
    assert step.started_at.isoformat() == "2026-04-30T13:17:33.000001+00:00"
    assert step.effect is step.status is None
    assert step.model_fields_set >= {"turn", "ended_at"}


@pytest.mark.parametrize("name", ENVELOPES)
def test_envelopes_one_a_line(write, name):
    """JSONL of exports or spans is one document; what has the same trace is one run."""
    path = write([ENVELOPES[name], ENVELOPES["otlp"], tool("s2")], "spans.jsonl")
    if not name.startswith("list"):
        assert tree(formats.read(path).steps) == [("search",)] * 2


@pytest.mark.parametrize(
    ("recorded", "nanoseconds"),
    [
        (1_700_000_000.5, 1_700_000_000_500_000_000),
        (1_700_000_000_500, 1_700_000_000_500_000_000),
        (1_700_000_000_500_000, 1_700_000_000_500_000_000),
        ("1700000000500000000", 1_700_000_000_500_000_000),
        ("2023-11-14T22:13:20.5", 1_700_000_000_500_000_000),
        ("2023-11-14T23:13:20.5+01:00", 1_700_000_000_500_000_000),
    ],
)
def test_times_of_a_list(read, recorded, nanoseconds):
    """In a list of spans times are in any unit that people use."""
    (step,) = read([{**SPAN, "start_time": recorded}]).steps
    assert step.started_at.timestamp() * 1e9 == nanoseconds


@pytest.mark.parametrize("recorded", [None, 0, "0", ""])
def test_times_that_are_not_known(read, recorded):
    """No time is no time, and not 1970."""
    assert read([{**SPAN, "start_time": recorded}]).steps[0].started_at is None


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result"),
        ("gen_ai.tool.input", "gen_ai.tool.output"),
        ("tool_arguments", "tool_response"),
        ("gcp.vertex.agent.tool_call_args", "gcp.vertex.agent.tool_response"),
        ("traceloop.entity.input", "traceloop.entity.output"),
        ("input.value", "output.value"),
        ("input.value", "gen_ai.tool.result"),
    ],
)
def test_aliases(read, arguments, result):
    """Arguments and results are found under each of their names, arguments parsed."""
    (step,) = read([tool(**{arguments: '{"city": "Rome"}', result: '{"a": 1}'})]).steps
    assert (step.arguments, step.effect) == ({"city": "Rome"}, '{"a": 1}')


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.operation.name": "execute_tool"},
        {"gen_ai.tool.name": "search"},
        {"openinference.span.kind": "TOOL", "tool.name": "search"},
        {"openinference.span.kind": "TOOL"},
        {"traceloop.span.kind": "tool"},
        {"mcp.method.name": "tools/call", "gen_ai.tool.name": "search"},
    ],
)
def test_what_is_a_tool(read, attributes):
    """A tool's span is known by each of the conventions; its name may be that of the span."""
    assert tree(read([{**plain("search"), "attributes": attributes}]).steps) == [("search",)]


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "(merged tools)"},
        {"gen_ai.operation.name": "embeddings", "gen_ai.tool.name": "search"},
        {"openinference.span.kind": "CHAIN", "tool.name": "search"},
        {"mcp.method.name": "tools/list"},
        {"http.method": "POST"},
    ],
)
def test_what_is_no_tool(read, attributes):
    """Spans of anything else are no steps, nor is what ADK says twice."""
    spans = [{**plain("x", "s2"), "attributes": attributes}, tool("s1", name="only")]
    assert tree(read(spans).steps) == [("only",)]


def test_definition_is_no_argument(read):
    """What OpenInference calls parameters is what could be passed, not what was."""
    span = plain(
        "f", **{"openinference.span.kind": "TOOL", "tool.parameters": '{"type": "object"}'}
    )
    assert read([span]).steps[0].arguments is None


def test_unparsed_arguments(read):
    """Arguments that are no JSON stay text and are marked; other tellings of them win."""
    spans = [tool("s2", **{"input.value": "{'city': 'Rome'}"})]
    step = read(spans).steps[0]
    assert (step.arguments, step.metadata) == ("{'city': 'Rome'}", {"arguments_unparsed": True})
    asked = {"role": "assistant", "parts": [call_part("c1", "search", {"city": "Rome"})]}
    spans.append(model("s1", **{"gen_ai.output.messages": [asked]}))
    step = read(spans).steps[0]
    assert (step.arguments, step.metadata) == ({"city": "Rome"}, {"call_id": "c1"})


@pytest.mark.parametrize(
    ("changed", "attributes", "status"),
    [
        ({}, {}, None),
        ({"status": {"code": "OK"}}, {}, "ok"),
        ({"status": {"code": "STATUS_CODE_ERROR"}}, {}, "error"),
        ({"status": {"code": 2}}, {}, "error"),
        ({"status": {"status_code": "OK"}}, {}, "ok"),
        ({"status_code": "ERROR", "status": None}, {}, None),
        ({"status": [1]}, {}, None),
        ({"status": {"code": "OK"}}, {"error.type": "TimeoutError"}, "error"),
        ({}, {"gen_ai.tool.status": "success"}, "ok"),
        ({"status": {"code": "OK"}}, {"output.value": '{"isError": true}'}, "error"),
        ({}, {"output.value": '{"isError": false}'}, None),
    ],
)
def test_status(read, changed, attributes, status):
    """A call failed where the file says so, and is ok where the file says so."""
    assert read([{**tool(**attributes), **changed}]).steps[0].status == status


def test_failed_in_jaeger(read):
    """Jaeger tells errors by a tag."""
    span = jaeger(SPAN)
    span["tags"].append({"key": "error", "type": "bool", "value": True})
    assert read({"data": [{"traceID": "t1", "spans": [span]}]}).steps[0].status == "error"


def call_part(identifier, name, arguments):
    """Returns a call as a part of a message."""
    return {"type": "tool_call", "id": identifier, "name": name, "arguments": arguments}


def text(role, content):
    """Returns a message with one text."""
    return {"role": role, "parts": [{"type": "text", "content": content}]}


OUT = [
    {
        "role": "assistant",
        "parts": [
            {"type": "reasoning", "content": "hm"},
            {"type": "text", "content": "I look."},
            call_part(" c1", "search", {"city": "Rome"}),
        ],
    }
]
IN = [
    text("system", "You help."),
    text("user", "A room in Rome."),
    *OUT,
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "result": "H7"}]},
]
OPENAI_CALL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}


def choice(**fields):
    """Returns events of the older kind."""
    message = {"content": "I look.", "tool_calls": [OPENAI_CALL], **fields}
    return [{"name": "gen_ai.choice", "attributes": {"index": 0, "message": json.dumps(message)}}]


def heard(*events):
    """Returns events of the older kind, of a model's input."""
    return [{"name": f"gen_ai.{name}.message", "attributes": fields} for name, fields in events]


TOLD = {
    "parts": ({"gen_ai.output.messages": OUT}, [], {"gen_ai.input.messages": IN}, []),
    "parts as text": (
        {"gen_ai.output.messages": json.dumps(OUT)},
        [],
        {"gen_ai.input.messages": json.dumps(IN)},
        [],
    ),
    "parts in an event": (
        {},
        [{"event_name": "gen_ai.details", "attributes": {"gen_ai.output.messages": OUT}}],
        {},
        [{"event_name": "gen_ai.details", "attributes": {"gen_ai.input.messages": IN}}],
    ),
    "older events": (
        {},
        choice(),
        {},
        heard(
            ("user", {"content": "A room in Rome."}),
            ("tool", {"content": "H7", "id": "c1"}),
        ),
    ),
    "events with blocks": (
        {},
        [
            {
                "name": "gen_ai.choice",
                "attributes": {
                    "message": '[{"text": "I look."}, {"toolUse":'
                    ' {"toolUseId": "c1", "name": "search", "input": {"city": "Rome"}}}]'
                },
            }
        ],
        {},
        heard(
            ("user", {"content": '[{"text": "A room in Rome."}]'}),
            ("tool", {"content": '[{"toolResult": {"toolUseId": "c1", "content": "H7"}}]'}),
        ),
    ),
    "indexed": (
        {
            "gen_ai.completion.0.content": "I look.",
            "gen_ai.completion.0.tool_calls.0.id": "c1",
            "gen_ai.completion.0.tool_calls.0.name": "search",
            "gen_ai.completion.0.tool_calls.0.arguments": '{"city": "Rome"}',
        },
        [],
        {
            "gen_ai.prompt.10.role": "tool",
            "gen_ai.prompt.10.tool_call_id": "c1",
            "gen_ai.prompt.10.content": "H7",
            "gen_ai.prompt.2.role": "user",
            "gen_ai.prompt.2.content": "A room in Rome.",
        },
        [],
    ),
    "openinference": (
        {
            "llm.output_messages.0.message.contents.0.message_content.type": "text",
            "llm.output_messages.0.message.contents.0.message_content.text": "I look.",
            "llm.output_messages.0.message.contents.1.message_content.type": "tool_use",
            "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "search",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{}",
        },
        [],
        {
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": "A room in Rome.",
            "llm.input_messages.1.message.role": "tool",
            "llm.input_messages.1.message.tool_call_id": "c1",
            "llm.input_messages.1.message.contents.0.message_content.text": "H7",
        },
        [],
    ),
    "google": (
        {
            "gcp.vertex.agent.llm_response": json.dumps(
                {
                    "content": {
                        "parts": [
                            {"text": "I look."},
                            {"function_call": {"id": "c1", "name": "search", "args": {}}},
                        ]
                    }
                }
            )
        },
        [],
        {
            "gcp.vertex.agent.llm_request": {
                "contents": [
                    {"role": "user", "parts": [{"text": "A room in Rome."}]},
                    {
                        "role": "user",
                        "parts": [
                            {
                                "function_response": {
                                    "id": "c1",
                                    "name": "search",
                                    "response": "H7",
                                }
                            }
                        ],
                    },
                ]
            }
        },
        [],
    ),
}


@pytest.mark.parametrize("how", TOLD)
def test_messages(read, how):
    """In each way of writing messages: the request, what was said, the call and its result."""
    asked, asked_events, told, told_events = TOLD[how]
    spans = [
        {**model("s1", **asked), "events": asked_events},
        {**model("s2", **told), "span_events": told_events},
    ]
    run = read(spans)
    assert run.request == ("A room in Rome.",)
    assert tree(run.steps, "action", "effect") == [("search", "I look.", "H7")]
    assert run.steps[0].metadata == {"call_id": "c1"}
    assert run.steps[0].started_at is None
    spans.insert(0, tool("s3", **{"gen_ai.tool.call.id": "c1"}))
    assert tree(read(spans).steps, "action", "effect") == [("search", "I look.", "H7")]


def test_other_parts(read):
    """Tools of the model's server are calls; legacy functions too; the rest is left out."""
    parts = [
        {"type": "server_tool_call", "id": "w", "name": "web", "server_tool_call": {"query": "x"}},
        {"type": "server_tool_call_response", "id": "w", "server_tool_call_response": ["found"]},
        {"type": "blob", "content": "AAAA"},
        *("said", 5, None),
    ]
    answer = {"gen_ai.output.messages": [{"role": "assistant", "parts": parts}, 5]}
    later = {"gen_ai.input.messages": [{"role": "user", "parts": parts[:2]}]}
    old = {
        "llm.output_messages.0.message.function_call_name": "f",
        "llm.output_messages.0.message.function_call_arguments_json": '{"a": 1}',
    }
    spans = [model("s1", **answer), model("s2", **later), model("s3", **old)]
    assert tree(read(spans).steps, "arguments", "effect", "action") == [
        ("web", {"query": "x"}, ["found"], "said"),
        ("f", {"a": 1}, None, None),
    ]


def test_call_without_a_name(read):
    """A call without a name is a step without a tool, and is marked."""
    parts = [{"type": "tool_call", "id": 7, "arguments": "  "}]
    answer = {"gen_ai.output.messages": [{"role": "assistant", "parts": parts}]}
    (step,) = read([model(**answer)]).steps
    assert (step.tool, step.arguments, step.metadata) == (
        None,
        {},
        {"call_id": "7", "unnamed": True},
    )


def test_content_that_was_cut(read):
    """Tracers cut long texts; half a JSON tells nothing, and is no error."""
    cut = {"gen_ai.output.messages": json.dumps(OUT)[:40], "gen_ai.input.messages": "hello"}
    assert tree(read([model("s1", **cut), tool("s2")]).steps, "action") == [("search", None)]


def test_agents(read):
    """Who acted is said by the span or one around it; an agent may have its plain input."""
    agent = {"openinference.span.kind": "AGENT", "graph.node.id": "boss"}
    agent |= {"input.value": "A room.", "input.mime_type": "text/plain"}
    spans = [
        {**plain("a", "s1"), "attributes": agent},
        tool("s2", "s1", "ask"),
        {**plain("b", "s3", "s2"), "attributes": {**agent, "agent.name": "guide"}},
        tool("s4", "s3", **{"gen_ai.agent.name": "helper"}),
    ]
    run = read(spans)
    assert tree(run.steps, "agent") == [("ask", "boss", [("search", "helper")])]
    assert run.request == ("A room.",)


def test_reasoning(read):
    """With reasoning, an answer without a call is a step."""
    spans = [
        model("s1", **{"gen_ai.output.messages": OUT}),
        model("s2", **{"gen_ai.output.messages": [text("assistant", "Done.")]}),
    ]
    assert [step.action for step in read(spans, reasoning=True).steps] == ["I look.", "Done."]


def test_runs(write):
    """A trace is a run; traces of one conversation are one; those without an agent are none."""
    first, second = ({"gen_ai.conversation.id": name} for name in ("shared", "alone"))
    spans = [
        tool("s1", trace="t1", **first),
        tool("s2", "s1", "inner", trace="t1", **second),
        tool("s1", trace="t2", **first),
        tool("s1", trace="t3", **second),
        tool("s1", trace="t4"),
        plain("GET", trace="t5"),
    ]
    runs = list(formats.read_all(write(spans)))
    assert [(run.id, tree(run.steps), run.metadata) for run in runs] == [
        (
            "shared",
            [("search", [("inner",)]), ("search",)],
            {"conversation": "shared", "traces": ["t1", "t2"]},
        ),
        ("t3", [("search",)], {"conversation": "alone"}),
        ("t4", [("search",)], {}),
    ]


def test_no_agent(write):
    """A file without any span of an agent is an error that says what such a span would have."""
    with pytest.raises(FormatError, match=r"none of its 1 spans is of an agent, a model or a tool"):
        formats.read(write([plain("GET", **{"http.method": "GET"})]))


def changed(path, value):
    """Returns the export of one span with another value at a path."""
    export = json.loads(json.dumps(ENVELOPES["otlp"]))
    at = export
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return export


TO_SPAN = ("resourceSpans", 0, "scopeSpans", 0, "spans", 0)
AT_SPAN = "resourceSpans[0].scopeSpans[0].spans[0]"
CALL = [{"role": "assistant", "parts": [call_part("c1", 5, {})]}]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (changed(("resourceSpans", 0), 5), "resourceSpans[0]: expected an object"),
        (changed(TO_SPAN[:3], {}), None),
        (changed(TO_SPAN[:3], "x"), "resourceSpans[0].scopeSpans: expected a list"),
        (changed(TO_SPAN, []), f"{AT_SPAN}: expected an object"),
        (changed((*TO_SPAN, "traceId"), None), f"{AT_SPAN}.traceId: expected an id, found none"),
        (changed((*TO_SPAN, "spanId"), [1]), f"{AT_SPAN}.spanId: expected text or a whole"),
        (changed((*TO_SPAN, "parentSpanId"), {}), f"{AT_SPAN}.parentSpanId: expected text"),
        (changed((*TO_SPAN, "name"), 5), f"{AT_SPAN}.name: expected text"),
        (
            changed((*TO_SPAN, "startTimeUnixNano"), True),
            f"{AT_SPAN}.startTimeUnixNano: expected a whole number, found the value true",
        ),
        (
            changed((*TO_SPAN, "startTimeUnixNano"), 10**21),
            f"{AT_SPAN}.startTimeUnixNano: is not a time from 1970 to 9999",
        ),
        (
            changed((*TO_SPAN, "endTimeUnixNano"), "soon"),
            f"{AT_SPAN}.endTimeUnixNano: expected a time, found the text 'soon'",
        ),
        (
            changed((*TO_SPAN, "endTimeUnixNano"), "1900-01-01"),
            f"{AT_SPAN}.endTimeUnixNano: is not a time from 1970 to 9999",
        ),
        (changed((*TO_SPAN, "attributes"), 5), f"{AT_SPAN}.attributes: expected a list"),
        (
            changed((*TO_SPAN, "attributes", 0, "key"), 5),
            f"{AT_SPAN}.attributes[0].key: expected text",
        ),
        (
            changed((*TO_SPAN, "attributes", 0, "value"), 5),
            f"{AT_SPAN}.attributes[0].value: expected an object",
        ),
        (
            changed((*TO_SPAN, "attributes", 0, "value"), {"intValue": "1.5"}),
            f"{AT_SPAN}.attributes[0].value.intValue: expected a whole number",
        ),
        (
            changed((*TO_SPAN, "attributes", 0, "value"), {"arrayValue": {"values": [1]}}),
            f"{AT_SPAN}.attributes[0].value.arrayValue.values[0]: expected an object",
        ),
        (changed((*TO_SPAN, "events"), [5]), f"{AT_SPAN}.events[0]: expected an object"),
        (
            [tool("s1", "s2"), tool("s2", "s1")],
            "[0]: span 't1/s1' is its own ancestor",
        ),
        (
            [tool(**{"gen_ai.tool.name": ["search"]})],
            "[0].attributes.gen_ai.tool.name: expected text",
        ),
        (
            [model(**{"gen_ai.output.messages": CALL})],
            "[0].attributes.gen_ai.output.messages[0].parts[0].name: expected text",
        ),
        ([SPAN, 5], "[1]: expected an object, found the value 5"),
        ([SPAN, {}], "[1].context: expected an object, found null"),
        ({"data": [{"traceID": "t", "spans": [5]}]}, "data[0].spans[0]: expected an object"),
    ],
)
def test_bad_values(write, document, words):
    """A bad value is an error with its exact place."""
    path = write(document)
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    assert str(caught.value).startswith(f"{path}: {words or 'none of its 0 spans'}")


@pytest.mark.parametrize(
    "value",
    [
        {"trace_id": "t", "span_id": "s"},
        {"trace_id": "t", "name": "x", "context": 5},
        {"object": "trace.span", "id": "span_1", "trace_id": "t", "name": "x"},
        {"session_id": "s", "spans": []},
        {"session_id": "s", "spans": [{"id": "s"}]},
        {"data": []},
        {"data": {"spans": []}},
        {"trace": "t"},
        {"resourceSpans": {}},
        {"batches": 5},
    ],
)
def test_not_ours(value):
    """What only looks alike is not recognised."""
    assert not formats.load_format("otel").recognises(value)


# How many tool executions a person counts in each real file: the spans whose name, kind or
# operation says that a tool ran, read one by one; and what a model asked for and nothing ran.
COUNTED = {
    ("otlp", "helm.json"): (1, 0),  # execute_tool helm_list_releases, among 96 spans
    ("otlp", "tempo_batches.json"): (1, 0),  # the same, among 86 spans
    ("otel-spans", "genai_convention.json"): (2, 0),  # get_weather of Paris and of London
    ("otel-spans", "claude_agent_sdk.json"): (6, 0),  # three Agent, in each of them one Bash
    ("otel-spans", "openinference_langchain.json"): (1, 1),  # finish; get_weather has no span
    ("otel-spans", "openinference_openai_agents.json"): (4, 0),  # ask, multiply, divide twice
}


@pytest.mark.parametrize(("place", "counted"), COUNTED.items(), ids=lambda item: str(item))
def test_real_files(real_data, place, counted):
    """Every real file is read by detection alone, with as many steps as a person counts."""
    run = formats.read(real_data.joinpath("traces", *place))
    ran = [step for step in every(run.steps) if step.started_at is not None]
    assert (len(ran), count(run.steps) - len(ran)) == counted
    assert all(step.arguments is not None and step.metadata["call_id"] for step in every(run.steps))
    assert all(step.effect is not None for step in ran)
    assert run.request


def test_every_real_file_is_counted(real_data):
    """No real file is left out."""
    folders = [real_data / "traces" / name for name in ("otlp", "otel-spans")]
    assert {(file.parent.name, file.name) for f in folders for file in f.iterdir()} == {*COUNTED}


def every(steps):
    """Returns all steps, with those inside others."""
    return [found for step in steps for found in (step, *every(step.substeps))]


def test_real_substeps(real_data):
    """Agents that are tools have the calls of their own agents inside."""
    folder = real_data / "traces" / "otel-spans"
    run = formats.read(folder / "openinference_openai_agents.json")
    assert tree(run.steps, "agent", "turn", "effect")[0][:3] == (
        "ask_math_specialist",
        "coordinator",
        1,
    )
    assert tree(run.steps[0].substeps, "agent", "turn", "effect") == [
        ("multiply_numbers", "math_specialist", 1, "714"),
        ("divide_numbers", "math_specialist", 1, "0.0"),
        ("divide_numbers", "math_specialist", 2, "238.0"),
    ]
    run = formats.read(folder / "claude_agent_sdk.json")
    assert tree(run.steps, "turn") == [
        ("Agent", 1, [("Bash", 1)]),
        ("Agent", 1, [("Bash", 1)]),
        ("Agent", 2, [("Bash", 1)]),
    ]
    assert run.steps[2].substeps[0].arguments["command"] == "python3 -c 'print(89 - 72)'"


def test_real_failure(real_data):
    """A call that failed says so, and its result is what the model was told of it."""
    run = formats.read(real_data / "traces" / "otel-spans" / "genai_convention.json")
    assert tree(run.steps, "status", "turn", "effect") == [
        ("get_weather", "ok", 1, "rainy, 57°F"),
        ("get_weather", "error", 1, "Error: TimeoutError"),
    ]


@pytest.mark.parametrize("name", ["pydantic_ai", "pydantic_ai_no_content"])
def test_pydantic_ai(name):
    """Made by Pydantic AI: four calls, one of them refused, and one inside the last."""
    run = formats.read(MADE / f"{name}.jsonl")
    assert tree(run.steps, "status", "turn", "agent") == [
        ("get_weather", None, 1, "trip"),
        ("get_weather", "error", 1, "trip"),
        ("get_weather", None, 2, "trip"),
        ("ask_librarian", None, 3, "trip", [("look_up", None, 1, "librarian")]),
    ]
    if name == "pydantic_ai":
        assert run.request == ("Where is it nicer, Paris or Atlantis?",)
        assert [step.action for step in run.steps] == ["I look at both."] * 2 + [None] * 2
        assert run.steps[1].arguments == {"city": "Atlantis"}
        assert run.steps[1].effect == "no such city, try Rome"
    else:
        assert run.request == ()
        assert all(step.arguments is step.effect is None for step in every(run.steps))


def test_openinference():
    """Made by OpenInference of LangChain: six calls, one never ran; one is inside the last."""
    run = formats.read(MADE / "openinference.jsonl")
    assert tree(run.steps, "status", "turn") == [
        ("get_weather", "ok", 1),
        ("search_hotels", "ok", 1),
        ("book_hotel", "error", 2),
        ("send_mail", None, 3),
        ("book_hotel", "ok", 3),
        ("ask_guide", "ok", 4, [("get_sights", "ok", 1)]),
    ]
    assert [step.arguments for step in run.steps] == [
        {"city": "Rome"},
        {"city": "Rome", "max_price": 150},
        {"hotel": "H7"},
        '{"to": "mia@example.org", "text": "Bo',
        {"hotel": "H9"},
        {"question": "What's to see in Rome?"},
    ]
    assert [step.metadata.get("arguments_unparsed") for step in run.steps] == [
        *(None, None, None),
        True,
        *(None, None),
    ]
    effects = {
        step.arguments["hotel"]: step.effect for step in run.steps if step.tool == "book_hotel"
    }
    assert effects == {"H7": "H7 is full.", "H9": "Booked H9."}  # without LangChain's message
    assert run.request == ("A room in Rome, please.",)


@pytest.mark.parametrize("name", ["strands", "strands_latest"])
def test_strands(name):
    """Made by Strands, by the older conventions and the latest: four calls, one inside another."""
    run = formats.read(MADE / f"{name}.jsonl")
    assert tree(run.steps, "status", "turn", "agent", "action") == [
        ("get_weather", "ok", 1, "trip", "I look at both."),
        ("get_weather", "error", 1, "trip", "I look at both."),
        ("ask_librarian", "ok", 2, "trip", None, [("look_up", "ok", 1, "librarian", None)]),
    ]
    assert run.request == ("Paris or Atlantis?",)
    assert [step.arguments for step in every(run.steps)] == [
        {"city": "Paris"},
        {"city": "Atlantis"},
        {"question": "Capital of Italy?"},
        {"key": "capital"},
    ]
    told = [str(step.effect) for step in every(run.steps)]
    words = ("Sunny in Paris.", "no such city", "Rome is the capital.", "capital: Rome")
    assert all(word in text for word, text in zip(words, told, strict=True))


def test_tool_told_by_events_alone(write):
    """Tools' spans of Strands tell arguments and result without any model's span."""
    for name in ("strands", "strands_latest"):
        lines = (MADE / f"{name}.jsonl").read_text("utf-8").splitlines()
        tools = [span for span in map(json.loads, lines) if span["name"].startswith("execute_tool")]
        for span in tools:
            for key in ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result"):
                span["attributes"].pop(key, None)
        run = formats.read(write(tools, f"{name}.jsonl"))
        assert run.steps[0].arguments == {"city": "Paris"}
        assert "Sunny in Paris." in str(run.steps[0].effect)
        assert run.steps[1].status == "error"


def test_spans_of_scripts_nest(read):
    """The SDK of JavaScript tells the parent of a span by its context, and times in pairs."""
    outer, inner = tool("s1", **{"gen_ai.tool.name": "ask"}), tool("s2", "s1")
    (step,) = read([script(outer), script(inner)]).steps
    assert (step.tool, [one.tool for one in step.substeps]) == ("ask", ["search"])
    assert step.started_at == read([otlp(outer)]).steps[0].started_at
