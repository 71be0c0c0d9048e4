"""Dates in the user's messages."""

import pytest

import otap
from otap.run.index import UserMessages
from otap.trajectory import parse_trajectory


@pytest.mark.parametrize(
    ("message", "day", "is_mentioned"),
    [
        ("on 2024-05-20.", "2024-05-20", True),
        ("on 12024-05-20", "2024-05-20", False),
        ("May the 20th", "2024-05-20", True),
        ("20 of May 21", "2024-05-20", True),
        ("20 of May 21", "2024-05-21", True),
        ("sep. 05", "2024-09-05", True),
        ("5/20/24", "2024-05-20", True),
        ("may 200", "2024-05-20", False),
    ],
)
def test_a_day_is_mentioned(message: str, day: str, is_mentioned: bool) -> None:
    """In each of the forms that people use."""
    run = parse_trajectory({"request": [message], "steps": [{"id": "1", "tool": "t"}]})
    assert UserMessages(run).mention(day, 0) is is_mentioned


def test_numbers_that_are_too_large_to_calculate_with() -> None:
    """They are compared, but nothing is derived from them."""
    steps = [
        {"id": "1", "tool": "a", "arguments": {"x": 1e308}, "effect": {"n": 1.7e308, "m": 3}},
        {"id": "2", "tool": "b", "arguments": {"x": 1.6e308, "y": 36, "z": 1e-300}},
    ]
    run = parse_trajectory({"request": ["pay 1e308 and 12"], "steps": steps})
    assert otap.score(run, run.model_copy()).score == 1
