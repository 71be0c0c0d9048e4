"""Results of tau2-bench: simulations, what the user did in them, and the gold of their tasks."""

import json

import pytest

from otap import formats
from otap.errors import FormatError

ACTION = {"action_id": "7_0", "name": "cancel", "arguments": {"id": "NO6JO3"}}


def says(role, content=None, *calls, **more):
    """Returns a message of one side; calls are pairs of id and tool."""
    made = [{"id": i, "name": n, "arguments": {"x": i}, "requestor": role} for i, n in calls]
    return {"role": role, "content": content, "tool_calls": made or None, **more}


def gives(identifier, content, error=False, **more):
    """Returns the message of a tool."""
    return {"role": "tool", "id": identifier, "content": content, "error": error, **more}


def simulation(*messages, **changed):
    """Returns a simulation."""
    ends = {"termination_reason": "user_stop", "reward_info": {"reward": 1.0}}
    return {"id": "s", "task_id": "7", "trial": 0, **ends, "messages": list(messages), **changed}


def results(*simulations, criteria=None):
    """Returns a file of results of one task."""
    task = {
        "id": "7",
        "user_scenario": {},
        "evaluation_criteria": criteria or {"actions": [ACTION]},
    }
    return {"info": {}, "tasks": [task], "simulations": list(simulations)}


def test_conversation(write):
    """Calls of both sides are steps with who made them; results are joined by id."""
    run = formats.read(
        write(
            results(
                simulation(
                    says("assistant", "Hi!"),
                    says("user", "Cancel it."),
                    says("assistant", "I look.", ("a", "find"), ("b", "find")),
                    gives("b", "none", error=True),
                    gives("a", "NO6JO3"),
                    says("user", None, ("c", "toggle")),
                    gives("c", "on", timestamp="2026-01-01T00:00:00"),
                    says("assistant", "Done."),
                )
            )
        )
    )
    assert (run.id, run.task, run.trial, run.outcome) == ("7/0", "7", 0, 1.0)
    assert (run.request, run.told) == (("Cancel it.",), ("Hi!", "Done."))
    assert [(s.tool, s.agent, s.effect, s.status, s.turn, s.action) for s in run.steps] == [
        ("find", "assistant", "NO6JO3", "ok", 1, "I look."),
        ("find", "assistant", "none", "error", 1, "I look."),
        ("toggle", "user", "on", "ok", 2, None),
    ]
    assert run.metadata == {"simulation": "s", "termination_reason": "user_stop"}


def test_gold(write):
    """The tasks of the file are its references, judged by the state unless calls are asked for."""
    (gold,) = formats.own_references(write(results(simulation())))
    assert (gold.id, [step.tool for step in gold.steps]) == ("7/gold", ["cancel"])
    assert gold.metadata == {"reference": "required", "only_changes": True}
    asked = {"actions": [ACTION], "communicate_info": ["5"], "reward_basis": ["ACTION"]}
    (gold,) = formats.own_references(write(results(criteria=asked)))
    assert (gold.metadata, gold.must_tell) == ({"reference": "required"}, ())


def test_acceptable_outcomes(write):
    """Of several outcomes that are accepted, each of the highest reward is a gold."""
    outcomes = [
        {"actions": [ACTION], "reward": 1.0, "outcome_id": "A"},
        {"actions": [], "reward": 0.5, "outcome_id": "B"},
        {"actions": [ACTION, ACTION], "reward": 1.0, "outcome_id": "C"},
    ]
    path = write(results(criteria={"actions": None, "acceptable_outcomes": outcomes}))
    golds = formats.own_references(path)
    assert [(g.metadata["outcome_id"], len(g.steps)) for g in golds] == [("A", 1), ("C", 2)]


def test_one_simulation(write):
    """A simulation in a file of its own is a run; it has no gold."""
    path = write(simulation(says("assistant", None, ("a", "find"))))
    assert [step.tool for step in formats.read(path).steps] == ["find"]
    assert formats.own_references(path) == []


def test_ticks(write):
    """A conversation by voice is read from its ticks; several results may lie in one message."""
    tick = {
        "agent_chunk": {"content": "One moment."},
        "agent_tool_calls": [{"id": "a", "name": "find", "arguments": {}}],
        "agent_tool_results": [{"role": "tool", "tool_messages": [gives("a", "x")]}],
        "user_chunk": None,
    }
    run = formats.read(write(simulation(messages=None, ticks=[tick])))
    assert [(s.tool, s.effect, s.agent) for s in run.steps] == [("find", "x", "assistant")]


def heard(active):
    """Returns the script of a speech, of which one tick lets some pieces be heard."""
    pieces = "".join(f"<chunk id={n}>{text}</chunk>" for n, text in enumerate(["A ", "&amp; B"]))
    return {"content": "", "audio_script_gold": f'<message uuid="u" active="{active}">{pieces}</m'}


def test_speech(write):
    """What a side says in several ticks is one text, until the other speaks or a tool is called."""
    call = [{"id": "a", "name": "find", "arguments": {}}]
    ticks = [
        {"user_chunk": heard("0"), "agent_chunk": {"content": ""}},
        {"user_chunk": heard("1"), "agent_chunk": None},
        {"user_chunk": {"content": ""}, "agent_chunk": {"content": "I "}},
        {"user_chunk": None, "agent_chunk": {"content": "look."}},
        {"agent_chunk": {"content": ""}, "agent_tool_calls": call},
        {"agent_tool_results": [gives("a", "x")]},
        {"agent_chunk": {"content": "Done.", "audio_script_gold": "Done."}},
        {"user_chunk": {"content": None, "audio_script_gold": "Thanks."}},
    ]
    run = formats.read(write(simulation(messages=None, ticks=ticks)))
    assert run.request == ("A & B", "Thanks.")
    assert run.told == ("I look.", "Done.")
    assert [(s.tool, s.effect, s.action) for s in run.steps] == [("find", "x", "I look.")]


def test_tools_that_read(write):
    """What a check says of the type of a tool is a fact of the tool; audio is told as ignored."""
    checks = [
        {"action": ACTION, "tool_type": "write"},
        {"action": {**ACTION, "name": "find"}, "tool_type": "read"},
    ]
    judged = {"reward": 0.0, "action_checks": checks}
    run = formats.read(write(simulation(says("user", "Uk==", is_audio=True), reward_info=judged)))
    assert list(run.tools) == ["find"]
    assert run.tools["find"].read_only is True
    assert (run.outcome, run.request, run.unread.ignored) == (0.0, (), {"audio": 1})


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (results(5), "simulations[0]: expected an object"),
        (results(simulation(5)), "simulations[0].messages[0]: expected an object"),
        (results(simulation({"role": "x"})), "simulations[0].messages[0].role: expected one of"),
        (results(simulation(says("user", 5))), "simulations[0].messages[0].content: expected text"),
        (results(simulation(trial=[])), "simulations[0].trial: expected text"),
        (results(simulation(reward_info={"reward": "1"})), "simulations[0].reward_info.reward: "),
    ],
)
def test_bad_values(write, value, words):
    """A bad shape is an error with its place."""
    path = write(value)
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    assert str(caught.value).startswith(f"{path}: {words}")


def test_real_files(real_data):
    """Every call in the producer's files is a step, every result is joined to its call."""
    files = sorted((real_data / "tau2" / "results").iterdir())
    assert len(files) == 2
    for file in files:
        written = json.loads(file.read_text("utf-8"))["simulations"]
        runs = list(formats.read_all(file))
        assert [run.outcome for run in runs] == [s["reward_info"]["reward"] for s in written]
        for run, one in zip(runs, written, strict=True):
            calls = [call for m in one["messages"] for call in m.get("tool_calls") or ()]
            results = {m["id"]: m["content"] for m in one["messages"] if m["role"] == "tool"}
            assert [(step.tool, step.arguments, step.effect) for step in run.steps] == [
                (call["name"], call["arguments"], results.get(call["id"])) for call in calls
            ]
        (gold,) = formats.own_references(file)
        assert (gold.task, gold.metadata["outcome_id"]) == ("8", "8_outcome_A")
