"""Traces of Langfuse."""

from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[1] / "made" / "otel"


def observation(identifier, kind, name, parent=None, **fields):
    """Returns an observation as the API writes it."""
    number = int("".join(filter(str.isdigit, identifier)) or 0)
    return {
        "id": identifier,
        "traceId": "t",
        "type": kind,
        "name": name,
        "parentObservationId": parent,
        "startTime": f"2026-04-30T13:17:{number:02}.000Z",
        "endTime": f"2026-04-30T13:17:{number:02}.500Z",
        **fields,
    }


ASKED = {
    "role": "assistant",
    "content": "I look.",
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"a": 1}'}}
    ],
}
SPOKE = [{"role": "user", "content": "A room."}]
MODEL = observation("o1", "GENERATION", "chat", input=SPOKE, output=ASKED)
TOOL = observation("o2", "TOOL", "search", input={"a": 1}, output="H7")
TRACE = {"id": "t", "name": "trip", "sessionId": "s", "observations": [MODEL, TOOL]}
SNAKE = {
    "id": "o2",
    "type": "TOOL",
    "name": "search",
    "trace_id": "t",
    "start_time": "2026-04-30T13:17:02",
    "input": '{"a": 1}',
}


def tree(steps, *fields):
    """Returns some fields of each step, and of its substeps where there are any."""
    found = []
    for step in steps:
        values = tuple(getattr(step, field) for field in ("tool", *fields))
        found.append((*values, tree(step.substeps, *fields)) if step.substeps else values)
    return found


def test_made():
    """Made by Langfuse's client of LangGraph: six calls, one never ran; one is inside the last."""
    run = formats.read(MADE / "langfuse.json")
    assert tree(run.steps, "status", "turn") == [
        ("search_hotels", "ok", 1),
        ("get_weather", "ok", 1),
        ("book_hotel", "error", 2),
        ("send_mail", "error", 3),
        ("book_hotel", "ok", 3),
        ("ask_guide", "ok", 4, [("get_sights", "ok", 1)]),
    ]
    assert run.steps[0].arguments == {"city": "Rome", "max_price": 150}
    assert run.steps[2].effect == "H7 is full."
    assert run.request == ("A room in Rome, please.",)
    assert run.unread.unknown == {}


@pytest.mark.parametrize(
    "document",
    [
        TRACE,
        [TRACE],
        {"trace": {"id": "t", "name": "trip"}, "observations": [MODEL, TOOL]},
        {"data": [MODEL, TOOL], "meta": {}},
        [MODEL, TOOL],
        {"data": [TRACE]},
    ],
)
def test_envelopes(write, document):
    """However the observations were fetched, the run is the same."""
    run = formats.read(write(document))
    assert run.id == "t"
    assert run.request == ("A room.",)
    assert tree(run.steps, "arguments", "effect", "action") == [
        ("search", {"a": 1}, "H7", "I look.")
    ]


def test_names_of_the_client(write):
    """The client for Python writes names with underscores, and exports JSON as text."""
    (step,) = formats.read(write([SNAKE])).steps
    assert (step.tool, step.arguments) == ("search", {"a": 1})
    assert step.started_at.isoformat() == "2026-04-30T13:17:02+00:00"


def test_tools_before_there_was_a_type(write):
    """A plain span that is named like a tool that a model asked for is the call of that tool."""
    old = [MODEL, {**TOOL, "type": "SPAN"}, observation("o3", "SPAN", "prepare")]
    run = formats.read(write({**TRACE, "observations": old}))
    assert tree(run.steps, "effect") == [("search", "H7")]
    assert run.unread.ignored == {"observation of type 'SPAN'": 1}


def test_kinds_that_the_tracer_told(write):
    """What OpenTelemetry's attributes say of a span counts where its type says nothing."""
    metadata = {"attributes": {"gen_ai.operation.name": "execute_tool"}}
    strange = {"attributes": {"gen_ai.operation.name": "dream"}}
    run = formats.read(
        write(
            [
                observation("o1", "SPAN", "search", input={"a": 1}, metadata=metadata),
                observation("o2", "SPAN", "night", metadata=strange),
            ]
        )
    )
    assert tree(run.steps, "arguments") == [("search", {"a": 1})]
    assert run.unread.unknown == {"span with gen_ai.operation.name 'dream'": 1}


def test_failures(write):
    """An observation of level ERROR is a call that failed, whatever came back."""
    failed = {**TOOL, "level": "ERROR", "statusMessage": "full", "output": None}
    (step,) = formats.read(write([failed])).steps
    assert (step.status, step.metadata) == ("error", {"error": "full"})


def test_nothing_understood(write):
    """A generation without its answer, and no tool, is no run that did nothing."""
    run = formats.read(write([{**MODEL, "output": None}]))
    assert not run.understood
    run = formats.read(write([{**MODEL, "output": "Sorry."}]))
    assert run.understood
    assert run.messages_to_user == ("Sorry.",)


def traced(identifier, kind, name, attributes=None, **fields):
    """Returns an observation that a tracer of OpenTelemetry sent, with the span's attributes."""
    return observation(identifier, kind, name, metadata={"attributes": attributes or {}}, **fields)


ASKS_TWO = [
    {"type": "tool_call", "id": f"c{n}", "name": name, "arguments": {"topic": "bugs"}}
    for n, name in enumerate(("get_pun", "get_joke"))
]
PYDANTIC_AI = [
    traced("o1", "GENERATION", "chat", output=[{"role": "assistant", "parts": ASKS_TWO}]),
    traced("o2", "SPAN", "running 2 tools", {"tools": ["get_pun", "get_joke"]}),
    *(
        traced(
            f"o{n + 3}",
            "TOOL",
            f"running tool: {call['name']}",
            {"gen_ai.tool.name": call["name"], "gen_ai.tool.call.id": call["id"]},
            input={"topic": "bugs"},
            output="A pun.",
        )
        for n, call in enumerate(ASKS_TWO)
    ),
]
ADK_CALL = {"function_call": {"args": {}, "name": "say_hello"}}
ADK = [
    traced(
        "o1", "GENERATION", "call_llm", output={"content": {"parts": [ADK_CALL], "role": "model"}}
    ),
    traced(
        "o2",
        "TOOL",
        "execute_tool say_hello",
        {
            "gen_ai.tool.name": "say_hello",
            "gen_ai.tool.call.id": "adk-8",
            "gcp.vertex.agent.tool_response": {"greeting": "Hello"},
        },
        input={},
        output={},
    ),
]
OLD_CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "Web-Search", "arguments": {"query": "example"}},
}
LANGGRAPH = [
    observation(
        "o1",
        "GENERATION",
        "ChatOpenAI",
        output={
            "role": "assistant",
            "content": "",
            "additional_kwargs": {"tool_calls": [OLD_CALL], "refusal": None},
        },
    ),
    observation(
        "o2",
        "SPAN",
        "Web-Search",
        input="{'query': 'example'}",
        output={"type": "tool", "tool_call_id": "c1", "content": "H7", "status": "success"},
    ),
]
KOOG_CALL = {"id": "c1", "type": "function", "function": {"name": "ByeTool", "arguments": {"n": 1}}}
KOOG = [
    traced("o1", "GENERATION", "llm.chat", output=[{"role": "assistant", "content": [KOOG_CALL]}]),
    traced(
        "o2",
        "SPAN",
        "tool.ByeTool",
        {"gen_ai.tool.name": "ByeTool", "gen_ai.tool.call.id": "c1", "input.value": {"n": 1}},
        input={"n": 1},
        output="Bye.",
    ),
]


@pytest.mark.parametrize(
    ("observations", "steps"),
    [
        (PYDANTIC_AI, [(name, {"topic": "bugs"}, "A pun.") for name in ("get_pun", "get_joke")]),
        (ADK, [("say_hello", {}, {"greeting": "Hello"})]),
        (LANGGRAPH, [("Web-Search", {"query": "example"}, "H7")]),
        (KOOG, [("ByeTool", {"n": 1}, "Bye.")]),
    ],
    ids=["pydantic-ai", "adk", "langgraph", "koog"],
)
def test_frameworks(write, observations, steps):
    """A tool is what the span says, whatever its observation is called: each call is one step."""
    run = formats.read(write({"trace": {"id": "t"}, "observations": observations}))
    assert tree(run.steps, "arguments", "effect") == steps
    assert run.unread.unknown == {}


def test_events_of_beeai(write):
    """Its spans of events are no calls; where they are all there is, the run is not understood."""
    kind = {"openinference.span.kind": "TOOL"}
    call = traced("o1", "TOOL", "Wikipedia", {**kind, "tool.name": "Wikipedia"}, input={"q": 1})
    start = traced("o2", "TOOL", "start", {**kind, "metadata.path": "tool.wikipedia.start"})
    run = formats.read(write([call, {**start, "parentObservationId": "o1"}]))
    assert (tree(run.steps), run.unread.unknown) == ([("Wikipedia",)], {})
    older = {**kind, "target": "tool.wikipedia.success"}
    run = formats.read(write([traced("o1", "SPAN", "tool.wikipedia.success-12", older)]))
    assert not run.understood


@pytest.mark.parametrize(
    ("name", "tool"), [("running tool: search", "search"), ("execute_tool search", "search")]
)
def test_names_around_tools(write, name, tool):
    """Where no attribute says it, what tracers write before the tool's name is not its name."""
    assert formats.read(write([observation("o1", "TOOL", name)])).steps[0].tool == tool


def test_odd_ids(write):
    """An id that is no text names nothing, and keeps nothing else of the file from being read."""
    odd = {"role": "tool", "content": "H7", "id": ["langchain", "schema", "ToolMessage"]}
    heard = {**MODEL, "input": [*SPOKE, odd], "metadata": 5}
    run = formats.read(write({"id": "t", "observations": [heard, {**TOOL, "id": ["o2"]}]}))
    assert tree(run.steps, "effect") == [("search", "H7")]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({**TRACE, "observations": []}, "observations: has no observations"),
        ({**TRACE, "observations": ["o1"]}, "observations: has no observations, only their ids"),
        ({**TRACE, "observations": [TOOL, 5]}, "observations[1]: expected an object"),
        ([{**TOOL, "startTime": "soon"}], "[0].startTime: expected a time"),
    ],
)
def test_bad_values(write, document, words):
    """A bad value is an error with its exact place; a trace without observations is no run."""
    path = write(document)
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    assert str(caught.value).startswith(f"{path}: {words}")


def test_an_id_that_is_a_flag(write):
    """It names nothing, and the observation is read."""
    flagged = {**TRACE, "observations": [MODEL, {**TOOL, "id": True}]}
    assert [step.tool for step in formats.read(write(flagged)).steps] == ["search"]
