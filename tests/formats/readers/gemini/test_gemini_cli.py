"""Sessions of Gemini CLI."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made" / "gemini_cli.jsonl"
BEGUN = {"sessionId": "s", "projectHash": "p", "startTime": "2026-01-01T10:00:00Z"}


def message(identifier, kind="gemini", content="", **more):
    """Returns a message."""
    return {"id": identifier, "type": kind, "content": content, **more}


def call(identifier="c", status="success", result=None, **more):
    """Returns a call."""
    return {
        "id": identifier,
        "name": "f",
        "args": {"a": 1},
        "status": status,
        "result": result,
        **more,
    }


def response(answer):
    """Returns a result as the model is given it."""
    return [{"functionResponse": {"id": "c", "name": "f", "response": answer}}]


ASKED = message("u", "user", "Go.")


def test_made_by_its_recording_service():
    """Four calls in three turns, one of which failed; what was taken back is not there."""
    (run,) = formats.read_all(MADE)
    assert [(s.tool, s.turn, s.status, s.action) for s in run.steps] == [
        ("read_file", 1, "ok", "I look."),
        ("list_directory", 1, "ok", "I look."),
        ("write_file", 2, "error", None),
        ("write_file", 3, "ok", "Elsewhere, then."),
    ]
    assert run.id == "5f0c1a52-0000-4000-8000-000000000001"
    assert run.request == ("Note how many lines @numbers.txt has.",)
    assert run.messages_to_user == ("I look.", "Elsewhere, then.", "numbers.txt has three lines.")
    assert [s.effect for s in run.steps][::2] == ["1\n2\n3\n", {"error": "Not allowed."}]
    assert run.unread.unknown == {}
    assert run.unread.ignored == {
        "message that was taken back": 2,
        "thought": 1,
        "result already recorded with its call": 4,
        "notice": 1,
    }
    assert all(step.ended_at is not None for step in run.steps)


def test_made_files_are_read_whole():
    """Each call in the file is a step, once."""
    lines = [json.loads(line) for line in MADE.read_text("utf-8").splitlines()]
    calls = [call["id"] for line in lines for call in line.get("toolCalls", ())]
    (run,) = formats.read_all(MADE)
    assert [step.metadata["call_id"] for step in run.steps] == list(dict.fromkeys(calls))


@pytest.mark.parametrize(
    "document",
    [
        {**BEGUN, "messages": [ASKED, message("a", toolCalls=[call()])]},
        [BEGUN, ASKED, message("a", toolCalls=[call()])],
        [BEGUN, {"$set": {"messages": [ASKED, message("a", toolCalls=[call()])]}}],
        [BEGUN, ASKED, message("a"), {"$set": {}}, message("a", toolCalls=[call()])],
        [
            BEGUN,
            message("x", "user", "No."),
            {"$rewindTo": "?"},
            ASKED,
            message("a", toolCalls=[call()]),
        ],
    ],
)
def test_shapes(write, document):
    """A request and one call, in all shapes, and of no other format."""
    found = [n for n in formats.FORMATS if formats.load_format(n).recognises(document)]
    assert found == ["gemini-cli"]
    run = formats.read(write(document))
    assert (run.id, run.request) == ("s", ("Go.",))
    assert [step.tool for step in run.steps] == ["f"]


def test_two_sessions(write):
    """Each that begins is a run."""
    runs = formats.read_all(write([BEGUN, ASKED, {**BEGUN, "sessionId": "t"}], "two.jsonl"))
    assert [(run.id, run.request) for run in runs] == [("s", ("Go.",)), ("t", ())]


@pytest.mark.parametrize(
    ("made", "effect", "status"),
    [
        (call(result=response({"output": "x"})), "x", "ok"),
        (call(result=response({"output": "x", "more": 1})), {"output": "x", "more": 1}, "ok"),
        (call(status="error", result=response({"error": "x"})), {"error": "x"}, "error"),
        (call(status="cancelled", result=response({"error": "x"})), {"error": "x"}, "error"),
        (call(status="executing"), None, None),
        (call(status=5, result="x"), "x", None),
    ],
)
def test_results(write, made, effect, status):
    """How a call ended, and what came back."""
    (step,) = formats.read(write([BEGUN, message("a", toolCalls=[made])])).steps
    assert (step.effect, step.status) == (effect, status)


def test_what_is_noted(write):
    """Files and notices are ignored; other parts, messages and lines are unknown."""
    parts = [
        {"text": "Look."},
        {"inlineData": {}},
        {"hologram": 1},
        "So.",
        {"text": "x", "thought": True},
    ]
    lines = [
        BEGUN,
        message("1", "user", parts),
        message("2", "critic"),
        message("3", "info"),
        {"a": 1},
    ]
    run = formats.read(write(lines))
    assert run.request == ("Look.\nSo.",)
    assert run.unread.unknown == {
        "line with 'a'": 1,
        "part with 'hologram'": 1,
        "message of role 'critic'": 1,
    }
    assert run.unread.ignored == {"file": 1, "notice": 1}


@pytest.mark.parametrize(
    "line",
    [
        5,
        message("a", 5),
        message([], "user"),
        message("a", content=5),
        message("a", content=[5]),
        message("a", content=[{"text": 5}]),
        message("a", toolCalls=5),
        message("a", toolCalls=[5]),
        message("a", toolCalls=[call([])]),
        message("a", toolCalls=[{"name": 5}]),
        message("a", toolCalls=[call(timestamp="soon")]),
        {"$set": 5},
        {"$set": {"messages": 5}},
        {"$rewindTo": []},
    ],
)
def test_bad_lines(write, line):
    """A bad line is an error with its place."""
    with pytest.raises(FormatError, match=r"\[1\].*expected"):
        list(formats.read_all(write([BEGUN, line])))
