"""Caches of readings and of distances: bounded, and keyed by content alone."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otap.costs import NodeCost, ToolTable
from otap.costs.fields import Arguments, PairCache
from otap.encoders import CachedEncoder
from otap.run.columns import StepColumns
from otap.trajectory import Step
from otap.transport.core import native, pair_table

NUMBERS = st.lists(st.integers(1, 12), max_size=6)
needs_core = pytest.mark.skipif(native() is None, reason="no native core was built")


@needs_core
@given(blocks=st.lists(st.tuples(NUMBERS, NUMBERS), max_size=8))
def test_a_table_finds_what_was_put(blocks: list[tuple[list[int], list[int]]]) -> None:
    """Every pair that was put has its value, every other has none."""
    kept, known = pair_table(1_000), set()
    for rows, columns in blocks:
        found, missing = kept.find(rows, columns)
        pairs = [(row, column) for row in rows for column in columns]
        wanted = [10 * a + b if (a, b) in known else np.nan for a, b in pairs]
        assert found.shape == (len(rows), len(columns))
        assert np.array_equal(found.ravel(), wanted, equal_nan=True)
        assert missing == sum(pair not in known for pair in pairs)
        kept.put(
            rows, columns, np.array([float(10 * a + b) for a, b in pairs]).reshape(found.shape)
        )
        known |= set(pairs)


@needs_core
def test_a_table_is_bounded_and_keeps_what_was_asked_for() -> None:
    """Of 100,000 pairs at most two generations stay, and one that was in use all the time."""
    kept = pair_table(100)
    kept.put([1], [1], np.array([[0.5]]))
    for column in range(2, 100_000, 50):
        kept.put([2], list(range(column, column + 50)), np.ones((1, 50)))
        assert kept.find([1], [1])[0] == 0.5
    assert kept.find([2], list(range(2, 100_000)))[1] >= 99_998 - 300


@needs_core
def test_only_what_is_not_known_is_compared() -> None:
    """A pair is compared once, and what stands beside it changes nothing."""
    asked: list[tuple[list[int], list[int]]] = []

    def compare(i: Any, j: Any) -> np.ndarray:
        asked.append((list(i), list(j)))
        return np.array([[row / column for column in j] for row in i])

    cache = PairCache()
    for rows, columns in ([1, 2], [3]), ([2, 1, 4], [3, 5]), ([4, 4], [5, 3, 5]):
        found = cache.among(rows, columns, (rows, columns), compare)
        assert np.array_equal(found, np.array(rows)[:, None] / np.array(columns))
    assert asked == [([1, 2], [3]), ([2, 1, 4], [3, 5])]


def test_equal_arguments_are_read_once() -> None:
    """1, 1.0, true and "1" are four contents; 0.0 and -0.0 are two; deep data is read again."""
    deep: Any = []
    for _ in range(10_000):
        deep = [deep]
    data: list[Any] = [1, 1.0, True, "1", 0.0, -0.0, None, [], {}, [1], ["1"], {"a": None}]
    steps = [Step.model_construct(tool="x", arguments=arguments) for arguments in (*data, deep)]
    first, second = [
        [value.content_id for value in Arguments().read(steps, lambda _: None)] for _ in range(2)
    ]
    assert len(set(first)) == len(steps)
    assert first[:-1] == second[:-1]
    assert first[-1] != second[-1]


def test_numbers_do_not_depend_on_what_was_compared_before(encoder: CachedEncoder) -> None:
    """A second time, in another order or beside others: the same bits."""
    data: list[Any] = [
        {"city": "Rome", "nights": 2, "note": "a room with a view"},
        {"city": "rome", "nights": 2.0, "note": "the room has no view"},
        {"ids": ["a1", "b2"], "city": -0.0, "rows": [{"id": 1, "x": "a b"}, {"id": 2}]},
        {"ids": ["b2", "a1"], "city": 0.0, "rows": [{"id": 2}, {"id": 1, "x": "a c"}]},
        "plain text of a call", None, {},
    ]  # fmt: skip
    steps = [
        Step(id=str(k), tool=f"t{k % 2}", action=f"do {k % 3}", arguments=one)
        for k, one in enumerate(data)
    ]
    weights = {"action": 0.3, "arguments": 0.5, "tool": 0.2}

    def costs(node_cost: NodeCost, rows: list[Step], columns: list[Step]) -> np.ndarray:
        return node_cost.between(StepColumns(rows), StepColumns(columns), weights).total

    kept = NodeCost(encoder, ToolTable())
    for rows, columns in (steps, steps[:3]), (steps[::-1], steps), (steps, steps):
        fresh = costs(NodeCost(encoder, ToolTable()), rows, columns)
        assert np.array_equal(costs(kept, rows, columns), fresh)
