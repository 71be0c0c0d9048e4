"""Messages of LlamaIndex, alone and in its stores."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made" / "llama_index.json"


def message(role, *blocks, **kwargs):
    """Returns a message with blocks."""
    return {"role": role, "additional_kwargs": kwargs, "blocks": list(blocks)}


def text(said):
    """Returns a block of text."""
    return {"block_type": "text", "text": said}


def call(identifier="c", name="f", given=None):
    """Returns a block that calls a tool."""
    named = {"tool_call_id": identifier, "tool_name": name, "tool_kwargs": given or {}}
    return {"block_type": "tool_call", **named}


def old(role, content, **kwargs):
    """Returns a message as versions before 0.12 wrote it."""
    return {"role": role, "content": content, "additional_kwargs": kwargs}


def test_made_by_its_agent():
    """Four calls in three turns; alone and in a memory they are the same."""
    alone, stored = formats.read(MADE), formats.read(MADE.with_stem("llama_index_memory"))
    assert alone.steps == stored.steps
    assert (alone.id, stored.id) == (None, "chat_history")
    assert [(s.tool, s.turn, s.effect, s.action) for s in alone.steps[1:]] == [
        ("get_weather", 1, "Sunny in Rome.", "I look for hotels."),
        ("book_hotel", 2, "H7 is full.", None),
        ("book_hotel", 3, "Booked H9.", "H7 is full, so I take H9."),
    ]
    assert alone.steps[0].arguments == {"city": "Rome", "max_price": 150}
    assert alone.request == ("A room in Rome, please.",)
    assert alone.messages_to_user == (
        "I look for hotels.",
        "H7 is full, so I take H9.",
        "H9 is yours.",
    )
    assert alone.unread == stored.unread == alone.unread.model_copy(update={"unknown": {}})


def test_made_file_is_read_whole():
    """Each call and each answer in the file is in a step, once."""
    run = formats.read(MADE)
    messages = json.loads(MADE.read_text("utf-8"))["messages"]
    blocks = [block for each in messages for block in each["blocks"]]
    calls = [block["tool_call_id"] for block in blocks if block["block_type"] == "tool_call"]
    answers = [each["blocks"][0]["text"] for each in messages if each["role"] == "tool"]
    assert [step.metadata["call_id"] for step in run.steps] == calls
    assert [step.effect for step in run.steps] == answers


def test_store_of_several(write):
    """Each name of a chat store is a run; one that holds nothing is one that did nothing."""
    store = {"a": [message("user", text("hi")), message("assistant", call())], "b": []}
    one, other = formats.read_all(write({"store": store, "class_name": "SimpleChatStore"}))
    assert (one.id, len(one.steps)) == ("a", 1)
    assert (other.id, other.steps) == ("b", ())


def test_old_messages(write):
    """Before blocks, calls stood as the vendor has them; beside blocks they are told twice."""
    function = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    other = {"id": "d", "type": "tool_use", "name": "g", "input": {"b": 2}}
    run = formats.read(
        write(
            [
                old("user", "hi"),
                old("assistant", None, tool_calls=[function, other]),
                old("tool", "x", tool_call_id="c", name="f"),
                old("function", '{"error": "y"}', tool_call_id="d"),
                message("chatbot", call("c"), tool_calls=[function]),
            ]
        )
    )
    assert [(s.tool, s.arguments, s.effect, s.status) for s in run.steps] == [
        ("f", {"a": 1}, "x", None),
        ("g", {"b": 2}, '{"error": "y"}', "error"),
        ("f", {}, None, None),
    ]


def test_what_is_not_read(write):
    """Blocks and roles without a rule, and calls written in text, are told."""
    blocks = [{"block_type": "hologram"}, {"block_type": "thinking"}, {"block_type": "image"}]
    acts = text('Thought: so.\nAction: f\nAction Input: {"a": 1}')
    said = [message("system", text("x")), message("critic"), message("assistant", acts, *blocks)]
    run = formats.read(write(said))
    assert run.unread.ignored == {"system prompt": 1, "thought": 1, "picture": 1}
    assert run.unread.unknown == {
        "message of role 'critic'": 1,
        "block of type 'hologram'": 1,
        "tool call written in text": 1,
    }


@pytest.mark.parametrize(
    "bad",
    [
        5,
        message(5),
        message("user", 5),
        message("user", text(5)),
        message("assistant", call(name=5)),
        message("assistant", call(identifier=[])),
        {**message("assistant"), "additional_kwargs": 5},
        message("assistant", tool_calls=5),
        message("tool", tool_call_id=[]),
    ],
)
def test_bad_messages(write, bad):
    """A bad message is an error with its place."""
    with pytest.raises(FormatError, match=r"\[1\].*expected"):
        formats.read(write([message("user", text("hi")), bad]))


def test_bad_stores(write):
    """What stands among stores and is none is an error with its place."""
    store = {"store": {"a": [message("user")], "b": 5}}
    with pytest.raises(FormatError, match=r"store\.b: expected a list"):
        list(formats.read_all(write(store)))
    with pytest.raises(FormatError, match=r"\[1\]: expected a chat store"):
        list(formats.read_all(write([{"store": {"a": [message("user")]}}, {}])))
