"""OpenAI chat messages, in the shapes met in the wild."""

import json

import pytest

from builders import openai_call as call
from builders import openai_result as result
from otap import formats
from otap.errors import FormatError


def user(text):
    """Returns a message of the user."""
    return {"role": "user", "content": text}


def says(text, *calls, **more):
    """Returns a message of the assistant."""
    return {
        "role": "assistant",
        "content": text,
        **({"tool_calls": list(calls)} if calls else more),
    }


REAL = [
    {"role": "system", "content": "You are a hotel agent."},
    user("A room in Rome, please."),
    says("I look for one.", call("search", '{"city": "Rome"}', "call_1")),
    result('{"rooms": [7]}', "call_1", name="search"),
    says(None, call("book", '{"room": 7}', "call_2")),
    result("booked", "call_2", name="book"),
    says("Room 7 is yours."),
    user("Thanks!"),
]

IMAGE = {"type": "image_url", "image_url": {"url": "x"}}


@pytest.fixture
def read(write):
    """Reads a conversation given as plain data."""

    def read(messages, **options):
        return formats.read(write(messages), **options)

    return read


def effects(run):
    """Returns the results by step."""
    return [step.effect for step in run.steps]


def test_conversation(read):
    """Each tool call is a step with all that is known of it; the user's texts are the request."""
    run = read(REAL)
    assert run.request == ("A room in Rome, please.", "Thanks!")
    assert [step.model_dump(exclude_unset=True) for step in run.steps] == [
        {
            "id": "1",
            "kind": "tool",
            "action": "I look for one.",
            "tool": "search",
            "arguments": {"city": "Rome"},
            "effect": '{"rooms": [7]}',
            "turn": 1,
            "metadata": {"call_id": "call_1", "said": 1},
        },
        {
            "id": "2",
            "kind": "tool",
            "action": None,
            "tool": "book",
            "arguments": {"room": 7},
            "effect": "booked",
            "turn": 2,
            "metadata": {"call_id": "call_2", "said": 1},
        },
    ]
    assert all(step.status is None and step.depends_on is None for step in run.steps)


@pytest.mark.parametrize(
    ("document", "name"),
    [
        (REAL, "list.json"),
        ({"messages": REAL}, "object.json"),
        ([REAL], "lists.json"),
        ([{"messages": REAL}], "objects.json"),
        (REAL, "messages.jsonl"),
        ([{"messages": REAL}], "conversation.jsonl"),
    ],
)
def test_shapes_of_a_file(write, read, document, name):
    """Each shape in which people keep a conversation is the same run."""
    run = formats.read(write(document, name))
    assert (run.steps, run.request) == (read(REAL).steps, read(REAL).request)


def test_one_conversation_a_line(write):
    """JSONL with a conversation a line, and a list of conversations, are one run each."""
    for name in ("runs.jsonl", "runs.json"):
        runs = list(formats.read_all(write([{"messages": REAL}, REAL[:4]], name)))
        assert [len(run.steps) for run in runs] == [2, 1]


def test_what_stands_beside_the_messages(read):
    """Id, task and trial name the run; the rest is metadata, without the tools on offer."""
    around = {"id": 7, "task_id": "t", "trial": 2, "tools": [], "model": "m", "metadata": {"k": 1}}
    run = read({**around, "messages": REAL})
    assert (run.id, run.task, run.trial) == ("7", "t", 2)
    assert run.metadata == {"model": "m", "k": 1}


def test_names_that_are_no_names(read):
    """A task that is an object, or a trial that is a truth value, is kept as metadata."""
    around = {"task": {"a": 1}, "trial": True, "id": ""}
    run = read({**around, "messages": REAL})
    assert (run.id, run.task, run.trial) == (None, None, None)
    assert run.metadata == around


@pytest.mark.parametrize(
    ("recorded", "arguments"),
    [
        ('{"a": [1]}', {"a": [1]}),
        ({"a": [1]}, {"a": [1]}),
        ("", {}),
        ("null", {}),
        (None, None),
        ("[1]", [1]),
    ],
)
def test_arguments(read, recorded, arguments):
    """Arguments may be JSON text or an object; blank text and a null in text mean: no arguments."""
    step = read([says(None, call("f", recorded))]).steps[0]
    assert step.arguments == arguments
    assert "arguments_unparsed" not in step.metadata


@pytest.mark.parametrize("text", ['{"a": ', '{"a": NaN}', "1e999", "[" * 150 + "]" * 150])
def test_unparsable_arguments(read, text):
    """Arguments that are no JSON stay as the text they were, and the step says so."""
    step = read([says(None, call("f", text))]).steps[0]
    assert step.arguments == text
    assert step.metadata["arguments_unparsed"] is True


def test_key_order_of_arguments(read):
    """The order of keys in the arguments changes nothing."""
    one = read([says(None, call("f", '{"a": 1, "b": 2}'))])
    two = read([says(None, call("f", '{"b": 2, "a": 1}'))])
    assert one.steps == two.steps


def test_calls_of_one_turn(read):
    """Calls of one message share its turn and its text; results join by id in any order."""
    run = read(
        [
            says("Both.", call("f", "{}", "a"), call("g", "{}", "b")),
            result("of g", "b"),
            result("of f", "a"),
            says(None, call("h", "{}", "c")),
        ]
    )
    assert effects(run) == ["of f", "of g", None]
    assert [step.turn for step in run.steps] == [1, 1, 2]
    assert [step.action for step in run.steps] == ["Both.", "Both.", None]


def test_missing_ids(read):
    """Results without ids join by the tool's name, else in order."""
    turn = says(None, call("f"), call("g"))
    assert effects(read([turn, result("1"), result("2")])) == ["1", "2"]
    assert effects(read([turn, result("g", name="g"), result("f", name="f")])) == ["f", "g"]
    unnamed = says(None, call("f"), call(None))
    assert effects(read([unnamed, result("1"), result("2")])) == ["1", "2"]


def test_repeated_ids(read):
    """An id used again belongs to the open call; shared by open calls it is no help."""
    again = [says(None, call("f", "{}", "x")), result("1", "x")]
    assert effects(read([*again, says(None, call("g", "{}", "x")), result("2", "x")])) == ["1", "2"]
    both = says(None, call("f", "{}", "x"), call("g", "{}", "x"))
    assert effects(read([both, result("1", "x"), result("2", "x")])) == ["1", "2"]
    assert effects(read([both, result("g", "x", name="g"), result("f", "x")])) == ["f", "g"]


def test_unknown_id(read):
    """A result whose id no call has belongs to the first open call."""
    assert effects(read([says(None, call("f", "{}", "x")), result("1", "y")])) == ["1"]


def test_unanswered_call_shifts_nothing(read):
    """A call that never got a result does not take that of a later turn."""
    for identifier in (None, "call_0"):
        asked = says(None, call("f", '{"x": 1}', identifier))
        run = read([asked, says(None, call("f", "{}", identifier)), result("2", identifier)])
        assert effects(run) == [None, "2"]


def test_result_without_call(read):
    """A result that belongs to no call is kept in the metadata of the run."""
    run = read(
        [
            result("early", "x"),
            says(None, call("f", "{}", "x"), call("g", "{}", "y")),
            result("1", "x"),
            result("again", "x", name="f"),
        ]
    )
    assert effects(run) == ["1", None]
    assert run.metadata["results_without_call"] == [
        {"message": 0, "call_id": "x", "content": "early"},
        {"message": 3, "call_id": "x", "name": "f", "content": "again"},
    ]


@pytest.mark.parametrize("name", [None, ""])
def test_call_without_name(read, name):
    """A call without a name is a step without a tool, and says so."""
    step = read([says("hm", call(name, None))]).steps[0]
    assert (step.kind, step.tool) == ("tool", None)
    assert step.metadata == {"unnamed": True, "said": 0}


def test_legacy_function_call(read):
    """A function_call and its message of role function are a step like any other."""
    run = read(
        [
            user("hi"),
            says("So:", function_call={"name": "f", "arguments": '{"a": 1}'}),
            {"role": "function", "name": "f", "content": "done"},
        ]
    )
    (step,) = run.steps
    assert (step.action, step.tool, step.arguments, step.effect) == ("So:", "f", {"a": 1}, "done")


def test_nulls_mean_nothing(read):
    """Null instead of calls is the same as none, and a null id the same as no id."""
    run = read([says("x", tool_calls=None, function_call=None), says(None, {**call(), "id": None})])
    assert len(run.steps) == 1
    assert "call_id" not in run.steps[0].metadata


def test_custom_call(read):
    """The input of a custom tool is its arguments, as text."""
    custom = {"type": "custom", "id": "c", "custom": {"name": "python", "input": '{"no": "json'}}
    step = read([says(None, custom)]).steps[0]
    assert (step.tool, step.arguments) == ("python", '{"no": "json')
    assert step.metadata == {"call_id": "c", "said": 0}


def test_content_in_parts(read):
    """Text parts are text; pictures say nothing; a result with other parts is kept as recorded."""
    text = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    picture = {"type": "image_url", "image_url": {"url": "x"}}
    run = read(
        [
            user([*text, picture]),
            user([picture]),
            says(["plain", {"type": "refusal", "refusal": "no"}], call(), call(), call()),
            result(text),
            result([picture]),
            result({"as": "object"}),
        ]
    )
    assert run.request == ("a\nb",)
    assert run.steps[0].action == "plain\nno"
    assert effects(run) == ["a\nb", [picture], {"as": "object"}]


def test_text_before_a_call(read):
    """Text directly before a call, in its own message or in those before, is the action."""
    run = read([user("x"), says("One."), says("Two."), says("Three.", call())])
    assert run.steps[0].action == "One.\nTwo.\nThree."


@pytest.mark.parametrize("between", [user("x"), result("x"), {"role": "system", "content": "x"}])
def test_somebody_in_between(read, between):
    """Text before which somebody else spoke is not the action."""
    assert read([says("Old."), between, says(None, call())]).steps[0].action is None


def test_blank_text_is_no_action(read):
    """A message of white space says nothing."""
    run = read([user(" "), says(" \n", call())])
    assert (run.steps[0].action, run.request) == (None, ())


def test_reasoning(read):
    """Text that leads to no call becomes a step if asked for, in its place in the order."""
    messages = [user("x"), says("Hm."), user("y"), says("So.", call()), result("1"), says("End.")]
    assert [step.kind for step in read(messages).steps] == ["tool"]
    steps = read(messages, reasoning=True).steps
    assert [(s.id, s.kind, s.action, s.metadata["said"]) for s in steps] == [
        ("1", "reasoning", "Hm.", 1),
        ("2", "tool", "So.", 2),
        ("3", "reasoning", "End.", 2),
    ]


def test_said(read):
    """Each step counts what the user had said before it."""
    run = read([says(None, call()), user("a"), user("b"), says(None, call())])
    assert [step.metadata["said"] for step in run.steps] == [0, 2]


def test_conversation_without_calls(read):
    """A conversation in which no tool is called is a run without steps."""
    run = read([user("hi"), says("hello")])
    assert (run.steps, run.request) == ((), ("hi",))


def test_written_and_read_again(write, read):
    """What was read is equal after it was written as our own format."""
    run = read(REAL)
    again = formats.read(write(json.loads(run.to_json()), "own.json"))
    assert again.model_dump(exclude={"source"}) == run.model_dump(exclude={"source"})


def broken(**function):
    """Returns messages whose call is bad."""
    return [user("x"), says(None, {"id": "c", "function": {"name": "f", **function}})]


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([user("x"), 5], "[1]: expected an object, found the value 5"),
        ([user("x"), {"role": 5}], "[1].role: expected one of user, assistant, system"),
        ([user("x"), {"type": "lookup"}], "[1].role: expected one of"),
        ([user(5)], "[0].content: expected a list, found the value 5"),
        ([user([5])], "[0].content[0]: expected an object, found the value 5"),
        ([user([{"text": 5}])], "[0].content[0].text: expected text, found the value 5"),
        ([says("x", tool_calls={})], "[0].tool_calls: expected a list, found an empty object"),
        ([says("x", 5)], "[0].tool_calls[0]: expected an object, found the value 5"),
        ([says("x", {"id": "c"})], "[0].tool_calls[0].function: expected an object, found null"),
        ([says("x", {"type": "mcp"})], "[0].tool_calls[0].type: expected 'function' or 'custom'"),
        ([says("x", {**call(), "id": []})], "[0].tool_calls[0].id: expected text or a whole"),
        (broken(name={}), "[1].tool_calls[0].function.name: expected text, found an empty object"),
        ([says("x", function_call=5)], "[0].function_call: expected an object"),
        ([{**user("x"), "tool_calls": [1]}], "[0].tool_calls: only messages of the assistant may"),
        ([user("x"), result("1", 1.5)], "[1].tool_call_id: expected text or a whole number"),
    ],
)
def test_bad_shapes(write, messages, words):
    """A bad shape is an error with the file, the place and what was expected."""
    path = write(messages)
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}: {words}")


def test_places_by_shape(write):
    """The place in an error follows the shape of the file."""
    bad = [user("x"), 5]
    for document, name, place in [
        ({"messages": bad}, "a.json", "messages[1]"),
        ([{"messages": bad}], "b.json", "[0].messages[1]"),
        ([bad, bad], "c.jsonl", "line 1: [1]"),
        ([REAL[1], *bad], "d.jsonl", "line 3"),
        ([{"messages": REAL}, {"messages": bad}], "e.jsonl", "line 2: messages[1]"),
        ([{"messages": REAL}, {"messages": []}], "f.jsonl", "line 2: messages: expected at least"),
        ([{"messages": REAL}, {}], "g.jsonl", "line 2: messages: expected a list, found null"),
    ]:
        path = write(document, name)
        with pytest.raises(FormatError) as caught:
            list(formats.read_all(path))
        assert str(caught.value).startswith(f"{path}: {place}")


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool_use", "id": "t", "name": "f", "input": {}},
        {"type": "tool-call", "toolName": "f"},
        {"toolUse": {"name": "f"}},
    ],
)
def test_other_vendors_messages(write, part):
    """Messages with calls inside their content are not ours, and never a run without steps."""
    theirs = [user("x"), {"role": "assistant", "content": [part]}]
    with pytest.raises(FormatError, match="is not in the format 'openai'"):
        formats.read(write(theirs), format="openai")
    with pytest.raises(FormatError, match="a tool call or result inside 'content'"):
        list(formats.read_all(write([REAL, theirs], "runs.jsonl")))


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "parts": [{"type": "text", "text": "hi"}]}],
        [{"role": "user", "content": "hi", "parts": []}],
        [{"role": "user", "blocks": [{"block_type": "text", "text": "hi"}]}],
        [user("hi"), {"role": "assistant", "content": "", "toolInvocations": []}],
        [user("hi"), {"role": "assistant", "content": "", "additional_kwargs": {}}],
    ],
)
def test_messages_of_others(write, messages):
    """Messages that say elsewhere what was called are none of OpenAI's, however alike."""
    with pytest.raises(FormatError, match="is not in the format 'openai'"):
        formats.read(write(messages), format="openai")


def test_what_is_not_read(read):
    """Parts, roles and fields without a rule are told; what says nothing of deeds is, too."""
    parts = [{"type": "text", "text": "hi"}, {"type": "image_url"}, {"type": "hologram"}, {}]
    answer = {**says("x", call()), "commands": ["ls"], "action": "ls", "actions": []}
    answer.update(call_id="c", interaction={"a": 1}, usage={"a": 1})
    run = read([{"role": "developer", "content": "x"}, user(parts), {"role": "critic"}, answer])
    assert run.request == ("hi",)
    assert run.unread.ignored == {"system prompt": 1, "picture": 1}
    assert run.unread.unknown == {
        "part of type 'hologram'": 1,
        "part without a type": 1,
        "message of role 'critic'": 1,
        "field 'commands' of a message": 1,
        "field 'action' of a message": 1,
    }


@pytest.mark.parametrize("key", ["arguments", "args", "input", "parameters"])
def test_flat_calls(read, key):
    """A call that has its name and arguments beside its id is read as well."""
    flat = {"id": "c", "name": "f", key: {"a": 1}}
    (step,) = read([says(None, flat), result("1", "c")]).steps
    assert (step.tool, step.arguments, step.effect) == ("f", {"a": 1}, "1")


@pytest.mark.parametrize(
    "mark",
    [
        {"status": "error"},
        {"is_error": True},
        {"tool_call_error": True},
        {"error": "ValueError: x"},
        {"error": {"type": "timeout", "message": "x"}},
    ],
)
def test_results_that_are_marked_as_failed(read, mark):
    """Frameworks that keep such messages mark beside a result that the call failed."""
    run = read([says(None, call(identifier="a")), result("no", "a", **mark)])
    assert [step.status for step in run.steps] == ["error"]


@pytest.mark.parametrize("mark", [{"status": "success"}, {"is_error": False}, {"error": None}])
def test_results_that_are_not_marked(read, mark):
    """Marks that say nothing of a failure are none."""
    run = read([says(None, call(identifier="a")), result("no", "a", **mark)])
    assert [step.status for step in run.steps] == [None]


def test_function_that_is_a_name(read):
    """Some keep of a function only its name, with the arguments beside it."""
    made = {"id": "a", "function": "search", "args": {"city": "Rome"}}
    (step,) = read([says(None, made), result("x", "a")]).steps
    assert (step.tool, step.arguments, step.effect) == ("search", {"city": "Rome"}, "x")


@pytest.mark.parametrize("key", ["toolCalls", "tool_uses", "functionCall"])
def test_fields_that_may_hold_calls(read, key):
    """However a field is spelt that speaks of calls, it is told as unknown."""
    run = read([user("A room?"), says("", **{key: [{"name": "search"}]})])
    assert run.unread.unknown == {f"field '{key}' of a message": 1}


@pytest.mark.parametrize("key", ["parts", "toolInvocations", "additional_kwargs", "blocks"])
def test_fields_of_other_vendors(write, key):
    """A later conversation of a file that is of another kind is told."""
    foreign = {"role": "assistant", "content": "", key: [{"type": "x"}]}
    lines = [{"messages": REAL}, {"messages": [user("A room?"), foreign]}]
    run = list(formats.read_all(write(lines)))[1]
    assert run.unread.unknown == {f"field '{key}' of a message": 1}


@pytest.mark.parametrize("talk", [REAL[:1], REAL[:2], [{"role": "user", "content": [IMAGE]}]])
def test_conversations_without_an_answer(read, talk):
    """Where the agent has no message it did not run: that is no run that did nothing."""
    run = read(talk)
    assert run.unread.unknown == {"conversation without a message of the agent": 1}
    assert not run.understood
    assert read([*talk, says("")]).understood


def test_results_of_several_calls_in_one_message(write):
    """AutoGen before 0.4, and AG2, answer the calls of a turn in one message, each by its id."""
    calls = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
        for name in ("a", "b")
    ]
    back = [{"tool_call_id": name, "role": "tool", "content": name} for name in ("b", "a")]
    run = formats.read(
        write(
            [
                {"role": "user", "content": "Go.", "name": "user"},
                {"role": "assistant", "content": None, "tool_calls": calls},
                {"role": "tool", "content": "b\n\na", "tool_responses": back},
            ]
        )
    )
    assert [(step.tool, step.effect) for step in run.steps] == [("a", "a"), ("b", "b")]


def test_a_message_without_content_is_unknown(read):
    """Of a message that has nothing where OpenAI's have it nothing is understood: no empty run."""
    run = read([user("A room."), {"role": "assistant", "said": "Done."}])
    assert run.unread.unknown == {"message without 'content'": 1}
    assert not run.understood
    run = read(
        [user("A room."), {"role": "assistant", "content": [{"type": "text", "value": "x"}]}]
    )
    assert not run.understood
    assert read([user("A room."), {"role": "assistant", "content": ""}]).understood


def test_the_error_of_a_result_without_content_is_its_effect(read):
    """Messages of Inspect in memory, as in its logs."""
    call = {"id": "1", "type": "function", "function": {"name": "fax", "arguments": "{}"}}
    error = {"type": "unknown", "message": "no fax machine"}
    result = {"role": "tool", "tool_call_id": "1", "content": "", "error": error}
    messages = [user("Go."), {"role": "assistant", "content": "", "tool_calls": [call]}, result]
    [step] = read(messages).steps
    assert (step.effect, step.status) == ("no fax machine", "error")
