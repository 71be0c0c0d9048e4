"""Messages and events of AutoGen."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made"


def message(kind, content="", source="clerk", **more):
    """Returns a message or an event."""
    return {"type": kind, "source": source, "content": content, **more}


def call(identifier="c", name="f", arguments='{"a": 1}'):
    """Returns a call."""
    return {"id": identifier, "name": name, "arguments": arguments}


def requested(*calls, source="clerk"):
    """Returns an event that requests calls."""
    return message("ToolCallRequestEvent", list(calls or [call()]), source)


def executed(content="x", identifier="c", **more):
    """Returns an event with a result."""
    result = {"call_id": identifier, "name": "f", "content": content, **more}
    return message("ToolCallExecutionEvent", [result])


ASKED = message("TextMessage", "Go.", "user")


def test_made_by_its_agents():
    """One agent's four calls; those of two, and the handoff between them, once."""
    one, two = formats.read_all(MADE / "autogen.jsonl")
    assert [(s.tool, s.turn, s.status, s.action, s.agent) for s in one.steps] == [
        ("search_hotels", 1, "ok", "I look for hotels.", "clerk"),
        ("get_weather", 1, "ok", "I look for hotels.", "clerk"),
        ("book_hotel", 2, "error", None, "clerk"),
        ("book_hotel", 3, "ok", "H7 is full, so I take H9.", "clerk"),
    ]
    assert [(s.tool, s.turn, s.agent) for s in two.steps] == [
        ("search_hotels", 1, "finder"),
        ("get_weather", 1, "finder"),
        ("transfer_to_booker", 2, "finder"),
        ("book_hotel", 3, "booker"),
        ("book_hotel", 4, "booker"),
    ]
    for run in (one, two):
        assert run.request == ("A room in Rome, please.",)
        assert run.messages_to_user == ("H9 is yours. DONE",)
        assert run.unread.unknown == {}
        assert all(step.started_at <= step.ended_at for step in run.steps)
    assert one.steps[1].effect == "Sunny in Rome."


def test_states_say_the_same():
    """The thread of a team's manager, and what an agent has in mind."""
    for state, run in zip(
        formats.read_all(MADE / "autogen_state.jsonl"),
        reversed(list(formats.read_all(MADE / "autogen.jsonl"))),
        strict=True,
    ):
        told = [(s.tool, s.arguments, s.effect, s.status, s.turn, s.action) for s in run.steps]
        assert [
            (s.tool, s.arguments, s.effect, s.status, s.turn, s.action) for s in state.steps
        ] == told
        assert (state.request, state.messages_to_user) == (run.request, run.messages_to_user)
        assert state.unread.unknown == {}


def test_made_files_are_read_whole():
    """Each call and each result in the file is in a step, once."""
    path = MADE / "autogen.jsonl"
    for line, run in zip(path.read_text("utf-8").splitlines(), formats.read_all(path), strict=True):
        told = [m for m in json.loads(line)["messages"] if isinstance(m["content"], list)]
        calls = [c["id"] for m in told if m["type"] == "ToolCallRequestEvent" for c in m["content"]]
        back = [r for m in told if m["type"] == "ToolCallExecutionEvent" for r in m["content"]]
        assert [step.metadata["call_id"] for step in run.steps] == calls
        assert [step.effect for step in run.steps] == [result["content"] for result in back]


@pytest.mark.parametrize(
    "document",
    [
        [ASKED, requested()],
        [[ASKED, requested()]],
        {"messages": [ASKED, requested()], "stop_reason": None},
        [ASKED, requested(), {"messages": [ASKED, requested()], "stop_reason": None}],
        {
            "type": "TeamState",
            "agent_states": {"m": {"message_thread": [ASKED, requested()]}, "a": {}},
        },
        {
            "type": "AssistantAgentState",
            "llm_context": {
                "messages": [
                    message("UserMessage", "Go.", "Ann"),
                    message("AssistantMessage", [call()], "clerk"),
                ]
            },
        },
    ],
)
def test_shapes(write, document):
    """A request and one call, in all shapes, and of no other format."""
    found = [n for n in formats.FORMATS if formats.load_format(n).recognises(document)]
    assert found == ["autogen"]
    run = formats.read(write(document))
    assert (run.request, [step.tool for step in run.steps]) == (("Go.",), ["f"])


@pytest.mark.parametrize(("failed", "status"), [(True, "error"), (False, "ok"), (None, None)])
def test_results(write, failed, status):
    """A result says whether the call failed; older versions did not."""
    (step,) = formats.read(write([ASKED, requested(), executed(is_error=failed)])).steps
    assert (step.arguments, step.effect, step.status) == ({"a": 1}, "x", status)


def test_code(write):
    """Code that an agent wrote and ran."""
    block = {"language": "python", "code": "1/0"}
    code = {"code_blocks": [block], "retry_attempt": 0}
    failed = {"result": {"exit_code": 1, "output": "no"}, "retry_attempt": 0}
    ran = {"type": "CodeExecutionEvent", "source": "clerk"}
    run = formats.read(
        write(
            [
                ASKED,
                message("CodeGenerationEvent", "So:", **code),
                {**ran, **failed},
                message("CodeGenerationEvent", "Or:", **{**code, "code_blocks": [block, block]}),
                {**ran, "result": {"exit_code": 0, "output": "2"}},
                message("CodeGenerationEvent", "Done.", code_blocks=[]),
            ]
        )
    )
    assert [(s.arguments, s.effect, s.status, s.action) for s in run.steps] == [
        (block, "no", "error", "So:"),
        ({"code_blocks": [block, block]}, "2", "ok", "Or:"),
    ]


def test_who_speaks(write):
    """People ask and agents answer; what one agent said leads to no call of another."""
    run = formats.read(
        write(
            [
                ASKED,
                message("TextMessage", "I plan.", "planner"),
                message("ThoughtEvent", "Hm."),
                message("TextMessage", "I do."),
                requested(),
                executed(),
                message("ToolCallSummaryMessage", "x"),
                message("UserInputRequestedEvent", "", "Ann"),
                message("TextMessage", "And?", "Ann"),
                requested(call("d")),
                message("HandoffMessage", "To you.", target="planner"),
                message("StructuredMessage[Report]", {"done": True}),
                message("MultiModalMessage", ["See.", {"data": ""}]),
                message("HologramEvent", "x"),
            ]
        )
    )
    assert run.request == ("Go.", "And?")
    assert [step.action for step in run.steps] == ["I do.", None]
    assert run.messages_to_user == ("I plan.", "I do.", "x", '{"done": true}', "See.")
    assert run.unread.unknown == {"message of type 'HologramEvent'": 1}
    assert run.unread.ignored == {
        "thought": 1,
        "question to the user": 1,
        "handoff already recorded as a call": 1,
        "picture": 1,
    }


@pytest.mark.parametrize(
    "state",
    [
        {"type": "TeamState", "agent_states": {}},
        {"type": "AssistantAgentState", "llm_context": 5},
        {
            "type": "TeamState",
            "agent_states": {name: {"llm_context": {"messages": [ASKED]}} for name in "ab"},
        },
    ],
)
def test_states_without_a_thread(write, state):
    """A state of nobody, or of several agents and no manager, is no run."""
    with pytest.raises(FormatError, match="expected the messages of one agent or of a team"):
        formats.read(write(state))


@pytest.mark.parametrize(
    "bad",
    [
        5,
        {"type": 5},
        message("TextMessage", 5),
        message("TextMessage", [5]),
        message("ToolCallRequestEvent", [5]),
        requested(call(name=5)),
        requested(call(identifier=[])),
        message("ToolCallExecutionEvent", 5),
        message("ToolCallExecutionEvent", [5]),
        message("CodeGenerationEvent", "x", code_blocks=5),
        message("CodeExecutionEvent", "x", result=5),
        {**requested(), "created_at": "soon"},
    ],
)
def test_bad_messages(write, bad):
    """A bad message is an error with its place."""
    with pytest.raises(FormatError, match=r"\[1\].*expected"):
        formats.read(write([ASKED, bad]))
