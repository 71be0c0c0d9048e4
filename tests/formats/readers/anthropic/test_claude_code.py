"""Transcripts of Claude Code: a line for each block, sub-agents beside the session."""

import json
from itertools import product
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made"


def line(kind, content, uuid=None, **more):
    """Returns a line with a message."""
    message = {"role": kind, "content": content, **more.pop("message", {})}
    return {"type": kind, "uuid": uuid, "sessionId": "s", "message": message, **more}


def use(identifier, name="Bash", **arguments):
    """Returns a block that uses a tool."""
    return {"type": "tool_use", "id": identifier, "name": name, "input": arguments}


def result(identifier, content, **more):
    """Returns a block with what came back."""
    return {"type": "tool_result", "tool_use_id": identifier, "content": content, **more}


def names(steps):
    """Returns the names of tools, those of substeps in a list."""
    return [[step.tool, names(step.substeps)] if step.substeps else step.tool for step in steps]


def test_session():
    """The session has four calls; two of one answer, a line each, ran side by side."""
    run = formats.read(MADE / "claude_code_session.jsonl")
    assert run.request == ("Write three numbers and have their lines counted.",)
    assert [(step.tool, step.turn, step.status, step.agent) for step in run.steps] == [
        ("Bash", 1, "ok", None),
        ("Read", 1, "error", None),
        ("Agent", 2, None, None),
        ("Bash", 3, "ok", None),
    ]
    assert [step.action for step in run.steps] == [
        *["I write the numbers and look at the notes."] * 2,
        None,
        "There are three lines; I check.",
    ]
    assert [step.effect for step in run.steps][3] == "1\n2\n3"
    assert run.steps[0].arguments["command"] == "seq 3 > numbers.txt; echo written"
    assert all(step.started_at < step.ended_at for step in run.steps)
    assert run.id is not None
    assert run.metadata == {}


def test_file_of_a_sub_agent():
    """The file of a sub-agent is a run of its own: its prompt is the request."""
    run = formats.read(MADE / "claude_code_subagent.jsonl")
    assert run.request == ("Count the lines of numbers.txt.",)
    assert [(s.arguments["command"], s.status, s.agent) for s in run.steps] == [
        ("wc -l numbers.txt", "ok", "general-purpose"),
        ("false", "error", "general-purpose"),
    ]


def test_stream():
    """In the stream of the SDK what the sub-agent did are the substeps of its call."""
    run = formats.read(MADE / "claude_code_stream.jsonl")
    assert names(run.steps) == ["Bash", "Read", ["Agent", ["Bash", "Bash"]], "Bash"]
    assert [step.agent for step in run.steps[2].substeps] == ["general-purpose"] * 2
    assert [step.turn for step in run.steps] == [1, 1, 2, 3]
    assert run.request == ()  # the stream does not repeat it
    session = formats.read(MADE / "claude_code_session.jsonl")
    assert [step.effect for step in run.steps] == [step.effect for step in session.steps]


def test_real(real_data):
    """A file with the messages in an object holds one call."""
    run = formats.read(real_data / "traces" / "coding-agents" / "claude_code.json")
    (step,) = run.steps
    assert (step.tool, step.effect) == ("Skill", "Launching skill: pdf-processing")
    assert step.started_at is None
    assert run.request == ("Use the pdf-processing skill on report.pdf",)  # not the skill's text


SESSION = [
    line("user", "Count.", "u1"),
    line("assistant", [use("a", "Task", prompt="one"), use("b", "Task", prompt="two")], "u2"),
]


def aside(kind, content, uuid, parent, **more):
    """Returns a line of a sub-agent."""
    return line(kind, content, uuid, parentUuid=parent, isSidechain=True, **more)


@pytest.mark.parametrize("agents", [("x", "y"), (None, None)])
def test_sub_agents_in_one_file(write, agents):
    """Older versions write sub-agents into the session; their prompts tell whose they are."""
    one, two = ({"agentId": agent} for agent in agents)
    run = formats.read(
        write(
            [
                *SESSION,
                aside("user", "two", "s1", None, **two),
                aside("user", [{"type": "text", "text": "one"}], "t1", None, **one),
                aside("assistant", [use("c", "Grep")], "s2", "s1", **two),
                aside("assistant", [use("d", "Glob")], "t2", "t1", **one),
                aside("user", [result("d", "of one")], "t3", "t2", **one),
                aside("user", [result("c", "of two")], "s3", "s2", **two),
                line("user", [result("a", "1"), result("b", "2")], "u3"),
            ],
            "s.jsonl",
        )
    )
    assert names(run.steps) == [["Task", ["Glob"]], ["Task", ["Grep"]]]
    assert [step.substeps[0].effect for step in run.steps] == ["of one", "of two"]
    assert run.request == ("Count.",)


def test_sub_agent_by_its_result(write):
    """The result of a call names the sub-agent, whatever its prompt was."""
    lines = [
        *SESSION,
        aside("user", "one", "s1", None, agentId="x"),
        aside("assistant", [use("c", "Grep")], "s2", "s1", agentId="x"),
        line("user", [result("b", "2")], "u3", toolUseResult={"agentId": "x"}),
    ]
    assert names(formats.read(write(lines, "s.jsonl")).steps) == ["Task", ["Task", ["Grep"]]]


def test_sub_agent_of_no_call(write):
    """What a sub-agent did whose call is not known stays in its place, with its agent."""
    lines = [
        *SESSION,
        aside("user", "else", "s1", None, agentId="x"),
        aside("assistant", [use("c", "Grep")], "s2", "s1", agentId="x"),
    ]
    run = formats.read(write(lines, "s.jsonl"))
    assert [(step.tool, step.agent) for step in run.steps][-1] == ("Grep", "x")
    assert run.request == ("Count.",)


def test_results_between_the_parts(write):
    """A result may be written before the last block of the answer that asked for it."""
    part = {"message": {"id": "m1"}}
    run = formats.read(
        write(
            [
                line("user", "Count.", "u1"),
                line("assistant", [{"type": "text", "text": "Both."}], "u2", **part),
                line("assistant", [use("a")], "u3", **part),
                line("user", [result("a", "1")], "u4"),
                line("assistant", [use("b")], "u5", **part),
                line("user", [result("b", "2")], "u6"),
                line("assistant", [use("c")], "u7", message={"id": "m2"}),
            ],
            "s.jsonl",
        )
    )
    assert [(s.turn, s.action, s.effect) for s in run.steps] == [
        (1, "Both.", "1"),
        (1, "Both.", "2"),
        (2, None, None),
    ]


def test_lines_written_again(write):
    """A line that is there twice counts once; lines without a name are all different."""
    call = line("assistant", [use("a")], "u2")
    assert len(formats.read(write([call, call], "s.jsonl")).steps) == 1
    bare = line("assistant", [use("a")])
    assert len(formats.read(write([bare, bare], "t.jsonl")).steps) == 2


@pytest.mark.parametrize("mark", [{"isMeta": True}, {"isCompactSummary": True}])
def test_words_that_are_not_the_users(write, mark):
    """What Claude Code says in the user's name is no request."""
    lines = [line("user", "Count.", "u1"), line("user", "Caveat: ...", "u2", **mark)]
    assert formats.read(write(lines, "s.jsonl")).request == ("Count.",)


def test_lines_that_are_no_messages(write):
    """Requests that are logged beside the session hold messages too; they are not told twice."""
    blob = {"type": "api-request-blob", "sessionId": "s", "message": SESSION[0]["message"]}
    run = formats.read(write([blob, *SESSION, {"type": "assistant"}, {"summary": "x"}], "s.jsonl"))
    assert (run.request, len(run.steps)) == (("Count.",), 2)


@pytest.mark.parametrize(
    "first",
    [
        {"type": "summary", "summary": "x", "leafUuid": "y"},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        {"type": "queue-operation", "sessionId": "s"},
        {"type": "system", "subtype": "init", "session_id": "s"},
        {"type": "user", "message": {"role": "user", "content": "x"}},
    ],
)
def test_how_sessions_begin(write, first):
    """A session is known by any line that it may begin with."""
    (file,) = formats.open_files(write([first, *SESSION], "s.jsonl"))
    assert file.format.NAME == "claude-code"
    assert [len(run.steps) for run in file.runs()] == [2]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (5, "line 2: expected an object, found the value 5"),
        (line("user", "x", timestamp="now"), "line 2: timestamp: expected a time in ISO 8601"),
        (line("user", 5), "line 2: message.content: expected a list"),
        (line("assistant", [use([])]), "line 2: message.content[0].id: expected text or a whole"),
        (line("user", "x", message={"role": 5}), "line 2: message.role: expected one of"),
    ],
)
def test_bad_lines(write, bad, words):
    """A bad line is an error with the file, the line, the place and what was expected."""
    path = write([SESSION[0], bad], "s.jsonl")
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}: {words}")


def test_any_value_anywhere(write):
    """Whatever stands in a line, it is read or refused."""
    keys = line("user", [], parentUuid=1, isSidechain=1, agentId=1)
    said = aside("user", "one", "x", "u1")
    for key, junk in product(keys, (None, 5, "x", [], [[]], {}, {"a": [1]}, True)):
        lines = [SESSION[0], {**SESSION[1], key: junk}, {**said, key: junk}]
        try:
            formats.read(write(json.loads(json.dumps(lines)), "s.jsonl"))
        except FormatError as error:
            told = "line" in str(error) or "no format recognises" in str(error)
            assert told, (key, junk)


REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected."


def test_refused_and_interrupted(write):
    """A call that the user refused never ran; what Claude Code says in his name he did not say."""
    said = "To tell you how to proceed, the user said:\nUse main."
    reason = f"{REFUSED} {said}\n\nNote: The user's next message may"
    lines = [
        line("user", "Rename it.", "1"),
        line("assistant", [use("a"), use("b"), use("c")], "2"),
        line("user", [result("a", REFUSED, is_error=True)], "3"),
        line("user", [result("b", reason, is_error=True)], "4"),
        line("user", [result("c", "Exit code 1", is_error=True)], "5"),
        line("user", [{"type": "text", "text": "[Request interrupted by user for tool use]"}], "6"),
        line("user", "<local-command-stdout>x</local-command-stdout>", "7"),
        line("user", "<task-notification>x", "8", origin={"kind": "task-notification"}),
        line(
            "user",
            [{"type": "text", "text": "<system-reminder>x"}, {"type": "text", "text": "Go on."}],
            "9",
        ),
    ]
    run = formats.read(write(lines, "s.jsonl"))
    assert run.request == ("Rename it.", "Use main.", "Go on.")
    assert [(s.status, s.metadata.get("not_run")) for s in run.steps] == [
        ("error", True),
        ("error", True),
        ("error", None),
    ]


def test_several_sessions(write):
    """A conversation that begins anew is a run; one that goes on under another id is none."""
    other = {"sessionId": "t"}
    lines = [
        line("user", "One.", "1"),
        line("assistant", [use("a")], "2", parentUuid="1"),
        line("user", "Go on.", "3", parentUuid="2", **other),
        line("assistant", [use("b")], "4", parentUuid="3", **other),
        {"type": "queue-operation", "sessionId": "u"},
        line("user", "Two.", "5", sessionId="u"),
        line("assistant", [use("c")], "6", parentUuid="5", sessionId="u"),
        line("user", "Summary.", "7", logicalParentUuid="6", isCompactSummary=True, sessionId="u"),
    ]
    first, second = formats.read_all(write(lines, "s.jsonl"))
    assert [(run.id, run.request, len(run.steps)) for run in (first, second)] == [
        ("s", ("One.", "Go on."), 2),
        ("u", ("Two.",), 1),
    ]


def test_streams_one_after_the_other(write):
    """Each stream begins as it says, and tells at its end how it ended."""
    lines = []
    for name in ("s", "t"):
        message = {"role": "assistant", "id": name, "content": [use(f"{name}1")]}
        lines += [
            {"type": "system", "subtype": "init", "session_id": name, "uuid": f"{name}0"},
            {"type": "assistant", "session_id": name, "uuid": f"{name}2", "message": message},
            {"type": "result", "subtype": "success", "session_id": name, "is_error": False},
        ]
    runs = list(formats.read_all(write(lines, "s.jsonl")))
    assert [(run.id, len(run.steps), run.metadata["result"]) for run in runs] == [
        ("s", 1, "success"),
        ("t", 1, "success"),
    ]


def test_progress_of_a_sub_agent(write):
    """Where the session tells what a sub-agent did, these are the substeps of its call."""
    done = [line("user", "Count.", "11"), line("assistant", [use("x", "Read")], "12")]
    told = [
        {
            "type": "progress",
            "sessionId": "s",
            "parentToolUseID": "a",
            "data": {"type": "agent_progress", "agentId": "g", "message": one},
        }
        for one in done
    ]
    hook = {"type": "progress", "sessionId": "s", "data": {"type": "hook_progress"}}
    lines = [
        line("user", "Do it.", "1"),
        line("assistant", [use("a", "Task", prompt="Count.")], "2"),
    ]
    run = formats.read(write([*lines, *told, hook], "s.jsonl"))
    assert run.request == ("Do it.",)
    assert names(run.steps) == [["Task", ["Read"]]]


def test_lines_without_messages(write):
    """Lines known to say nothing are told as ignored; with calls, or of another kind, as unknown.

    Cursor's agent prints a stream that begins as Claude Code's does, with lines of its own.
    """
    lines = [
        *SESSION,
        {"type": "system", "subtype": "compact_boundary", "sessionId": "s"},
        {"type": "dance", "sessionId": "s", "message": {"content": [use("z")]}},
        {"type": "tool_call", "subtype": "started", "session_id": "s", "tool_call": {}},
    ]
    unread = formats.read(write(lines, "s.jsonl")).unread
    assert unread.ignored == {"line of type 'system'": 1}
    assert unread.unknown == {"line of type 'dance'": 1, "line of type 'tool_call'": 1}
