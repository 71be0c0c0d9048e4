"""Items of OpenAI's Responses."""

from itertools import product
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made"


def call(name, identifier, arguments='{"a": 1}', **more):
    """Returns an item that calls a function."""
    about = {"type": "function_call", "id": f"fc_{identifier}", "call_id": identifier}
    return {**about, "name": name, "arguments": arguments, **more}


def output(content, identifier, kind="function_call_output", **more):
    """Returns an item with what came back."""
    return {"type": kind, "call_id": identifier, "output": content, **more}


def says(text, role="assistant", kind="output_text"):
    """Returns a message."""
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


ITEMS = [
    {"role": "user", "content": "A room."},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]},
    says("I look."),
    call("search", "c1"),
    {"type": "reasoning", "id": "rs_2", "summary": []},
    call("weather", "c2", "{"),
    output("sunny", "c2"),
    output([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], "c1"),
    says("Go on.", "user", "input_text"),
    call("book", "c3", ""),
    says("Done."),
]


def facts(run):
    """Returns what of the steps the tests compare."""
    return [(step.tool, step.turn, step.status, step.effect) for step in run.steps]


def test_made_by_the_agents_sdk():
    """The items of the SDK's run hold six calls; two of one answer ran side by side."""
    run = formats.read(MADE / "openai_responses.json")
    assert run.request == ("Book two nights in Rome, please.",)
    assert facts(run) == [
        ("search_hotels", 1, None, "{'city': 'Rome', 'hotels': ['H7', 'H9']}"),
        ("get_weather", 1, None, "Rome: sunny"),
        ("ask_guide", 2, None, "Trastevere."),
        ("transfer_to_booker", 3, None, '{"assistant": "booker"}'),
        ("book_hotel", 4, "error", "An error occurred while running the tool. Please try again."),
        ("book_hotel", 5, None, "booked H9 for 2 nights"),
    ]
    assert run.steps[0].action == "I search and check the weather."
    assert run.steps[5].action == "H7 is full."
    assert run.steps[4].arguments == {"hotel": "H7", "nights": 2}


def test_made_by_the_client():
    """A response with built-in tools: each is a turn of its own, and says how it ended."""
    run = formats.read(MADE / "openai_response.json")
    assert facts(run) == [
        ("web_search", 1, "ok", None),
        ("search", 2, "ok", '["H7", "H9"]'),
        ("code_interpreter", 3, "error", [{"type": "logs", "logs": "ZeroDivisionError"}]),
        ("book_hotel", 4, None, None),
        ("get_weather", 4, None, None),
    ]
    assert [step.arguments for step in run.steps[:3]] == [
        {"type": "search", "query": "best area of Rome"},
        {"area": "Trastevere"},
        {"code": "1/0"},
    ]
    assert run.steps[1].metadata["server_label"] == "hotels"
    assert (run.id, run.metadata) == ("resp_6", {"model": "scripted"})


def test_real(real_data):
    """The items of a coding agent hold two calls, the last without an output."""
    run = formats.read(real_data / "traces" / "coding-agents" / "codex_rollout.json")
    assert [step.tool for step in run.steps] == ["exec_command"] * 2
    assert run.steps[0].effect.startswith("Chunk ID: c9e488")
    assert run.steps[1].arguments["cmd"] == "rg --files -g 'report.pdf' -g '*.pdf'"
    assert run.steps[1].effect is None


def test_steps(write):
    """Outputs join by call_id in any order; reasoning does not end a turn, an output does."""
    run = formats.read(write(ITEMS))
    assert run.request == ("A room.", "Go on.")
    assert facts(run) == [
        ("search", 1, None, "a\nb"),
        ("weather", 1, None, "sunny"),
        ("book", 2, None, None),
    ]
    assert [step.arguments for step in run.steps] == [{"a": 1}, "{", {}]
    assert run.steps[1].metadata == {"call_id": "c2", "arguments_unparsed": True, "said": 1}
    assert [step.action for step in run.steps] == ["I look.", "I look.", None]
    steps = formats.read(write(ITEMS), reasoning=True).steps
    assert [step.action for step in steps if step.kind == "reasoning"] == ["Done."]


@pytest.mark.parametrize(
    ("document", "name"),
    [
        (ITEMS, "a.json"),
        ({"items": ITEMS}, "b.json"),
        ({"messages": ITEMS}, "h.json"),
        ({"input": ITEMS[:5], "output": ITEMS[5:], "tools": [], "instructions": "x"}, "c.json"),
        ([ITEMS], "d.json"),
        ([{"object": "response", "output": ITEMS, "temperature": 1}], "e.json"),
        (ITEMS, "f.jsonl"),
        ([{"items": ITEMS}], "g.jsonl"),
    ],
)
def test_shapes_of_a_file(write, document, name):
    """Each shape in which people keep items is the same run."""
    run = formats.read(write(document, name))
    assert (run.steps, run.metadata) == (formats.read(write(ITEMS)).steps, {})


def test_other_calls(write):
    """The tool of an item without a name is its type; what was asked is as it was recorded."""
    shell = {"commands": ["ls"]}
    items = [
        {"type": "custom_tool_call", "call_id": "1", "name": "python", "input": "1 + 1"},
        {"type": "custom_tool_call_output", "call_id": "1", "output": "2"},
        {"type": "shell_call", "call_id": "2", "action": shell, "status": "completed"},
        {"type": "shell_call_output", "call_id": "2", "output": [{"stdout": "x"}]},
        {"type": "apply_patch_call", "call_id": "3", "operation": {"type": "delete_file"}},
        {"type": "apply_patch_call_output", "call_id": "3", "status": "failed", "output": "no"},
        {"type": "local_shell_call", "call_id": "4", "action": {"command": ["ls"]}},
        {"type": "local_shell_call_output", "id": "4", "output": "{}"},
        {"type": "file_search_call", "id": "5", "queries": ["q"], "results": None},
        {"type": "mcp_list_tools", "id": "l", "server_label": "s", "tools": []},
        {"type": "mcp_approval_request", "id": "r", "name": "send", "arguments": "{}"},
        {"type": "mcp_call", "id": "6", "name": "send", "arguments": "{}", "error": "denied"},
    ]
    run = formats.read(write(items))
    assert facts(run) == [
        ("python", 1, None, "2"),
        ("shell", 2, None, [{"stdout": "x"}]),
        ("apply_patch", 3, "error", "no"),
        ("local_shell", 4, None, "{}"),
        ("file_search", 5, None, None),
        ("send", 6, "error", "denied"),
    ]
    arguments = [step.arguments for step in run.steps]
    assert arguments[:2] == ["1 + 1", shell]
    assert arguments[4] == {"queries": ["q"]}


def test_calls_that_a_program_made(write):
    """A call that a program of the model made is inside the call of the program."""
    caller = {"type": "program", "caller_id": "p"}
    items = [
        {"type": "program", "id": "x", "call_id": "p", "code": "search()"},
        call("search", "c1", caller=caller),
        output("found", "c1", caller=caller),
        {"type": "program_output", "call_id": "p", "result": "done", "status": "completed"},
    ]
    (step,) = formats.read(write(items)).steps
    assert (step.tool, step.arguments, step.effect) == ("program", {"code": "search()"}, "done")
    assert [(s.tool, s.effect) for s in step.substeps] == [("search", "found")]


def test_lost_and_unnamed(write):
    """An output of no call is in the metadata; a call without a name says so."""
    run = formats.read(write([output("x", "no"), call(None, "c1")]))
    lost = {"item": 0, "call_id": "no", "content": "x"}
    assert run.metadata["results_without_call"] == [lost]
    assert (run.steps[0].tool, run.steps[0].metadata["unnamed"]) == (None, True)


def test_output_of_no_call_takes_no_result(write):
    """A tool that a server ran has its result, and takes no other."""
    items = [{"type": "web_search_call", "id": "w", "status": "completed"}, output("x", "no")]
    run = formats.read(write(items))
    assert run.steps[0].effect is None
    assert run.metadata["results_without_call"][0]["content"] == "x"


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (5, "[1]: expected an object, found the value 5"),
        ({"a": 1}, "[1].type: expected an item's type, found null"),
        ({"role": 5}, "[1].role: expected one of user, assistant, system, developer"),
        ({"role": "user", "content": 5}, "[1].content: expected a list"),
        ({"role": "user", "content": [5]}, "[1].content[0]: expected an object"),
        ({"role": "user", "content": [{"text": 5}]}, "[1].content[0].text: expected text"),
        (call({}, "x"), "[1].name: expected text"),
        (call("f", []), "[1].call_id: expected text or a whole number"),
        (call("f", "x", caller=5), "[1].caller: expected an object"),
    ],
)
def test_bad_items(write, item, words):
    """A bad item is an error with the file, the place and what was expected."""
    path = write([call("f", "c"), item])
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}: {words}")


def test_any_value_anywhere(write):
    """Whatever stands in an item, it is read or refused."""
    junk = (None, 5, "x", [], [[]], {}, {"a": [1]}, True, [5], [{}])
    keys = ["type", "role", "call_id", "name", "arguments", "output", "status", "content", "error"]
    for item, key, value in product((*ITEMS, {"type": "mcp_call", "id": "m"}), keys, junk):
        try:
            formats.read(write([call("f", "c"), {**item, key: value}]))
        except FormatError as error:
            assert "[1]" in str(error), (item, key, value)


def response(name, before, *tools):
    """Returns a response as the server gives it: what was before is only named."""
    calls = [
        {"type": "function_call", "call_id": f"{name}{tool}", "name": tool, "arguments": "{}"}
        for tool in tools
    ]
    return {"id": name, "object": "response", "previous_response_id": before, "output": calls}


BEFORE = {"previous response that is not in the file": 1}


@pytest.mark.parametrize(
    ("responses", "runs"),
    [
        ([response("a", None, "x"), response("b", "a", "y")], [("xy", {})]),
        (
            [response("a", None, "x"), response("c", None, "z"), response("b", "a", "y")],
            [("z", {}), ("xy", {})],
        ),
        ([response("b", "a", "y")], [("y", BEFORE)]),
        ([response("b", "a", "y"), response("a", None, "x")], [("y", BEFORE), ("x", {})]),
        (
            [response("a", None, "x"), response("b", "a", "y"), response("c", "a", "z")],
            [("x", {}), ("y", BEFORE), ("z", BEFORE)],
        ),
        ([response("a", "a", "x")], [("x", BEFORE)]),
    ],
)
def test_responses_that_go_on(write, responses, runs):
    """Responses that name the one before are one run; what is missing before is told."""
    found = list(formats.read_all(write(responses)))
    said = [("".join(step.tool for step in run.steps), run.unread.unknown) for run in found]
    assert said == runs
