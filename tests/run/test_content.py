"""Equal contents are read once, whoever made them, and what is kept of them is bounded."""

import json
from typing import Any

import pytest

from otap.run import content as contents
from otap.run.scalars import (
    NOTHING,
    ROOM,
    Content,
    content,
    write_path,
)

DATA = {"id": "W-20", "at": ["2024-05-01", {"price": 150.0, "HAT001": None}], "ok": True}


def test_equal_contents_are_one() -> None:
    """By their JSON: 1, 1.0, "1" and true are four."""
    assert content(DATA) is content(json.loads(json.dumps(DATA)))
    assert content(None) is NOTHING
    ones: list[Any] = [1, 1.0, "1", True, [1]]
    assert len({id(content(one)) for one in ones}) == len(ones)
    assert content({"a": 1, "b": 2}) is not content({"b": 2, "a": 1})
    assert content('{"a": 1}') is not content({"a": 1})


def test_each_reader_reads_a_content_once() -> None:
    """Other readers do not change that."""
    read = []

    def size(one: Content) -> int:
        read.append(one)
        return len(str(one.data))

    one = content({"some": "data that no other test has"})
    found = [one.read(size), one.leaves, one.read(size)]
    assert found[0] == found[2] == len(str(one.data))
    assert read == [one]


def test_data_that_is_changed_later_changes_nothing() -> None:
    """What is kept is a copy."""
    data = {"list": ["A-1"]}
    known = content(data)
    data["list"].append("B-2")
    assert known.values == {"A-1"}
    assert content(data).values == {"A-1", "B-2"}


@pytest.mark.parametrize(
    "data",
    [DATA, json.dumps(DATA), "on May 20, 136-94.5 of them", "x " * 200, 7, {"1": {"2": []}}, ""],
)
def test_the_values_are_those_of_the_leaves(data: Any) -> None:
    """Those of a content are read without their places."""
    assert content(data).values == {leaf.value for leaf in content(data).leaves}


def test_paths() -> None:
    """Written out they are as people write them."""
    found = [
        (leaf.value, write_path(leaf.path), write_path(leaf.record))
        for leaf in content(DATA).leaves
    ]
    assert found == [
        ("W-20", ".id", ""),
        ("2024-05-01", ".at[0]", ""),
        ("150", ".at[1].price", ".at[1]"),
        ("HAT001", ".at[1].HAT001", ".at[1]"),
    ]


def test_data_too_deep_for_json_is_read_all_the_same() -> None:
    """It is not kept."""
    deep: Any = "HAT001"
    for _ in range(100_000):
        deep = [deep]
    assert content(deep).leaves == []


def test_what_is_kept_is_bounded() -> None:
    """A stream of new contents leaves no more than there is room for in two generations."""
    for k in range(6 * ROOM // 50_000):
        assert content(f"{k} " + "x" * 49_000).leaves
        assert sum(map(len, {**contents._texts._young, **contents._texts._old})) <= 2 * ROOM
