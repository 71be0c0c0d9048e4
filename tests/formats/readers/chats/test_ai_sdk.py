"""Messages of Vercel's AI SDK, those for models and those for pages, of two of its versions."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made"
USER = {"role": "user", "content": "hi"}


def facts(run):
    """Returns of each step what is to be compared."""
    return [(s.tool, s.turn, s.status, s.action) for s in run.steps]


def part(kind="tool-call", identifier="c", name="f", **more):
    """Returns a part that calls, or returns."""
    return {"type": kind, "toolCallId": identifier, "toolName": name, **more}


@pytest.fixture
def read(write):
    """Reads one answer of the assistant, given as its fields, and what comes after it."""

    def read(*after, **fields):
        return formats.read(write([USER, {"role": "assistant", **fields}, *after]))

    return read


def test_made_by_version_6():
    """The loop made six calls in four turns, three of which failed; both kinds say so."""
    models, pages = formats.read_all(MADE / "ai_sdk.jsonl")
    for run in (models, pages):
        assert facts(run) == [
            ("searchHotels", 1, "ok", "I look for hotels."),
            ("getWeather", 1, "ok", "I look for hotels."),
            ("bookHotel", 2, "error", None),
            ("bookHotel", 3, "error", None),
            ("rentCar", 3, "error", None),
            ("bookHotel", 4, "ok", "H7 is full, so I take H9."),
        ]
        assert run.request == ("A room in Rome, please.",)
        assert run.messages_to_user == (
            "I look for hotels.",
            "H7 is full, so I take H9.",
            "H9 is yours.",
        )
        assert (run.unread.unknown, run.unread.ignored) == ({}, {"thought": 1})
    assert [s.arguments for s in models.steps] == [s.arguments for s in pages.steps]
    assert models.steps[3].arguments == {"inn": "H9"}
    assert models.steps[2].effect == "H7 is full."
    assert pages.steps[5].effect == models.steps[5].effect == {"booked": "H9"}


def test_made_by_version_4():
    """Older names of the same things."""
    models, pages = formats.read_all(MADE / "ai_sdk_4.jsonl")
    assert models.steps == pages.steps
    assert facts(models) == [
        ("searchHotels", 1, None, "I look for hotels."),
        ("getWeather", 1, None, "I look for hotels."),
        ("bookHotel", 2, None, "H9 it is."),
    ]
    assert models.messages_to_user == pages.messages_to_user
    assert models.steps[1].effect == "Sunny in Rome."


@pytest.mark.parametrize("name", ["ai_sdk", "ai_sdk_4"])
def test_files_are_read_whole(name):
    """Each id of a call that stands in the file is that of a step, once."""
    lines = (MADE / f"{name}.jsonl").read_text("utf-8").splitlines()
    for line, run in zip(lines, formats.read_all(MADE / f"{name}.jsonl"), strict=True):
        told = {text.split('"')[0] for text in line.split('"toolCallId":"')[1:]}
        assert sorted(told) == sorted(step.metadata["call_id"] for step in run.steps)
        assert json.loads(line)


@pytest.mark.parametrize(
    ("output", "effect", "status"),
    [
        ({"output": {"type": "text", "value": "x"}}, "x", "ok"),
        ({"output": {"type": "error-json", "value": {"a": 1}}}, {"a": 1}, "error"),
        ({"output": {"type": "execution-denied", "reason": "no"}}, "no", "error"),
        ({"output": {"type": "content", "value": [{"type": "text", "text": "x"}]}}, "x", "ok"),
        ({"output": {"type": "strange", "a": 1}}, {"type": "strange", "a": 1}, None),
        ({"output": 5}, 5, None),
        ({"result": "x", "isError": True}, "x", "error"),
        ({"result": "x", "isError": False}, "x", "ok"),
        ({"result": {"error": "x"}}, {"error": "x"}, "error"),
        ({}, None, None),
    ],
)
def test_results(read, output, effect, status):
    """What came back, and how, in the ways of all versions."""
    result = {"role": "tool", "content": [part("tool-result", **output)]}
    (step,) = read(result, content=[part(input={"a": 1})]).steps
    assert (step.arguments, step.effect, step.status) == ({"a": 1}, effect, status)


@pytest.mark.parametrize(
    ("state", "effect", "status"),
    [
        ({"state": "input-streaming", "rawInput": '{"a": '}, None, None),
        ({"state": "input-available"}, None, None),
        ({"state": "approval-requested", "approval": {"id": "p"}}, None, None),
        ({"state": "output-available", "output": [1]}, [1], "ok"),
        ({"state": "output-error", "errorText": "x"}, "x", "error"),
        ({"state": "output-denied", "approval": {"reason": "no"}}, "no", "error"),
        ({"state": 5}, None, None),
    ],
)
def test_states(read, state, effect, status):
    """A page shows a call in one of its states; only the last of them have a result."""
    for kind in ("tool-f", "dynamic-tool"):
        (step,) = read(parts=[part(kind, **state)]).steps
        assert (step.tool, step.effect, step.status) == ("f", effect, status)


def test_tools_of_the_provider(read):
    """A result between parts was known to the model when it went on: that is another turn."""
    parts = [part(identifier="a"), part("tool-result", "a", result=1), part(identifier="b")]
    assert [(s.turn, s.effect) for s in read(content=parts).steps] == [(1, 1), (2, None)]


def test_other_parts(read):
    """What is known to say nothing of deeds is ignored, the rest is unknown."""
    kinds = ["file", "source-url", "data-weather", "reasoning", "tool-approval-request", "hologram"]
    run = read({"role": "critic"}, content=[part(), *({"type": kind} for kind in kinds)])
    assert run.unread.unknown == {"part of type 'hologram'": 1, "message of role 'critic'": 1}
    assert sum(run.unread.ignored.values()) == 5


@pytest.mark.parametrize(
    "answer",
    [
        {"content": 5},
        {"content": [5]},
        {"content": [part(name=5)]},
        {"content": [part(identifier=[])]},
        {"content": [part(), {"type": "text", "text": 5}]},
        {"parts": [{"type": "tool-invocation", "toolInvocation": 5}]},
        {"toolInvocations": [part(), 5]},
    ],
)
def test_bad_shapes(write, answer):
    """A bad part is an error with its place."""
    shown = {"role": "assistant", "content": [part()]}
    with pytest.raises(FormatError, match=r"\[2\].*expected"):
        formats.read(write([USER, shown, {"role": "assistant", **answer}]), format="ai-sdk")


@pytest.mark.parametrize(
    "value",
    [
        [USER],
        [USER, {"role": "assistant", "content": [{"type": "text", "text": "x"}]}],
        [{"role": "user", "parts": [{"text": "hi"}]}],
        [{"role": "user", "messageId": "m", "parts": [{"type": "text", "text": "hi"}]}],
    ],
)
def test_messages_of_others(value):
    """Texts alone, and parts without types, are not of this SDK."""
    assert not formats.load_format("ai-sdk").recognises(value)
