"""Each reader keeps what a trace records of its tools, in files as their producers write them."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.formats.conftest import Write

import otap
from otap.trajectory import ToolFacts

MADE = Path(__file__).parents[1] / "made"
HINTS = {"annotations": {"readOnlyHint": True, "destructiveHint": False}}
FACTS = {"look": ToolFacts(read_only=True, destructive=False)}
LOOK: dict[str, Any] = {"name": "look", "description": "Looks.", **HINTS}
FUNCTION = {"type": "function", "function": LOOK}
DECLARED = {"function_declarations": [LOOK]}
CALL = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
CHAT = [{"role": "user", "content": "Look."}, {"role": "assistant", "tool_calls": [CALL]}]
USE = {"type": "tool_use", "id": "c", "name": "look", "input": {}}
BLOCKS = [{"role": "assistant", "content": [USE]}]
ITEM = {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"}
LISTED = {"type": "mcp_list_tools", "id": "l", "server_label": "eyes", "tools": [LOOK]}


def otlp(**attributes: str) -> dict[str, Any]:
    """An export with one span of a model's answer."""
    told = {"gen_ai.operation.name": "chat", **attributes}
    listed = [{"key": key, "value": {"stringValue": value}} for key, value in told.items()]
    spans = [{"traceId": "t", "spanId": "s", "name": "chat", "attributes": listed}]
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}


def made(name: str) -> Any:
    """What a made file holds."""
    return json.loads((MADE / name).read_text("utf-8"))


def mlflow() -> Any:
    """A trace of MLflow whose spans know the tools."""
    trace = made("mlflow.json")
    for each in trace["data"]["spans"]:
        each["attributes"]["mlflow.chat.tools"] = json.dumps([FUNCTION])
    return trace


def inspect() -> Any:
    """A log of Inspect whose models were given the tool."""
    log = made("inspect.json")
    for sample in log["samples"]:
        for event in sample["events"]:
            if event["event"] == "model":
                event["tools"] = [LOOK]
    return log


def adk_case() -> Any:
    """An eval set of ADK that says what its agents could call."""
    said = {"role": "user", "parts": [{"text": "Look."}]}
    details = {"eyes": {"name": "eyes", "instructions": "", "tool_declarations": [DECLARED]}}
    turn = {"user_content": said, "app_details": {"agent_details": details}}
    return {"eval_set_id": "e", "eval_cases": [{"eval_id": "1", "conversation": [turn]}]}


ATIF = {
    "schema_version": "ATIF-v1.6",
    "session_id": "s",
    "agent": {"name": "eyes", "version": "1", "tool_definitions": [FUNCTION]},
    "steps": [{"step_id": 1, "source": "user", "message": "Look."}],
}
INIT = {"type": "system", "subtype": "init", "session_id": "s", "tools": ["look"]}
SAID = {"type": "assistant", "session_id": "s", "message": BLOCKS[0]}
SERVERS = [{"name": "eyes", "status": "connected", "tools": [LOOK]}]
SESSION = {"type": "session_meta", "payload": {"id": "s", "dynamic_tools": [LOOK]}}
LANGSMITH = {
    "id": "r",
    "run_type": "llm",
    "trace_id": "t",
    "inputs": {},
    "extra": {"invocation_params": {"model": "m", "tools": [FUNCTION]}},
}
PARAMETERS = {"function_tools": [{"name": "look", "metadata": HINTS}]}

WITH_HINTS = ("openhands.jsonl",)
FILES: dict[str, tuple[str, Any]] = {
    "chat": ("openai", {"messages": CHAT, "tools": [FUNCTION]}),
    "chat, functions": ("openai", {"messages": CHAT, "functions": [LOOK]}),
    "responses": ("openai-responses", {"items": [ITEM], "tools": [{"type": "function", **LOOK}]}),
    "responses, listed": ("openai-responses", [LISTED, ITEM]),
    "messages": ("anthropic", {"messages": BLOCKS, "tools": [LOOK]}),
    "claude code": ("claude-code", [{**INIT, "mcp_servers": SERVERS}, SAID]),
    "codex": ("codex", [SESSION, {"type": "response_item", "payload": ITEM}]),
    "codex, listed": ("codex", [{"type": "response_item", "payload": LISTED}]),
    "adk": ("adk", adk_case()),
    "atif": ("atif", ATIF),
    "langsmith": ("langsmith", [LANGSMITH]),
    "mlflow": ("mlflow", mlflow()),
    "inspect": ("inspect", inspect()),
    "otel": ("otel", otlp(**{"gen_ai.tool.definitions": json.dumps([FUNCTION])})),
    "openinference": ("otel", otlp(**{"llm.tools.0.tool.json_schema": json.dumps(FUNCTION)})),
    "pydantic ai": ("otel", otlp(model_request_parameters=json.dumps(PARAMETERS))),
    "google": (
        "otel",
        otlp(**{"gcp.vertex.agent.llm_request": json.dumps({"config": {"tools": [DECLARED]}})}),
    ),
}


@pytest.mark.parametrize("shape", FILES)
def test_facts_are_kept(shape: str, write: Write) -> None:
    """What a definition says of a tool is in the trajectory, under the name of the tool."""
    name, content = FILES[shape]
    path = write(content, "trace.jsonl" if isinstance(content, list) else "trace.json")
    for run in otap.read_all(path, format=name):
        assert run.tools == FACTS


def test_a_file_without_hints_has_no_facts() -> None:
    """Definitions without hints leave the trajectory as it was, and as it is written."""
    files = [file for file in MADE.glob("*.json*") if file.name not in WITH_HINTS]
    assert len(files) > 30
    with_facts = [
        (file, run.id)
        for file in files
        for run in otap.read_all(file)
        if "tools" in run.model_fields_set or '"tools":{' in run.to_json()
    ]
    assert with_facts == []


def test_facts_are_written_and_read_again(write: Write) -> None:
    """Our own format holds them."""
    path = write({"messages": CHAT, "tools": [FUNCTION]})
    again = otap.read(write(otap.read(path).to_json(), "again.json"))
    assert again.tools == FACTS
