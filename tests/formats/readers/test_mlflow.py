"""MLflow's traces, in the versions 2 and 3."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError, LimitError
from otap.formats.readers import mlflow

MADE = Path(__file__).parents[1] / "made"
SECOND = 1_000_000_000


def span(identifier, kind, at=0, inputs=None, outputs=None, **changed):
    """Returns a span of version 3 below the root."""
    values = {"mlflow.spanType": kind, "mlflow.spanInputs": inputs, "mlflow.spanOutputs": outputs}
    return {
        "span_id": identifier,
        "parent_span_id": "root",
        "name": identifier,
        "start_time_unix_nano": at * SECOND,
        "end_time_unix_nano": at * SECOND,
        "status": {"code": "STATUS_CODE_OK", "message": ""},
        "attributes": {key: json.dumps(value) for key, value in values.items()},
        **changed,
    }


ROOT = span("root", "AGENT", inputs={"question": "A room in Rome."}, parent_span_id=None)


def trace(*spans, identifier="tr-1"):
    """Returns a trace of version 3."""
    return {"info": {"trace_id": identifier}, "data": {"spans": [ROOT, *spans]}}


def older(value):
    """Returns a span as version 2 writes it."""
    return {
        "context": {"span_id": value["span_id"], "trace_id": "t"},
        "parent_id": value["parent_span_id"],
        "name": value["name"],
        "start_time": value["start_time_unix_nano"],
        "end_time": value["end_time_unix_nano"],
        "status_code": value["status"]["code"].removeprefix("STATUS_CODE_"),
        "status_message": value["status"]["message"],
        "attributes": value["attributes"],
    }


def summary(steps):
    """Returns what matters of steps."""
    return [(s.tool, s.arguments, s.turn, s.status, s.agent, summary(s.substeps)) for s in steps]


ROME = {"city": "Rome"}
QUESTION = {"question": "What's to see in Rome?"}
SIGHTS = ("get_sights", ROME, 1, "ok", "guide", [])


@pytest.mark.parametrize("name", ["mlflow.json", "mlflow_2.json"])
def test_real_traces(name):
    """The traced agent made five calls in three turns; one tool is an agent, one was not there."""
    run = formats.read(MADE / name)
    assert sorted(summary(run.steps), key=lambda s: (s[2], s[0])) == [
        ("ask_guide", QUESTION, 1, "ok", "travel", [SIGHTS]),
        ("search_hotels", {**ROME, "max_price": 150}, 1, "ok", "travel", []),
        ("book_hotel", {"hotel": "H7"}, 2, "error", "travel", []),
        ("book_hotel", {"hotel": "H9"}, 3, "ok", "travel", []),
        ("show_map", ROME, 3, None, "travel", []),
    ]
    steps = {step.metadata["call_id"]: step for step in run.steps}
    assert steps["call_hotels"].effect[0] == {"id": "H7", "price": 90, "city": "Rome"}
    assert steps["call_hotels"].action == steps["call_guide"].action == "I look for hotels."
    assert steps["call_full"].effect == "Error: H7 is full."
    assert steps["call_full"].metadata["error"] == "ValueError: H7 is full."
    assert steps["call_book"].effect == "Booked H9."
    assert steps["call_map"].effect == "There is no tool show_map."
    info = json.loads((MADE / name).read_text("utf-8"))["info"]
    assert run.id == info.get("trace_id", info.get("request_id"))
    assert (run.request, run.metadata) == (("A room in Rome, please.",), {"name": "travel"})


def test_real_trace_of_langchain():
    """MLflow traced the calls of LangChain's agent by itself: four, in three turns."""
    run = formats.read(MADE / "mlflow_langchain.json")
    assert summary(run.steps) == [
        ("search_hotels", {**ROME, "max_price": 150}, 1, "ok", "travel", []),
        ("get_weather", ROME, 1, "ok", "travel", []),
        ("book_hotel", {"hotel": "H7"}, 2, "error", "travel", []),
        ("ask_guide", QUESTION, 3, "ok", "travel", [SIGHTS]),
    ]
    assert [s.effect for s in run.steps[1:]] == [
        "Sunny in Rome.",
        "H7 is full.",
        "See the Pantheon.",
    ]
    assert run.steps[1].metadata == {"call_id": "call_weather", "artifact": {"celsius": 24}}
    assert run.request == ("A room in Rome, please.",)


def test_several_traces(write):
    """A list of traces, and JSONL of them, are a run each."""
    traces = [trace(span("a", "TOOL")), trace(span("b", "TOOL"), identifier="tr-2")]
    for name in ("trace.json", "traces.jsonl"):
        runs = list(formats.read_all(write(traces, name)))
        assert [(r.id, r.steps[0].tool) for r in runs] == [("tr-1", "a"), ("tr-2", "b")]


def test_step(write):
    """All that a span tells of a call is in its step."""
    failed = {"code": "STATUS_CODE_ERROR", "message": "ValueError: full"}
    told = trace(span("book", "TOOL", 5, {"hotel": "H7"}, status=failed))
    time = datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC)
    (step,) = formats.read(write(told)).steps
    assert step.model_dump(exclude_unset=True) == {
        "id": "1",
        "kind": "tool",
        "action": None,
        "tool": "book",
        "arguments": {"hotel": "H7"},
        "effect": None,
        "status": "error",
        "agent": "root",
        "turn": 1,
        "started_at": time,
        "ended_at": time,
        "metadata": {"error": "ValueError: full"},
    }


def test_what_is_not_recorded(write):
    """Attributes that are not there, and a status that says nothing, are not recorded."""
    bare = span("a", "TOOL", status={"code": "STATUS_CODE_UNSET"}, start_time_unix_nano=None)
    bare["attributes"] = {"mlflow.spanType": '"TOOL"'}
    (step,) = formats.read(write(trace(bare))).steps
    assert (step.arguments, step.effect, step.status, step.started_at) == (None,) * 4


def test_attributes_that_are_no_json(write):
    """A text that another tracer wrote is the text itself."""
    plain = span("a", "TOOL")
    plain["attributes"] = {"mlflow.spanType": "TOOL", "mlflow.spanOutputs": "three rooms"}
    assert formats.read(write(trace(plain))).steps[0].effect == "three rooms"


def test_numbered_names(write):
    """Version 2 numbers spans that share a name; names that end in a number by themselves stay."""
    names = ["book_1", "book_2", "find_1", "list", "list_1", "list_2"]
    spans = [span(name, "TOOL", at) for at, name in enumerate(names, 1)]
    new = formats.read(write(trace(*spans)))
    assert [step.tool for step in new.steps] == names
    value = {"info": {"request_id": "r"}, "data": {"spans": [older(s) for s in (ROOT, *spans)]}}
    old = formats.read(write(value))
    assert [step.tool for step in old.steps] == ["book", "book", *names[2:]]


def test_told_twice(write):
    """A call that a model asked for and the span of its tool are one step."""
    function = {"name": "book", "arguments": '{"hotel": "H7"}'}
    message = {"role": "assistant", "content": "I book.", "tool_calls": [{"id": "c1"}]}
    message["tool_calls"][0]["function"] = function
    model = span("m", "CHAT_MODEL", 1, {}, {"choices": [{"message": message}]})
    around = span("around", "LLM", 1, {}, {"choices": [{"message": message}]})
    model["parent_span_id"] = "around"
    (step,) = formats.read(write(trace(around, model, span("book", "TOOL", 2)))).steps
    assert (step.arguments, step.action, step.metadata) == (
        {"hotel": "H7"},
        "I book.",
        {"call_id": "c1"},
    )


def test_order(write):
    """Spans may come in any order, and their parents may be lost."""
    late = span("late", "TOOL", 9, parent_span_id="lost")
    early = span("early", "TOOL", 1)
    assert [s.tool for s in formats.read(write(trace(late, early))).steps] == ["early", "late"]


def test_reasoning(write):
    """An answer that leads to no call is a reasoning step where asked for."""
    message = {"role": "assistant", "content": "None."}
    path = write(trace(span("m", "CHAT_MODEL", 1, {}, {"choices": [{"message": message}]})))
    (step,) = formats.read(path, reasoning=True).steps
    assert (step.kind, step.action, step.agent) == ("reasoning", "None.", "root")


def test_request(write):
    """Where no model says what it heard, the one text in the inputs of the whole is the request."""
    assert formats.read(write(trace())).request == ("A room in Rome.",)
    value = trace()
    value["data"]["spans"] = []
    assert formats.read(write(value)).request == ()


@pytest.mark.parametrize(
    "value",
    [
        {"info": {}, "data": {"spans": []}},
        {"info": {"trace_id": "t"}, "data": {"spans": {}}},
        {"info": {"trace_id": "t"}, "data": []},
        {"info": "trace_id", "data": {"spans": []}},
        {"task_id": 1, "traj": [], "info": {}},
        [[]],
    ],
)
def test_not_recognised(value):
    """What is no trace of MLflow is left to other formats."""
    assert not mlflow.recognises(value)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"span_id": None}, ".span_id: expected text, found null"),
        ({"context": 5}, ".context: expected an object"),
        ({"context": {}}, ".context.span_id: expected text, found null"),
        ({"parent_span_id": []}, ".parent_span_id: expected text or a whole number"),
        ({"parent_span_id": "a"}, ": span 'a' is its own ancestor"),
        ({"name": ""}, ".name: expected text, found an empty text"),
        ({"attributes": None}, ".attributes: expected an object"),
        ({"start_time_unix_nano": "1"}, ".start_time_unix_nano: expected nanoseconds since 1970"),
        ({"end_time_unix_nano": True}, ".end_time_unix_nano: expected nanoseconds since 1970"),
        ({"end_time_unix_nano": 10**30}, ": a time outside the years 1 to 9999"),
        (
            {"attributes": {"mlflow.spanType": '"TOOL"', "tool_call_id": "[]"}},
            ".attributes.tool_call_id: expected text or a whole number",
        ),
        (
            {
                "attributes": {
                    "mlflow.spanType": '"CHAT_MODEL"',
                    "mlflow.spanOutputs": '{"messages": [{"type": "ai", "content": 5}]}',
                }
            },
            ".attributes.mlflow.spanOutputs.messages[0].content: expected a list",
        ),
    ],
)
def test_bad_spans(write, changed, words):
    """A bad shape is an error with its place."""
    path = write(trace({**span("a", "TOOL"), **changed}))
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}: data.spans[1]{words}")


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (5, "[1]: expected an object"),
        ({"info": 5}, "[1].info: expected an object"),
        ({"info": {}, "data": 5}, "[1].data: expected an object"),
        ({"info": {}, "data": {"spans": 5}}, "[1].data.spans: expected a list"),
        ({"info": {}, "data": {"spans": [5]}}, "[1].data.spans[0]: expected an object"),
        ({"info": {"trace_id": []}, "data": {"spans": []}}, "[1].info.trace_id: expected text or"),
    ],
)
def test_bad_traces(write, bad, words):
    """What stands around the spans is checked as well."""
    path = write([trace(), bad])
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    assert str(caught.value).startswith(f"{path}: {words}")


def test_long_trace(write):
    """A trace beyond the limit is refused by the limit's name, in a moment."""
    spans = [span(str(n), "TOOL", n) for n in range(20_001)]
    with pytest.raises(LimitError, match="max_steps"):
        formats.read(write(trace(*spans)))
