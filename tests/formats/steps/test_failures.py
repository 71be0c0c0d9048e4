"""A result that says itself that the call failed makes a failed step, in every format alike."""

import json

import pytest

from otap import formats
from otap.formats.failures import states_failure

FAILED = [
    {"error": "no such city"},
    {"error": "no such city", "code": 404},
    {"error": {"code": 404, "message": "no such city"}},
    {"error": ["no such city"]},
    {"error": True},
    {"result": None, "error": "no such city"},
    {"success": False},
    {"success": False, "message": "full"},
    {"message": "full", "success": False, "error": "full"},
    {"ok": False, "error": "channel_not_found"},
    {"status": "error", "error_message": "no such city"},
    {"content": [{"type": "text", "text": "boom"}], "isError": True},
    "Error: user not found",
    "Error: KeyError('a')\n Please fix your mistakes.",
    "Error executing tool search: no such city",
    "Error invoking tool 'search' with kwargs {} with error:\n x\n Please fix the error.",
    "An error occurred while running the tool. Please try again. Error: no such city",
    "An error occurred while parsing tool arguments. Please try again with valid JSON.",
    "Encountered error: no such city",
    "<tool_use_error>no such file</tool_use_error>",
    "1 validation error:\n[]\n\nFix the errors and try again.",
    "No room has this name.\n\nFix the errors and try again.\n",
    "Input validation error: 'x' is a required property",
    "MCP error -32602: Invalid arguments",
    "Unknown tool: pay",
    "Exit code: 1\nrm: x: busy",
    "Command failed with exit code 127",
    {"exit_code": 1, "stdout": "", "stderr": "busy"},
    {"output": "busy", "metadata": {"exit_code": 2}},
    [{"stdout": "", "stderr": "busy", "outcome": {"type": "exit", "exit_code": 1}}],
    [{"stdout": "", "stderr": "", "outcome": {"type": "timeout"}}],
    "{'error': 'no such city'}",
    "{'success': False, 'message': 'full'}",
]
ORDINARY = [
    *({}, [], None, 5, True, "", "Error", "error: x", "No error: all is well", [{"error": "x"}]),
    {"error": None},
    {"error": False},
    {"error": ""},
    {"error": "none"},
    {"error": 0.05},
    {"error": "0.05"},
    {"error": {}},
    {"error": []},
    {"errors": []},
    {"errors": ["spelling"]},
    {"rows": [{"error": "x"}]},
    {"line": "failed", "error": "x"},
    {"order": 7, "status": "error"},
    {"status": "failed", "amount": 3},
    {"isError": False, "error": None, "content": []},
    {"passed": 3, "success": False},
    {"success": "false"},
    "Error: disk full\nInfo: all is well",
    "Errors: none",
    "{'error': ''}",
    "{'error': None}",
    '{"error": "cut o',
    "Exit code: 0\nok",
    "Exit codes: 1 means busy",
    "Fix the errors and try again. Then call pay.",
    {"exit_code": 0, "stdout": "x"},
    {"exit_code": 1},
    {"exit_code": True, "stdout": "x"},
    [{"stdout": "x", "outcome": {"type": "exit", "exit_code": 0}}, 5],
]


def in_both_forms(results):
    """Each as an object and as JSON in a text."""
    yield from results
    yield from (json.dumps(one, indent=1) for one in results if not isinstance(one, str))


def test_failures():
    """As an object and as JSON in a text."""
    assert [one for one in in_both_forms(FAILED) if not states_failure(one)] == []


def test_ordinary_results():
    """A word alone is no failure, nor is an error that is empty, or a number."""
    assert [one for one in in_both_forms(ORDINARY) if states_failure(one)] == []


def test_long_results():
    """Work grows with the length of a result."""
    assert not states_failure('{"error":' * 200_000)
    assert states_failure("Error: " + "\n" * 1_000_000)
    assert not states_failure(" " * 1_000_000 + "{")


@pytest.mark.parametrize("dialect", ["openai", "langchain"])
@pytest.mark.parametrize(("result", "status"), [('{"error": "full"}', "error"), ("booked", None)])
def test_alike_in_formats(write, dialect, result, status):
    """What a trace calls a success and a result calls a failure is one."""
    if dialect == "openai":
        function = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        spoken = [{"role": "assistant", "content": "", "tool_calls": [function]}]
        answer = {"role": "tool", "tool_call_id": "c", "content": result}
    else:
        spoken = [{"type": "ai", "content": "", "tool_calls": [{"id": "c", "name": "f"}]}]
        answer = {"type": "tool", "tool_call_id": "c", "content": result, "status": "success"}
        status = status or "ok"
    (step,) = formats.read(write([*spoken, answer])).steps
    assert step.status == status
