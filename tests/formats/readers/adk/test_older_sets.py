"""Eval sets of Google's ADK before version 1: queries with the tool uses that are expected."""

from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made"
QUERY = {
    "query": "A room in Rome.",
    "expected_tool_use": [
        {"tool_name": "search", "tool_input": {"city": "Rome"}, "mock_tool_output": ["H7"]},
        {"tool_name": "book", "tool_input": {"hotel": "H7"}},
    ],
    "expected_intermediate_agent_responses": [{"author": "clerk", "text": "I look."}],
    "reference": "It is booked.",
}


def case(*queries, name="rome"):
    """Returns a case of a set."""
    return {"name": name, "data": list(queries), "initial_session": {"state": {}}}


def test_sets(write):
    """Each case is a run with its name as the task; each tool use is a step of its own turn."""
    path = write([case(QUERY, {"query": "Thanks.", "reference": "Bye."}), case(name="none")])
    run, nothing = formats.read_references(path)
    assert (run.id, run.task, run.request) == ("rome", "rome", ("A room in Rome.", "Thanks."))
    assert [(s.tool, s.arguments, s.effect, s.turn) for s in run.steps] == [
        ("search", {"city": "Rome"}, ["H7"], 1),
        ("book", {"hotel": "H7"}, None, 2),
    ]
    assert run.messages_to_user == ("I look.", "It is booked.", "Bye.")
    assert (nothing.task, nothing.steps) == ("none", ())


def test_test_files(write):
    """A test file is one case without a name: a list of queries."""
    run = formats.read(write([QUERY, {"query": "Thanks.", "expected_tool_use": []}]))
    assert (run.task, len(run.steps), len(run.request)) == (None, 2, 2)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([QUERY, 5], "[1]: expected an object"),
        ([QUERY, {"query": 5}], "[1].query: expected text"),
        ([case(QUERY, 5)], "[0].data[1]: expected an object"),
        (
            [case(QUERY | {"expected_tool_use": 5})],
            "[0].data[0].expected_tool_use: expected a list",
        ),
        ([case(QUERY | {"expected_tool_use": [{}]})], "[0].data[0].expected_tool_use[0].tool_name"),
    ],
)
def test_bad_values(write, value, words):
    """A bad shape is an error with its place."""
    path = write(value)
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    assert str(caught.value).startswith(f"{path}: {words}")


def test_made():
    """A set in the older form says what ADK itself makes of it."""
    (older,) = formats.read_all(MADE / "adk_older_in.json")
    (converted,) = formats.read_all(MADE / "adk_older.json")
    said = [(run.id, run.task, run.request) for run in (older, converted)]
    assert said[0] == said[1]
    steps = [[(s.tool, s.arguments, s.turn) for s in run.steps] for run in (older, converted)]
    assert steps[0] == steps[1]
    assert set(older.messages_to_user) == set(converted.messages_to_user)
