"""Calls in the text of a model are seen, so that no run that called something seems idle."""

import pytest

from otap import formats

WRITTEN = "tool call written in text"
TEXTS = [
    '<tool_call>\n{"name": "search", "arguments": {"city": "Rome"}}\n</tool_call>',
    'I look.<tool_call>{"name": "search", "arguments": {}}</tool_call>',
    "<tool_call>search\n<arg_key>city</arg_key><arg_value>Rome</arg_value></tool_call>",
    "<function=search><parameter=city>Rome</parameter></function>",
    '<function_calls>\n<invoke name="search">\n</invoke>\n</function_calls>',
    '[TOOL_CALLS][{"name": "search", "arguments": {}}]',
    '<|python_tag|>{"name": "search", "parameters": {}}',
    "<execute_bash>\nls\n</execute_bash>",
    "<|channel|>commentary to=functions.search <|message|>{}",
    'Thought: I look.\nAction: search\nAction Input: {"city": "Rome"}',
    "Thought 1: I look.\nAction 1: search[Rome]",
    'Thought:\nI look.\n\nAction:\n{"name": "search", "arguments": {"city": "Rome"}}',
    '{"name": "search", "arguments": {"city": "Rome"}}',
    '```json\n{"action": "search", "action_input": "Rome"}\n```',
    '[{"name": "search", "parameters": {}}]',
    "[[ ## next_tool_name ## ]]\nsearch\n\n[[ ## next_tool_args ## ]]\n{}",
]
ORDINARY = [
    "Action: please call the bank, then write to us.",
    "Models write `<tool_call>` around a call; some write <tool_call> tags without a word more.",
    "Run this:\n```bash\nls\n```",
    '{"name": "Rome", "nights": 2}',
    "[1, 2]",
    "In short: search, then book.",
    "Observation: it rains.",
]
CALL = {"type": "function", "function": {"name": "search", "arguments": "{}"}}


def unknown(write, *messages):
    """Returns what was not understood of a conversation."""
    spoken = [{"role": role, "content": text} for role, text in messages]
    return formats.read(write(spoken)).unread.unknown


@pytest.mark.parametrize("text", TEXTS)
def test_calls_in_text(write, text):
    """In each of the dialects a call is seen, once a text."""
    talk = [("user", "A room?"), ("assistant", text), ("user", "none"), ("assistant", text)]
    assert unknown(write, *talk) == {WRITTEN: 2}


@pytest.mark.parametrize("text", ORDINARY)
def test_words_about_calls(write, text):
    """Who speaks of calls, shows a script or answers in JSON makes no call."""
    assert unknown(write, ("user", text), ("assistant", text), ("user", "Thanks.")) == {}


@pytest.mark.parametrize("text", ["```bash\nls\n```", "Action: look"])
@pytest.mark.parametrize(
    "answer", ["<returncode>0</returncode>", "Observation: a.py", "OBSERVATION:\na.py", "Output: x"]
)
def test_scripts_that_are_answered(write, text, answer):
    """A script in a text is a call where what comes next is a program's report."""
    assert unknown(write, ("assistant", text), ("user", answer)) == {WRITTEN: 1}
    assert unknown(write, ("assistant", text), ("user", "Thanks."), ("user", answer)) == {}


def test_beside_calls(write):
    """Where anything is called as it should be, texts are texts."""
    called = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    run = formats.read(write([{"role": "assistant", "content": TEXTS[0]}, called]))
    assert run.unread.unknown == {}
    assert len(run.steps) == 1


def test_results_of_no_recorded_call(write):
    """Where only results are told, calls stood elsewhere."""
    run = formats.read(write([{"role": "tool", "content": "x"}, {"role": "tool", "content": "y"}]))
    assert run.unread.unknown == {"result of no recorded call": 2}
    assert not run.steps


@pytest.mark.parametrize(
    "text",
    [
        "```json\n" + "\n" * 90_000,
        "<tool_call>" * 90_000,
        "Action: a" * 90_000,
        "```" * 30_000,
        " " * 1_000_000,
        "\n" * 1_000_000,
        "x" * 1_000_000,
        "<x" * 500_000,
        "<" + "x" * 500_000,
    ],
)
def test_long_texts(write, text):
    """Work grows with the length of a text."""
    unknown(write, ("assistant", text), ("user", text))
