"""Spans of OpenAI's Agents SDK that tell nothing, or tell a handoff twice."""

import pytest

from otap import formats

CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "transfer_to_clerk", "arguments": "{}"},
}


def span(identifier, parent=None, error=None, **data):
    """Returns a span as the SDK exports it."""
    number = int(identifier.strip("s"))
    return {
        "object": "trace.span",
        "id": identifier,
        "trace_id": "t",
        "parent_id": parent,
        "started_at": f"2026-01-01T10:00:{number:02}+00:00",
        "ended_at": f"2026-01-01T10:00:{number:02}.5+00:00",
        "span_data": data,
        "error": error,
    }


AGENT = span("s1", type="agent", name="boss")
ANSWER = {"role": "assistant", "tool_calls": [CALL]}
ASKED = span("s3", "s2", type="generation", input=[], output=[ANSWER])
STRANGE = [{"type": "dance"}, {"role": "assistant", "content": "x"}]
SILENT = "span of a model without an answer"
HANDOFF = span("s4", "s2", type="handoff", from_agent="boss", to_agent="Clerk")
TURN = span("s2", "s1", type="turn")
TOOL = span("s3", "s2", type="function", name="transfer_to_clerk", input="{}", output="ok")


@pytest.mark.parametrize("inner_spans", [[ASKED], [TOOL], []])
def test_a_handoff_is_one_step(write, inner_spans):
    """Whether the model, a function or only its own span tells of it, turns between or not."""
    run = formats.read(write([AGENT, TURN, *inner_spans, HANDOFF]))
    assert [step.tool for step in run.steps] == ["transfer_to_clerk"]


@pytest.mark.parametrize(
    ("spans", "unknown"),
    [
        ([span("s1", type="response", response_id="r")], [SILENT]),
        ([span("s1", type="generation", input=None, output=None)], [SILENT]),
        ([span("s1", type="response", error={"message": "x"})], []),
        ([span("s1", type="response"), span("s2", type="function", name="f")], []),
        ([span("s1", type="dance")], ["span of an unknown type"]),
        ([span("s1", type="guardrail"), span("s2", type="agent", name="a")], []),
        ([span("s1", type="custom", name="search")], ["span of neither a model nor a tool"]),
        (
            [span("s1", type="generation", output=STRANGE)],
            ["item of an unknown type in an answer"],
        ),
    ],
)
def test_nothing_silent(write, spans, unknown):
    """A model whose answer was not exported may have called anything; what is unknown is told."""
    run = formats.read(write(spans))
    assert list(run.unread.unknown) == unknown
