"""Trajectories of SWE-agent: its own commands with their arguments, and those of the shell."""

import json

import pytest

from otap import formats
from otap.errors import FormatError

STATE = {"open_file": "n/a", "working_dir": "/"}


def acts(action, observation="", thought="I look.", **more):
    """Returns a step."""
    told = {"state": STATE, "execution_time": 0.2, "response": thought}
    return {"action": action, "observation": observation, "thought": thought, **told, **more}


def saved(*steps, **more):
    """Returns a trajectory."""
    history = [
        {"role": "system", "content": "s", "agent": "main"},
        {"role": "user", "content": "Look at this.", "agent": "main", "is_demo": True},
        {"role": "user", "content": [{"type": "text", "text": "Mend it."}], "agent": "main"},
    ]
    info = {"exit_status": "submitted", "submission": "diff"}
    return {"environment": "e", "trajectory": list(steps), "history": history, "info": info, **more}


@pytest.fixture
def read(write):
    """Reads a trajectory with these steps."""
    return lambda *steps, **more: formats.read(write(saved(*steps, **more), "a.traj"))


def test_run(read):
    """The request is the first message that is no demonstration; the submission is told."""
    run = read(acts("ls -F\n", "a.py"), instance_id="x-1")
    assert (run.id, run.task, run.request, run.messages_to_user) == (
        "x-1",
        "x-1",
        ("Mend it.",),
        ("diff",),
    )
    assert run.metadata == {"exit_status": "submitted", "environment": "e"}
    (step,) = run.steps
    assert (step.tool, step.arguments, step.effect) == ("bash", {"command": "ls -F"}, "a.py")
    assert (step.action, step.status) == ("I look.", None)


@pytest.mark.parametrize(
    ("action", "tool", "arguments"),
    [
        ("open setup.py 12", "open", {"path": "setup.py", "line_number": "12"}),
        ('open "a b.py"', "open", {"path": "a b.py"}),
        ("find_file 'x y' src\n", "find_file", {"file_name": "x y", "dir": "src"}),
        (r'search_dir "say \"hi\"" .', "search_dir", {"search_term": 'say "hi"', "dir": "."}),
        ("scroll_down", "scroll_down", {}),
        ("submit", "submit", {}),
        (
            "edit 1:3\nx = 1\n  y\nend_of_edit\n",
            "edit",
            {"start_line": "1", "end_line": "3", "replacement_text": "x = 1\n  y"},
        ),
        ("edit\nx\nend_of_edit", "edit", {"replacement_text": "x"}),
        ("insert 5\nx\nend_of_insert", "insert", {"line_number": "5", "text": "x"}),
        ("edit 'a\nb' \"c\"", "edit", {"search": "a\nb", "replace": "c"}),
        (
            "str_replace_editor view /a --view_range 1 20",
            "str_replace_editor",
            {"command": "view", "path": "/a", "view_range": ["1", "20"]},
        ),
        (
            "str_replace_editor str_replace /a --old_str 'x && y' --new_str z",
            "str_replace_editor",
            {"command": "str_replace", "path": "/a", "old_str": "x && y", "new_str": "z"},
        ),
    ],
)
def test_its_own_commands(read, action, tool, arguments):
    """A command of its own is a tool, with the arguments that its signature names."""
    (step,) = read(acts(action)).steps
    assert (step.tool, step.arguments) == (tool, arguments)


@pytest.mark.parametrize(
    "action",
    [
        "open a.py && ls",
        "open a.py | cat",
        "open a.py\nls",
        "open a.py; ls",
        "open 'a",
        "scroll_down 5",
        "openssl x",
        "cat <<'EOF' > a\nopen x\nEOF",
    ],
)
def test_lines_of_the_shell(read, action):
    """What is more than one of its own commands is a line of the shell."""
    (step,) = read(acts(action)).steps
    assert (step.tool, step.arguments) == ("bash", {"command": action})


def test_failures(read):
    """Where the agent itself says that an action failed; what was blocked never ran."""
    syntax = "Your proposed edit has introduced new syntax error(s). Please ..."
    run = read(
        acts("edit 1:1\n(\nend_of_edit", syntax),
        acts("./rock", "\nEXECUTION TIMED OUT"),
        acts("sleep 99", "The command 'sleep 99' was cancelled because it took more than 30 s."),
        acts("vim", state={}, execution_time=0.0),
        acts("true"),
        acts("", thought="I do nothing."),
        acts("exit_format"),
    )
    assert [step.status for step in run.steps] == ["error"] * 4 + [None]
    assert (run.steps[3].effect, run.steps[3].metadata["not_run"]) == (None, True)
    assert run.steps[4].effect == ""


def test_attempts(write):
    """Of several attempts the one that was chosen is read, else the last."""
    one, two = saved(acts("ls")), saved(acts("pwd"))
    for value, command in (
        (one | {"attempts": [one, two]}, "ls"),
        ({"attempts": [one, two]}, "pwd"),
    ):
        run = formats.read(write(value))
        assert [step.arguments["command"] for step in run.steps] == [command]
        assert run.unread.ignored == {"attempt that was not chosen": 1}


def test_history_alone(write):
    """A demonstration may have the messages only, with the name of the agent and its actions."""
    history = [
        *saved()["history"],
        {
            "role": "assistant",
            "agent": "main",
            "content": "c",
            "action": "ls",
            "thought": "I look.",
        },
        {"role": "tool", "agent": "main", "content": "a.py"},
        {"role": "assistant", "agent": "main", "content": "c", "action": "", "thought": "Done."},
    ]
    run = formats.read(write({"history": history}))
    (step,) = run.steps
    assert (step.arguments, step.effect, step.action) == ({"command": "ls"}, "a.py", "I look.")
    assert run.request == ("Mend it.",)


def test_long_commands(read):
    """Words are told apart in time that grows with the line."""
    long = "open " + "'a'" * 200_000
    assert read(acts(long), acts("open " + '"a' * 200_001), acts("open " + "a " * 200_000)).steps


def test_folder(write):
    """Its files are found in a folder."""
    path = write(saved(acts("ls")), "runs/a.traj")
    assert len(list(formats.read_all(path.parent))) == 1


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (saved(acts("ls"), 5), "trajectory[1]: expected an object"),
        (saved(acts(5)), "trajectory[0].action: expected text"),
        (saved(acts("ls", thought=5)), "trajectory[0].thought: expected a list"),
        (saved(info=5), "info: expected an object"),
        (saved(instance_id=[]), "instance_id: expected text"),
        (saved(history=[5]), "history[0]: expected an object"),
    ],
)
def test_bad_values(write, value, words):
    """A bad shape is an error with its place."""
    path = write(value)
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}: {words}")


def test_real_files(real_data):
    """Every file of the producer has a step for each action that it lists, none of them lost."""
    files = sorted((real_data / "traces-2" / "swe-agent").iterdir())
    counts = {file.name: len(formats.read(file).steps) for file in files}
    values = {file.name: json.loads(file.read_text("utf-8")) for file in files}
    assert len(files) == 11
    for name, value in values.items():
        steps = value.get("trajectory") or [m for m in value["history"] if m.get("action")]
        assert counts[name] == len(steps)
