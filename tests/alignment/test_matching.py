"""Equal calls, and what is told of them at a glance."""

from itertools import product
from typing import Any

import numpy as np

from otap.alignment.comparison import _pair_greedily
from otap.findings.context import is_same_call, outline_call
from otap.trajectory import Step

ARGUMENTS: list[Any] = [
    None,
    {},
    {"a": 1},
    {"a": 1.0},
    {"a": True},
    {"a": "1"},
    {"a": 1, "b": [1, {"c": 2}]},
    {"b": [1, {"c": 2}], "a": 1},
    {"b": [1, {"c": 3}], "a": 1},
    {"b": {"c": 2}, "a": 1},
    [1],
    [2],
    "1",
    1,
]


def test_equal_calls_have_one_outline() -> None:
    """Python's equality is meant: 1, 1.0 and true are equal, the order of keys is nothing."""
    steps = [Step.model_construct(id="1", tool="t", arguments=data) for data in ARGUMENTS]
    equal = [(one, other) for one, other in product(steps, repeat=2) if is_same_call(one, other)]
    assert [pair for pair in equal if outline_call(pair[0]) != outline_call(pair[1])] == []
    assert len(equal) > len(steps)  # some are equal that are not the same object


def test_an_outline_tells_most_calls_apart() -> None:
    """Other tools and other plain arguments are told apart; lists are only lists."""
    calls = [("t", {"a": 1}), ("u", {"a": 1}), ("t", {"a": 2}), ("t", {"b": 1}), ("t", {"a": [1]})]
    steps = [Step(id="1", tool=tool, arguments=data) for tool, data in calls]
    assert len({outline_call(step) for step in steps}) == len(calls)
    assert outline_call(steps[-1]) == outline_call(Step(id="2", tool="t", arguments={"a": [2]}))


class CountedArray(np.ndarray):
    """An array that counts the entries which are read at once."""

    reads = 0

    def __getitem__(self, index):
        if isinstance(index, np.ndarray):
            CountedArray.reads += index.size
        return super().__getitem__(index)


def test_each_pair_of_equal_steps_is_looked_at_a_few_times():
    """All steps equal each other, so each step that is matched leaves many pairs without use."""
    size = 600
    rows, columns = (indices.ravel() for indices in np.indices((size, size)))
    CountedArray.reads = 0
    pairs = list(
        _pair_greedily(rows.view(CountedArray), columns, np.arange(size * size), (size, size))
    )
    assert pairs == [(k, k) for k in range(size)]
    assert CountedArray.reads < 20 * size * size
