"""Recorded states: properties one by one, anything else as text."""

from typing import Any

import numpy as np
import pytest

from otap.costs import ToolTable
from otap.costs.fields import Measures, State, TextDistances
from otap.encoders import CachedEncoder
from otap.trajectory import Step
from otap.values.value import text_of


def distances(encoder: CachedEncoder, rows: list[Any], columns: list[Any]) -> np.ndarray:
    """Returns the distances of two lists of states."""
    field, by = State(), Measures(TextDistances(encoder), ToolTable())
    ours, theirs = (
        field.read([Step(id="1", state=state) for state in side], lambda _: None)
        for side in (rows, columns)
    )
    return field.distances(ours, theirs, by)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ({"page": "cart", "items": 2}, {"items": 2, "page": "cart"}, 0),
        ({"page": "cart", "items": 2}, {"page": "cart", "items": 3}, 1 / 2),
        ({"page": "cart", "items": 2}, {"page": "cart"}, 1 / 2),
        ({"seats": {"14C": "taken", "14D": "free"}}, {"seats": {"14C": "taken"}}, 1 / 2),
        ({"a": 1}, {}, 1),
        ({}, {}, 0),
        (None, None, 0),
        (None, "page", 1),
        ("", "page", 1),
    ],
)
def test_properties(encoder: CachedEncoder, a: Any, b: Any, expected: float) -> None:
    """Two mappings: the share of properties that differ; nothing against something costs 1."""
    assert distances(encoder, [a], [b])[0, 0] == distances(encoder, [b], [a])[0, 0] == expected


def test_anything_else_is_text(encoder: CachedEncoder) -> None:
    """A page, a list, or a page against a mapping costs its embedding distance."""
    states: list[Any] = ["A page with rooms", "A page of flights", [1, 2], {"page": "rooms"}]
    expected = TextDistances(encoder).between(*[[text_of(state) for state in states]] * 2)
    found = distances(encoder, states, states)
    np.testing.assert_array_equal(found, expected)
    assert 0 < found[0, 1] < found[0, 2]


def test_shapes(encoder: CachedEncoder) -> None:
    """One row a state of the run, one column a state of the reference, none of either too."""
    for rows, columns in ((2, 3), (0, 3), (2, 0)):
        states: list[Any] = [{"a": 1}, "page", None]
        found = distances(encoder, states[:rows], states[:columns])
        assert found.shape == (rows, columns)
