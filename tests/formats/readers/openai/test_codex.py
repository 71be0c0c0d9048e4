"""Rollouts of Codex: items of responses, and events beside them."""

from itertools import product
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made" / "codex.jsonl"


def line(kind, **payload):
    """Returns a line of a rollout."""
    return {"timestamp": "2026-11-21T10:16:12.352Z", "type": kind, "payload": payload}


def user(text):
    """Returns a line with a message in the user's name."""
    parts = [{"type": "input_text", "text": text}]
    return line("response_item", type="message", role="user", content=parts)


META = line("session_meta", id="s")
CALL = line(
    "response_item",
    type="function_call",
    call_id="c",
    name="exec_command",
    arguments='{"cmd": "ls"}',
)
OUTPUT = line("response_item", type="function_call_output", call_id="c", output="x")


def ended(status):
    """Returns the event that says how the call ended."""
    item = {"type": "CommandExecution", "id": "c", "status": status}
    return line("event_msg", type="item_completed", item=item)


def test_made():
    """The rollout holds five calls, the first two side by side; two of them were not run."""
    run = formats.read(MADE)
    assert run.request == ("Write three numbers and note how many they are.",)
    assert [(step.tool, step.turn, step.status) for step in run.steps] == [
        ("exec_command", 1, "ok"),
        ("exec_command", 1, "error"),
        ("apply_patch", 2, "error"),
        ("no_such_tool", 3, "error"),
        ("exec_command", 4, "error"),
    ]
    assert run.steps[0].action == "I write the numbers and look at the notes."
    assert run.steps[1].arguments == {"cmd": "cat notes.txt"}
    assert run.steps[2].arguments.startswith("*** Begin Patch")
    assert run.steps[3].effect == "unsupported call: no_such_tool"
    assert all(step.started_at < step.ended_at for step in run.steps)
    assert run.id is not None
    assert run.metadata == {}


@pytest.mark.parametrize(
    ("status", "expected"),
    [("completed", "ok"), ("failed", "error"), ("in_progress", None), ([], None)],
)
def test_status(write, status, expected):
    """An event says how a call ended; without one nobody knows."""
    step = formats.read(write([META, CALL, ended(status), OUTPUT], "r.jsonl")).steps[0]
    assert (step.status, step.effect) == (expected, "x")


def test_user_by_events(write):
    """Where events tell what the user said, messages in the user's name are not the user's."""
    said = line("event_msg", type="user_message", message="Hi.")
    run = formats.read(write([META, user("<a>..</a>"), user("Hi."), said, CALL], "r.jsonl"))
    assert (run.request, run.steps[0].metadata["said"]) == (("Hi.",), 1)


def test_user_without_events(write):
    """Else all is the user's but for what Codex is known to say."""
    context = user("<environment_context>\n</environment_context>")
    assert formats.read(write([META, context, user("Hi.")], "r.jsonl")).request == ("Hi.",)


def test_events_do_not_end_a_turn(write):
    """An event between two calls of one answer changes nothing."""
    other = {**CALL, "payload": {**CALL["payload"], "call_id": "d"}}
    tokens = line("event_msg", type="token_count")
    run = formats.read(write([META, CALL, tokens, other], "r.jsonl"))
    assert [step.turn for step in run.steps] == [1, 1]


def test_history_of_a_compaction(write):
    """What a compaction keeps of the past is not told again."""
    again = line("compacted", message="", replacement_history=[CALL["payload"]])
    assert len(formats.read(write([META, CALL, OUTPUT, again], "r.jsonl")).steps) == 1


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (5, "line 2: expected an object, found the value 5"),
        ({**CALL, "timestamp": 5}, "line 2: timestamp: expected a time in ISO 8601"),
        (line("response_item", type="function_call", name=5), "line 2: payload.name: expected"),
        (line("response_item"), "line 2: payload.type: expected an item's type"),
        (line("session_meta", id=[]), "line 2: payload.id: expected text or a whole number"),
    ],
)
def test_bad_lines(write, bad, words):
    """A bad line is an error with the file, the line, the place and what was expected."""
    path = write([line("turn_context"), bad], "r.jsonl")
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}: {words}")


def test_any_value_anywhere(write):
    """Whatever stands in a line, it is read or refused."""
    said = {"type": "UserMessage", "content": [{"text": "Hi."}]}
    event = line("event_msg", type="item_completed", item=said)
    junk = (None, 5, "x", [], [[]], {}, {"a": [1]}, True, [5], [{}])
    keys = ["type", "item", "content", "message", "id", "role", "output"]
    lines = (META, CALL, OUTPUT, ended("failed"), event, user("x"))
    for each, key, value in product(lines, keys, junk):
        changed = {**each, "payload": {**each["payload"], key: value}}
        nested = {**event, "payload": {**event["payload"], "item": {**said, key: value}}}
        try:
            formats.read(write([META, changed, nested, {**each, "payload": value}], "r.jsonl"))
        except FormatError as error:
            assert ": payload" in str(error), (each, key, value)


@pytest.mark.parametrize(
    ("output", "status", "not_run"),
    [
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nx", "ok", None),
        ("Exit code: 2\nWall time: 0.1 seconds\nOutput:\nx", "error", None),
        (
            "Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nx",
            "error",
            None,
        ),
        ('{"output": "x", "metadata": {"exit_code": 1, "duration_seconds": 0.1}}', "error", None),
        ('{"output": "x", "metadata": {"exit_code": 0}}', "ok", None),
        ("aborted by user after 1.2s", "error", None),
        ("exec command rejected by user", "error", True),
        ("x\nProcess exited with code 1", None, None),
        ('{"output": 5', None, None),
    ],
)
def test_what_an_output_says(write, output, status, not_run):
    """Where no event says how a call ended, the output of Codex's own tools does."""
    told = line("response_item", type="function_call_output", call_id="c", output=output)
    (step,) = formats.read(write([META, CALL, told], "r.jsonl")).steps
    assert (step.status, step.metadata.get("not_run")) == (status, not_run)


@pytest.mark.parametrize(
    ("event", "status"),
    [
        ({"type": "exec_command_end", "call_id": "c", "exit_code": 1}, "error"),
        ({"type": "patch_apply_end", "call_id": "c", "success": True}, "ok"),
        ({"type": "item_completed", "item": {"id": "c", "status": "declined"}}, "error"),
        ({"type": "patch_apply_end", "call_id": [], "success": True}, None),
    ],
)
def test_events_of_other_versions(write, event, status):
    """Each version has events of its own for how a call ended."""
    lines = [META, CALL, OUTPUT, line("event_msg", **event)]
    assert formats.read(write(lines, "r.jsonl")).steps[0].status == status


def test_first_versions(write):
    """A head without a type, then the items themselves, and states between them."""
    lines = [
        {"id": "s", "timestamp": "2025-07-01T10:00:00Z", "instructions": None},
        {"record_type": "state"},
        *(one["payload"] for one in (user("Go."), CALL, OUTPUT)),
    ]
    run = formats.read(write(lines, "r.jsonl"))
    assert (run.id, run.request) == ("s", ("Go.",))
    assert [(step.tool, step.effect) for step in run.steps] == [("exec_command", "x")]


def test_lines_that_are_no_items(write):
    """Settings and summaries are told as ignored, a line of no known type as unknown."""
    lines = [META, line("turn_context"), line("compacted", message="x"), line("dance"), CALL]
    unread = formats.read(write(lines, "r.jsonl")).unread
    assert unread.unknown == {"line of type 'dance'": 1}
    assert set(unread.ignored) >= {"line of type 'turn_context'", "line of type 'compacted'"}


def test_calls_that_only_events_tell(write):
    """Where a session keeps no item that calls, events that speak of calls are told as unknown."""
    ended = line("event_msg", type="exec_command_end", call_id="c", exit_code=0)
    said = {"type": "message", "role": "assistant", "content": []}
    lines = [META, user("Go."), ended, line("response_item", **said)]
    run = formats.read(write(lines, "r.jsonl"))
    assert run.unread.unknown == {"event of type 'exec_command_end'": 1}


EVENTS = {
    "look": {"type": "web_search_end", "query": "x", "action": {"type": "search", "query": "x"}},
    "close": {
        "type": "mcp_tool_call_end",
        "invocation": {"server": "gh", "tool": "close_issue", "arguments": {"n": 3}},
        "result": {"Ok": {"content": [{"type": "text", "text": "closed"}], "isError": False}},
    },
    "fail": {
        "type": "mcp_tool_call_end",
        "invocation": {"server": "gh", "tool": "close_issue", "arguments": {"n": 4}},
        "result": {"Err": "no such issue"},
    },
    "run": {
        "type": "exec_command_end",
        "command": ["bash", "-lc", "ls x"],
        "aggregated_output": "no x",
        "exit_code": 2,
    },
    "patch": {"type": "patch_apply_end", "changes": {"a": {}}, "stdout": "ok", "success": True},
}
STEPS = {
    "look": ("web_search", {"type": "search", "query": "x"}, None, "ok"),
    "close": ("close_issue", {"n": 3}, "closed", "ok"),
    "fail": ("close_issue", {"n": 4}, "no such issue", "error"),
    "run": ("exec_command", {"cmd": "ls x"}, "no x", "error"),
    "patch": ("apply_patch", {"changes": {"a": {}}}, "ok", "ok"),
}


@pytest.mark.parametrize("name", EVENTS)
def test_calls_in_events(write, name):
    """A call that only an event records is a step; where an item has its id, the event is none."""
    event = line("event_msg", call_id=name, **EVENTS[name])
    (step,) = formats.read(write([META, user("Go."), event], "r.jsonl")).steps
    assert (step.tool, step.arguments, step.effect, step.status) == STEPS[name]
    fields = {"type": "function_call", "call_id": name, "name": "f", "arguments": "{}"}
    item = line("response_item", **fields)
    (step,) = formats.read(write([META, user("Go."), item, event], "r.jsonl")).steps
    assert step.tool == "f"


def test_commands_of_the_user(write):
    """A command that the user ran is no step of the agent."""
    event = line("event_msg", call_id="u", source="user_shell", **EVENTS["run"])
    run = formats.read(write([META, user("Go."), event, CALL], "r.jsonl"))
    assert len(run.steps) == 1
    assert run.unread.ignored["command of the user"] == 1
