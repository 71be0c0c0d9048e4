"""Trajectories of mini-swe-agent: commands, for whichever API the messages are."""

from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made" / "mini_swe_agent.traj.json"


def acts(*commands, text="I look.", **more):
    """Returns a message that asks for commands: pairs of id and command."""
    actions = [
        {"command": c} if i is None else {"tool_call_id": i, "command": c} for i, c in commands
    ]
    return {"role": "assistant", "content": text, "extra": {"actions": actions}, **more}


def printed(output, code=0, role="tool", **more):
    """Returns the message that tells the model what a command printed."""
    extra = {"raw_output": output, "returncode": code}
    return {"role": role, "content": f"<output>{output}</output>", "extra": extra, **more}


def saved(*messages, **more):
    """Returns a trajectory."""
    asked = [{"role": "system", "content": "s"}, {"role": "user", "content": "Mend it."}]
    return {
        "info": {"exit_status": "Submitted", "mini_version": "2"},
        "messages": [*asked, *messages],
        "trajectory_format": "mini-swe-agent-1.1",
        **more,
    }


@pytest.fixture
def read(write):
    """Reads a trajectory given as plain data."""

    def read(*messages, reasoning=False, **more):
        return formats.read(write(saved(*messages, **more)), reasoning=reasoning)

    return read


def test_step(read):
    """Each command is a step of the shell, with what it printed and whether it failed."""
    run = read(acts(("1", "ls")), printed("a\n", tool_call_id="1"), instance_id="astropy-1")
    assert (run.id, run.task, run.request) == ("astropy-1", "astropy-1", ("Mend it.",))
    assert run.metadata == {"exit_status": "Submitted", "mini_version": "2"}
    assert [step.model_dump(exclude_unset=True) for step in run.steps] == [
        {
            "id": "1",
            "kind": "tool",
            "action": "I look.",
            "tool": "bash",
            "arguments": {"command": "ls"},
            "effect": "a\n",
            "turn": 1,
            "status": "ok",
            "metadata": {"call_id": "1", "said": 1, "returncode": 0},
        }
    ]


def test_messages_as_text(read):
    """Where the model writes commands as text, answers stand in the name of the user."""
    run = read(
        acts((None, "ls"), (None, "cat a")),
        printed("a\n", role="user"),
        printed("no\n", code=1, role="user"),
        {"role": "user", "content": "No action found.", "extra": {"interrupt_type": "FormatError"}},
        acts(text="Hm."),
        {"role": "exit", "content": "", "extra": {"exit_status": "LimitsExceeded"}},
    )
    assert [(s.effect, s.status, s.turn) for s in run.steps] == [
        ("a\n", "ok", 1),
        ("no\n", "error", 1),
    ]
    assert run.request == ("Mend it.",)


def test_responses(read):
    """Where messages are OpenAI's responses, the notes of the agent are the same."""
    answer = {**acts(("1", "ls")), "object": "response", "output": []}
    del answer["role"], answer["content"]
    result = {**printed("a\n"), "type": "function_call_output", "call_id": "1"}
    (step,) = read(answer, result).steps
    assert (step.arguments, step.effect, step.action) == ({"command": "ls"}, "a\n", None)


def test_command_that_did_not_run(read):
    """A command that ended the run has no result; one that never started has no code."""
    started, last = read(
        acts(("1", "ls")), printed("", code=None, tool_call_id="1"), acts(("2", "submit"))
    ).steps
    assert (started.effect, started.status) == ("", None)
    assert (last.effect, last.status) == (None, None)


def test_reasoning(read):
    """Text that leads to no command becomes a reasoning step if asked for."""
    assert [s.kind for s in read(acts(text="Hm."), reasoning=True).steps] == ["reasoning"]
    assert read(acts(text="Hm.")).steps == ()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (saved(5), "messages[2]: expected an object"),
        (saved({"role": "assistant", "extra": 5}), "messages[2].extra: expected an object"),
        (saved({"extra": {"actions": 5}}), "messages[2].extra.actions: expected a list"),
        (saved({"extra": {"actions": [5]}}), "messages[2].extra.actions[0]: expected an object"),
        (saved(acts(("1", ""))), "messages[2].extra.actions[0].command: expected text"),
        (saved(acts(([], "ls"))), "messages[2].extra.actions[0].tool_call_id: expected text"),
        (saved(printed("", call_id=[])), "messages[2].call_id: expected text"),
        (saved(instance_id={}), "instance_id: expected text"),
        (saved(info=[1]), "info: expected an object"),
    ],
)
def test_bad_values(write, value, words):
    """A bad shape is an error with its place."""
    path = write(value)
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}: {words}")


def test_made():
    """The trajectory that mini-swe-agent wrote: four commands, the last of which ends the run."""
    run = formats.read(MADE)
    assert run.request == ("Task: Find the file.",)
    assert [(s.arguments["command"].split()[0], s.effect, s.status, s.turn) for s in run.steps] == [
        ("echo", "a.txt\n", "ok", 1),
        ("echo", "b.txt\n", "ok", 1),
        ("cat", "cat: missing.txt: No such file or directory\n", "error", 2),
        ("echo", None, None, 3),
    ]
    assert [step.action for step in run.steps] == [
        "I look around.",
        "I look around.",
        None,
        "I submit.",
    ]
    assert run.metadata["exit_status"] == "Submitted"
