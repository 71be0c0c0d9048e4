"""Messages of Haystack."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made" / "haystack.jsonl"


def message(role, *content, **more):
    """Returns a message."""
    return {"role": role, "meta": {}, "name": None, "content": list(content), **more}


def call(identifier="c", name="f", arguments=None):
    """Returns a call."""
    return {"tool_name": name, "arguments": arguments or {}, "id": identifier}


def result(content, origin=None, **more):
    """Returns what came back from a call."""
    return {"result": content, "origin": origin or call(), **more}


ASKED = message("user", {"text": "Go."})


def test_made_by_its_agent():
    """Four calls in three turns, one of which failed."""
    for run in formats.read_all(MADE):
        assert [(s.tool, s.turn, s.status, s.action) for s in run.steps] == [
            ("search_hotels", 1, "ok", "I look for hotels."),
            ("get_weather", 1, "ok", "I look for hotels."),
            ("book_hotel", 2, "error", None),
            ("book_hotel", 3, "ok", "H7 is full, so I take H9."),
        ]
        assert run.request == ("A room in Rome, please.",)
        assert run.messages_to_user == (
            "I look for hotels.",
            "H7 is full, so I take H9.",
            "H9 is yours.",
        )
        assert (run.unread.unknown, run.unread.ignored) == ({}, {"system prompt": 1, "thought": 1})
        assert run.steps[1].effect == "Sunny in Rome."


def test_made_files_are_read_whole():
    """Each call and each result in the file is in a step, once."""
    for line, run in zip(MADE.read_text("utf-8").splitlines(), formats.read_all(MADE), strict=True):
        value = json.loads(line)
        listed = value["messages"] if isinstance(value, dict) else value
        parts = [part for message in listed for part in message["content"]]
        calls = [part["tool_call"]["id"] for part in parts if "tool_call" in part]
        results = [p["tool_call_result"]["result"] for p in parts if "tool_call_result" in p]
        assert [step.metadata["call_id"] for step in run.steps] == calls
        assert [step.effect for step in run.steps] == results


@pytest.mark.parametrize(
    "document",
    [
        [ASKED, message("assistant", {"tool_call": call()})],
        [[ASKED, message("assistant", {"tool_call": call()})]],
        {"messages": [ASKED, message("assistant", call())]},
        [
            {f"_{key}": value for key, value in one.items()}
            for one in (ASKED, message("assistant", {"tool_call": call()}))
        ],
    ],
)
def test_shapes(write, document):
    """A request and one call, in all shapes, and of no other format."""
    found = [n for n in formats.FORMATS if formats.load_format(n).recognises(document)]
    assert found == ["haystack"]
    run = formats.read(write(document))
    assert (run.request, [step.tool for step in run.steps]) == (("Go.",), ["f"])


def test_parts(write):
    """Results by id, parts of texts, agents' names; what is ignored, and what is unknown."""
    run = formats.read(
        write(
            {
                "id": "r",
                "messages": [
                    message("user", {"text": "Look."}, {"image": {"base64_image": ""}}),
                    message(
                        "assistant",
                        {"reasoning": {"reasoning_text": "x"}},
                        {"tool_call": call("a", arguments={"x": 1})},
                        {"tool_call": call("b", "g")},
                        {"hologram": 1},
                        name="clerk",
                    ),
                    message("tool", {"tool_call_result": result("2", call("b", "g"), error=True)}),
                    message("tool", result([{"text": "1"}], call("a"))),
                    {"role": "critic", "content": "No."},
                ],
            }
        )
    )
    assert (run.id, run.request) == ("r", ("Look.",))
    assert [(s.agent, s.arguments, s.effect, s.status) for s in run.steps] == [
        ("clerk", {"x": 1}, "1", None),
        ("clerk", {}, "2", "error"),
    ]
    assert run.unread.unknown == {"part with 'hologram'": 1, "message of role 'critic'": 1}
    assert run.unread.ignored == {"picture": 1, "thought": 1}


@pytest.mark.parametrize(
    "bad",
    [
        5,
        message(5),
        {"role": "user", "content": 5},
        message("user", 5),
        message("user", {"text": 5}),
        message("user", {"tool_call": call()}),
        message("assistant", {"tool_call": 5}),
        message("assistant", {"tool_call": call(name=5)}),
        message("assistant", {"tool_call": call(identifier=[])}),
        message("tool", {"tool_call_result": {"result": 1}}),
    ],
)
def test_bad_messages(write, bad):
    """A bad message is an error with its place."""
    with pytest.raises(FormatError, match=r"\[1\].*(expected|only messages)"):
        formats.read(write([ASKED, bad]))
