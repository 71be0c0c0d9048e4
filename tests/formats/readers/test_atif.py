"""Trajectories in ATIF: copied context, trajectories inside others, actions without a tool."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError, LimitError

MADE = Path(__file__).parents[1] / "made" / "atif.json"


def call(identifier="c1", name="search", **arguments):
    """Returns a call."""
    return {"tool_call_id": identifier, "function_name": name, "arguments": arguments}


def result(content, identifier="c1", **more):
    """Returns the result of a call."""
    return {"source_call_id": identifier, "content": content, **more}


def acts(*calls, message="", results=(), **more):
    """Returns a step of the agent."""
    observation = {"observation": {"results": list(results)}} if results else {}
    calls = {"tool_calls": list(calls)} if calls else {}
    return {"source": "agent", "message": message, **calls, **observation, **more}


def asks(text):
    """Returns a step of the user."""
    return {"source": "user", "message": text}


def atif(*steps, name="planner", **more):
    """Returns a trajectory."""
    numbered = [{"step_id": n, **step} for n, step in enumerate(steps, 1)]
    agent = {"name": name, "version": "1"}
    return {"schema_version": "ATIF-v1.8", "agent": agent, "steps": numbered, **more}


@pytest.fixture
def read(write):
    """Reads one trajectory given as plain data."""

    def read(*steps, reasoning=False, **more):
        return formats.read(write(atif(*steps, **more)), reasoning=reasoning)

    return read


def test_step(read):
    """Each call is a step, with the message before it and the result of its id."""
    run = read(
        asks("A room."),
        acts(
            call("c1", city="Rome"),
            call("c2", city="Oslo"),
            message="I look.",
            results=[result("none", "c2"), result("H7", "c1")],
        ),
        session_id="s",
    )
    assert (run.id, run.task, run.request, run.outcome) == ("s", None, ("A room.",), None)
    assert run.metadata == {"agent_version": "1"}
    assert [step.model_dump(exclude_unset=True) for step in run.steps] == [
        {
            "id": str(number),
            "kind": "tool",
            "action": "I look.",
            "tool": "search",
            "arguments": {"city": city},
            "effect": effect,
            "turn": 1,
            "agent": "planner",
            "metadata": {"call_id": f"c{number}", "said": 1},
        }
        for number, city, effect in ((1, "Rome", "H7"), (2, "Oslo", "none"))
    ]


@pytest.mark.parametrize("version", ["ATIF-v1.2", "ATIF-v1.8", "ATIF-v2.0"])
def test_versions(read, version):
    """Every version is read by the same rules."""
    assert len(read(acts(call()), schema_version=version).steps) == 1


def test_several(write):
    """A list of trajectories, or one a line, is a run each."""
    for name in ("runs.json", "runs.jsonl"):
        path = write([atif(acts(call())), atif(acts(call(), call("c2")))], name)
        assert [len(run.steps) for run in formats.read_all(path)] == [1, 2]


def test_copied_context(read):
    """Steps copied from an earlier trajectory were done there."""
    assert len(read(acts(call(), is_copied_context=True), acts(call())).steps) == 1


def test_action_without_a_tool(read):
    """An agent that acts by its message alone, and is answered, did something."""
    (step,) = read(acts(message="ls", results=[result("a.txt", None)])).steps
    assert (step.kind, step.tool, step.action, step.effect) == ("tool", None, "ls", "a.txt")
    assert step.metadata["unnamed"] is True


def test_reasoning(read):
    """Text that leads to no call becomes a reasoning step if asked for."""
    steps = [acts(call()), acts(message="Done."), {"source": "system", "message": "x"}]
    assert [step.kind for step in read(*steps, reasoning=True).steps] == ["tool", "reasoning"]
    assert [step.kind for step in read(*steps).steps] == ["tool"]


def test_parts(read):
    """Text parts are text; a result with pictures stays as it was recorded."""
    picture = {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}
    said = {"type": "text", "text": "Look."}
    run = read(
        asks([said, picture]),
        acts(call(), message=[said], results=[result([said, picture])]),
        acts(call("c2"), results=[result([said, said], "c2")]),
    )
    assert run.request == ("Look.",)
    assert run.steps[0].action == "Look."
    assert [step.effect for step in run.steps] == [[said, picture], "Look.\nLook."]


def test_trajectories_inside(read):
    """What other agents did for a call is inside that call, once, and numbered through."""
    inside = [
        atif(acts(call("x")), name="a", trajectory_id="1"),
        atif(acts(call("y"), call("z")), name="b", trajectory_id="2"),
        atif(acts(call("w")), name="c", trajectory_id="3"),
    ]
    both = [{"trajectory_id": "1"}, {"trajectory_id": "2"}, {"trajectory_path": "c.json"}]
    again = [{"trajectory_id": "1"}]
    run = read(
        acts(call("c1"), results=[result(None, subagent_trajectory_ref=both)]),
        acts(call("c2"), results=[result("r", "c2", subagent_trajectory_ref=again)]),
        subagent_trajectories=inside,
    )
    assert [[(s.id, s.agent) for s in step.substeps] for step in run.steps] == [
        [("1", "a"), ("2", "b"), ("3", "b")],
        [],
    ]
    assert run.metadata["subagents_without_call"] == ["3"]


def test_nesting(read):
    """Trajectories may lie in each other to a limit."""
    inner = atif(acts(call()), trajectory_id="t")
    for _ in range(30):
        inner = atif(trajectory_id="t", subagent_trajectories=[inner])
    with pytest.raises(LimitError, match="trajectories nest deeper than 30 levels"):
        read(subagent_trajectories=[inner])


def test_continuation(read):
    """A run that goes on in another file says so."""
    run = read(acts(call()), continued_trajectory_ref="next.json")
    assert run.metadata["continued_trajectory_ref"] == "next.json"


def test_result_of_no_call(read):
    """A second result of a call is kept beside the steps."""
    run = read(acts(call(), results=[result("a"), result("b")]))
    assert run.steps[0].effect == "a"
    assert run.metadata["results_without_call"] == [{"call_id": "c1", "content": "b"}]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({**atif(), "agent": []}, "agent: expected an object"),
        ({**atif(), "steps": {}}, "steps: expected a list"),
        ({**atif(), "steps": [1]}, "steps[0]: expected an object"),
        ({**atif(), "session_id": []}, "session_id: expected text"),
        (atif({"source": 5}), "steps[0].source: expected one of user, agent, system"),
        (atif(asks(5)), "steps[0].message: expected a list"),
        (atif(asks([5])), "steps[0].message[0]: expected an object"),
        (atif(acts(5)), "steps[0].tool_calls[0]: expected an object"),
        (atif(acts(call(name=5))), "steps[0].tool_calls[0].function_name: expected text"),
        (atif(acts(call([]))), "steps[0].tool_calls[0].tool_call_id: expected text"),
        (atif(acts(call(), observation=[])), "steps[0].observation: expected an object"),
        (
            atif(acts(call(), observation={"results": 5})),
            "steps[0].observation.results: expected a list",
        ),
        (atif(acts(call(), results=[5])), "steps[0].observation.results[0]: expected an object"),
        (
            atif(acts(call(), results=[result("", subagent_trajectory_ref=[5])])),
            "steps[0].observation.results[0].subagent_trajectory_ref[0]: expected an object",
        ),
        (atif(subagent_trajectories=[5]), "subagent_trajectories[0]: expected an object"),
    ],
)
def test_bad_values(write, value, words):
    """A bad shape is an error with its place."""
    path = write(value)
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    assert str(caught.value).startswith(f"{path}: {words}")


def test_made():
    """The trajectory that the models of ATIF wrote: four calls, one of them with another inside."""
    run = formats.read(MADE)
    assert run.id == "planner-1"
    assert run.request == ("A room in Rome or Oslo.",)
    assert [(s.tool, s.action, s.effect, s.turn) for s in run.steps] == [
        ("search", "I look in both.", "H7", 1),
        ("search", "I look in both.", "none", 1),
        ("ask_critic", None, None, 2),
        (None, "echo booked", "booked", 3),
    ]
    assert [len(step.substeps) for step in run.steps] == [0, 0, 1, 0]
    (inner,) = run.steps[2].substeps
    assert (inner.tool, inner.agent, inner.effect) == ("rate", "critic", "4 stars")


def test_made_counts():
    """Every call of the file is a step, but for the copied one; and so is the bare action."""
    value = json.loads(MADE.read_text("utf-8"))
    everywhere = [*value["steps"], *value["subagent_trajectories"][0]["steps"]]
    calls = sum(len(s.get("tool_calls", [])) for s in everywhere if "is_copied_context" not in s)
    run = formats.read(MADE)
    assert calls + 1 == 5 == len(run.steps) + sum(len(step.substeps) for step in run.steps)
