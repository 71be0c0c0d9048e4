"""A trace may keep only the last span of a conversation, whose input has the calls before it."""

import json

import pytest

from otap import formats

ASKED = {"role": "user", "content": "Pay A1 five."}
PAID = {"role": "tool", "tool_call_id": "c1", "content": '{"paid": true}'}
SAID = {"role": "assistant", "content": "Paid."}


def answer(arguments):
    """Returns the message that calls the tool."""
    function = {"name": "pay_invoice", "arguments": json.dumps(arguments)}
    calls = [{"id": "c1", "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def langfuse(messages):
    """Returns a trace with one generation."""
    generation = {
        "id": "o",
        "traceId": "t",
        "type": "GENERATION",
        "startTime": "2026-09-01T10:00:00Z",
        "input": messages,
        "output": SAID,
    }
    return {"id": "t", "observations": [generation]}


def langsmith(messages):
    """Returns one run of a model."""
    run = {"id": "r", "trace_id": "r", "run_type": "llm", "inputs": {"messages": messages}}
    return [{**run, "outputs": {"choices": [{"message": SAID}]}}]


def mlflow(messages):
    """Returns a trace with one span of a model."""
    attributes = {
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.spanInputs": json.dumps({"messages": messages}),
        "mlflow.spanOutputs": json.dumps({"choices": [{"message": SAID}]}),
    }
    span = {"span_id": "1", "parent_span_id": None, "name": "m", "attributes": attributes}
    return {"info": {"trace_id": "t"}, "data": {"spans": [span]}}


def otel(messages):
    """Returns one span of a model, with its messages as JSON."""
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps(messages),
        "gen_ai.output.messages": json.dumps([SAID]),
    }
    return [{"trace_id": "t", "span_id": "1", "name": "chat", "attributes": attributes}]


def openai_agents(messages):
    """Returns one span of a generation."""
    data = {"type": "generation", "input": messages, "output": [SAID]}
    span = {"object": "trace.span", "id": "s", "trace_id": "t", "span_data": data}
    return [{"object": "trace", "id": "t", "workflow_name": "w"}, span]


BUILDERS = (langfuse, langsmith, mlflow, otel, openai_agents)


@pytest.mark.parametrize("build", BUILDERS)
@pytest.mark.parametrize("amount", [5, 7])
def test_calls_of_an_input(write, build, amount):
    """The call is a step with its arguments and its result."""
    arguments = {"to": "A1", "amount": amount}
    messages = [ASKED, answer(arguments), PAID]
    (run,) = formats.read_all(write(build(messages)))
    assert [(step.tool, step.arguments, step.effect) for step in run.steps] == [
        ("pay_invoice", arguments, PAID["content"])
    ]
    assert run.request == ("Pay A1 five.",)


@pytest.mark.parametrize("build", BUILDERS)
def test_inputs_without_calls(write, build):
    """A model that only answered is a run without steps."""
    (run,) = formats.read_all(write(build([ASKED])))
    assert run.steps == ()
