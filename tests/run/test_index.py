"""The value index of a run: its fields are read once, and their values have paths."""

import json
from typing import Any

import pytest

from otap.run.index import FieldValues, ValueIndex
from otap.run.scalars import write_path
from otap.trajectory import Step, Trajectory

DATA = {"id": "W-20", "at": ["2024-05-01", {"price": 150.0, "HAT001": None}], "ok": True}


def test_equal_data_is_read_once() -> None:
    """In all runs, if type and order are equal too: 1, 1.0, "1" and true stay different."""
    index = ValueIndex(Trajectory(steps=(Step(id="1", effect="W-20"), Step(id="2", effect="W-20"))))
    assert index.steps[0].effect is index.steps[1].effect
    assert index.read("W-20 " * 50) is index.read("".join(["W-20 "] * 50))
    scalars: list[Any] = [1, 1.0, "1", True, [1]]
    assert len({id(index.read(scalar)) for scalar in scalars}) == len(scalars)
    assert index.read('{"a": 1}') is not index.read({"a": 1})
    other = ValueIndex(Trajectory(steps=(Step(id="9", effect={"a": 1, "b": [2]}),)))
    assert index.read({"a": 1, "b": [2]}) is other.steps[0].effect
    assert index.read({"b": [2], "a": 1}) is not other.steps[0].effect


def test_steps_of_equal_content_share_what_is_read_of_them() -> None:
    """Whatever their ids and turns; another tool, status or field is another content."""
    run = Step(id="1", tool="pay", arguments={"amount": 5}, effect={"ok": True})
    others = [
        run.model_copy(update=update)
        for update in (
            {"id": "2", "turn": 3},
            {"tool": "charge"},
            {"status": "error"},
            {"arguments": {"amount": 5.0}},
        )
    ]
    calls = list[Step]()
    first, *rest = ValueIndex(Trajectory(steps=(run, *others[:1]))).steps
    assert first.of(calls.append) is first.of(calls.append) is rest[0].of(calls.append) is None
    assert calls == [run]
    for other in others[1:]:
        [values] = ValueIndex(Trajectory(steps=(other,))).steps
        assert values is not first


def test_fields_that_stay_the_same_are_read_once() -> None:
    """In the index of a run after some of its steps were renamed or left out."""
    run = Trajectory(steps=(Step(id="1", effect=DATA), Step(id="2", effect=["A-1"])))
    renamed = run.steps[1].model_copy(update={"effect": ["B-2"]})
    index = ValueIndex(run)
    shared = ValueIndex(Trajectory(steps=(run.steps[0], renamed)), shared=index)
    assert shared.steps[0].effect is index.steps[0].effect
    assert shared.steps[1].effect.values == {"B-2"}


@pytest.mark.parametrize(
    "data",
    [DATA, json.dumps(DATA), "on May 20, 136-94.5 of them", "x " * 200, 7, {"1": {"2": []}}, ""],
)
def test_values_are_those_of_the_leaves(data: Any) -> None:
    """Each once, without its path."""
    field = FieldValues(data)
    assert field.values == {leaf.value for leaf in field.leaves}


def test_paths() -> None:
    """Written out as people write them."""
    leaves = [
        (leaf.value, write_path(leaf.path), write_path(leaf.record))
        for leaf in FieldValues(DATA).leaves
    ]
    assert leaves == [
        ("W-20", ".id", ""),
        ("2024-05-01", ".at[0]", ""),
        ("150", ".at[1].price", ".at[1]"),
        ("HAT001", ".at[1].HAT001", ".at[1]"),
    ]


def test_data_too_deep_for_json_is_read() -> None:
    """Down to a depth, and without an error."""
    deep: Any = "HAT001"
    for _ in range(100_000):
        deep = [deep]
    field = FieldValues(deep)
    assert field.leaves == []
    assert field.text == ""
