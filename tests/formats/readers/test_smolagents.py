"""What agents of smolagents remember."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError, LimitError
from otap.formats.readers import smolagents

MADE = Path(__file__).parents[1] / "made" / "smolagents.jsonl"

TASK = {"task": "A room in Rome.", "task_images": None}


def call(identifier="c1", name="search", arguments=None):
    """Returns a call."""
    return {"id": identifier, "function": {"name": name, "arguments": arguments or {}}}


def step(*calls, said="", **fields):
    """Returns a step that asks for calls."""
    return {
        "step_number": 1,
        "timing": {},
        "model_output": said,
        "model_output_message": {"role": "assistant", "tool_calls": list(calls)},
        "error": None,
        **fields,
    }


def plan(text):
    """Returns a step in which an agent plans."""
    return {"plan": text, "timing": {}, "model_output_message": {}}


def test_real_tool_calls():
    """The agent made five calls in four turns; one failed, two share what they observed."""
    result, alone, _ = formats.read_all(MADE)
    assert result.steps == alone.steps
    assert [(s.tool, s.arguments, s.effect, s.status, s.turn) for s in result.steps] == [
        ("search_hotels", {"city": "Rome"}, None, "ok", 1),
        ("get_weather", {"city": "Rome"}, None, "ok", 1),
        (
            "book_hotel",
            {"hotel": "H7"},
            "Error executing tool 'book_hotel' with arguments {'hotel': 'H7'}: "
            "ValueError: H7 is full.\nPlease try again or use another tool",
            "error",
            2,
        ),
        ("book_hotel", {"hotel": "H9"}, "Booked H9.", "ok", 3),
        ("final_answer", {"answer": "H9 is yours."}, "H9 is yours.", "ok", 4),
    ]
    assert [s.action for s in result.steps] == ["I look."] * 2 + [None] * 3
    observed = "['H7 in Rome', 'H9 in Rome']\nSunny in Rome."
    assert result.steps[0].metadata == {
        "call_id": "call_hotels",
        "observations": observed,
        "said": 1,
    }
    assert result.request == alone.request == ("A room in Rome, please.",)
    assert result.metadata == {"output": "H9 is yours.", "state": "success"}


def test_real_code():
    """Each piece of code is a call, and stays the text that it was."""
    steps = list(formats.read_all(MADE))[2].steps
    assert [(s.tool, s.arguments, s.status) for s in steps] == [
        ("python_interpreter", 'print(book_hotel(hotel="H7"))', "error"),
        ("python_interpreter", 'print(book_hotel(hotel="H9"))', "ok"),
        ("python_interpreter", 'final_answer("H9 is yours.")', "ok"),
    ]
    assert steps[0].effect.endswith("due to: ValueError: H7 is full.")
    assert steps[1].effect.startswith("Execution logs:\nBooked H9.")
    assert steps[0].action.startswith("I book it.")
    assert not any("arguments_unparsed" in s.metadata for s in steps)


def test_shapes(write):
    """A list of steps is one run, as is JSONL of them; lists of runs are several."""
    steps = [TASK, step(call())]
    assert len(formats.read(write(steps)).steps) == 1
    assert len(formats.read(write(steps, "steps.jsonl")).steps) == 1
    run = {"state": "success", "steps": steps}
    assert [r.request for r in formats.read_all(write([run, steps]))] == [("A room in Rome.",)] * 2


def test_several_calls_and_an_error(write):
    """Nobody can say which of several calls failed."""
    error = {"type": "AgentToolExecutionError", "message": "full"}
    first, second = formats.read(write([TASK, step(call("a"), call("b"), error=error)])).steps
    assert (first.status, second.status, first.effect) == (None, None, None)
    assert first.metadata["error"] == "full"


def test_several_calls_of_which_one_is_blamed(write):
    """An error names the tool and the arguments of the call that failed; of the other, nothing."""
    message = "Error executing tool 'book' with arguments {'hotel': 'H7'}: ValueError: H7 is full."
    calls = (call("a", "book", {"hotel": "H9"}), call("b", "book", {"hotel": "H7"}))
    error = {"type": "AgentToolExecutionError", "message": message}
    first, second = formats.read(write([TASK, step(*calls, error=error)])).steps
    assert (first.status, first.effect) == (None, None)
    assert (second.status, second.effect) == ("error", message)


def test_calls_that_the_model_did_not_tell(write):
    """Without the model's message, the step's own calls count; text that is no JSON stays."""
    bare = step(model_output_message=None, tool_calls=[call(arguments="{cut")])
    (made,) = formats.read(write([TASK, bare])).steps
    assert (made.arguments, made.metadata["arguments_unparsed"]) == ("{cut", True)


def test_code_that_is_json(write):
    """Code is no JSON although it may look like it."""
    code = step(model_output_message=None, tool_calls=[call(arguments="5")], code_action="5")
    assert formats.read(write([TASK, code])).steps[0].arguments == "5"


def test_without_an_error_field(write):
    """Where nothing is told of errors, a call has no status."""
    bare = step(call())
    del bare["error"]
    assert formats.read(write([TASK, bare])).steps[0].status is None


def test_reasoning(write):
    """Plans, and answers without calls, are reasoning steps where asked for."""
    blocks = [{"type": "text", "text": "Hm."}, {"type": "image"}]
    path = write([TASK, plan("1. Search"), step(said=blocks), step(call(), said="Now.")])
    found = formats.read(path, reasoning=True).steps
    assert [(s.kind, s.action) for s in found] == [
        ("reasoning", "1. Search"),
        ("reasoning", "Hm."),
        ("tool", "Now."),
    ]
    assert [s.action for s in formats.read(path).steps] == ["Now."]


@pytest.mark.parametrize(
    "value",
    [
        {"task": "x"},
        {"step_number": 1},
        {"plan": "x"},
        {"steps": [TASK]},
        {"state": "success", "steps": []},
        {"state": "success", "steps": [5]},
        [[]],
    ],
)
def test_not_recognised(value):
    """What no agent of smolagents remembers is left to other formats."""
    assert not smolagents.recognises(value)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (5, "[1]: expected an object"),
        ({"a": 1}, "[1]: expected a step of smolagents, found an object with the keys 'a'"),
        ({**TASK, "task": 5}, "[1].task: expected a list"),
        (plan(5), "[1].plan: expected a list"),
        (step(said=5), "[1].model_output: expected a list"),
        (step(said=[5]), "[1].model_output[0]: expected an object"),
        (step(model_output_message=5), "[1].model_output_message: expected an object"),
        (step(5), "[1].model_output_message.tool_calls[0]: expected an object"),
        (step(tool_calls=5), "[1].tool_calls: expected a list"),
        (step(call(), code_action=5), "[1].code_action: expected text"),
        (step(error=5), "[1].error: expected an object"),
    ],
)
def test_bad_steps(write, bad, words):
    """A bad shape is an error with its place."""
    path = write([TASK, bad])
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}: {words}")


def test_real_file_is_read_whole():
    """Each call in the file is in a step."""
    lines = [json.loads(line) for line in MADE.read_text("utf-8").splitlines()]
    for value, run in zip(lines, formats.read_all(MADE), strict=True):
        steps = value["steps"] if isinstance(value, dict) else value
        told = [
            made["id"]
            for each in steps[1:]
            for made in each["model_output_message"]["tool_calls"] or each["tool_calls"]
        ]
        assert [s.metadata["call_id"] for s in run.steps] == told


def test_long_run(write):
    """A run beyond the limit is refused by the limit's name, in a moment."""
    with pytest.raises(LimitError, match="max_steps"):
        formats.read(write([TASK, *(step(call(str(n))) for n in range(20_001))]))
