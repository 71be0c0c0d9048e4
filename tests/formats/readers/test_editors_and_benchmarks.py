"""Formats of editors, benchmarks and evaluation rows: what their pages do not show."""

import json
from typing import Any

import pytest

from otap import formats
from otap.errors import FormatError
from otap.trajectory import Trajectory


def calls_of(run: Trajectory) -> list[tuple[Any, ...]]:
    """The calls of a run: tool, arguments, effect and status."""
    return [(step.tool, step.arguments, step.effect, step.status) for step in run.steps]


def text(words: str) -> list[dict[str, Any]]:
    """The content of a message of AgentDojo."""
    return [{"type": "text", "content": words}]


def dojo(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A log of AgentDojo."""
    names = {"suite_name": "banking", "user_task_id": "user_task_3", "attack_type": None}
    return {**names, "injection_task_id": None, "messages": list(messages), **fields}


def test_agentdojo(write: Any) -> None:
    """Utility is the outcome; a call that raised has its error; suite and task name the run."""
    call = {"function": "send", "args": {"to": "A"}, "id": "c1", "placeholder_args": None}
    log = dojo(
        {"role": "system", "content": text("You are Emma's bank.")},
        {"role": "user", "content": text("Pay A.")},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": text(""), "tool_call_id": "c1", "error": "ValueError: no A"},
        {"role": "assistant", "content": "It failed.", "tool_calls": []},
        utility=True,
        security=False,
        error=None,
    )
    run = formats.read(write(log))
    assert calls_of(run) == [("send", {"to": "A"}, "ValueError: no A", "error")]
    assert (run.task, run.outcome, run.request) == ("banking/user_task_3", 1.0, ("Pay A.",))
    assert run.id == "banking/user_task_3/none/none"
    assert run.messages_to_user == ("It failed.",)
    assert run.metadata["security"] is False
    old = [
        log,
        dojo(log["messages"][1], attack_type="direct", injection_task_id="injection_task_0"),
    ]
    assert [run.id for run in formats.read_all(write(old))][1].endswith("direct/injection_task_0")


def item(event: str, **fields: Any) -> dict[str, Any]:
    """An event of codex exec about an item."""
    return {"type": f"item.{event}", "item": {"id": "item_1", **fields}}


def test_codex_exec(write: Any) -> None:
    """An item in three states is one call; a failed one, one that never ended, a tool's error."""
    command = {"type": "command_execution", "command": "false", "exit_code": None}
    tool = {"id": "item_2", "type": "mcp_tool_call", "server": "shop", "tool": "buy"}
    events = [
        {"type": "thread.started", "thread_id": "t1"},
        {"type": "turn.started"},
        item("started", **command, status="in_progress", aggregated_output=""),
        item("updated", **command, status="in_progress", aggregated_output="a"),
        item("completed", **{**command, "exit_code": 1}, status="failed", aggregated_output="ab"),
        item("started", **{**tool, "arguments": {"item": 7}}, status="in_progress", result=None),
        item("completed", **{**tool, "arguments": {"item": 7}}, error={"message": "sold out"}),
        item("started", **{**command, "id": "item_3", "command": "sleep 9"}),
        item("completed", id="item_4", type="file_change", changes=[{"path": "a", "kind": "add"}]),
        item("completed", id="item_5", type="reasoning", text="hm"),
        item("completed", id="item_6", type="hologram"),
        item("completed", id="item_7", type="agent_message", text="Done."),
        {"type": "turn.completed", "usage": {"input_tokens": 5, "output_tokens": 2}},
        {"type": "thread.started", "thread_id": "t2"},
        {"type": "turn.failed", "error": {"message": "no"}},
    ]
    first, second = formats.read_all(write(events, "e.jsonl"))
    assert calls_of(first) == [
        ("bash", {"command": "false"}, "ab", "error"),
        ("shop__buy", {"item": 7}, "sold out", "error"),
        ("bash", {"command": "sleep 9"}, None, None),
        ("apply_patch", {"changes": [{"path": "a", "kind": "add"}]}, None, None),
    ]
    assert (first.id, second.id, first.messages_to_user) == ("t1", "t2", ("Done.",))
    assert first.unread.unknown == {"item of type 'hologram'": 1}
    assert first.tokens is not None
    assert (first.tokens.input, first.tokens.output) == (5, 2)
    assert not second.understood


def cursor_call(subtype: str, call_id: str, wrapper: dict[str, Any]) -> dict[str, Any]:
    """A call in the stream of cursor-agent."""
    fields = {"call_id": call_id, "session_id": "s", "tool_call": wrapper}
    return {"type": "tool_call", "subtype": subtype, **fields}


def test_cursor_stream(write: Any) -> None:
    """A call that succeeded, one that was refused, a server's tool, one without a start."""
    user = {"role": "user", "content": [{"type": "text", "text": "Go."}]}
    shell = {"args": {"command": "rm a"}}
    server = {"args": {"name": "shop-buy", "args": {"item": 7}, "toolName": "buy"}}
    server["args"]["providerIdentifier"] = "shop"
    stream = [
        {"type": "system", "subtype": "init", "session_id": "s", "model": "Auto"},
        {"type": "user", "message": user, "session_id": "s"},
        cursor_call("started", "1", {"shellToolCall": shell}),
        cursor_call(
            "completed", "1", {"shellToolCall": {**shell, "result": {"rejected": {"why": "no"}}}}
        ),
        cursor_call(
            "completed",
            "2",
            {"mcpToolCall": {**server, "result": {"success": {"content": [{"text": "ok"}]}}}},
        ),
        cursor_call("started", "3", {"function": {"name": "look", "arguments": '{"at": 1}'}}),
        {"type": "result", "subtype": "success", "is_error": False, "session_id": "s"},
    ]
    run = formats.read(write(stream, "c.jsonl"))
    assert calls_of(run) == [
        ("shell", {"command": "rm a"}, {"why": "no"}, "error"),
        ("shop__buy", {"item": 7}, "ok", "ok"),
        ("look", {"at": 1}, None, None),
    ]
    assert (run.id, run.request) == ("s", ("Go.",))


def test_cursor_transcript(write: Any) -> None:
    """The query of the user is taken out of its tags; calls have neither ids nor results."""
    asked = "<context>x</context>\n<user_query>\nRename a.\n</user_query>"
    use = {"type": "tool_use", "name": "Shell", "input": {"command": "mv a b"}}
    lines = [
        {"role": "user", "message": {"content": [{"type": "text", "text": asked}]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "I do."}, use]}},
        {"role": "assistant", "message": {"content": [{"type": "odd"}]}},
        {"type": "turn_ended", "status": "success"},
    ]
    run = formats.read(write(lines, "t.jsonl"))
    assert (run.source and run.request, run.messages_to_user) == (("Rename a.",), ("I do.",))
    assert calls_of(run) == [("Shell", {"command": "mv a b"}, None, None)]
    assert run.unread.unknown == {"part of type 'odd'": 1}


def vscode_request(*rounds: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A request of a chat in VS Code."""
    metadata = {"toolCallRounds": list(rounds), "toolCallResults": fields.pop("results", {})}
    return {"message": {"text": "Go."}, "result": {"metadata": metadata}, **fields}


def shown_call(call_id: str, tool: str, **fields: Any) -> dict[str, Any]:
    """A call as a response of VS Code displays it."""
    return {
        "kind": "toolInvocationSerialized",
        "toolCallId": call_id,
        "toolId": tool,
        **fields,
    }


def test_vscode_rounds_and_substeps(write: Any) -> None:
    """Each call once, although the response displays it again; a sub-agent's calls are substeps."""
    tree = {"node": {"type": 1, "children": [{"type": 2, "text": "two "}, {"text": "files"}]}}
    request = vscode_request(
        {
            "response": "I ask.",
            "toolCalls": [{"id": "a", "name": "runSubagent", "arguments": "{}"}],
        },
        {"response": "Done.", "toolCalls": []},
        results={"a": {"content": [{"value": tree}]}},
        response=[
            shown_call("a", "runSubagent"),
            shown_call("b", "copilot_readFile", subAgentInvocationId="a"),
            shown_call("a", "runSubagent"),
            {"kind": "thinking", "value": "hm"},
            {"kind": "hologram"},
            {"value": "Done."},
        ],
    )
    session = {"sessionId": "s", "version": 3, "requests": [request]}
    run = formats.read(write(session))
    assert calls_of(run) == [("runSubagent", {}, "two files", None)]
    assert [step.tool for step in run.steps[0].substeps] == ["copilot_readFile"]
    assert (run.request, run.messages_to_user) == (("Go.",), ("I ask.", "Done."))
    assert run.unread.unknown == {
        "tool call that no round lists": 1,
        "part of kind 'hologram'": 1,
    }


def test_vscode_without_rounds(write: Any) -> None:
    """Calls are read from the response, with the arguments and results that the editor keeps."""
    terminal = {"kind": "terminal", "commandLine": {"original": "mv a b"}}
    request = {
        "message": "Go.",
        "response": [
            {"value": "I "},
            {"value": "start."},
            shown_call("1", "run_in_terminal", toolSpecificData=terminal),
            shown_call(
                "2",
                "mcp_shop_buy",
                resultDetails={
                    "input": '{"item": 7}',
                    "output": [{"value": "no"}],
                    "isError": True,
                },
            ),
            shown_call("3", "fetch", isConfirmed={"type": 0}),
            {"value": "Done."},
        ],
    }
    run = formats.read(write({"sessionId": "s", "requests": [request]}))
    assert calls_of(run) == [
        ("run_in_terminal", {"command": "mv a b"}, None, None),
        ("mcp_shop_buy", {"item": 7}, "no", "error"),
        ("fetch", None, None, "error"),
    ]
    assert run.messages_to_user == ("I start.", "Done.")


def test_vscode_log_of_changes(write: Any) -> None:
    """The session after its changes, of which those to missing objects have no effect."""
    whole = vscode_request({"toolCalls": [{"id": "a", "name": "look", "arguments": "{}"}]})
    log = [
        {"kind": 0, "v": {"version": 3, "sessionId": "s", "requests": []}},
        {"kind": 2, "k": ["requests"], "v": [{"message": {"text": "Go."}}, {"message": "x"}]},
        {"kind": 1, "k": ["requests", 0, "result"], "v": whole["result"]},
        {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "a"}]},
        {"kind": 1, "k": ["requests", 9, "result"], "v": 1},
        {"kind": 2, "k": ["requests"], "i": 1},
        {"kind": 3, "k": ["requests", 0, "response"]},
        {"kind": 1, "k": ["customTitle"], "v": "Title"},
    ]
    run = formats.read(write(log, "s.jsonl"))
    assert (run.id, run.request, run.metadata["title"]) == ("s", ("Go.",), "Title")
    assert calls_of(run) == [("look", {}, None, None)]


def test_azure_calls_in_three_forms(write: Any) -> None:
    """Flat, under 'tool_call', under its 'function'; in the response or in a column."""
    forms = [
        {"type": "tool_call", "tool_call_id": "1", "name": "f", "arguments": {"a": 1}},
        {"type": "tool_call", "tool_call": {"id": "1", "name": "f", "arguments": {"a": 1}}},
        {
            "type": "tool_call",
            "tool_call": {
                "id": "1",
                "type": "function",
                "function": {"name": "f", "arguments": '{"a": 1}'},
            },
        },
    ]
    rows: list[dict[str, Any]] = [
        {"query": "Go.", "response": [{"role": "assistant", "content": [form]}]} for form in forms
    ]
    rows.append({"query": "Go.", "response": "Done.", "tool_calls": forms[:1]})
    rows.append({"inputs.query": "Go.", "inputs.response": json.dumps(rows[0]["response"])})
    runs = list(formats.read_all(write(rows, "r.jsonl")))
    assert [calls_of(run) for run in runs] == [[("f", {"a": 1}, None, None)]] * 5
    assert {run.request for run in runs} == {("Go.",)}
    assert runs[3].messages_to_user == ("Done.",)
    results = {"rows": rows[4:], "metrics": {}, "studio_url": None}
    assert formats.read(write(results)).steps == runs[4].steps


def test_azure_row_without_calls_is_refused(write: Any) -> None:
    """A text as response does not say which tools were called."""
    with pytest.raises(FormatError, match="no format recognises it"):
        formats.read(write({"query": "Go.", "response": "Done.", "tool_definitions": []}))


def ai(identifier: str, *calls: dict[str, Any]) -> dict[str, Any]:
    """An AI message of LangChain."""
    return {"type": "ai", "content": "", "id": identifier, "tool_calls": list(calls)}


PAY = {"name": "pay", "args": {"to": "A"}, "id": "c1", "type": "tool_call"}
PAID = {"type": "tool", "content": "no", "tool_call_id": "c1", "id": "t", "status": "error"}
ASK = {"type": "human", "content": "Pay A.", "id": "h"}


def state(time: str, *messages: dict[str, Any], thread: str = "t1") -> dict[str, Any]:
    """A state of LangGraph."""
    config = {"configurable": {"thread_id": thread}}
    return {
        "values": {"messages": list(messages)},
        "next": [],
        "config": config,
        "created_at": time,
    }


def test_langgraph_history(write: Any) -> None:
    """The states of a thread are one run, in whichever order; two threads are two runs."""
    states = [state("1", ASK), state("2", ASK, ai("a", PAY)), state("3", ASK, ai("a", PAY), PAID)]
    for history in (states, states[::-1]):
        run = formats.read(write(history))
        assert calls_of(run) == [("pay", {"to": "A"}, "no", "error")]
        assert (run.id, run.request) == ("t1", ("Pay A.",))
    threads = [states[2], state("3", ASK, thread="t2")]
    assert [run.id for run in formats.read_all(write(threads))] == ["t1", "t2"]


def test_langgraph_checkpoints(write: Any) -> None:
    """A checkpoint alone, and with its configuration, as savers return it."""
    checkpoint = {"v": 4, "id": "1", "channel_values": {"messages": [ASK, ai("a", PAY), PAID]}}
    saved = {"config": {"configurable": {"thread_id": "t1"}}, "checkpoint": checkpoint}
    assert formats.read(write(checkpoint)).steps == formats.read(write(saved)).steps
    assert formats.read(write(saved)).id == "t1"


def test_langgraph_updates(write: Any) -> None:
    """What nodes wrote is one run; names of subgraphs, interrupts and rewritten messages too."""
    updates: list[Any] = [
        {"agent": {"messages": [ai("a", PAY)]}},
        {"tools": [{"messages": [PAID]}, {"messages": [PAID]}]},
        {"__interrupt__": [{"value": "sure?"}]},
        {"hook": None},
        {"agent": {"messages": ai("b")}},
    ]
    run = formats.read(write(updates))
    assert calls_of(run) == [("pay", {"to": "A"}, "no", "error")]
    assert formats.read(write([[[], update] for update in updates])).steps == run.steps


def test_langgraph_values(write: Any) -> None:
    """The last state of a stream is the run, alone, with names, or among updates."""
    states = [{"messages": [ASK]}, {"messages": [ASK, ai("a", PAY)]}]
    states.append({"messages": [ASK, ai("a", PAY), PAID]})
    update = {"agent": {"messages": [ai("a", PAY)]}}
    streams: list[list[Any]] = [
        list(states),
        [["values", state] for state in states],
        [[[], state] for state in states],
        [[[], "values", state] for state in states],
        [["updates", update], *(["values", state] for state in states[1:])],
    ]
    for stream in streams:
        run = formats.read(write(stream))
        assert calls_of(run) == [("pay", {"to": "A"}, "no", "error")]
        assert run.request == ("Pay A.",)
    inner = [[["sub:1"], states[1]], [[], states[2]]]
    assert [run.id for run in formats.read_all(write(inner))] == ["sub:1", None]


def test_spans_and_tables_of_mlflow(write: Any) -> None:
    """The spans of one trace, alone or in an object, and a table's rows, are read as the trace."""
    tool = {
        "trace_id": "t",
        "span_id": "s",
        "parent_span_id": None,
        "name": "pay",
        "status": {"code": "STATUS_CODE_ERROR"},
        "attributes": {"mlflow.spanType": '"TOOL"', "mlflow.spanInputs": '{"to": "A"}'},
    }
    trace = {"info": {"trace_id": "tr-1"}, "data": {"spans": [tool]}}
    whole = formats.read(write(trace))
    assert calls_of(whole) == [("pay", {"to": "A"}, None, "error")]
    rows = [{"trace_id": "tr-1", "trace": json.dumps(trace), "spans": [tool]}]
    for shape in ([tool], {"spans": [tool]}, rows):
        assert formats.read(write(shape)).steps == whole.steps
    assert formats.read(write(rows)).id == "tr-1"


def test_gemini_cli_stream(write: Any) -> None:
    """Pieces of an answer are joined; a failed call has its error; two sessions, an odd event."""
    events = [
        {"type": "init", "session_id": "a", "model": "m"},
        {"type": "message", "role": "user", "content": "Go."},
        {"type": "message", "role": "assistant", "content": "I ", "delta": True},
        {"type": "message", "role": "assistant", "content": "try.", "delta": True},
        {"type": "tool_use", "tool_name": "look", "tool_id": "1", "parameters": {"at": 1}},
        {"type": "tool_result", "tool_id": "1", "status": "error", "error": {"message": "no"}},
        {"type": "hologram"},
        {"type": "message", "role": "assistant", "content": "Done.", "delta": True},
        {"type": "init", "session_id": "b", "model": "m"},
    ]
    first, second = formats.read_all(write(events, "g.jsonl"))
    assert calls_of(first) == [("look", {"at": 1}, "no", "error")]
    assert (first.id, second.id, first.request) == ("a", "b", ("Go.",))
    assert first.messages_to_user == ("I try.", "Done.")
    assert first.unread.unknown == {"event 'hologram'": 1}


def test_opencode_run(write: Any) -> None:
    """A failed call, what the agent says, and a part of an unknown type."""
    failed = {"status": "error", "input": {"command": "x"}, "error": "no"}
    parts = [
        ("step_start", {"type": "step-start"}),
        ("tool_use", {"type": "tool", "callID": "1", "tool": "bash", "state": failed}),
        ("text", {"type": "text", "text": "It failed."}),
        ("text", {"type": "hologram"}),
    ]
    events = [{"type": kind, "sessionID": "s", "part": part} for kind, part in parts]
    run = formats.read(write([*events, {"type": "error", "sessionID": "s"}], "o.jsonl"))
    assert calls_of(run) == [("bash", {"command": "x"}, "no", "error")]
    assert (run.id, run.messages_to_user) == ("s", ("It failed.",))
    assert run.unread.unknown == {"part of type 'hologram'": 1}


def test_factory_droid(write: Any) -> None:
    """A failed call; states are ignored, and lines of another type are unknown."""
    use = {"type": "tool_use", "id": "1", "name": "Execute", "input": {"command": "x"}}
    failed = {"type": "tool_result", "tool_use_id": "1", "content": "no", "is_error": True}
    lines = [
        {"type": "session_start", "id": "s", "title": "T"},
        {"type": "message", "message": {"role": "user", "content": "Go."}},
        {"type": "message", "message": {"role": "assistant", "content": [use]}},
        {"type": "message", "message": {"role": "user", "content": [failed]}},
        {"type": "todo_state", "todos": []},
        {"type": "hologram"},
    ]
    run = formats.read(write(lines, "d.jsonl"))
    assert calls_of(run) == [("Execute", {"command": "x"}, "no", "error")]
    assert (run.id, run.request) == ("s", ("Go.",))
    assert run.unread.unknown == {"line of type 'hologram'": 1}
    assert run.unread.ignored == {"line of type 'todo_state'": 1}


def test_dotnet_ai(write: Any) -> None:
    """Names of properties in either case; an exception is a failure; unknown contents."""
    call = {"$type": "functionCall", "callId": "1", "name": "pay", "arguments": {"to": "A"}}
    result = {"$type": "functionResult", "callId": "1", "result": "no", "exception": {"m": 1}}
    messages = [
        {"role": "user", "contents": [{"$type": "text", "text": "Pay A."}]},
        {"role": "assistant", "contents": [{"$type": "reasoning", "text": "hm"}, call]},
        {"role": "tool", "contents": [result]},
        {"role": "assistant", "contents": [{"$type": "hologram"}]},
    ]
    run = formats.read(write({"messages": messages}))
    assert calls_of(run) == [("pay", {"to": "A"}, "no", "error")]
    assert run.unread.unknown == {"part of type 'hologram'": 1}
    pascal = [
        {
            "Role": message["role"],
            "Contents": [
                {key if key == "$type" else key[0].upper() + key[1:]: part[key] for key in part}
                for part in message["contents"]
            ],
        }
        for message in messages
    ]
    assert formats.read(write(pascal)).steps == run.steps


def test_qwen_code(write: Any) -> None:
    """A call that was cancelled failed; records of the system record no action."""
    call = {"functionCall": {"id": "1", "name": "look", "args": {"at": 1}}}
    answer = {"functionResponse": {"id": "1", "name": "look", "response": {"output": "no"}}}

    def record(kind: str, role: str, part: dict[str, Any], **fields: Any) -> dict[str, Any]:
        names = {"uuid": kind, "sessionId": "s", "type": kind}
        return {**names, "message": {"role": role, "parts": [part]}, **fields}

    records = [
        record("user", "user", {"text": "Go."}),
        record("assistant", "model", call),
        record("tool_result", "user", answer, toolCallResult={"status": "cancelled"}),
        {"uuid": "x", "sessionId": "s", "type": "system", "subtype": "ui_telemetry"},
        record("assistant", "model", {"text": "Done."}),
    ]
    run = formats.read(write(records, "q.jsonl"))
    assert [(tool, arguments, status) for tool, arguments, _, status in calls_of(run)] == [
        ("look", {"at": 1}, "error")
    ]
    assert (run.id, run.request, run.messages_to_user) == ("s", ("Go.",), ("Done.",))


def test_test_cases_are_no_calls(write: Any) -> None:
    """Objects with a name and an input that hold other data are not taken for calls."""
    case = {"name": "adds two numbers", "input": {"a": 1}, "writes": [3]}
    with pytest.raises(FormatError, match="no format recognises it"):
        formats.read(write([case]))
    call = {"name": "add", "input": {"a": 1}, "metadata": {"n": 1}, "id": "1", "tags": []}
    assert calls_of(formats.read(write([call]))) == [("add", {"a": 1}, None, None)]
