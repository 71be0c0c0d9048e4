"""Messages of Amazon Bedrock's Converse."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made" / "bedrock.jsonl"


def user(*parts):
    """Returns a message of the user."""
    return {"role": "user", "content": list(parts)}


def assistant(*parts):
    """Returns a message of the assistant."""
    return {"role": "assistant", "content": list(parts)}


def use(identifier="c", name="f", **more):
    """Returns a part that uses a tool."""
    return {"toolUse": {"toolUseId": identifier, "name": name, "input": {"a": 1}, **more}}


def result(*content, identifier="c", **more):
    """Returns a part with a result."""
    return {"toolResult": {"toolUseId": identifier, "content": list(content), **more}}


ASKED = user({"text": "Go."})


def test_made_by_strands():
    """Messages, a session, and a request with its answer: the same four calls in three turns."""
    messages, session, request = formats.read_all(MADE)
    for run in (messages, session, request):
        assert [(s.tool, s.turn, s.action) for s in run.steps] == [
            ("search_hotels", 1, "I look for hotels."),
            ("get_weather", 1, "I look for hotels."),
            ("book_hotel", 2, None),
            ("book_hotel", 3, "H7 is full, so I take H9."),
        ]
        assert run.request == ("A room in Rome, please.",)
        assert run.messages_to_user == (
            "I look for hotels.",
            "H7 is full, so I take H9.",
            "H9 is yours.",
        )
        assert run.unread.unknown == {}
        assert run.steps[1].effect == "Sunny in Rome."
    assert [s.status for s in session.steps] == ["ok", "ok", "error", "ok"]
    assert [s.status for s in request.steps] == [None, None, "error", None]
    assert [hotel["id"] for hotel in messages.steps[0].effect["hotels"]] == ["H7", "H9"]
    assert [run.unread.ignored for run in (session, request)] == [
        {"thought": 1},
        {"system prompt": 1},
    ]


def test_made_files_are_read_whole():
    """Each use of a tool in the file is a step, once."""
    for line, run in zip(MADE.read_text("utf-8").splitlines(), formats.read_all(MADE), strict=True):
        value = json.loads(line)
        listed = value["messages"] if isinstance(value, dict) else value
        parts = [part for item in listed for part in item.get("message", item)["content"]]
        uses = [part["toolUse"]["toolUseId"] for part in parts if "toolUse" in part]
        assert [step.metadata["call_id"] for step in run.steps] == uses


@pytest.mark.parametrize(
    "document",
    [
        [ASKED, assistant(use())],
        [[ASKED, assistant(use())]],
        {"messages": [ASKED, assistant(use())], "toolConfig": {"tools": []}},
        {"messages": [ASKED], "output": {"message": assistant(use())}, "stopReason": "tool_use"},
        [{"message": m, "message_id": i} for i, m in enumerate((ASKED, assistant(use())))],
    ],
)
def test_shapes(write, document):
    """A request and one call, in all shapes, and of no other format."""
    found = [n for n in formats.FORMATS if formats.load_format(n).recognises(document)]
    assert found == ["bedrock"]
    run = formats.read(write(document))
    assert (run.request, [step.tool for step in run.steps]) == (("Go.",), ["f"])


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ([ASKED], ["openai"]),
        ({"messages": [ASKED]}, ["openai"]),
        ({"messages": [ASKED], "inferenceConfig": {}}, ["bedrock"]),
        ({"messages": [ASKED], "stopReason": "end_turn"}, ["bedrock"]),
        ({"output": {"message": assistant({"text": "Hi."})}}, ["bedrock"]),
        ([ASKED, assistant({"reasoningContent": {}})], ["bedrock"]),
        ([user({"image": {}}, {"text": "See."})], ["bedrock"]),
        ({"message": ASKED, "message_id": 0}, []),
    ],
)
def test_without_a_call(document, name):
    """What only Converse writes is known by it; text alone is OpenAI's; a file of many is none."""
    assert [n for n in formats.FORMATS if formats.load_format(n).recognises(document)] == name


@pytest.mark.parametrize(
    ("part", "effect", "status"),
    [
        (result({"text": "a"}, {"text": "b"}, status="success"), "a\nb", "ok"),
        (result({"json": {"a": 1}}, status="error"), {"a": 1}, "error"),
        (result({"json": {"error": "x"}}), {"error": "x"}, "error"),
        (result(), "", None),
        (result({"json": 1}, {"text": "b"}), [{"json": 1}, {"text": "b"}], None),
        (result({"image": {}}, status=5), [{"image": {}}], None),
    ],
)
def test_results(write, part, effect, status):
    """A result is its text, its value, or all its parts; it says how the call ended."""
    (step,) = formats.read(write([ASKED, assistant(use()), user(part)])).steps
    assert (step.effect, step.status) == (effect, status)


def test_parts(write):
    """Servers' tools, cited and guarded text; what is ignored, and what is unknown."""
    cited = {"citationsContent": {"content": [{"text": "So."}], "citations": []}}
    guarded = {"guardContent": {"text": {"text": "Look."}}}
    messages = [
        user(guarded, {"guardContent": {"image": {}}}, {"cachePoint": {}}, {"document": {}}),
        assistant(use("a", type="server_tool_use"), result({"text": "1"}, identifier="a"), cited),
        assistant({"hologram": 1}, use("b"), {"text": "And."}, use("d")),
        {"role": "critic", "content": "No."},
        user(result({"text": "2"}, identifier="z"), result({"text": "3"}, identifier="d")),
    ]
    tools = [{"toolSpec": {"name": "f", "annotations": {"readOnlyHint": True}}}]
    asked = {"id": "r", "messages": messages, "toolConfig": {"tools": tools}, "system": [1]}
    run = formats.read(write(asked))
    assert (run.id, run.request, run.messages_to_user) == ("r", ("Look.",), ("So.", "And."))
    assert [(s.turn, s.effect, s.action) for s in run.steps] == [
        (1, "1", None),
        (2, "2", "So.\nAnd."),
        (2, "3", "So.\nAnd."),
    ]
    assert run.unread.unknown == {"part with 'hologram'": 1, "message of role 'critic'": 1}
    assert run.unread.ignored == {"system prompt": 1, "picture": 1, "mark": 1, "file": 1}
    assert run.tools["f"].read_only is True


def test_a_message_of_a_session_that_was_replaced(write):
    """What a guard put in the place of a message was said."""
    kept = {"message": user({"text": "Bad."}), "message_id": 0, "redact_message": ASKED}
    assert formats.read(write([kept])).request == ("Go.",)


@pytest.mark.parametrize(
    "message",
    [
        5,
        {"role": 5, "content": []},
        user(use()),
        assistant(5),
        assistant({"toolUse": 5}),
        assistant(use(name=5)),
        assistant(use(identifier=[])),
        assistant({"text": 5}),
        assistant({"citationsContent": 5}),
        assistant({"citationsContent": {"content": [5]}}),
        user({"guardContent": {"text": 5}}),
        user(result(identifier={})),
        {"message": 5, "message_id": 1},
    ],
)
def test_bad_messages(write, message):
    """A bad message is an error with its place."""
    with pytest.raises(FormatError, match=r"\[1\].*(expected|only messages)"):
        formats.read(write([user({"cachePoint": {}}), message]))


@pytest.mark.parametrize("more", [{}, {"messages": []}, {"messages": 5}, {"output": 5}, 5])
def test_bad_requests(write, more):
    """A bad conversation among others is an error."""
    with pytest.raises(FormatError, match="expected"):
        list(formats.read_all(write([{"messages": [ASKED], "toolConfig": {}}, more])))
