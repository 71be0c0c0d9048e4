"""What stands around a call is removed in every format alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import call, run_of
from otap.formats.wrappers import WRAPPER, unwrap, unwrap_calls

PAID = {"to": "A1", "amount": 2}
WRAPPED = [
    ("execute_tool pay", PAID),
    ("running tool: pay", PAID),
    ("running tool pay", PAID),
    ("pay.tool", PAID),
    ("pay", [{"role": "tool", "content": PAID}]),
    ("execute_tool pay", [{"role": "user", "content": PAID}]),
]
META = [
    ("call_tool", {"name": "pay", "arguments": PAID}),
    ("execute-tool", {"tool_name": "pay", "params": PAID}),
    ("mcp__hub__call_tool", {"tool": "pay", "args": '{"to": "A1", "amount": 2}'}),
    ("hub.invokeTool", {"toolName": "pay", "toolInput": PAID, "server": "bank"}),
    ("use_mcp_tool", {"server_name": "bank", "tool_name": "pay", "arguments": PAID}),
    ("execute_tool call_tool", {"name": "call_tool", "arguments": {"name": "pay", "args": PAID}}),
]
ORDINARY = [
    ("pay", PAID),
    ("execute_tool", PAID),
    ("call_tool", {"name": "hammer", "arguments": PAID, "colour": "red"}),
    ("call_tool", {"name": "pay", "arguments": "all of it"}),
    ("call_tool", {"name": " ", "arguments": PAID}),
    ("call_tool", {"name": 5, "arguments": PAID}),
    ("pay", {"name": "x", "arguments": PAID}),
    ("pay", [{"role": "tool", "content": "text"}]),
    ("pay", [{"role": "tool", "content": PAID}, {"role": "tool", "content": PAID}]),
    ("pay", [{"role": "tool", "content": PAID, "id": "1"}]),
    (None, None),
    ("", {}),
]


@pytest.mark.parametrize(("tool", "arguments"), WRAPPED + META)
def test_wrapped_calls(tool, arguments):
    """The step has the inner tool and its arguments, wherever it is, and names an outer tool."""
    run = run_of({**call("agent"), "substeps": [{"id": "1", **call(tool, arguments)}]})
    (step,) = unwrap_calls(run).steps[0].substeps
    assert (step.tool, step.arguments) == ("pay", PAID)
    assert (WRAPPER in step.metadata) == ((tool, arguments) in META)


@pytest.mark.parametrize(("tool", "arguments"), ORDINARY)
def test_ordinary_calls(tool, arguments):
    """A call that only resembles a wrapper is left as it is."""
    assert unwrap(tool, arguments) == (tool, arguments, None)


@given(st.sampled_from(WRAPPED + META + ORDINARY), st.integers(0, 3))
def test_twice(wrapped, depth):
    """Unwrapping again changes nothing, so a converted run is read as it was."""
    tool, arguments = wrapped
    for _ in range(depth):
        tool, arguments = "call_tool", {"name": tool, "arguments": arguments}
    once = unwrap_calls(run_of(call(tool, arguments)))
    assert unwrap_calls(once) == once


def test_results():
    """A list of texts is one text, which may say that the call failed."""
    texts = [{"type": "text", "text": "Error: no"}, {"text": "money"}]
    (step,) = unwrap_calls(run_of(call("pay", PAID, texts, status="ok"))).steps
    assert (step.effect, step.status) == ("Error: no\nmoney", "error")
    for ordinary in ([{"text": "a", "lang": "en"}], [{"type": "image", "text": "a"}, 5], [], "a"):
        (step,) = unwrap_calls(run_of(call("pay", PAID, ordinary))).steps
        assert step.effect == ordinary
