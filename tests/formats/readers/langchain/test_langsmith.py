"""LangSmith's runs, flat and one inside another."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError, LimitError
from otap.formats.readers import langsmith

MADE = Path(__file__).parents[2] / "made"
NESTED, TEXT = MADE / "langsmith.json", MADE / "langsmith_text.jsonl"


def run(identifier, kind, parent=None, at=0, **fields):
    """Returns a run."""
    time = f"2026-01-01T00:00:{at:02d}"
    around = {"parent_run_id": parent, "trace_id": "root"}
    return {"id": identifier, "name": identifier, "run_type": kind, "start_time": time} | (
        {"end_time": time, "inputs": {}, "outputs": None} | around | fields
    )


def model(identifier, *calls, at=0, content="", **fields):
    """Returns the run of a chat model of LangChain that makes calls."""
    message = {"type": "ai", "data": {"content": content, "tool_calls": list(calls)}}
    outputs = {"generations": [[{"text": content, "message": message}]]}
    return run(identifier, "llm", "root", at, outputs=outputs, **fields)


def tool(identifier, at=0, output="found", parent="root", **fields):
    """Returns the run of a tool."""
    return run(identifier, "tool", parent, at, outputs={"output": output}, **fields)


def call(identifier, name, **args):
    """Returns a call as a message has it."""
    return {"id": identifier, "name": name, "args": args}


ROOT = run("root", "chain", inputs={"question": "A room in Rome."})


def steps_of(write, *runs):
    """Returns the steps of a trace with these runs below its root."""
    return formats.read(write([ROOT, *runs])).steps


def summary(steps):
    """Returns what matters of steps."""
    return [(s.tool, s.arguments, s.turn, s.status, s.agent, summary(s.substeps)) for s in steps]


def test_real_nested_trace():
    """The real agent called four tools in three turns; one of them is an agent with a tool."""
    trace = formats.read(NESTED)
    rome = {"city": "Rome"}
    sights = ("get_sights", rome, 1, "ok", "guide", [])
    question = {"question": "What's to see in Rome?"}
    assert summary(trace.steps) == [
        ("search_hotels", {**rome, "max_price": 150}, 1, "ok", "travel", []),
        ("get_weather", rome, 1, "ok", "travel", []),
        ("book_hotel", {"hotel": "H7"}, 2, "error", "travel", []),
        ("ask_guide", question, 3, "ok", "travel", [sights]),
    ]
    assert [s.action for s in trace.steps] == ["I look for hotels."] * 2 + [None, None]
    assert [s.effect for s in trace.steps[1:]] == [
        "Sunny in Rome.",
        "H7 is full.",
        "See the Pantheon.",
    ]
    assert trace.steps[3].substeps[0].effect == ["Colosseum", "Pantheon"]
    assert trace.steps[1].metadata == {"call_id": "call_weather", "artifact": {"celsius": 24}}
    assert trace.request == ("A room in Rome, please.",)
    assert (trace.id, trace.metadata) == (json.loads(NESTED.read_text())["id"], {"name": "travel"})


def test_real_text_inputs():
    """The tools' inputs are text here, and most parents are not in the file; nothing is lost."""
    trace = formats.read(TEXT)
    assert [(s.tool, s.arguments, s.turn, s.status) for s in trace.steps] == [
        ("search_hotels", {"city": "Rome", "max_price": 150}, 1, "ok"),
        ("get_weather", {"city": "Rome"}, 1, "ok"),
        ("book_hotel", {"hotel": "H7"}, 2, "error"),
        ("send_mail", '{"to": "mia@example.org", "text": "Bo', 3, "error"),
        ("book_hotel", {"hotel": "H9"}, 3, "ok"),
        ("ask_guide", {"question": "What's to see in Rome?"}, 4, "ok"),
    ]
    unparsed = [s.tool for s in trace.steps if "arguments_unparsed" in s.metadata]
    assert unparsed == ["send_mail"]
    assert trace.steps[2].metadata["error"] == "ToolException('H7 is full.')"
    assert trace.steps[2].effect.startswith("Error: ToolException('H7 is full.')")
    (sights,) = trace.steps[5].substeps
    assert (sights.tool, sights.arguments) == ("get_sights", {"city": "Rome"})
    assert trace.request == ("A room in Rome, please.",)


def test_real_trace_in_any_order(write):
    """The order of the lines says nothing; flat runs are the same as nested ones."""
    recorded = [json.loads(line) for line in TEXT.read_text("utf-8").splitlines()]
    backwards = formats.read(write(recorded[::-1], "runs.jsonl"))
    assert backwards.steps == formats.read(TEXT).steps
    flat, waiting = [], [json.loads(NESTED.read_text("utf-8"))]
    while waiting:
        item = waiting.pop()
        waiting += item.pop("child_runs", None) or []
        flat.append(item)
    for document in (flat, {"runs": flat}):
        assert formats.read(write(document)).steps == formats.read(NESTED).steps


def test_several_traces(write):
    """Runs are told apart by their trace, in the order in which the traces begin."""
    other = run("r2", "chain", trace_id="r2", reference_example_id="e7")
    inner = tool("search", parent="r2", trace_id="r2")
    first, second = formats.read_all(write([ROOT, other, tool("book"), inner]))
    assert (first.id, second.id, second.task) == ("root", "r2", "e7")
    assert [s.tool for s in (*first.steps, *second.steps)] == ["book", "search"]


def test_trace_that_is_not_told(write):
    """Without trace ids, runs belong to the trace of their parent; a lost parent is none."""
    bare = [
        {"id": "c", "name": "book", "run_type": "tool", "inputs": {}, "parent_run_id": "b"},
        {"id": "b", "name": "tools", "run_type": "chain", "inputs": {}, "parent_run_id": "a"},
        {"id": "a", "name": "agent", "run_type": "chain", "inputs": {}},
        {"id": "d", "name": "pay", "run_type": "tool", "inputs": {}, "parent_run_id": "lost"},
    ]
    runs = list(formats.read_all(write(bare)))
    assert [(r.id, [s.tool for s in r.steps]) for r in runs] == [("a", ["book"]), ("d", ["pay"])]


def test_tokens_of_models_are_summed(write):
    used = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    found = formats.read(write([ROOT, model("m1", **used), model("m2", at=1, **used)]))
    assert (found.tokens.input, found.tokens.output) == (6, 4)


def test_text_inputs_without_a_model(write):
    """Arguments as Python prints them stay text where no model says them; other text is one."""
    printed = tool("search", inputs={"input": "{'city': 'Rome'}"})
    said = tool("ask", inputs={"input": "Rome?"})
    first, second = steps_of(write, printed, said)
    assert first.arguments == {"input": "{'city': 'Rome'}"}
    assert first.metadata == {"arguments_unparsed": True}
    assert (second.arguments, second.metadata) == ({"input": "Rome?"}, {})


def test_openai_messages(write):
    """A model that LangChain did not call answers as OpenAI's do."""
    function = {"name": "search", "arguments": '{"city": "Rome"}'}
    message = {"role": "assistant", "content": "I look.", "tool_calls": [{"id": "c1"}]}
    message["tool_calls"][0]["function"] = function
    inputs = {"messages": [{"role": "user", "content": "A room."}]}
    answered = {"role": "tool", "tool_call_id": "c1", "content": "found"}
    first = run("m1", "llm", "root", 1, inputs=inputs, outputs={"choices": [{"message": message}]})
    second = run("m2", "llm", "root", 2, inputs={"messages": [message, answered]})
    told = formats.read(write([ROOT, first, second]))
    (step,) = told.steps
    assert (step.tool, step.arguments, step.effect) == ("search", {"city": "Rome"}, "found")
    assert (step.action, told.request) == ("I look.", ("A room.",))


def test_messages_as_outputs(write):
    """A model may have its answer among the messages of its outputs."""
    answer = {"type": "ai", "content": "", "tool_calls": [call("c1", "search")]}
    (step,) = steps_of(write, run("m", "llm", "root", outputs={"messages": [answer]}))
    assert step.tool == "search"


def test_told_twice(write):
    """A call of the model and the run of its tool are one step, with or without an id."""
    asked = model("m", call("c1", "search", city="Rome"), call("c2", "book"), at=1)
    with_id = tool("search", 2, extra={"tool_call_id": "c1"}, inputs={"city": "Rome"})
    first, second = steps_of(write, asked, with_id, tool("book", 3))
    assert (first.metadata, second.metadata) == ({"call_id": "c1"}, {"call_id": "c2"})
    assert first.turn == second.turn == 1


def test_id_in_the_output(write):
    """The message that a tool's run gave back names its call, whatever the order."""
    asked = model("m", call("c1", "find", city="Rome"), call("c2", "find", city="Paris"), at=1)
    runs = [
        tool(f"t{at}", at, {"type": "tool", "content": text, "tool_call_id": identifier})
        | {"name": "find", "inputs": {"input": "{...}"}}
        for at, identifier, text in ((2, "c2", "of Paris"), (3, "c1", "of Rome"))
    ]
    steps = steps_of(write, asked, *runs)
    assert [(s.arguments["city"], s.effect) for s in steps] == [
        ("Paris", "of Paris"),
        ("Rome", "of Rome"),
    ]


def test_retries(write):
    """Each attempt is a step; the failed one has its error, without the lines of code."""
    failed = tool("book", 1, None, error="Full('H7')Traceback (most recent call last):\n  File")
    first, second = steps_of(write, failed, tool("again", 2, name="book"))
    assert (first.status, first.effect, first.metadata) == ("error", None, {"error": "Full('H7')"})
    assert (second.status, second.effect) == (None, "found")


def test_status(write):
    """The tool's answer says how a run that did not fail went, else the run's own status."""
    told = {"type": "tool", "content": "x", "tool_call_id": "c", "status": "error"}
    steps = steps_of(
        write,
        tool("a", 1, status="success"),
        tool("b", 2, status="error"),
        tool("c", 3, told, status="success"),
        tool("d", 4),
    )
    assert [step.status for step in steps] == ["ok", "error", "error", None]


def test_outputs(write):
    """Outputs of several keys are the effect; none is not recorded."""
    several = run("a", "tool", "root", 1, outputs={"output": 1, "more": 2})
    steps = steps_of(write, several, run("b", "tool", "root", 2, outputs={}))
    assert [step.effect for step in steps] == [{"output": 1, "more": 2}, None]


def test_times(write):
    """Times without a zone are in UTC; a run without a time comes last."""
    late = tool("late", start_time=None, end_time=None)
    first, second = steps_of(write, late, tool("early", 5))
    assert first.started_at == first.ended_at == datetime(2026, 1, 1, 0, 0, 5, tzinfo=UTC)
    assert (second.tool, second.started_at) == ("late", None)


def test_request_and_background(write):
    """The one text that the whole was given is the request; the root's scores are kept."""
    scores = {"correct": {"n": 1, "avg": 1.0}}
    told = formats.read(write([{**ROOT, "feedback_stats": scores, "error": "Stop()"}]))
    assert told.request == ("A room in Rome.",)
    assert told.metadata == {"name": "root", "feedback_stats": scores, "error": "Stop()"}
    assert told.outcome is None
    assert formats.read(write([{**ROOT, "inputs": {"a": "x", "b": "y"}}])).request == ()


def test_reasoning(write):
    """An answer that leads to no call is a reasoning step where asked for."""
    path = write([ROOT, model("m", content="There are none.")])
    (step,) = formats.read(path, reasoning=True).steps
    assert (step.kind, step.action) == ("reasoning", "There are none.")
    assert formats.read(path).steps == ()


@pytest.mark.parametrize(
    "value",
    [
        {"id": "a", "run_type": "tool"},
        {"id": "a", "run_type": "job", "inputs": {}},
        {"run_type": "tool", "inputs": {}},
        {"id": "a", "run_type": ["tool"], "inputs": {}},
        {"runs": []},
        {"runs": 5},
        [[]],
    ],
)
def test_not_recognised(value):
    """What is no run of LangSmith is left to other formats."""
    assert not langsmith.recognises(value)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (5, "[1]: expected an object"),
        (run(None, "tool"), "[1].id: expected text, found null"),
        (run("a", "tool", []), "[1].parent_run_id: expected text or a whole number"),
        (run("a", "tool", trace_id=[]), "[1].trace_id: expected text or a whole number"),
        (run("a", "tool", dotted_order=5), "[1].dotted_order: expected text"),
        (run("a", "tool", child_runs=5), "[1].child_runs: expected a list"),
        (run("a", "tool", child_runs=[5]), "[1].child_runs[0]: expected an object"),
        (run("a", "tool", name=5), "[1].name: expected text"),
        (run("a", "tool", error=5), "[1].error: expected text"),
        (run("a", "tool", start_time=5), "[1].start_time: expected a time in ISO 8601"),
        (run("a", "tool", end_time="now"), "[1].end_time: expected a time in ISO 8601"),
        (tool("a", extra={"tool_call_id": []}), "[1].extra.tool_call_id: expected text or a whole"),
        (
            tool("a", output={"type": "tool", "content": "", "tool_call_id": []}),
            "[1].outputs.output.tool_call_id: expected text or a whole number",
        ),
        (
            model("a", 5),
            "[1].outputs.generations[0][0].message.data.tool_calls[0]: expected an object",
        ),
        (
            run("a", "llm", inputs={"messages": [[{"type": "human", "content": 5}]]}),
            "[1].inputs.messages[0][0].content: expected a list",
        ),
        (run("a", "chain", "a"), "[1]: span 'a' is its own ancestor"),
    ],
)
def test_bad_runs(write, bad, words):
    """A bad shape is an error with its place."""
    path = write([ROOT, bad])
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    assert str(caught.value).startswith(f"{path}: {words}")


def test_bad_envelope(write):
    """What stands around the runs is checked as well."""
    path = write({"runs": [ROOT, 5]})
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}: runs[1]: expected an object")


def test_circle_of_parents(write):
    """Runs that are their own ancestors are an error, with or without traces."""
    circle = [{**run("a", "chain", "b"), "trace_id": None}, run("b", "chain", "a", trace_id=None)]
    with pytest.raises(FormatError, match="is its own ancestor"):
        list(formats.read_all(write(circle)))


def test_long_trace(write):
    """A chain of 20,000 runs without traces, and too many steps, are read or refused at once."""
    chain = [run(str(n), "chain", str(n - 1), trace_id=None) for n in range(20_000)]
    assert formats.read(write(chain[::-1])).steps == ()
    with pytest.raises(LimitError, match="max_steps"):
        formats.read(write([ROOT, *(tool(f"t{n}") for n in range(20_001))]))
