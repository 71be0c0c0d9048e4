"""A call that a trace records several times under one id is one step, in every format alike."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import call, run_of
from otap import formats
from otap.formats.call_identity import MERGED, merge_calls

PAID = {"to": "A1", "amount": 5}


def openai(states, result):
    """Returns one message with each state, as an incomplete stream leaves them."""
    calls = [
        {"id": "c", "type": "function", "function": {"name": "pay", "arguments": state}}
        for state in states
    ]
    asked = {"role": "user", "content": "Pay"}
    paid = {"role": "tool", "tool_call_id": "c", "content": result}
    return [asked, {"role": "assistant", "content": None, "tool_calls": calls}, paid]


def anthropic(states, result):
    """Returns one message for each state, as a log of a stream has them."""
    answers = [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c", "name": "pay", "input": json.loads(state)}],
        }
        for state in states
    ]
    paid = {"type": "tool_result", "tool_use_id": "c", "content": result}
    return [{"role": "user", "content": "Pay"}, *answers, {"role": "user", "content": [paid]}]


def responses(states, result):
    """Returns one item for each state."""
    fields = {"type": "function_call", "call_id": "c", "name": "pay"}
    items = [{**fields, "arguments": state} for state in states]
    output = {"type": "function_call_output", "call_id": "c", "output": result}
    return [{"type": "message", "role": "user", "content": "Pay"}, *items, output]


def agent_framework(states, result):
    """Returns one message with each state."""
    fields = {"type": "function_call", "call_id": "c", "name": "pay"}
    contents = [{**fields, "arguments": state} for state in states]
    output = {"type": "function_result", "call_id": "c", "result": result}
    asked = {"role": "user", "contents": [{"type": "text", "text": "Pay"}]}
    messages = [asked, {"role": "assistant", "contents": contents}]
    return {"messages": [*messages, {"role": "tool", "contents": [output]}]}


def ai_sdk(states, result):
    """Returns one part for each state."""
    fields = {"type": "tool-pay", "toolCallId": "c"}
    inputs = [json.loads(state) for state in states]
    parts = [{**fields, "state": "input-available", "input": value} for value in inputs]
    parts.append({**fields, "state": "output-available", "input": inputs[-1], "output": result})
    return [{"role": "user", "parts": [{"type": "text", "text": "Pay"}]}, _answer(parts)]


def _answer(parts):
    return {"role": "assistant", "parts": parts}


def langchain(states, result):
    """Returns one message for each state."""
    answers = [
        {"type": "ai", "content": "", "tool_calls": [_langchain_call(json.loads(state))]}
        for state in states
    ]
    paid = {"type": "tool", "content": result, "tool_call_id": "c", "name": "pay"}
    return [{"type": "human", "content": "Pay"}, *answers, paid]


def _langchain_call(arguments):
    return {"name": "pay", "args": arguments, "id": "c", "type": "tool_call"}


def bedrock(states, result):
    """Returns one block for each state."""
    uses = [
        {"toolUse": {"toolUseId": "c", "name": "pay", "input": json.loads(state)}}
        for state in states
    ]
    paid = {"toolResult": {"toolUseId": "c", "content": [{"text": result}]}}
    asked = {"role": "user", "content": [{"text": "Pay"}]}
    return [asked, {"role": "assistant", "content": uses}, {"role": "user", "content": [paid]}]


FORMATS = (openai, anthropic, responses, agent_framework, ai_sdk, langchain, bedrock)


@pytest.mark.parametrize("build", FORMATS)
def test_states_of_a_call(build):
    """The states before a result are one call, with the arguments of the last and the result."""
    states = ["{}", '{"to": "A1"}', json.dumps(PAID)]
    run = formats.parse(build(states, "paid"))
    assert [(step.tool, step.arguments, step.effect) for step in run.steps] == [
        ("pay", PAID, "paid")
    ]
    assert run.unread.ignored[MERGED] >= 2


@pytest.mark.parametrize("build", FORMATS)
def test_other_arguments(build):
    """Two calls with complete arguments that differ are two, whatever their id."""
    states = ['{"to": "A1"}', '{"to": "B2"}']
    run = formats.parse(build(states, "paid"))
    assert {json.dumps(step.arguments) for step in run.steps} == {*states}


def record(arguments, turn=1, effect=None, tool="pay", call_id="c", said=1):
    """Returns a step as a reader makes it."""
    notes = {"call_id": call_id, "said": said}
    return call(tool, arguments, effect, turn=turn, metadata=notes)


OTHER = record({}, 2, "4", "look", "x")


@pytest.mark.parametrize(
    "records",
    [
        [record({"to": "A1"}), record({"to": "B2"}, effect="paid")],
        [record({"to": "A1"}), record({"to": "A1"}, tool="refund", effect="paid")],
        [record({"to": "A1"}, effect="paid"), record({"to": "A1"}, effect="paid")],
        [record({"to": "A1"}), OTHER, record({"to": "A1"}, 3, "paid")],
        [record({"to": "A1"}), record({"to": "A1"}, 2, "paid", said=2)],
        [record({"to": "A1"}), record({"to": "A1"}, 2)],
        [record({"to": "A1", "amount": 5}), record({"to": "A1"}, effect="paid")],
        [record({"to": "A"}), record({"to": "A1"}, effect="paid")],
        [record({"to": "A1"}), record({"to": "A1"}, call_id="d", effect="paid")],
    ],
    ids=[
        "arguments",
        "tool",
        "results",
        "result-between",
        "user-between",
        "no-results",
        "fewer-arguments",
        "values",
        "id",
    ],
)
def test_calls_that_stay_apart(records):
    """Calls that share an id but may both have run are all steps."""
    run = run_of(*records)
    assert merge_calls(run) == run


@given(st.data())
def test_any_records(data):
    """However a run repeats its calls, merging gives the calls in order; a second time nothing."""
    count = data.draw(st.integers(1, 6))
    records = []
    for number in range(count):
        arguments = data.draw(st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3)))
        text = json.dumps(arguments)
        beginnings = data.draw(st.lists(st.integers(0, len(text) - 1), max_size=3).map(sorted))
        earlier = [record(text[:end], number, None, "f", f"c{number}") for end in beginnings]
        records += [*earlier, record(arguments, number, "done", "f", f"c{number}")]
    run = merge_calls(run_of(*records))
    kept = [step for step in records if "effect" in step]
    assert [(step.arguments, step.effect) for step in run.steps] == [
        (step["arguments"], "done") for step in kept
    ]
    assert [step.id for step in run.steps] == [str(number) for number in range(1, count + 1)]
    assert sum(run.unread.ignored.values()) == len(records) - count
    assert merge_calls(run) == run


def test_turns_and_dependencies():
    """Growing copies of an answer are one turn, and what depended on a copy depends on the call."""
    first = {**record({}, 1, tool="look", call_id="a"), "action": "I look"}
    second = record({}, 2, "4", tool="look", call_id="a")
    third = {**record({}, 2, "paid"), "depends_on": ["2"]}
    run = merge_calls(run_of(first, second, third))
    assert [(step.id, step.turn, step.depends_on) for step in run.steps] == [
        ("1", 1, None),
        ("2", 1, ("1",)),
    ]
    assert run.steps[0].action == "I look"


def test_inside_calls():
    """The steps inside a call are merged like others."""
    inner = [{"id": "1", **record({})}, {"id": "2", **record({}, effect="paid")}]
    run = merge_calls(run_of({**call("agent"), "substeps": inner}))
    assert [len(step.substeps) for step in run.steps] == [1]
    assert run.unread.ignored == {MERGED: 1}


def test_long_lists():
    """Work grows with the number of records."""
    half = [record({}, 1, call_id=f"c{number}") for number in range(4000)]
    again = [record({}, 2, "ok", call_id=f"c{number}") for number in range(4000)]
    assert len(merge_calls(run_of(*half, *again)).steps) == 4000
