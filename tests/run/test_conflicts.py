"""Conflicts: writes that name the same thing are in order, and nothing else is."""

from collections.abc import Callable
from typing import Any

import pytest

from otap.run import dependency_graph, with_conflicts
from otap.run.conflicts import CHECKED
from otap.run.index import ValueIndex
from otap.run.objects import named_objects
from otap.trajectory import Step, Trajectory
from work import calls


def run(*calls: tuple[str, Any], turns: str = "") -> Trajectory:
    """Returns a run of bare calls; ``turns`` has a digit for each."""
    steps = [
        Step(id=str(k), tool=tool, arguments=arguments, turn=int(turns[k]) if turns else None)
        for k, (tool, arguments) in enumerate(calls)
    ]
    return Trajectory(id="run", steps=tuple(steps))


def edges(trajectory: Trajectory, writes: str = "") -> list[tuple[int, int]]:
    """Returns the conflicts; ``writes`` has a w for each step that writes, by default all do."""
    said = [mark == "w" for mark in writes] or None
    graph = dependency_graph(trajectory, "conflicts", said)
    return [(edge.source, edge.target) for edge in graph.edges]


def named(arguments: Any) -> list[str]:
    """Returns the objects that a call with these arguments names."""
    return list(named_objects(arguments).paths)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"order_id": "#W-20"}, ["W-20"]),
        ({"path": "notes.md", "content": "Draft of notes.md"}, ["notes.md"]),
        ({"table": "orders", "change": "DROP COLUMN note"}, ["orders"]),
        ({"accountId": 4711}, ["4711"]),
        ({"url": "https://x.example/a"}, ["https://x.example/a"]),
        ({"city": "Berlin", "cabin": "economy", "zip": "10001", "date": "2026-06-12"}, []),
        ({"at": "2026-06-12T10:00", "price": "49.90 EUR", "version": "v1.5.0", "n": 12345}, []),
        ({"address1": "4 Elm Street"}, []),  # a key is no value
        (["a", "b"], ["a", "b"]),
        ({"block": "a", "on": "b"}, ["a", "b"]),
        ("block a on block b", ["a", "b"]),
        ("pick up a block", []),
        (["obj12", "pier"], ["obj12", "pier"]),
        (None, []),
    ],
)
def test_named_objects(arguments: Any, expected: list[str]) -> None:
    """Identifiers, addresses, values under certain keys, objects of a plan; no circumstances."""
    assert named(arguments) == expected


def test_a_plan_is_ordered_by_its_objects() -> None:
    """The order of a plan of bare calls is that of its objects, transitively reduced."""
    plan = run(("unstack", ["b", "d"]), ("put-down", ["b"]), ("unstack", ["d", "a"]),
               ("stack", ["b", "d"]))  # fmt: skip
    assert edges(plan) == [(0, 1), (0, 2), (1, 3), (2, 3)]
    edge = dependency_graph(plan, "conflicts").edges[0]
    assert [(e.value, e.source_path, e.target_path) for e in edge.evidence] == [
        ("b", "arguments[0]", "arguments[0]")
    ]


def test_what_does_not_write_is_in_no_order() -> None:
    """Steps that do not write commute with all others."""
    calls = [("get", {"path": "a.txt"}), ("write", {"path": "a.txt"}), ("get", {"path": "a.txt"})]
    assert edges(run(*calls), "-w-") == []
    assert edges(run(*calls, ("write", {"path": "a.txt"})), "-w-w") == [(1, 3)]


def test_the_sheet_of_two_cells_is_no_conflict() -> None:
    """What one key names otherwise tells things apart that have a place in common."""
    one, other = {"sheet": "Plan", "cell": "B4"}, {"sheet": "Plan", "cell": "F9"}
    assert edges(run(("set_cell", one), ("set_cell", other))) == []
    assert edges(run(("set_cell", one), ("set_cell", {**one, "value": "final"}))) == [(0, 1)]
    assert edges(run(("set_cell", one), ("clear_sheet", {"sheet": "Plan"}))) == [(0, 1)]


def test_parts_of_a_thing_change_places() -> None:
    """Two tools that set, add or update are in no order; one tool twice is, and so is a cancel."""
    order = {"order_id": "W20"}
    assert edges(run(("update_address", order), ("add_note", order))) == []
    assert edges(run(("shop__update_address", order), ("shop__cancel", order))) == [(0, 1)]
    assert edges(run(("update_address", order), ("update_address", order))) == [(0, 1)]
    assert edges(run(("shop__update_address", order), ("updateAddress", order))) == [(0, 1)]


def test_parallel_steps_are_in_no_order_and_relisting_them_changes_nothing() -> None:
    """Steps of one turn have the same edges in whatever order they are listed."""
    first, second, last = ("a", ["x", "y"]), ("b", ["x"]), ("c", ["x"])
    assert edges(run(first, second, last, turns="112")) == [(0, 2), (1, 2)]
    assert edges(run(second, first, last, turns="112")) == [(0, 2), (1, 2)]


def test_a_write_that_shows_nothing_is_in_order_beside_value_flow() -> None:
    """Edges of value flow stay; what shows a value is left to them, if no name says more."""
    steps = [
        Step(id="1", tool="find", arguments={}, effect="B-77"),
        Step(id="2", tool="backup", arguments={"table": "B-77"}, effect="ok"),
        Step(id="3", tool="alter", arguments={"table": "B-77"}, effect="done"),
        Step(id="4", tool="copy", arguments={"table": "B-77"}, effect={"made": "C-9"}),
    ]
    trajectory = Trajectory(steps=tuple(steps))
    index, writes = ValueIndex(trajectory), [False, True, True, True]
    graph = dependency_graph(trajectory)
    found = with_conflicts(graph, trajectory, index, writes, {"x"}.__contains__)
    ends = [(edge.source, edge.target) for edge in found.edges]
    assert ends == [(0, 1), (0, 2), (1, 2), (0, 3)]
    named = with_conflicts(graph, trajectory, index, writes, {"copy"}.__contains__)
    assert (2, 3) in [(edge.source, edge.target) for edge in named.edges]
    assert found.mechanism == "traced"


def chain(size: int) -> Trajectory:
    """Writes to one file."""
    return run(*[("write", {"path": "a.txt", "n": k}) for k in range(size)])


def cells(size: int) -> Trajectory:
    """Writes to cells of one sheet."""
    return run(*[("set", {"sheet": "A1", "cell": f"C{k}"}) for k in range(size)])


def wide(size: int) -> Trajectory:
    """Writes that name many things each."""
    return run(*[("put", [f"x{k % 7}", *(f"o{i}" for i in range(60))]) for k in range(size)])


def test_many_steps_on_one_thing() -> None:
    """The edges are as few as they can be."""
    assert edges(chain(500)) == [(k, k + 1) for k in range(499)]
    assert edges(cells(500)) == []
    assert len(edges(wide(500))) == 499


@pytest.mark.parametrize("some", [chain, cells, wide])
def test_the_work_is_linear_in_the_steps(some: Callable[[int], Trajectory]) -> None:
    """Whatever they name, twice the steps are twice the work."""
    few, many = some(200), some(400)
    assert calls(lambda: edges(many)) < 2.5 * calls(lambda: edges(few))


def test_many_parallel_writes_have_bounded_edges() -> None:
    """Of a thousand parallel writes on one thing a later one needs the last ones alone."""
    steps = [Step(id=str(k), tool="x", arguments=["a"], turn=k // 1000) for k in range(2000)]
    found = edges(Trajectory(steps=tuple(steps)))
    assert len(found) == 1000 * CHECKED
