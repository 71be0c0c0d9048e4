"""Messages of Microsoft's Agent Framework."""

from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made" / "agent_framework.jsonl"


def message(role, *contents, **more):
    """Returns a message."""
    return {"type": "message", "role": role, "contents": list(contents), **more}


def content(kind, **more):
    """Returns a content."""
    return {"type": kind, **more}


def call(identifier="c", **more):
    """Returns a call."""
    return content("function_call", call_id=identifier, **{"name": "f", "arguments": "{}", **more})


ASKED = message("user", content("text", text="Go."))
TALK = [ASKED, message("assistant", call())]


def test_made_by_its_agent():
    """Four calls in three turns, one of which failed; a response has not what was asked."""
    session, response = formats.read_all(MADE)
    for run in (session, response):
        assert [(s.tool, s.turn, s.status, s.action, s.agent) for s in run.steps] == [
            ("search_hotels", 1, "ok", "I look for hotels.", "clerk"),
            ("get_weather", 1, "ok", "I look for hotels.", "clerk"),
            ("book_hotel", 2, "error", None, "clerk"),
            ("book_hotel", 3, "ok", "H7 is full, so I take H9.", "clerk"),
        ]
        assert run.messages_to_user == (
            "I look for hotels.",
            "H7 is full, so I take H9.",
            "H9 is yours.",
        )
        assert (run.unread.unknown, run.unread.ignored) == ({}, {"thought": 1})
        assert run.steps[1].arguments == {"city": "Rome"}
        assert run.steps[1].effect == "Sunny in Rome."
    assert (session.request, response.request) == (("A room in Rome, please.",), ())
    assert session.id is not None


@pytest.mark.parametrize(
    "document",
    [
        TALK,
        [TALK],
        {"messages": TALK, "type": "agent_response"},
        {"type": "session", "session_id": "s", "state": {"x": {}, "in_memory": {"messages": TALK}}},
        [{**one, "role": {"type": "role", "value": one["role"]}} for one in TALK],
    ],
)
def test_shapes(write, document):
    """A request and one call, in all shapes, and of no other format."""
    found = [n for n in formats.FORMATS if formats.load_format(n).recognises(document)]
    assert found == ["agent-framework"]
    run = formats.read(write(document))
    assert (run.request, [step.tool for step in run.steps]) == (("Go.",), ["f"])


def test_contents(write):
    """Tools of servers; what is ignored, and what is unknown."""
    run = formats.read(
        write(
            [
                message("user", content("text", text="Look."), content("uri", uri="x")),
                message(
                    "assistant",
                    content("mcp_server_tool_call", call_id="m", tool_name="g", server_name="s"),
                    content("mcp_server_tool_result", call_id="m", output=[1]),
                    content("code_interpreter_tool_call", call_id="p", inputs=["1"]),
                    content("function_approval_request"),
                    content("hologram"),
                ),
                message("system", content("text", text="Be.")),
                message("critic", content("text", text="No.")),
                message("tool", content("function_result", call_id="p", exception="x")),
            ]
        )
    )
    assert run.request == ("Look.",)
    assert [(s.tool, s.turn, s.arguments, s.effect, s.status) for s in run.steps] == [
        ("g", 1, None, [1], "ok"),
        ("code_interpreter", 2, ["1"], None, "error"),
    ]
    assert run.steps[0].metadata["server_name"] == "s"
    assert run.unread.unknown == {
        "content of type 'hologram'": 1,
        "message of role 'critic'": 1,
    }
    assert run.unread.ignored == {
        "file": 1,
        "request to approve a call": 1,
        "system prompt": 1,
    }


@pytest.mark.parametrize(
    "bad",
    [
        5,
        message(5),
        {"role": "user", "contents": 5},
        message("user", 5),
        message("user", content(5)),
        message("user", content("text", text=5)),
        message("user", call()),
        message("assistant", call([])),
        message("assistant", call(name=5)),
    ],
)
def test_bad_messages(write, bad):
    """A bad message is an error with its place."""
    with pytest.raises(FormatError, match=r"\[1\].*(expected|only messages)"):
        formats.read(write([ASKED, bad]))


@pytest.mark.parametrize("state", [None, {}, {"in_memory": {"messages": []}}])
def test_a_session_without_messages(write, state):
    """A session whose messages a server keeps is no run."""
    with pytest.raises(FormatError, match="expected"):
        formats.read(write({"type": "session", "session_id": "s", "state": state}))
