"""Formats of coding agents, crews, browsers, benchmarks and logs: what their pages do not show."""

import json

import pytest

import otap
from otap import formats
from otap.errors import FormatError


def told(run):
    """The calls of a run: tool, arguments, effect and status."""
    return [(s.tool, s.arguments, s.effect, s.status) for s in run.steps]


def goose(role, *parts, **more):
    """A message of goose."""
    return {"role": role, "created": 1, "content": list(parts), **more}


ASK = {
    "type": "toolRequest",
    "id": "c1",
    "toolCall": {"status": "success", "value": {"name": "shell", "arguments": {"command": "ls"}}},
}


def test_goose_results_and_failures(write):
    """A result that failed by itself, by its content, or as a request that was none."""
    lost = {"type": "toolRequest", "id": "c2", "toolCall": {"status": "error", "error": "no JSON"}}
    failed = {"status": "success", "value": {"content": [{"type": "text", "text": "no"}]}}
    failed["value"]["isError"] = True
    answer = {"type": "toolResponse", "id": "c1", "toolResult": failed}
    session = [
        {"working_dir": "/", "message_count": 4, "id": "s1", "total_tokens": 5},
        goose("user", {"type": "text", "text": "List."}),
        goose("assistant", {"type": "thinking", "thinking": "hm"}, ASK, lost),
        goose("user", answer),
        goose("assistant", {"type": "text", "text": "It failed."}, {"type": "odd"}),
    ]
    run = formats.read(write(session, "a.jsonl"))
    assert (run.id, run.request, run.messages_to_user) == ("s1", ("List.",), ("It failed.",))
    assert told(run) == [
        ("shell", {"command": "ls"}, "no", "error"),
        (None, None, "no JSON", "error"),
    ]
    assert run.unread.unknown == {"part of type 'odd'": 1}


def test_goose_exports_and_rows(write):
    """The same messages in an export, and as rows whose content is JSON in a text."""
    messages = [goose("user", {"type": "text", "text": "List."}), goose("assistant", ASK)]
    export = formats.read(write({"id": "s", "conversation": messages}))
    rows = [{"role": m["role"], "content_json": json.dumps(m["content"])} for m in messages]
    assert export.steps == formats.read(write(rows)).steps
    two = [{"id": name, "conversation": messages} for name in "ab"]
    assert [run.id for run in formats.read_all(write(two))] == ["a", "b"]


def test_opencode(write):
    """A failed call, one that still runs, what opencode says itself, and an unknown part."""
    failed = {"status": "error", "input": {}, "error": "no"}
    running = {"status": "running", "input": {"f": 1}}
    parts = [
        {"type": "text", "text": "<reminder>", "synthetic": True},
        {"type": "tool", "callID": "1", "tool": "bash", "state": failed},
        {"type": "tool", "callID": "2", "tool": "read", "state": running},
        {"type": "strange"},
    ]
    session = {
        "info": {"id": "ses", "title": "t"},
        "messages": [{"info": {"role": "assistant"}, "parts": parts}],
    }
    run = formats.read(write(session))
    assert told(run) == [("bash", {}, "no", "error"), ("read", {"f": 1}, None, None)]
    assert (run.id, run.messages_to_user, run.unread.unknown) == (
        "ses",
        (),
        {"part of type 'strange'": 1},
    )


def event(kind, **data):
    """An event of the Copilot CLI."""
    return {"type": kind, "data": data, "id": kind, "timestamp": None, "parentId": None}


def test_copilot_cli(write):
    """A failure, a call inside a call that nobody asked for, two sessions, an unknown event."""
    first = [
        event("session.start", sessionId="s1"),
        event("user.message", content="Go."),
        event("assistant.message", content="", toolRequests=[{"toolCallId": "1", "name": "task"}]),
        event("tool.execution_start", toolCallId="1", toolName="task"),
        event("tool.execution_start", toolCallId="2", toolName="bash", parentToolCallId="1"),
        event("tool.execution_complete", toolCallId="2", success=False, error={"message": "no"}),
        event("tool.execution_complete", toolCallId="1", success=True, result={"content": "ok"}),
        event("strange.event"),
    ]
    one, other = formats.read_all(
        write([*first, event("session.start", sessionId="s2")], "e.jsonl")
    )
    assert (one.id, one.request, other.id) == ("s1", ("Go.",), "s2")
    assert told(one) == [("task", None, "ok", "ok")]
    assert [(s.tool, s.effect, s.status) for s in one.steps[0].substeps] == [
        ("bash", "no", "error")
    ]
    assert one.unread.unknown == {"event 'strange.event'": 1}
    assert not other.understood


def shown(kind, name, text="", at=1):
    """What Cline shows."""
    return {"ts": at, "type": kind, kind: name, "text": text}


def test_cline(write):
    """What is asked for and then done is one call; servers, the browser, failures, questions."""
    server = {"serverName": "shop", "toolName": "buy", "arguments": '{"item": 7}'}
    tool = json.dumps({"tool": "newFileCreated", "path": "a", "content": "x"})
    run = formats.read(
        write(
            [
                shown("say", "text", "Do it."),
                shown("say", "api_req_started", '{"tokensIn": 5, "tokensOut": 2}'),
                shown("ask", "tool", tool),
                shown("say", "tool", tool),
                shown("ask", "command", "ls"),
                shown("say", "command_output", "a"),
                shown("say", "command_output", "b"),
                shown("ask", "use_mcp_server", json.dumps(server)),
                shown("say", "mcp_server_response", "bought"),
                shown("say", "browser_action", '{"action": "click", "coordinate": "1,2"}'),
                shown("say", "error", "no such place"),
                shown("say", "user_feedback", "Thanks."),
                shown("say", "completion_result", "Done."),
                shown("say", "never_seen", "?"),
            ]
        )
    )
    assert (run.request, run.messages_to_user) == (("Do it.", "Thanks."), ("Done.",))
    assert told(run) == [
        ("newFileCreated", {"path": "a", "content": "x"}, None, None),
        ("execute_command", {"command": "ls"}, "a\nb", None),
        ("buy", {"item": 7}, "bought", None),
        ("browser_action", {"action": "click", "coordinate": "1,2"}, "no such place", "error"),
    ]
    assert run.unread.unknown == {"message 'never_seen'": 1}
    assert (run.tokens.input, run.tokens.output) == (5, 2)


def test_crewai_ends_alone_and_two_crews(write):
    """A listener that keeps the ends only; a kick-off that begins behind one that ended."""

    def happened(kind, **more):
        return {
            "type": kind,
            "timestamp": "2026-01-01T10:00:00Z",
            "source_fingerprint": None,
            **more,
        }

    begun, ended = (
        happened("crew_kickoff_started"),
        happened("crew_kickoff_completed", output="Ok."),
    )
    used = happened("tool_usage_finished", tool_name="look", tool_args={"a": 1}, output="b")
    one, other = formats.read_all(write([begun, used, ended, begun, ended]))
    assert told(one) == [("look", {"a": 1}, "b", "ok")]
    assert (one.messages_to_user, other.messages_to_user, other.steps) == (("Ok.",), ("Ok.",), ())


def test_browser_use_without_a_model_output(write):
    """A step that failed before the model said anything did nothing."""
    step = {"model_output": None, "result": [{"error": "no answer"}], "state": {}, "metadata": {}}
    run = formats.read(write({"history": [step], "task": "look"}))
    assert (run.task, run.steps, run.unread.ignored) == ("look", (), {"step that did nothing": 1})


def test_semantic_kernel_of_dotnet(write):
    """The names of .NET."""
    call = {"$type": "FunctionCallContent", "Id": "1", "PluginName": "shop", "FunctionName": "buy"}
    gave = {"$type": "FunctionResultContent", "CallId": "1", "PluginName": "shop"}
    chat = [
        {"Role": {"Label": "user"}, "Items": [{"$type": "TextContent", "Text": "Buy 7."}]},
        {"Role": {"Label": "assistant"}, "Items": [{**call, "Arguments": {"item": "7"}}]},
        {"Role": {"Label": "tool"}, "Items": [{**gave, "FunctionName": "buy", "Result": "bought"}]},
    ]
    run = formats.read(write(chat))
    assert run.request == ("Buy 7.",)
    assert told(run) == [("shop-buy", {"item": "7"}, "bought", None)]


def test_bfcl(write):
    """Calls as Python has them are literals; nothing is run, and a text is told."""
    text = "[f(a=1, b=[True, None], c={'k': (1, 2)}), g.h('x', k=-3), bad(open('p'))]"
    lines = [{"id": "multi_turn_1", "result": [[text], ["I am done."]], "latency": 1}]
    run = formats.read(write(lines, "r.jsonl"))
    assert (run.task, run.messages_to_user) == ("multi_turn_1", ("I am done.",))
    assert [(s.tool, s.arguments, s.metadata["said"]) for s in run.steps] == [
        ("f", {"a": 1, "b": [True, None], "c": {"k": [1, 2]}}, 1),
        ("g.h", {"0": "x", "k": -3}, 1),
        ("bad", {"0": "open('p')"}, 1),
    ]
    gold = {"id": "multi_turn_1", "ground_truth": [["f(a=1, b=[True, None], c={'k': [1, 2]})"], []]}
    (reference,) = formats.read_references(write([gold], "g.jsonl"))
    assert otap.score(reference, run).score < 1
    assert reference.messages_to_user is None
    simple = {"id": "simple_0", "result": [{"f": '{"a": 1}'}, {"g": "{}"}], "latency": 1}
    assert [s.tool for s in formats.read(write([simple], "s.jsonl")).steps] == ["f", "g"]


XES = '<log><trace><string key="concept:name" value="c1"/>{}</trace></log>'


def test_xes_of_begun_and_ended_events(write_bytes):
    """An event that is told twice is one step; a value that is no number is a text."""
    events = "".join(
        f'<event><string key="concept:name" value="pay"/><int key="n" value="{n}"/>'
        f'<string key="lifecycle:transition" value="{life}"/></event>'
        for n, life in (("1", "start"), ("x", "complete"))
    )
    run = formats.read(write_bytes(XES.format(events)))
    assert (run.id, told(run)) == ("c1", [("pay", {"n": "x"}, None, None)])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('<!DOCTYPE log [<!ENTITY a "b">]><log/>', "DOCTYPE"),
        ("<log><trace>", "not XML"),
        ("<html></html>", "expected a log of XES"),
        ("<log>" + "<list>" * 200 + "</list>" * 200 + "</log>", "deeper than"),
    ],
)
def test_xes_that_is_refused(write_bytes, text, why):
    """Entities, broken files, other XML, depth."""
    with pytest.raises(FormatError, match=why):
        formats.read(write_bytes(text))


@pytest.fixture
def write_bytes(tmp_path):
    """Writes a file that is no JSON."""

    def write(text):
        path = tmp_path / "log.xes"
        path.write_text(text, "utf-8")
        return path

    return write


@pytest.mark.parametrize(
    "call",
    [
        {"name": "pay", "arguments": '{"to": "A"}'},
        {"tool": "pay", "args": {"to": "A"}},
        {"function": {"name": "pay", "arguments": '{"to": "A"}'}, "type": "function"},
        {"tool_name": "pay", "input": {"to": "A"}, "output": None},
        {"function": "pay", "parameters": {"to": "A"}},
    ],
)
def test_bare_calls(write, call):
    """In every form in which matchers take them; several lists are several runs."""
    run = formats.read(write([call]))
    assert told(run) == [("pay", {"to": "A"}, None, None)]
    several = [
        {"id": "a", "query": "Pay A.", "expected_tools": [call]},
        {"id": "b", "calls": [call]},
    ]
    one, other = formats.read_all(write(several))
    assert (one.id, one.request, other.id) == ("a", ("Pay A.",), "b")
    assert len(list(formats.read_all(write([[call], [call]])))) == 2


def test_bare_calls_name_what_is_none(write):
    """With its place."""
    with pytest.raises(FormatError, match=r"\[1\]: expected a call"):
        formats.read(write([{"name": "pay", "args": {}}, {"name": "pay"}]))


@pytest.mark.parametrize(
    ("more", "effect"),
    [
        ({"error": "no such account"}, "no such account"),
        ({"output": "no", "is_error": True}, "no"),
        ({"output": "no", "success": False}, "no"),
        ({"status": "failed"}, None),
    ],
)
def test_bare_calls_that_failed(write, more, effect):
    """However the failure is marked."""
    call = {"name": "pay", "input_parameters": {"to": "A"}, **more}
    run = formats.read(write({"actual_tools": [call], "expected_tools": [], "reward": 1}))
    assert told(run) == [("pay", {"to": "A"}, effect, "error")]
    assert run.outcome == 1


def test_goose_rows_of_two_sessions(write):
    """Each session of the table is a run; a message without its time belongs to it."""
    said = {"role": "user", "content": [{"type": "text", "text": "List."}]}
    asked = {"role": "assistant", "created": 1, "content": [ASK]}
    rows = [{**one, "session_id": name} for name in "ab" for one in (asked, said)]
    runs = list(formats.read_all(write(rows)))
    assert [(run.id, run.request, len(run.steps)) for run in runs] == [
        ("a", ("List.",), 1),
        ("b", ("List.",), 1),
    ]


def test_cline_refused_and_cut_off(write):
    """What the user refused failed; a message that was cut off is none; two like calls are two."""
    shows = [
        shown("say", "text", "Clean up."),
        {**shown("ask", "command", "rm -r ."), "partial": True},
        shown("ask", "command", "rm -r a"),
        shown("say", "user_feedback", "Not that."),
        shown("say", "browser_action_launch", "http://a.example"),
        shown("say", "command", "ls"),
        shown("say", "command", "ls"),
    ]
    run = formats.read(write(shows))
    assert [(tool, status) for tool, _, _, status in told(run)] == [
        ("execute_command", "error"),
        ("browser_action", None),
        ("execute_command", None),
        ("execute_command", None),
    ]
    assert run.request == ("Clean up.", "Not that.")


def test_browser_use_stops_at_an_error(write):
    """Actions behind one that failed were not done."""
    step = {
        "model_output": {"action": [{"click": {"index": 1}}, {"send": {"text": "x"}}]},
        "result": [{"error": "no such element"}],
        "state": {},
        "metadata": {},
    }
    run = formats.read(write({"history": [step]}))
    assert [(s.tool, s.status) for s in run.steps] == [("click", "error")]
    assert run.unread.ignored == {"action that was not reached": 1}


@pytest.mark.parametrize(
    "text",
    [
        "```python\n[pay(to='A', now=true), look(a=null)]\n```",
        "<think>pay(to='B')?</think>\npay(to='A', now=True)\nlook(a=None)",
    ],
)
def test_bfcl_inside_what_models_write(write, text):
    """Marks of code, thoughts, several lines, the literals of other languages."""
    run = formats.read(write([{"id": "simple_0", "result": text, "latency": 1}], "r.jsonl"))
    assert [(s.tool, s.arguments) for s in run.steps] == [
        ("pay", {"to": "A", "now": True}),
        ("look", {"a": None}),
    ]


@pytest.mark.parametrize(
    "task",
    [{"result": "pay(to='A'", "latency": 1}, {"result": [[]], "traceback": "no", "latency": 1}],
)
def test_bfcl_that_cannot_be_read(write, task):
    """Broken calls, and a task that stopped: no clean run."""
    run = formats.read(write([{"id": "simple_0", **task}], "r.jsonl"))
    assert run.unread.unknown


def test_xes_lifecycle(write_bytes):
    """Planned events are not done, aborted ones failed, and one that only began is kept."""
    lives = [("pay", "schedule"), ("pay", "complete"), ("send", "ate_abort"), ("look", "start")]
    events = "".join(
        f'<event><string key="concept:name" value="{name}"/><boolean key="b" value="1"/>'
        f'<string key="lifecycle:transition" value="{life}"/></event>'
        for name, life in lives
    )
    run = formats.read(write_bytes(XES.format(events + "<event/>")))
    assert [(tool, arguments, status) for tool, arguments, _, status in told(run)][:3] == [
        ("pay", {"b": True}, None),
        ("send", {"b": True}, "error"),
        ("look", {"b": True}, None),
    ]
    assert run.unread.unknown == {"event without a name": 1}
    assert run.unread.ignored == {"event 'schedule'": 1}
