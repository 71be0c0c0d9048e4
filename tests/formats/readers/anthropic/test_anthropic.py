"""Messages of Anthropic's API: calls and results are blocks of content."""

from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError, LimitError

MADE = Path(__file__).parents[2] / "made" / "anthropic.json"


def use(name, identifier, kind="tool_use", **more):
    """Returns a block that uses a tool."""
    return {"type": kind, "id": identifier, "name": name, "input": {"a": 1}, **more}


def result(content, identifier, kind="tool_result", **more):
    """Returns a block with what came back."""
    return {"type": kind, "tool_use_id": identifier, "content": content, **more}


def text(content):
    """Returns a block of text."""
    return {"type": "text", "text": content}


def user(*blocks):
    """Returns a message of the user."""
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks):
    """Returns a message of the assistant."""
    return {"role": "assistant", "content": list(blocks)}


TALK = [
    {"role": "user", "content": "A room."},
    assistant(text("I look."), use("search", "t1"), use("weather", "t2")),
    user(
        result("sunny", "t2", is_error=False), result("none", "t1", is_error=True), text("Go on.")
    ),
    assistant(use("book", "t3")),
    user(result([text("a"), text("b")], "t3")),
    assistant(text("Done.")),
]


def test_made():
    """The file of Anthropic's client holds five calls: one of the server, two side by side, two."""
    run = formats.read(MADE)
    assert run.request == ("Book two nights in Rome, please.",)
    assert [(step.tool, step.turn, step.status) for step in run.steps] == [
        ("web_search", 1, None),
        ("search_hotels", 2, None),
        ("get_weather", 2, None),
        ("book_hotel", 3, "error"),
        ("book_hotel", 4, None),
    ]
    assert [step.action for step in run.steps] == [
        "I look up the best area.",
        *["Trastevere it is. I look for hotels there and check the weather."] * 2,
        None,
        "H7 is full, so I try H9.",
    ]
    assert run.steps[0].effect[0]["url"] == "https://example.org/rome"
    assert run.steps[2].effect == "Rome: sunny\n21 degrees"
    assert run.steps[3].arguments == {"hotel": "H7", "nights": 2}
    assert run.steps[4].effect == "booked H9 for 2 nights"
    assert run.metadata == {}


def test_steps(write):
    """Results join by id in any order, say whether they failed, and are no text of the user."""
    run = formats.read(write(TALK))
    assert run.request == ("A room.", "Go on.")
    assert [(s.tool, s.effect, s.status, s.turn, s.metadata["said"]) for s in run.steps] == [
        ("search", "none", "error", 1, 1),
        ("weather", "sunny", "ok", 1, 1),
        ("book", "a\nb", None, 2, 2),
    ]
    assert [step.action for step in run.steps] == ["I look.", "I look.", None]


@pytest.mark.parametrize(
    ("document", "name"),
    [
        (TALK, "a.json"),
        ({"system": "Be kind.", "messages": TALK}, "b.json"),
        ([{"messages": TALK}], "c.json"),
        (TALK, "d.jsonl"),
        ([{"messages": TALK}], "e.jsonl"),
    ],
)
def test_shapes_of_a_file(write, document, name):
    """Each shape in which people keep a conversation is the same run."""
    run = formats.read(write(document, name))
    assert (run.steps, run.metadata) == (formats.read(write(TALK)).steps, {})


def test_what_stands_beside_the_messages(write):
    """Id, task and trial name the run; tools and system prompt are left out."""
    around = {"id": 7, "task_id": "t", "trial": 2, "tools": [1], "system": "s", "model": "m"}
    run = formats.read(write({**around, "messages": TALK}))
    assert (run.id, run.task, run.trial, run.metadata) == ("7", "t", 2, {"model": "m"})


def test_reasoning(write):
    """Text that leads to no call is a step if asked for."""
    steps = formats.read(write(TALK), reasoning=True).steps
    assert [(step.kind, step.action) for step in steps][-1] == ("reasoning", "Done.")


def test_tools_of_the_server(write):
    """Each tool that a server ran is a step; what its result names an error failed."""
    failed = {"type": "web_search_tool_result_error", "error_code": "unavailable"}
    run = formats.read(
        write(
            [
                assistant(
                    use("web_search", "s1", "server_tool_use"),
                    result(failed, "s1", "web_search_tool_result"),
                    use("find", "m1", "mcp_tool_use", server_name="hotels"),
                    result([text("H7")], "m1", "mcp_tool_result", is_error=False),
                )
            ]
        )
    )
    assert [(s.tool, s.effect, s.status, s.turn) for s in run.steps] == [
        ("web_search", failed, "error", 1),
        ("find", "H7", "ok", 2),
    ]
    assert run.steps[1].metadata["server_name"] == "hotels"


def test_calls_that_a_program_made(write):
    """A call that a tool of the server made is inside the call of that tool."""
    caller = {"type": "code_execution_20260120", "tool_id": "s1"}
    run = formats.read(
        write(
            [
                assistant(
                    use("code_execution", "s1", "server_tool_use"),
                    use("search", "t1", caller=caller),
                    use("direct", "t2", caller={"type": "direct"}),
                ),
                user(result("x", "t1"), result("y", "t2")),
                assistant(result({"stdout": "1"}, "s1", "code_execution_tool_result")),
            ]
        )
    )
    assert [(s.tool, s.effect) for s in run.steps] == [
        ("code_execution", {"stdout": "1"}),
        ("direct", "y"),
    ]
    assert [(s.id, s.tool, s.effect) for s in run.steps[0].substeps] == [("1", "search", "x")]


def test_nesting_has_a_limit(write):
    """Calls inside calls inside calls end in one of our errors."""
    calls = [use("f", f"t{n}", caller={"tool_id": f"t{n - 1}"}) for n in range(40)]
    with pytest.raises(LimitError, match=r"\[30\].*deeper than 30 levels"):
        formats.read(write([assistant(call) for call in calls]))


def test_repeated_missing_and_lost(write):
    """An id used again is that of the open call; a result of no call is in the metadata."""
    again = [assistant(use("f", "x")), user(result("1", "x"))]
    run = formats.read(write([*again, assistant(use("g", "x")), user(result("2", "x"))]))
    assert [step.effect for step in run.steps] == ["1", "2"]
    run = formats.read(write([*again, user(result("late", "x"))]))
    lost = {"message": 2, "call_id": "x", "content": "late"}
    assert run.metadata["results_without_call"] == [lost]
    run = formats.read(write([assistant(use("f", None), use(None, "y")), user(result("1", None))]))
    assert [(s.tool, s.effect) for s in run.steps] == [("f", "1"), (None, None)]
    assert run.steps[1].metadata["unnamed"] is True


def test_thoughts_and_pictures_say_nothing(write):
    """Thoughts are no action; a picture in a result is kept as it was recorded."""
    picture = [{"type": "image", "source": {"type": "url", "url": "x"}}]
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "x"}
    run = formats.read(write([assistant(thought, use("f", "x")), user(result(picture, "x"))]))
    assert (run.steps[0].action, run.steps[0].effect) == (None, picture)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (5, "[1]: expected an object, found the value 5"),
        ({"role": 5}, "[1].role: expected one of user, assistant, system"),
        ({"role": "user", "content": 5}, "[1].content: expected a list"),
        (user(5), "[1].content[0]: expected an object"),
        (user({"type": "text", "text": 5}), "[1].content[0].text: expected text"),
        (user(use("f", "x")), "[1].content[0]: only messages of the assistant may call tools"),
        (user(result("x", [])), "[1].content[0].tool_use_id: expected text or a whole number"),
        (user(result("x", "y", is_error="no")), "[1].content[0].is_error: expected true or false"),
        (assistant(use({}, "x")), "[1].content[0].name: expected text"),
        (assistant(use("f", {})), "[1].content[0].id: expected text or a whole number"),
        (assistant(use("f", "x", caller=5)), "[1].content[0].caller: expected an object"),
    ],
)
def test_bad_shapes(write, message, words):
    """A bad shape is an error with the file, the place and what was expected."""
    path = write([assistant(use("f", "t")), message])
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}: {words}")


def test_results_that_name_no_call(write):
    """What says in another dialect whose result it is, is told: its failure may not be seen."""
    back = {"type": "tool_result", "toolUseID": "t", "run": {"status": "error"}}
    run = formats.read(write([*TALK[:1], assistant(use("search", "t")), user(back)]))
    assert run.unread.unknown == {"result without a call id": 1}
