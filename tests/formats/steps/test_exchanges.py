"""Logs of requests and answers, and conversations that were written again while they grew."""

import copy
import json

import pytest

from otap import formats

SYSTEM = {"role": "system", "content": "You book hotels."}
USER = {"role": "user", "content": "A room?"}
FUNCTION = {"name": "search", "arguments": "{}"}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "type": "function", "function": FUNCTION}],
}
RESULT = {"role": "tool", "tool_call_id": "c", "content": "H7"}
DONE = {"role": "assistant", "content": "H7 is free."}
WHOLE = [SYSTEM, USER, CALL, RESULT, DONE]
STATES = [WHOLE[:2], WHOLE[:3], WHOLE[:4], WHOLE]


def lines(write, values):
    """Writes JSONL and returns the runs in it."""
    return list(formats.read_all(write("\n".join(map(json.dumps, values)) + "\n", "trace.jsonl")))


def choice(message):
    """Returns an answer of OpenAI's server, with the empty fields that it writes."""
    told = {**message, "refusal": None, "annotations": [], "function_call": None}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": told}]}


LOGGED = {
    "request": lambda sent, answer: {"request": {"messages": sent}, "response": choice(answer)},
    "beside": lambda sent, answer: {"messages": sent, "response": choice(answer)},
    "batch": lambda sent, answer: {
        "body": {"messages": sent},
        "response": {"status_code": 200, "body": choice(answer)},
    },
    "completion": lambda sent, answer: {"messages": sent, **choice(answer)},
    "message": lambda sent, answer: {"request": {"body": {"messages": sent}}, "response": answer},
}


@pytest.mark.parametrize("value", [lambda x: x, lambda x: {"messages": x, "model": "m"}])
def test_growing_lists(write, value):
    """Of a conversation that is written at each turn only the whole is a run."""
    (run,) = lines(write, [value(state) for state in STATES])
    assert [step.tool for step in run.steps] == ["search"]
    assert run.messages_to_user == ("H7 is free.",)
    assert run.unread.ignored["earlier state of the same conversation"] == 3


def test_growing_lists_side_by_side(write):
    """Two conversations may be written in turns; equal ones are two runs, as two trials are."""
    other = copy.deepcopy(STATES)
    for state in other:
        state[1]["content"] = "A table?"
    both = [state for pair in zip(STATES, other, strict=True) for state in pair]
    assert [run.request for run in lines(write, both)] == [("A room?",), ("A table?",)]
    assert len(lines(write, [WHOLE, WHOLE])) == 2


def test_branches(write):
    """Where a turn was tried again, both ways are runs: neither goes on from the other."""
    again = [*WHOLE[:2], DONE]
    runs = lines(write, [*STATES, again])
    assert [len(run.steps) for run in runs] == [1, 0]


@pytest.mark.parametrize("key", ["id", "task_id", "task", "trial"])
def test_named_runs(write, key):
    """Runs that are named apart stay apart, however alike they begin."""
    named = [{"messages": state, key: n} for n, state in enumerate(STATES)]
    assert len(lines(write, named)) == len(STATES)
    assert len(lines(write, [{**run, key: 5} for run in named])) == 1


@pytest.mark.parametrize("shape", LOGGED)
def test_requests_and_answers(write, shape):
    """A log of requests, each with its id and its answer, is one run."""
    logged = [
        {"id": f"req-{n}", "model": "m", **LOGGED[shape](sent, answer)}
        for n, (sent, answer) in enumerate([(WHOLE[:2], CALL), (WHOLE[:4], DONE)])
    ]
    (run,) = lines(write, logged)
    assert [(step.tool, step.effect) for step in run.steps] == [("search", "H7")]
    assert run.messages_to_user == ("H7 is free.",)
    assert (run.id, run.metadata["model"]) == ("req-1", "m")
    (first,) = lines(write, logged[:1])
    assert [(step.tool, step.effect) for step in first.steps] == [("search", None)]


def test_answer_alone(write):
    """An answer without its request is a run of what it calls."""
    (step,) = formats.read(write(choice(CALL))).steps
    assert step.tool == "search"


def test_request_alone(write):
    """A request without its answer tells what was done until then, and what could be called."""
    hints = {"readOnlyHint": True}
    tool = {"type": "function", "function": {"name": "search"}, "annotations": hints}
    run = formats.read(write({"custom_id": "a", "body": {"messages": WHOLE, "tools": [tool]}}))
    assert len(run.steps) == 1
    assert run.tools["search"].read_only is True


def test_requests_to_anthropic(write):
    """The same of another vendor, whose answer is a message itself."""
    use = {"type": "tool_use", "id": "t", "name": "search", "input": {}}
    answer = {"type": "message", "role": "assistant", "content": [use]}
    back = {"type": "tool_result", "tool_use_id": "t", "content": "H7"}
    sent = [USER, {"role": "assistant", "content": [use]}, {"role": "user", "content": [back]}]
    request = {"system": "x", "messages": [USER]}
    runs = lines(
        write,
        [
            {"request": request, "response": answer},
            {"request": {"messages": sent}, "response": {**answer, "content": "H7 is free."}},
        ],
    )
    answered = [[(step.tool, step.effect) for step in run.steps] for run in runs]
    assert answered[-1] == [("search", "H7")]


@pytest.mark.parametrize(
    "odd",
    [
        {"messages": WHOLE, "response": 5},
        {"messages": WHOLE, "response": {"choices": 5}},
        {"messages": WHOLE, "response": {"choices": [5]}},
        {"messages": WHOLE, "response": {"role": "user"}},
        {"messages": WHOLE, "request": {"messages": 5}},
    ],
)
def test_other_things_beside_messages(write, odd):
    """What only has the name of an answer is kept beside the run."""
    run = formats.read(write(odd))
    assert len(run.steps) == 1
    assert run.messages_to_user == ("H7 is free.",)


def test_many_states(write):
    """Work grows with the length of the file."""
    turn = [USER, DONE]
    runs = lines(write, [{"messages": turn * k} for k in range(1, 200)])
    assert len(runs) == 1
    assert len(runs[0].request) == 199


def test_shorter_ones_that_come_later(write):
    """A file that holds a conversation and then its beginning holds two runs."""
    assert [len(run.steps) for run in lines(write, [WHOLE, WHOLE[:3]])] == [1, 1]


def test_answers_that_are_sent_again(write):
    """An answer says more of itself than is sent again, and marks of a cache move on."""
    use = {"type": "tool_use", "id": "t", "name": "search", "input": {}}
    back = {"type": "tool_result", "tool_use_id": "t", "content": "H7"}
    marked = {"cache_control": {"type": "ephemeral"}}
    answer = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [use]}
    first = [{"role": "user", "content": [{"type": "text", "text": "A room?", **marked}]}]
    second = [
        {"role": "user", "content": "A room?"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [{**back, **marked}]},
    ]
    answered = {**answer, "stop_reason": "tool_use", "usage": {"input_tokens": 1}}
    said = {**answered, "content": [{"type": "text", "text": "H7 is free.", "citations": None}]}
    (run,) = lines(
        write,
        [
            {"request": {"messages": first}, "response": answered},
            {"request": {"messages": second}, "response": said},
        ],
    )
    assert [step.tool for step in run.steps] == ["search"]
    assert run.request == ("A room?",)


def test_thoughts_that_are_not_sent_again(write):
    """What a model thought stands in its answer alone."""
    thought = {**CALL, "reasoning_content": "Rome is far.", "provider_specific_fields": {"x": 1}}
    states = [
        {"messages": WHOLE[:2], "response": choice(thought)},
        {"messages": WHOLE[:4], "response": choice(DONE)},
    ]
    (run,) = lines(write, states)
    assert [step.tool for step in run.steps] == ["search"]
