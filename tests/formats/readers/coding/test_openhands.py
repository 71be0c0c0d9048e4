"""Runs of OpenHands: events of each of its versions."""

from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made" / "openhands.jsonl"


def does(number, action, source="agent", **args):
    """Returns an action."""
    return {"id": number, "source": source, "action": action, "args": args}


def brought(cause, observation, content="", **more):
    """Returns an observation."""
    return {"cause": cause, "observation": observation, "content": content, "extras": more}


def called(event, identifier, name=None, arguments="{}", answer="r", total=2):
    """Returns an event of a call that the model made as a function."""
    call = {"id": identifier, "function": {"name": name, "arguments": arguments}}
    response = {"id": answer, "choices": [{"message": {"tool_calls": [call]}}]}
    about = {"tool_call_id": identifier, "function_name": name, "model_response": response}
    return {**event, "tool_call_metadata": {**about, "total_calls_in_response": total}}


TASK = does(0, "message", "user", content="Mend it.")


@pytest.fixture
def read(write):
    """Reads an output with this history."""
    return lambda *events, **more: formats.read(
        write([{"instance_id": "x-1", "history": list(events), **more}], "output.jsonl")
    )


def test_output(read):
    """Actions are steps with what they caused; tests say whether the task was solved."""
    run = read(
        does(0, "system", content="You are.", tools=[]),
        TASK,
        does(1, "recall", query="x"),
        brought(1, "recall", "y"),
        does(2, "run", command="ls", thought="I look.", is_input=False, security_risk=None),
        brought(2, "run", "a.py", metadata={"exit_code": 2}),
        does(3, "run_ipython", code="1", kernel_init_code="k"),
        brought(3, "run_ipython", "[Your proposed edit has introduced new syntax error(s)"),
        does(4, "run", "user", command="pwd"),
        does(5, "message", content="Look."),
        does(6, "message", "user", content="Please continue working on the task ..."),
        does(7, "finish", final_thought="Done.", outputs={}),
        test_result={"git_patch": "diff", "report": {"resolved": True}},
    )
    assert (run.id, run.task, run.outcome, run.request) == ("x-1", "x-1", 1.0, ("Mend it.",))
    assert [(s.tool, s.arguments, s.effect, s.status, s.action) for s in run.steps] == [
        ("bash", {"command": "ls"}, "a.py", "error", "I look."),
        ("run_ipython", {"code": "1"}, run.steps[1].effect, "error", None),
        ("finish", {"final_thought": "Done."}, None, None, run.steps[2].action),
    ]
    assert run.messages_to_user == ("Look.", "Done.")
    assert run.unread.unknown == {}
    assert "system prompt" in run.unread.ignored


def test_functions(read):
    """The call as the model made it, results by its id, and the calls of one answer as one turn."""
    run = read(
        TASK,
        called(
            does(1, "run", command="ls", thought="Both."), "a", "execute_bash", '{"command": "ls"}'
        ),
        called(brought(1, "run", "x", exit_code=0), "a"),
        called(does(2, "edit", path="/a"), "b", "str_replace_editor", '{"path": "/a"}'),
        brought(2, "error", "no such file"),
        called(does(3, "run", command="pwd"), "c", "execute_bash", '{"command": "pwd"}', "q", 1),
    )
    assert [(s.tool, s.arguments, s.effect, s.status, s.turn) for s in run.steps] == [
        ("bash", {"command": "ls"}, "x", "ok", 1),
        ("str_replace_editor", {"path": "/a"}, "no such file", "error", 1),
        ("bash", {"command": "pwd"}, None, None, 2),
    ]
    assert {step.action for step in run.steps[:2]} == {"Both."}


def test_other_actions(read):
    """Tools of servers, rejected actions, delegation; an action of no known type is told."""
    run = read(
        does(1, "call_tool_mcp", name="find", arguments={"q": 1}),
        brought(1, "mcp", "found"),
        does(2, "run", command="rm"),
        brought(2, "user_rejected", "no"),
        does(3, "delegate", agent="Browser", inputs={"task": "t"}),
        does(4, "browse", url="u"),
        brought(4, "browse", "page"),
        does(5, "finish", outputs={"a": 1}),
        brought(3, "delegate", "", outputs={"a": 1}),
        does(6, "dance"),
    )
    assert [(s.tool, s.effect, s.status) for s in run.steps] == [
        ("find", "found", None),
        ("bash", "no", "error"),
        ("delegate", {"a": 1}, None),
    ]
    assert run.steps[1].metadata["not_run"] is True
    assert [(s.tool, s.effect) for s in run.steps[2].substeps] == [
        ("browse", "page"),
        ("finish", None),
    ]
    assert run.unread.unknown == {"action of type 'dance'": 1}


def test_oldest(read):
    """Events whose fields stand beside their type, in pairs of an action and what it brought."""
    run = read(
        [{"action": "message", "content": "Mend it."}, {"observation": "null", "content": ""}],
        [
            {"action": "run", "command": "ls", "thought": "I look.", "keep_prompt": True},
            {"observation": "run", "content": "a", "command": "ls", "exit_code": 0},
        ],
        [
            {"action": "finish", "outputs": {}, "thought": "Done."},
            {"observation": "null", "content": ""},
        ],
    )
    assert (run.request, run.messages_to_user) == (("Mend it.",), ("Done.",))
    assert [(s.tool, s.arguments, s.effect, s.status) for s in run.steps] == [
        ("bash", {"command": "ls"}, "a", "ok"),
        ("finish", {}, None, None),
    ]


def sdk(kind, source="agent", **more):
    """Returns an event of the SDK."""
    return {"kind": kind, "id": f"{kind}-{len(more)}", "timestamp": "t", "source": source, **more}


def acts(identifier, tool, arguments="{}", answer="r", thought=()):
    """Returns an action of the SDK."""
    call = {"id": identifier, "name": tool, "arguments": arguments}
    said = [{"type": "text", "text": text} for text in thought]
    names = {"tool_name": tool, "tool_call_id": identifier, "llm_response_id": answer}
    return sdk("ActionEvent", thought=said, tool_call=call, action=None, **names)


def gives(identifier, **observation):
    """Returns an observation of the SDK."""
    about = {"tool_name": "t", "tool_call_id": identifier}
    return sdk("ObservationEvent", "environment", observation=observation, **about)


def test_sdk(write):
    """Actions of one answer are a turn; what came back is joined by the id of the call."""
    words = {"role": "user", "content": [{"type": "text", "text": "Mend it."}]}
    shown = [{"type": "text", "text": "a.py"}]
    events = [
        sdk("SystemPromptEvent", tools=[{"name": "see", "annotations": {"readOnlyHint": True}}]),
        sdk("MessageEvent", "user", llm_message=words),
        acts("1", "terminal", '{"command": "ls", "security_risk": "LOW"}', thought=["I look."]),
        acts("2", "file_editor", '{"command": "view", "path": "/a"}'),
        gives("1", content=shown, is_error=False, exit_code=1),
        sdk("AgentErrorEvent", tool_name="t", tool_call_id="2", error="bad path"),
        acts("3", "see", answer="q"),
        sdk("UserRejectObservation", "user", tool_call_id="3", rejection_reason="no"),
        acts("4", "see", answer="p"),
        gives("4", content=shown, is_error=False),
        sdk("ConversationStateUpdateEvent", "environment"),
        sdk("NewEvent"),
    ]
    for name, value in (("a.json", events), ("b.jsonl", events), ("c.json", {"history": events})):
        run = formats.read(write(value, name))
        assert run.request == ("Mend it.",)
        assert [(s.tool, s.arguments, s.effect, s.status, s.turn) for s in run.steps] == [
            ("bash", {"command": "ls"}, "a.py", "error", 1),
            ("str_replace_editor", {"command": "view", "path": "/a"}, "bad path", "error", 1),
            ("see", {}, "no", "error", 2),
            ("see", {}, "a.py", "ok", 3),
        ]
        assert run.steps[2].metadata["not_run"] is True
        assert run.tools["see"].read_only is True
        assert run.unread.unknown == {"event of kind 'NewEvent'": 1}


def test_served_calls(write):
    """A call of another agent's server is told several times: the last one counts."""
    call = {"tool_call_id": "1", "title": "Read a", "tool_kind": "read", "raw_input": {"path": "a"}}
    events = [
        sdk("ACPToolCallEvent", **call, status="pending"),
        sdk("ACPToolCallEvent", **call, status="completed", raw_output="x"),
    ]
    (step,) = formats.read(write(events)).steps
    assert (step.tool, step.arguments, step.effect, step.status) == (
        "read",
        {"path": "a"},
        "x",
        "ok",
    )


def test_output_without_history(write):
    """A run that broke off before it began did nothing."""
    value = {"instance_id": "x", "history": None, "metadata": {}, "error": "no image"}
    run = formats.read(write(value))
    assert (run.id, run.steps, run.metadata) == ("x", (), {"error": "no image"})


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ((TASK, 5), "history[1]: expected an object"),
        ((TASK, {"action": 5}), "history[1].action: expected text"),
        ((TASK, {**TASK, "args": 5}), "history[1].args: expected an object"),
        (
            (TASK, {**does(1, "run"), "tool_call_metadata": 5}),
            "history[1].tool_call_metadata",
        ),
    ],
)
def test_bad_values(write, events, words):
    """A bad shape is an error with its place."""
    path = write({"history": list(events)})
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}: {words}")


def test_made():
    """What the SDK wrote: two calls of one answer, one of them in vain, and no such tool."""
    run = formats.read(MADE)
    assert run.request == ("Where do Ann and Bob live?",)
    assert run.messages_to_user == ("Ann lives at 12 Elm Road.",)
    assert [(s.tool, s.effect, s.status, s.turn) for s in run.steps[:2]] == [
        ("directory", "12 Elm Road", "ok", 1),
        ("directory", "nobody of that name", "error", 1),
    ]
    assert [(s.tool, s.status, s.turn) for s in run.steps[2:]] == [
        ("telephone", "error", 2),
        ("finish", "ok", 3),
    ]
    assert run.tools["directory"].read_only is True
    assert (run.unread.unknown, run.unread.ignored) == ({}, {"system prompt": 1})


def test_real_file(real_data):
    """Every action of the producer's file but its messages is a step."""
    runs = list(formats.read_all(real_data / "traces-2" / "openhands" / "output.jsonl"))
    assert [len(run.steps) for run in runs] == [4, 22]
    assert [run.task for run in runs] == ["neubig/pr-viewer/5", "neubig/pr-viewer/1"]
    assert all(len(run.request) == len(run.messages_to_user or ()) == 1 for run in runs)
    # Eight edits brought errors of syntax, and three found nothing that they could replace.
    assert [sum(step.status == "error" for step in run.steps) for run in runs] == [0, 11]
