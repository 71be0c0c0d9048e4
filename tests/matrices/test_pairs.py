"""What was compared before is known again, bounded and by what it says alone."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otap._caching import Kept
from otap.encoders import CachedEncoder
from otap.matrices import NodeCost, ReadSteps, ToolTable
from otap.matrices.fields import KnownPairs, Numbers, ReadOnce
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

    known = KnownPairs()
    for rows, columns in ([1, 2], [3]), ([2, 1, 4], [3, 5]), ([4, 4], [5, 3, 5]):
        found = known.among(rows, columns, (rows, columns), compare)
        assert np.array_equal(found, np.array(rows)[:, None] / np.array(columns))
    assert asked == [([1, 2], [3]), ([2, 1, 4], [3, 5])]


def test_what_is_kept_is_bounded_by_what_it_weighs() -> None:
    """What was asked for stays; a long text takes the place of many."""
    kept: Kept[str, int] = Kept(10, len)
    for number, text in enumerate(["aa", "bbb", "cccc", "aa", "dddd", "eeeee"]):
        if kept.get(text) is None:
            kept.put(text, number)
    assert list(map(kept.get, ["aa", "bbb", "eeeee"])) == [0, None, 5]
    kept.put("f" * 10, 6)
    kept.put("g" * 10, 7)
    assert list(map(kept.get, ["aa", "f" * 10, "g" * 10])) == [None, 6, 7]


def test_equal_texts_have_one_number() -> None:
    """In one list and in the next; no two texts have the same, not even once others were let go."""
    numbers = Numbers(1_000)
    assert [numbers[text] for text in ["a", "b", "a", "b", "c", "a"]] == [1, 2, 1, 2, 3, 1]
    assert [numbers[text] for text in ["long" * 150, "a"]] == [4, 5]


def test_data_is_read_once() -> None:
    """1, 1.0, true and "1" are four; 0.0 and -0.0 two; what is too deep is read anew."""
    data: list[Any] = [1, 1.0, True, "1", 0.0, -0.0, None, [], {}, [1], ["1"], {"a": None}]
    asked: list[Any] = []
    once: ReadOnce[str] = ReadOnce(
        lambda one, rules: asked.append(one) or f"{one!r} {rules}", 10_000
    )
    for rules in ("x", "y", "x"):
        assert once.of(data, [rules] * len(data)) == [f"{one!r} {rules}" for one in data]
    assert len(asked) == 2 * len(data)
    deep: Any = []
    for _ in range(10_000):
        deep = [deep]
    again: ReadOnce[int] = ReadOnce(lambda one, _: asked.append(one) or len(one), 10_000)
    assert again.of([deep, [1, 2]], [None, None]) == again.of([deep, [1, 2]], [None, None])
    assert len(asked) == 2 * len(data) + 4


def test_what_was_read_is_bounded() -> None:
    """When there is no more room all of it goes, and is read again when it is asked for."""
    asked: list[Any] = []
    once: ReadOnce[int] = ReadOnce(lambda one, _: asked.append(one) or len(one), 1_000)
    for text in ("a", "b", "a", "c" * 900, "a"):
        once.of([text], [None])
    assert asked == ["a", "b", "c" * 900, "a"]


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
        return node_cost.between(ReadSteps(rows), ReadSteps(columns), weights).total

    kept = NodeCost(encoder, ToolTable())
    for rows, columns in (steps, steps[:3]), (steps[::-1], steps), (steps, steps):
        fresh = costs(NodeCost(encoder, ToolTable()), rows, columns)
        assert np.array_equal(costs(kept, rows, columns), fresh)
