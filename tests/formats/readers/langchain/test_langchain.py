"""LangChain's messages, in the three shapes in which it writes them."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError, LimitError
from otap.formats.readers import langchain

MADE = Path(__file__).parents[2] / "made" / "langchain.jsonl"

HUMAN = {"type": "human", "content": "A room in Rome."}


def ai(*calls, **fields):
    """Returns a message of the model with calls, as model_dump() writes it."""
    return {"type": "ai", "content": "", "tool_calls": list(calls), **fields}


def call(identifier="c1", name="search", **args):
    """Returns one call."""
    return {"id": identifier, "name": name, "args": args, "type": "tool_call"}


def answer(identifier="c1", content="found", **fields):
    """Returns what a tool answered."""
    return {"type": "tool", "tool_call_id": identifier, "content": content, **fields}


def saved(message, kind):
    """Returns a message as messages_to_dict() writes it."""
    return {"type": kind, "data": message}


def constructed(message, name):
    """Returns a message as dumpd() writes it; older versions left the type out of kwargs."""
    path = ["langchain", "schema", "messages", name]
    kwargs = {key: value for key, value in message.items() if key != "type"}
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": kwargs}


CHAT = [HUMAN, ai(call(city="Rome")), answer()]
SAVED = [saved(message, message["type"]) for message in CHAT]
CONSTRUCTED = [
    constructed(message, name)
    for message, name in zip(CHAT, ("HumanMessage", "AIMessageChunk", "ToolMessage"), strict=True)
]
SHAPES = [CHAT, SAVED, CONSTRUCTED]


@pytest.mark.parametrize("chat", SHAPES)
def test_three_shapes(write, chat):
    """The three shapes of one conversation are one run, alone and as the state of a graph."""
    for document in (chat, {"messages": chat}):
        run = formats.read(write(document))
        assert run.request == ("A room in Rome.",)
        assert [step.model_dump(exclude_unset=True) for step in run.steps] == [
            {
                "id": "1",
                "kind": "tool",
                "action": None,
                "tool": "search",
                "arguments": {"city": "Rome"},
                "effect": "found",
                "turn": 1,
                "metadata": {"call_id": "c1", "said": 1},
            }
        ]


@pytest.mark.parametrize("chat", SHAPES)
def test_several_conversations(write, chat):
    """A list of conversations or states, and JSONL of them, are a run each; else one run."""
    for document in ([chat, chat], [{"messages": chat}, {"messages": chat}]):
        assert len(list(formats.read_all(write(document)))) == 2
        assert len(list(formats.read_all(write(document, "chats.jsonl")))) == 2
    assert len(formats.read(write(chat, "chat.jsonl")).steps) == 1


def test_names(write):
    """What names the run beside the messages is kept; the rest of a state is left out."""
    state = {"messages": CHAT, "id": "r", "task_id": 7, "trial": 0, "remaining_steps": 3}
    run = formats.read(write(state))
    assert (run.id, run.task, run.trial, run.metadata) == ("r", "7", 0, {})


def test_real_conversation():
    """The real agent made six calls in four turns; the shapes say the same, but for nulls."""
    runs = list(formats.read_all(MADE))
    assert len(runs) == 3
    assert runs[0].steps == runs[1].steps == runs[2].steps
    steps = runs[0].steps
    assert [(s.tool, s.turn, s.status, s.agent) for s in steps] == [
        ("search_hotels", 1, "ok", "travel"),
        ("get_weather", 1, "ok", "travel"),
        ("book_hotel", 2, "error", "travel"),
        ("book_hotel", 3, "ok", "travel"),
        ("send_mail", 3, "error", "travel"),
        ("ask_guide", 4, "ok", "travel"),
    ]
    assert {step.action for step in steps[:2]} == {"I look for hotels."}
    assert steps[0].arguments == {"city": "Rome", "max_price": 150}
    assert [s.effect for s in steps[1:4]] == ["Sunny in Rome.", "H7 is full.", "Booked H9."]
    assert steps[1].metadata["artifact"] == {"celsius": 24}
    assert steps[4].arguments == '{"to": "mia@example.org", "text": "Bo'
    assert steps[4].metadata["arguments_unparsed"] is True
    assert runs[0].request == ("A room in Rome, please.",)


def test_real_conversation_is_read_whole():
    """Each call and each answer in the file is in a step, once."""
    lines = MADE.read_text("utf-8").splitlines()
    for line, run in zip(lines, formats.read_all(MADE), strict=True):
        value = json.loads(line)
        messages = value["messages"] if isinstance(value, dict) else value
        plain = [m.get("kwargs", m.get("data", m)) for m in messages]
        calls = [
            c for m in plain for c in m.get("tool_calls", []) + m.get("invalid_tool_calls", [])
        ]
        answers = {m["tool_call_id"]: m["content"] for m in plain if m["type"] == "tool"}
        assert [step.metadata["call_id"] for step in run.steps] == [c["id"] for c in calls]
        assert [step.effect for step in run.steps] == [answers[c["id"]] for c in calls]
        assert "results_without_call" not in run.metadata


def test_reasoning():
    """Text that leads to no call is a reasoning step where asked for."""
    run = next(iter(formats.read_all(MADE, reasoning=True)))
    assert (run.steps[-1].kind, run.steps[-1].action) == (
        "reasoning",
        "H9 is yours; see the Pantheon.",
    )


def test_status(write):
    """The status is what the tool's message says; without one it is not recorded."""
    calls = [call(str(number)) for number in range(3)]
    answers = [answer("0", status="success"), answer("1", status="error"), answer("2")]
    steps = formats.read(write([HUMAN, ai(*calls), *answers])).steps
    assert [step.status for step in steps] == ["ok", "error", None]


def test_invalid_call(write):
    """A call that LangChain could not parse is a step that failed, with the text as it came."""
    invalid = {"id": "c1", "name": "search", "args": "{cut", "error": "no JSON"}
    (step,) = formats.read(write([HUMAN, ai(invalid_tool_calls=[invalid])])).steps
    assert (step.arguments, step.status, step.effect) == ("{cut", "error", None)
    assert step.metadata == {
        "call_id": "c1",
        "arguments_unparsed": True,
        "error": "no JSON",
        "said": 1,
    }


def test_told_twice(write):
    """Blocks of the content and additional_kwargs tell a call again; it is counted once."""
    openai = {"id": "c1", "function": {"name": "search", "arguments": '{"city": "Rome"}'}}
    blocks = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "c1", "name": "search", "input": {"city": "Rome"}},
    ]
    twice = ai(call(city="Rome"), content=blocks, additional_kwargs={"tool_calls": [openai]})
    (step,) = formats.read(write([HUMAN, twice])).steps
    assert (step.action, step.arguments) == ("I look.", {"city": "Rome"})


@pytest.mark.parametrize("key", ["tool_calls", "function_call"])
def test_old_recordings(write, key):
    """Old versions kept the calls as OpenAI sent them, in additional_kwargs alone."""
    function = {"name": "search", "arguments": '{"city": "Rome"}'}
    kwargs = {key: function if key == "function_call" else [{"id": "c1", "function": function}]}
    old = {"type": "ai", "data": {"content": "", "additional_kwargs": kwargs}}
    result = {"type": "function", "data": {"content": "found", "name": "search"}}
    (step,) = formats.read(write([saved(HUMAN, "human"), old, result])).steps
    assert (step.tool, step.arguments, step.effect) == ("search", {"city": "Rome"}, "found")


def test_repeated_and_missing_ids(write):
    """Two calls that share an id, and calls without one, each get their own result."""
    for identifier in ("c1", None):
        calls = [call(identifier, "a"), call(identifier, "b")]
        answers = [answer(identifier, "of b", name="b"), answer(identifier, "of a", name="a")]
        steps = formats.read(write([HUMAN, ai(*calls), *answers])).steps
        assert [step.effect for step in steps] == ["of a", "of b"]


def test_arguments_as_text(write):
    """Arguments that are JSON text are parsed; a call without arguments has none recorded."""
    text = {"id": "c1", "name": "search", "args": '{"city": "Rome"}'}
    bare = {"id": "c2", "name": None}
    first, second = formats.read(write([HUMAN, ai(text, bare)])).steps
    assert first.arguments == {"city": "Rome"}
    assert (second.tool, second.arguments, second.metadata["unnamed"]) == (None, None, True)


def test_effects(write):
    """A result of text blocks is their text; any other stays what it was."""
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    picture = [{"type": "text", "text": "one"}, {"type": "image", "url": "a.png"}]
    recorded = [parts, picture, ["one", "two"], [], {"one": 1}, None]
    calls = [call(str(number)) for number in range(len(recorded))]
    answers = [answer(str(number), content) for number, content in enumerate(recorded)]
    steps = formats.read(write([HUMAN, ai(*calls), *answers])).steps
    assert [step.effect for step in steps] == ["one\ntwo", *recorded[1:]]


def test_result_without_call(write):
    """A result of no call is kept beside the steps."""
    run = formats.read(write([HUMAN, answer("c9", name="search", status="success")]))
    assert run.steps == ()
    assert run.metadata["results_without_call"] == [
        {"message": 1, "call_id": "c9", "name": "search", "content": "found"}
    ]


def test_other_messages(write):
    """A chat message speaks as its role says; what the system says is nobody's text."""
    chat = [
        {"type": "system", "content": "You book.", "additional_kwargs": {}},
        {"type": "chat", "role": "user", "content": ["A room", {"type": "image", "url": "x"}]},
        {"type": "chat", "role": "assistant", "content": "I look."},
        {"type": "chat", "role": "critic", "content": "Hm."},
        {"type": "remove", "content": "", "id": "m"},
        ai(call()),
    ]
    run = formats.read(write(chat))
    assert run.request == ("A room",)
    assert run.steps[0].action is None  # somebody else spoke in between


@pytest.mark.parametrize(
    "value",
    [
        {"type": "system", "subtype": "init", "content": "of another program"},
        {"type": "human"},
        {"type": "human", "role": "user", "content": "hi"},
        {"type": ["ai"], "content": ""},
        {"lc": 1, "type": "constructor", "id": ["langchain", "prompts", "PromptTemplate"]},
        {"lc": 1, "type": "constructor", "id": [], "kwargs": {}},
        {"lc": 1, "type": "constructor", "id": 5, "kwargs": {}},
        {"type": "ai", "data": []},
        {"type": "event", "data": {}},
        [[]],
        {"messages": [[]]},
    ],
)
def test_not_recognised(value):
    """What is no message of LangChain is left to other formats."""
    assert not langchain.recognises(value)
    assert not langchain.recognises([value])


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (5, "[1]: expected an object, found the value 5"),
        ({"content": "x"}, "[1].type: expected a message of LangChain (human, ai, system,"),
        ({"type": "bot", "content": "x"}, "[1].type: expected a message of LangChain"),
        ({"type": 5, "data": {}}, "[1].type: expected a message of LangChain"),
        ({"lc": 1, "type": "constructor", "id": []}, "[1].id: expected a message of LangChain"),
        (constructed(ai(content=5), "AIMessage"), "[1].kwargs.content: expected a list, found"),
        (saved(ai(content=[5]), "ai"), "[1].data.content[0]: expected an object"),
        (
            {"lc": 1, "type": "constructor", "id": ["AIMessage"], "kwargs": 5},
            "[1].kwargs: expected an object",
        ),
        (ai(content=[{"type": "text", "text": 5}]), "[1].content[0].text: expected text"),
        (ai(name=[]), "[1].name: expected text or a whole number"),
        ({**ai(), "tool_calls": 5}, "[1].tool_calls: expected a list"),
        (ai(5), "[1].tool_calls[0]: expected an object"),
        (ai({"name": 5}), "[1].tool_calls[0].name: expected text"),
        (ai({"name": "f", "id": {}}), "[1].tool_calls[0].id: expected text or a whole number"),
        (ai(invalid_tool_calls=[5]), "[1].invalid_tool_calls[0]: expected an object"),
        (ai(additional_kwargs=5), "[1].additional_kwargs: expected an object"),
        (
            ai(additional_kwargs={"tool_calls": 5}),
            "[1].additional_kwargs.tool_calls: expected a list",
        ),
        (answer([]), "[1].tool_call_id: expected text or a whole number"),
        (answer(status="bad"), "[1].status: expected 'success' or 'error', found the text 'bad'"),
        (answer(status={}), "[1].status: expected 'success' or 'error', found an empty object"),
    ],
)
def test_bad_messages(write, message, words):
    """A bad shape is an error with its place."""
    path = write([HUMAN, message])
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}: {words}")


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ({"messages": 5}, "[1].messages: expected a list"),
        ({"messages": []}, "[1].messages: expected at least one message"),
        ([], "[1]: expected at least one message"),
        (5, "[1]: expected a list"),
    ],
)
def test_bad_conversations(write, second, words):
    """A bad conversation is an error with its place."""
    path = write([CHAT, second])
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    assert str(caught.value).startswith(f"{path}: {words}")


def test_long_conversation(write):
    """A conversation beyond the limit is refused by the limit's name, in a moment."""
    turns = [m for n in range(20_001) for m in (ai(call(str(n))), answer(str(n)))]
    with pytest.raises(LimitError, match="max_steps"):
        formats.read(write([HUMAN, *turns]))


def test_outputs_of_a_server(write):
    """Older versions kept what tools of the server did beside the content: it is told."""
    outputs = [{"type": "web_search_call", "id": "w", "status": "completed"}]
    run = formats.read(write([HUMAN, ai(additional_kwargs={"tool_outputs": outputs})]))
    assert run.unread.unknown == {"output of a server's tool": 1}
