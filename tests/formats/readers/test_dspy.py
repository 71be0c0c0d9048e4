"""Trajectories of DSPy's agents."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[1] / "made" / "dspy.jsonl"


def test_made_by_its_agent():
    """Four calls in four turns, one of which failed; the last round only ends the run."""
    alone, whole = formats.read_all(MADE)
    for run in (alone, whole):
        assert [(s.tool, s.turn, s.status, s.action) for s in run.steps] == [
            ("search_hotels", 1, "ok", "I look for hotels."),
            ("get_weather", 2, "ok", "How is the weather?"),
            ("book_hotel", 3, "error", "H7 is cheaper."),
            ("book_hotel", 4, "ok", "H7 is full, so I take H9."),
        ]
        assert run.steps[0].arguments == {"city": "Rome", "max_price": 150}
        assert (run.unread.unknown, run.unread.ignored) == ({}, {"end marker": 1})
    assert (alone.messages_to_user, whole.messages_to_user) == (None, ("H9 is yours.",))


def test_made_files_are_read_whole():
    """Each observation in the file is in a step, once, but for that of the end."""
    for line, run in zip(MADE.read_text("utf-8").splitlines(), formats.read_all(MADE), strict=True):
        told = json.loads(line)["trajectory"]
        seen = [told[key] for key in told if key.startswith("observation")]
        assert [step.effect for step in run.steps] == seen[:-1]


def test_around_a_trajectory(write):
    """What was asked, what came out, and names."""
    rounds = {
        "tool_name_0": "f",
        "tool_args_0": '{"a": 1}',
        "observation_0": "Failed to execute: x",
    }
    written = {"id": "r", "question": "Go.", "gold": "A", "trajectory": rounds, "answer": "B"}
    run = formats.read(write([written]))
    assert (run.id, run.request, run.messages_to_user) == ("r", ("Go.",), ("B",))
    assert [(s.arguments, s.status) for s in run.steps] == [({"a": 1}, "error")]
    assert run.metadata == {"question": "Go.", "gold": "A", "answer": "B"}


def test_code(write):
    """Code that ran, code that did not, and code that nobody could read."""
    rounds = {
        "generated_code_0": "1",
        "code_output_0": "1",
        "generated_code_1": "1/0",
        "observation_1": "Failed to execute the generated code: no",
        "observation_2": "Failed to parse the generated code: no",
    }
    run = formats.read(write({"trajectory": rounds}))
    assert [(s.tool, s.arguments, s.effect, s.status) for s in run.steps] == [
        ("code_execution", {"code": "1"}, "1", "ok"),
        ("code_execution", {"code": "1/0"}, rounds["observation_1"], "error"),
    ]


def test_what_is_noted(write):
    """Rounds that were left out, and keys that no agent writes; rounds go by their numbers."""
    rounds = {"tool_name_10": "g", "tool_name_2": "f", "hologram_2": 1, "tool_args_2": None}
    run = formats.read(write(rounds))
    assert [(s.tool, s.status) for s in run.steps] == [("f", None), ("g", None)]
    assert run.unread.unknown == {
        "'hologram_2' of a trajectory": 1,
        "steps left out of a trajectory": 1,
    }


@pytest.mark.parametrize(
    "document",
    [
        {"trajectory": []},
        {"trajectory": {"thought_0": "x"}},
        {"trajectory": [{"reasoning": "x", "code": "y", "output": "z"}]},
        {"tool_name_x": "f"},
    ],
)
def test_others(document):
    """Trajectories of other agents are none of these."""
    assert not formats.load_format("dspy").recognises(document)


@pytest.mark.parametrize("bad", [5, {"trajectory": 5}, {"tool_name_0": 5}, {"answer": "x"}])
def test_bad_predictions(write, bad):
    """A bad prediction is an error with its place."""
    with pytest.raises(FormatError, match=r"\[1\].*expected"):
        list(formats.read_all(write([{"tool_name_0": "f"}, bad])))
