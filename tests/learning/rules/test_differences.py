"""In what two calls differ, path by path."""

from typing import Any

import pytest

from otap.learning.rules.differences import differences


@pytest.mark.parametrize(
    ("one", "other", "way"),
    [
        ({"a": "W123"}, {"a": "#W123"}, "same"),
        ({"a": "1,000"}, {"a": 1000}, "same"),
        ({"a": "W123"}, {"a": "W124"}, "value"),
        ({"a": 100}, {"a": 95}, "number"),
        ({"a": "please cancel it"}, {"a": "she wants it gone"}, "prose"),
        ({"a": [1, 2, 3]}, {"a": [3, 2, 1]}, "order"),
        ({"a": [1, 2, 3]}, {"a": [3, 2, 4]}, "value"),
        ({"a": ["W1", "W2"]}, {"a": ["W2", "W1"]}, "same"),  # things have no order
        ({"a": "[1, 2]"}, {"a": [1, 2]}, "same"),
        ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 2}, {"b": 1}]}, "same"),
        ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 1}, {"b": 3}]}, "value"),
    ],
)
def test_way(one: Any, other: Any, way: str) -> None:
    """Values are the same where the metric takes them for the same."""
    [found] = differences(one, other).values()
    assert found.way == way


def test_paths_are_keys_joined_by_dots() -> None:
    """Members of a list share the path of the list; what one call lacks is not compared."""
    found = differences(
        {"pay": {"by": "card", "tip": 1}, "who": [{"name": "A"}], "x": ""},
        {"pay": {"by": "cash"}, "who": [{"name": "A"}], "x": "y"},
    )
    assert {path: one.way for path, one in found.items()} == {"pay.by": "value", "who.name": "same"}


def test_how_far_numbers_are_apart() -> None:
    """As a share of the larger one, as a tolerance is."""
    assert differences({"a": 95}, {"a": 100})["a"].size == pytest.approx(0.05)
    assert differences({"a": 0}, {"a": -4})["a"].size == 1.0
