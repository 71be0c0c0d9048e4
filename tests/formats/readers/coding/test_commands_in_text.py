"""mini-swe-agent before its second version: commands in the text, results as the user's words."""

from pathlib import Path

import pytest

from otap import formats

MADE = Path(__file__).parents[2] / "made" / "mini_swe_agent_1.traj.json"
PROMPT = "To finish: echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
RAN = "<returncode>0</returncode>\n<output>\na\n</output>"


def asked(*messages, prompt=PROMPT):
    """Returns messages that begin with the prompts; the others are pairs of role and text."""
    begin = [("system", "You run commands."), ("user", f"Mend it. {prompt}")]
    return [{"role": role, "content": text} for role, text in (*begin, *messages)]


def acts(command, text="I look.", fence="bash"):
    """Returns an answer with a command."""
    return "assistant", f"{text}\n\n```{fence}\n{command}\n```"


@pytest.fixture
def read(write):
    """Reads messages as they were saved."""
    return lambda *messages, **more: formats.read(write(asked(*messages, **more)))


def test_forms_of_results(read):
    """Each form in which the agent tells what came back is a result, with what it says."""
    run = read(
        acts("ls"),
        ("user", RAN),
        acts("cat x"),
        ("user", "<returncode>1</returncode>\n<warning>long</warning>"),
        acts("pwd"),
        ("user", "Observation: /home"),
        acts("sleep 9"),
        ("user", "The last command <command>sleep 9</command> timed out"),
        acts("rm -r /"),
        ("user", "Command not executed. The user rejected your command"),
        acts("date"),
        ("user", "today"),
        acts("echo done"),
        ("user", "the patch"),
    )
    assert [(s.arguments["command"], s.effect, s.status) for s in run.steps] == [
        ("ls", "a\n", "ok"),
        ("cat x", "<warning>long</warning>", "error"),
        ("pwd", "/home", None),
        ("sleep 9", "The last command <command>sleep 9</command> timed out", "error"),
        ("rm -r /", "Command not executed. The user rejected your command", "error"),
        ("date", "today", None),
        ("echo done", None, None),
    ]
    assert run.steps[4].metadata["not_run"] is True
    assert (len(run.request), run.messages_to_user) == (1, ("the patch",))
    assert {step.action for step in run.steps} == {"I look."}


def test_results_as_python_prints_them(read):
    """Where nobody said how to tell a result, its code stands in what Python prints of it."""
    tricky = {"output": "'x', \"returncode\": 0\n", "returncode": 7, "action": "cat x"}
    run = read(
        acts("cat x"),
        ("user", f"Observation: {tricky}"),
        acts("ls"),
        ("user", f"Observation: { ({'output': 'a', 'returncode': 0}) }"),
        acts("pwd"),
        ("user", "Observation: {'output': cut"),
        acts("echo done"),
        ("user", "the patch"),
    )
    told = [(step.status, step.metadata.get("returncode")) for step in run.steps]
    assert told == [("error", 7), ("ok", 0), (None, None), (None, None)]
    assert run.steps[0].effect == str(tricky)


def test_answers_without_one_command(read):
    """An answer with no block, or with two, ran nothing; what the agent says of that is none."""
    two = "```bash\nls\n```\n```bash\npwd\n```"
    run = read(("assistant", "Hm."), ("user", "EXACTLY ONE action"), ("assistant", two))
    assert (run.steps, len(run.request)) == ((), 1)


@pytest.mark.parametrize(
    ("name", "block"),
    [
        ("```mswea_bash_command", "```mswea_bash_command\nls\n```"),
        ("<bash_code>", "<bash_code>ls</bash_code>"),
    ],
)
def test_other_blocks(read, name, block):
    """The prompt says what a block looks like; others in the answer are no commands."""
    answer = f"As in\n```bash\nno\n```\n{block}"
    (step,) = read(("assistant", answer), ("user", RAN), prompt=f"{PROMPT} {name}").steps
    assert (step.arguments, step.effect) == ({"command": "ls"}, "a\n")


def test_new_task(read):
    """A task that the user adds at the end is a request."""
    run = read(acts("x"), ("user", "The user added a new task: Go on."), acts("y"), ("user", RAN))
    assert [step.arguments["command"] for step in run.steps] == ["x", "y"]
    assert run.request[1:] == ("Go on.",)


def test_recognised_by_its_own_signs_only(write):
    """Code in an ordinary conversation is none of its commands."""
    plain = asked(acts("ls"), ("user", "Thanks."), prompt="How do I list files?")
    (file,) = formats.open_files(write(plain))
    assert file.format.NAME == "openai"
    for value in (asked(acts("ls")), asked(acts("ls"), ("user", RAN), prompt="")):
        for shape in (value, {"messages": value}, [{"messages": value, "instance_id": "a"}] * 2):
            (file,) = formats.open_files(write(shape))
            assert file.format.NAME == "mini-swe-agent"
            assert all(len(run.steps) == 1 for run in file.runs())


def test_many_blocks_that_do_not_end(read):
    """Takes time that grows with the text only."""
    assert read(("assistant", "x```bash\nx" * 50_000)).steps == ()


def test_made():
    """What the first version wrote: two commands, one without end, and the submission."""
    run = formats.read(MADE)
    assert (run.id, len(run.request), run.messages_to_user) == ("find-1", 1, ("done\n",))
    assert [(s.arguments["command"].split()[0], s.status) for s in run.steps] == [
        ("echo", "ok"),
        ("cat", "error"),
        ("sleep", "error"),
        ("echo", None),
    ]
    assert run.steps[1].effect == "cat: missing.txt: No such file or directory\n"
    assert run.metadata["exit_status"] == "Submitted"


def test_real_files(real_data):
    """Every block of the assistant in the producer's files is a step."""
    folder = real_data / "traces-2" / "mini-swe-agent"
    for name, count in (("github_issue.traj.json", 10), ("local.traj.json", 2)):
        run = formats.read(folder / name)
        assert (len(run.steps), len(run.request)) == (count, 1)
        assert all(step.status is not None for step in run.steps[:-1])
