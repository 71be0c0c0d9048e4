"""Streams and sessions of agents on the command line: what their pages do not show."""

import json
from typing import Any

from otap import formats
from otap.trajectory import Trajectory


def calls_of(run: Trajectory) -> list[tuple[Any, ...]]:
    """The calls of a run: tool, arguments, effect and status."""
    return [(step.tool, step.arguments, step.effect, step.status) for step in run.steps]


def wire(kind: str, **payload: Any) -> dict[str, Any]:
    """An event of Kimi CLI."""
    return {"timestamp": 1774509608.5, "message": {"type": kind, "payload": payload}}


def wire_call(call_id: str, name: str, arguments: str | None) -> dict[str, Any]:
    """A call in the events of Kimi CLI."""
    function = {"name": name, "arguments": arguments}
    return wire("ToolCall", type="function", id=call_id, function=function)


def inside(event: dict[str, Any], **names: str) -> dict[str, Any]:
    """An event of a sub-agent of Kimi CLI."""
    return wire("SubagentEvent", event=event["message"], **names)


def test_kimi_wire(write: Any) -> None:
    """Arguments in pieces, two calls of one turn, a failure, a sub-agent, tokens."""
    failed = {"is_error": True, "output": "cat: b", "message": "Failed with exit code: 1."}
    usage = {"input_other": 5, "input_cache_read": 2, "output": 3, "input_cache_creation": 0}
    events = [
        {"type": "metadata", "protocol_version": "1.9"},
        wire("TurnBegin", user_input="Read both."),
        wire("StepBegin", n=1),
        wire("ContentPart", type="think", think="hm"),
        wire("ContentPart", type="text", text="I "),
        wire("ContentPart", type="text", text="read."),
        wire_call("1", "ReadFile", '{"path": '),
        wire("ToolCallPart", arguments_part='"a"}'),
        wire_call("2", "Shell", '{"command": "cat b"}'),
        wire("StatusUpdate", token_usage=usage),
        wire("ToolResult", tool_call_id="2", return_value=failed),
        wire("ToolResult", tool_call_id="1", return_value={"is_error": False, "output": "x"}),
        wire_call("3", "Task", '{"prompt": "Look."}'),
        inside(wire_call("4", "Glob", "{}"), task_tool_call_id="3"),
        inside(wire("ContentPart", type="text", text="I look."), parent_tool_call_id="3"),
        inside(
            wire("ToolResult", tool_call_id="4", return_value={"is_error": False, "output": "c"}),
            parent_tool_call_id="3",
        ),
        wire("ToolResult", tool_call_id="3", return_value={"is_error": False, "output": "c"}),
        wire("SteerInput", user_input=[{"type": "text", "text": "Stop."}]),
        wire("Hologram"),
        wire("ContentPart", type="text", text="Done."),
    ]
    run = formats.read(write(events, "wire.jsonl"))
    assert calls_of(run) == [
        ("ReadFile", {"path": "a"}, "x", "ok"),
        ("Shell", {"command": "cat b"}, "Failed with exit code: 1.\ncat: b", "error"),
        ("Task", {"prompt": "Look."}, "c", "ok"),
    ]
    assert [step.turn for step in run.steps] == [1, 1, 2]
    assert [(step.tool, step.effect) for step in run.steps[2].substeps] == [("Glob", "c")]
    assert (run.request, run.messages_to_user) == (("Read both.", "Stop."), ("I read.", "Done."))
    assert run.unread.unknown == {"event 'Hologram'": 1}
    assert run.tokens is not None
    assert (run.tokens.input, run.tokens.output) == (7, 3)


def test_kimi_context(write: Any) -> None:
    """Notes of the program are no messages; a result with its mark of an error failed."""

    def part(text: str) -> dict[str, str]:
        return {"type": "text", "text": text}

    call = {"type": "function", "id": "1", "function": {"name": "Shell", "arguments": "{}"}}
    lines = [
        {"role": "_system_prompt", "content": "You are Kimi."},
        {"role": "_checkpoint", "id": 0},
        {"role": "user", "content": [part("<system>CHECKPOINT 0</system>"), part("Go.")]},
        {"role": "assistant", "content": [{"type": "think", "think": "hm"}], "tool_calls": [call]},
        {
            "role": "tool",
            "content": [part("<system>ERROR: no such file</system>"), part("ls: x")],
            "tool_call_id": "1",
        },
        {"role": "_usage", "token_count": 12},
        {"role": "assistant", "content": "It failed."},
    ]
    run = formats.read(write(lines, "context.jsonl"))
    effect = "<system>ERROR: no such file</system>\nls: x"
    assert calls_of(run) == [("Shell", {}, effect, "error")]
    assert (run.request, run.messages_to_user) == (("Go.",), ("It failed.",))
    assert not run.unread.unknown


def test_droid_stream(write: Any) -> None:
    """Calls with and without ids, a failure, a final text that no message has."""
    call = {"type": "tool_call", "toolName": "Execute", "toolId": "Execute"}
    events = [
        {"type": "system", "subtype": "init", "session_id": "s", "tools": ["Read"], "model": "m"},
        {"type": "message", "role": "user", "text": "Go.", "id": "1"},
        {"type": "message", "role": "assistant", "text": "I go.", "id": "2"},
        {**call, "id": "c1", "parameters": {"command": "ls"}, "timestamp": 1767812642000},
        {"type": "tool_result", "id": "c1", "isError": True, "value": "no"},
        {**call, "parameters": {"command": "pwd"}},
        {"type": "tool_result", "toolId": "Execute", "isError": False, "value": "/"},
        {"type": "hologram"},
        {"type": "completion", "finalText": "Done.", "numTurns": 2},
    ]
    run = formats.read(write(events, "d.jsonl"))
    assert calls_of(run) == [
        ("Execute", {"command": "ls"}, "no", "error"),
        ("Execute", {"command": "pwd"}, "/", "ok"),
    ]
    assert (run.id, run.request, run.messages_to_user) == ("s", ("Go.",), ("I go.", "Done."))
    assert run.unread.unknown == {"event 'hologram'": 1}


def assistant(text: str, **fields: Any) -> dict[str, Any]:
    """A message in the stream of cursor-agent."""
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    return {"type": "assistant", "message": message, "session_id": "s", **fields}


def test_cursor_pieces_and_copies(write: Any) -> None:
    """A message in pieces is said once, although copies of it follow, of a part and of all."""
    call = {"type": "tool_call", "call_id": "1", "tool_call": {"readToolCall": {"args": {}}}}
    events = [
        {"type": "system", "subtype": "init", "apiKeySource": "login", "permissionMode": "x"},
        assistant("I ", timestamp_ms=1),
        assistant("read. ", timestamp_ms=2),
        assistant("I read. ", timestamp_ms=3, model_call_id="m"),
        {**call, "subtype": "started"},
        {**call, "subtype": "completed"},
        assistant("Done.", timestamp_ms=4),
        assistant("I read. Done."),
        {"type": "result", "result": "I read. Done."},
    ]
    run = formats.read(write(events, "c.jsonl"))
    assert run.messages_to_user == ("I read. ", "Done.")
    assert len(run.steps) == 1
    assert run.unread.ignored["copy of a message"] == 2
    whole = [*events[:1], assistant("I read."), *events[4:6], assistant("Done.")]
    assert formats.read(write(whole, "w.jsonl")).messages_to_user == ("I read.", "Done.")


def test_codex_exec_of_other_versions(write: Any) -> None:
    """The names of the first versions; a plan, a question, a page that was opened."""
    command = {"id": "1", "item_type": "command_execution", "command": "ls", "status": "completed"}
    opened = {"type": "open_page", "url": "http://a.example"}
    events = [
        {"type": "item.started", "item": command},
        {"type": "item.completed", "item": {**command, "aggregated_output": "a"}},
        {"type": "item.plan.delta", "item_id": "2", "delta": "I "},
        {"type": "item.completed", "item": {"id": "2", "type": "plan", "text": "I look."}},
        {"type": "request_user_input", "id": "t", "call_id": "3", "questions": []},
        {
            "type": "item.completed",
            "item": {"id": "4", "type": "web_search", "query": "", "action": opened},
        },
        {"type": "item.completed", "item": {"id": "5", "item_type": "assistant_message"}},
        {
            "type": "item.completed",
            "item": {"id": "6", "item_type": "assistant_message", "text": "Done."},
        },
    ]
    run = formats.read(write(events, "e.jsonl"))
    assert calls_of(run) == [
        ("bash", {"command": "ls"}, "a", "ok"),
        ("request_user_input", {"questions": []}, None, None),
        ("web_search", {"query": "", "url": "http://a.example"}, None, None),
    ]
    assert run.messages_to_user == ("I look.", "Done.")
    assert not run.unread.unknown


def qwen(kind: str, *parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A record of Qwen Code."""
    message = {"role": "model" if kind == "assistant" else "user", "parts": list(parts)}
    names = {"uuid": "1", "parentUuid": None, "sessionId": "s", "type": kind}
    return {**names, **({"message": message} if parts else {}), **fields}


def test_qwen_code_begins_with_notes(write: Any) -> None:
    """Notes stand first; what the program says is no request; a sub-agent's texts are hidden."""
    records = [
        qwen("system", subtype="session_source", systemPayload={"sourceType": "cli"}),
        qwen("user", {"text": "Go."}),
        qwen("user", {"text": "The task ended."}, subtype="notification"),
        qwen("assistant", {"text": "I look."}, isSidechain=True, agentName="Explore"),
        qwen("assistant", {"functionCall": {"id": "c", "name": "look", "args": {}}}),
        qwen("assistant"),
        qwen("assistant", {"text": "Done."}),
    ]
    run = formats.read(write(records, "q.jsonl"))
    assert calls_of(run) == [("look", {}, None, None)]
    assert (run.request, run.messages_to_user) == (("Go.",), ("Done.",))
    assert run.unread.unknown == {"record of type 'assistant' without a message": 1}


def test_dotnet_calls_of_the_service(write: Any) -> None:
    """Calls that the service ran; requests for approval are counted; names in PascalCase."""
    server = {"$type": "mcpServerToolCall", "callId": "1", "toolName": "buy", "serverName": "shop"}
    code = {"$type": "codeInterpreterToolCall", "callId": "2", "inputs": ["print(1)"]}
    asked = {"$type": "toolApprovalRequest", "requestId": "r", "toolCall": {"name": "pay"}}
    text = {"$type": "text", "text": "1"}
    contents = [
        {**server, "arguments": {"item": 7}},
        {"$type": "mcpServerToolResult", "callId": "1", "output": [text]},
        code,
        {"$type": "codeInterpreterToolResult", "callId": "2", "outputs": [text]},
        asked,
    ]
    run = formats.read(write([{"role": "assistant", "contents": contents}]))
    assert calls_of(run) == [
        ("shop__buy", {"item": 7}, "1", None),
        ("codeInterpreter", {"inputs": ["print(1)"]}, "1", None),
    ]
    assert run.unread.ignored == {"approval of a call": 1}
    assert not run.unread.unknown


def test_vscode_calls_of_a_sub_agent_without_an_id(write: Any) -> None:
    """Older versions only say that a call is of a sub-agent: it is of the last one begun."""

    def shown(call_id: str, tool: str, **fields: Any) -> dict[str, Any]:
        names = {"kind": "toolInvocationSerialized", "toolCallId": call_id, "toolId": tool}
        return {**names, **fields}

    response = [
        shown("a", "runSubagent"),
        shown("b", "look", fromSubAgent=True),
        shown("c", "edit"),
    ]
    request = {"message": {"text": "Go."}, "response": response}
    run = formats.read(write({"sessionId": "s", "requests": [request]}))
    assert [step.tool for step in run.steps] == ["runSubagent", "edit"]
    assert [step.tool for step in run.steps[0].substeps] == ["look"]


def test_kimi_result_without_fields(write: Any) -> None:
    """A result that is a text, in an event that stands alone."""
    events = [
        wire_call("1", "look", None),
        wire("ToolResult", tool_call_id="1", return_value=json.dumps({"a": 1})),
        wire("ToolCallPart", arguments_part="x"),
    ]
    run = formats.read(write(events, "wire.jsonl"))
    assert calls_of(run) == [("look", {}, '{"a": 1}', None)]
    assert run.unread.unknown == {"part of no call": 1}
