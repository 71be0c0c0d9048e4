"""What runs of LangSmith and traces of MLflow hold that no rule knows; answers of any server."""

import json

import pytest

from otap import formats


def langsmith(inputs, outputs, kind="llm", **more):
    """Returns a run of LangSmith."""
    return [
        {"id": "r", "run_type": kind, "name": "m", "inputs": inputs, "outputs": outputs, **more}
    ]


def mlflow(inputs, outputs, kind="CHAT_MODEL", code="STATUS_CODE_OK"):
    """Returns a trace of MLflow with one span."""
    attributes = {"spanType": kind, "spanInputs": inputs, "spanOutputs": outputs}
    span = {
        "span_id": "s",
        "parent_span_id": None,
        "name": "m",
        "start_time_unix_nano": 1,
        "end_time_unix_nano": 2,
        "status": {"code": code},
        "attributes": {f"mlflow.{key}": json.dumps(value) for key, value in attributes.items()},
    }
    return {"info": {"trace_id": "t"}, "data": {"spans": [span]}}


ARGUMENTS = {"city": "Rome"}
USE = {"type": "tool_use", "id": "c1", "name": "search", "input": ARGUMENTS}
NAMED = {"name": "search", "arguments": '{"city": "Rome"}'}
OPENAI = {"id": "c1", "type": "function", "function": NAMED}
ITEM = {"type": "function_call", "call_id": "c1", **NAMED}
GOOGLES = {"functionCall": {"id": "c1", "name": "search", "args": ARGUMENTS}}
USED = {"toolUse": {"toolUseId": "c1", "name": "search", "input": ARGUMENTS}}
ANSWERS = {
    "openai": {"choices": [{"message": {"role": "assistant", "tool_calls": [OPENAI]}}]},
    "openai responses": {"output": [{"type": "reasoning", "summary": []}, ITEM]},
    "anthropic": {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, USE]},
    "anthropic without a role": {"content": [USE]},
    "google": {"candidates": [{"content": {"role": "model", "parts": [GOOGLES]}}]},
    "amazon": {"output": {"message": {"role": "assistant", "content": [USED]}}},
    "message": {"role": "assistant", "tool_calls": [OPENAI]},
}
SPOKE = {"messages": [{"role": "user", "content": "A room."}]}


@pytest.mark.parametrize("server", ANSWERS)
@pytest.mark.parametrize("written", [langsmith, mlflow])
def test_answers(write, written, server):
    """A model's answer is read in the form of its server, and what it thought is left out."""
    run = formats.read(write(written(SPOKE, ANSWERS[server])))
    assert [(step.tool, step.arguments) for step in run.steps] == [("search", ARGUMENTS)]
    assert run.steps[0].metadata["call_id"] == "c1"
    assert run.request == ("A room.",)
    assert run.unread.unknown == {}


@pytest.mark.parametrize(
    "outputs", ["Done.", {"output": "Done."}, {"generations": [[{"text": "Done."}]]}]
)
@pytest.mark.parametrize("written", [langsmith, mlflow])
def test_text(write, written, outputs):
    """A model that answered in a text called nothing: a run that did nothing."""
    run = formats.read(write(written({"prompt": "A room."}, outputs)))
    assert (run.request, run.steps, run.messages_to_user) == (("A room.",), (), ("Done.",))
    assert run.understood


@pytest.mark.parametrize(
    ("document", "unknown"),
    [
        (langsmith(SPOKE, None), "span of a model without an answer"),
        (mlflow(SPOKE, None), "span of a model without an answer"),
        (langsmith(SPOKE, {"result": 5}), "answer of an unknown form"),
        (mlflow(SPOKE, {"result": 5}), "answer of an unknown form"),
        (langsmith(SPOKE, {"content": [{"type": "dance"}]}), "part of type 'dance'"),
        (mlflow(SPOKE, {"content": [{"type": "dance"}]}), "part of type 'dance'"),
        (mlflow(SPOKE, None, "ORACLE"), "span of an unknown type"),
    ],
)
def test_not_understood(write, document, unknown):
    """What no rule knows is told, and a run of nothing else is not understood."""
    run = formats.read(write(document))
    assert run.unread.unknown == {unknown: 1}
    assert not run.understood


@pytest.mark.parametrize(
    "document",
    [langsmith(SPOKE, None, error="out of tokens"), mlflow(SPOKE, None, code="STATUS_CODE_ERROR")],
)
def test_failed_models(write, document):
    """A model that failed called nothing."""
    assert formats.read(write(document)).understood


@pytest.mark.parametrize("written", [langsmith, mlflow])
def test_calls_in_texts(write, written):
    """A model that writes its calls into its text, of which no tool tells, called something."""
    text = "Thought: I look.\nAction: search\nAction Input: Rome"
    run = formats.read(write(written(SPOKE, {"role": "assistant", "content": text})))
    assert run.unread.unknown == {"tool call written in text": 1}


def test_spans_of_nothing_known(write):
    """Where no span is of a model, an agent or a tool, any of them may have called something."""
    run = formats.read(write(langsmith({"x": 1}, {"y": 2}, "chain")))
    assert run.unread.unknown == {"span of neither a model nor a tool": 1}
