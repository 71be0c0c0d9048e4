"""Messages of Pydantic AI, as three of its versions write them."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made" / "pydantic_ai_messages.jsonl"


def request(*parts):
    """Returns what a model is told."""
    return {"kind": "request", "parts": list(parts)}


def response(*parts, **more):
    """Returns what a model answers."""
    return {"kind": "response", "parts": list(parts), **more}


def part(kind, **fields):
    """Returns a part of a message."""
    return {"part_kind": kind, **fields}


def call(identifier="c", name="f", args=None, kind="tool-call"):
    """Returns a call."""
    return part(kind, tool_name=name, tool_call_id=identifier, args=args)


def returned(content, identifier="c", kind="tool-return", **more):
    """Returns what came back from a call."""
    return part(kind, tool_name="f", tool_call_id=identifier, content=content, **more)


def test_made_by_its_agent():
    """Five calls in four turns, two of them to be made again; the versions say the same."""
    runs = list(formats.read_all(MADE))
    assert len(runs) == 3
    for run in runs:
        assert [(s.tool, s.turn, s.status, s.action) for s in run.steps] == [
            ("search_hotels", 1, "ok", "I look for hotels."),
            ("get_weather", 1, "ok", "I look for hotels."),
            ("book_hotel", 2, "error", None),
            ("book_hotel", 3, "error", None),
            ("book_hotel", 4, "ok", "H7 is full, so I take H9."),
        ]
        assert run.request == ("A room in Rome, please.",)
        assert run.messages_to_user == (
            "I look for hotels.",
            "H7 is full, so I take H9.",
            "H9 is yours.",
        )
        assert (run.unread.unknown, run.unread.ignored) == ({}, {"system prompt": 1, "thought": 1})
        assert run.steps[1].arguments == {"city": "Rome"}
        assert run.steps[2].effect == "H7 is full."
        assert all(step.started_at < step.ended_at for step in run.steps)
    assert [run.id is None for run in runs] == [False, True, True]


def test_made_files_are_read_whole():
    """Each call and each answer in the file is in a step, once."""
    for line, run in zip(MADE.read_text("utf-8").splitlines(), formats.read_all(MADE), strict=True):
        parts = [part for message in json.loads(line) for part in message["parts"]]
        calls = [part["tool_call_id"] for part in parts if part["part_kind"] == "tool-call"]
        answers = [part for part in parts if part["part_kind"] in ("tool-return", "retry-prompt")]
        assert [step.metadata["call_id"] for step in run.steps] == calls
        assert [step.effect for step in run.steps] == [part["content"] for part in answers]


@pytest.mark.parametrize(
    ("result", "status"),
    [
        (returned("x"), "ok"),
        (returned("x", outcome="success"), "ok"),
        (returned("x", outcome="denied"), "error"),
        (returned("x", outcome="failed"), "error"),
        (returned("x", kind="retry-prompt"), "error"),
        (returned({"error": "x"}), "error"),
    ],
)
def test_outcomes(write, result, status):
    """A result says how the call ended; one that is to be tried again failed."""
    (step,) = formats.read(write([response(call()), request(result)])).steps
    assert (step.effect, step.status) == (result["content"], status)


def test_other_parts(write):
    """Pictures and instructions are ignored; a part without a rule is unknown."""
    prompt = ["Look:", {"kind": "image-url", "url": "x"}, {"kind": "text-content", "content": "so"}]
    run = formats.read(
        write(
            {
                "id": "r",
                "messages": [
                    request(part("user-prompt", content=prompt), part("instruction", content="x")),
                    response(part("hologram"), call("a", kind="builtin-tool-call")),
                    request(part("retry-prompt", content="once more")),
                    response(
                        call("b", kind="builtin-tool-call"),
                        returned([1], "b", "builtin-tool-return"),
                        part("text", content="There."),
                        call("c", args='{"a": 1}'),
                    ),
                ],
            }
        )
    )
    assert (run.id, run.request) == ("r", ("Look:\nso",))
    assert [(s.turn, s.arguments, s.effect, s.action) for s in run.steps] == [
        (1, None, None, None),
        (2, None, [1], None),
        (3, {"a": 1}, None, "There."),
    ]
    assert run.unread.unknown == {"part of type 'hologram'": 1}
    assert run.unread.ignored == {
        "picture": 1,
        "system prompt": 1,
        "request to try again": 1,
    }


@pytest.mark.parametrize(
    "message",
    [
        5,
        {"kind": 5},
        {"kind": "request", "parts": {}},
        {"kind": "request", "parts": [5]},
        request(part("user-prompt", content=5)),
        request(part("user-prompt", content=[5])),
        response(part("text", content=5)),
        response(call(name=[])),
        response(call(identifier={})),
    ],
)
def test_bad_messages(write, message):
    """A bad message is an error with its place."""
    with pytest.raises(FormatError, match=r"\[1\].*expected"):
        formats.read(write([request(), message]))
