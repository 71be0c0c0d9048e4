"""The tool table: the same, substitutes, different."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otap.costs import ToolTable
from otap.trajectory import Step

TABLE = ToolTable([(["search", "find", "look_up"], 0.3), (["find", "list"], 0.5)])


def tool(name: str | None) -> Step:
    """Returns a call of a tool."""
    return Step(id="1", kind="tool", tool=name)


def apart(table: ToolTable, a: Step, b: Step) -> float:
    """Returns the distance of the tools of two steps."""
    return float(table.between([a], [b])[0, 0])


THOUGHT, OTHER_THOUGHT = Step(id="1", action="think"), Step(id="2", action="plan")


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        (tool("search"), tool("search"), 0.0),
        (tool("search"), tool("book"), 1.0),
        (tool("search"), tool("find"), 0.3),
        (tool("find"), tool("look_up"), 0.3),
        (tool("find"), tool("list"), 0.5),
        (tool("search"), tool("list"), 1.0),  # substitutes of a substitute are none
        (tool(None), tool(None), 0.0),
        (tool(None), tool("search"), 1.0),
        (THOUGHT, OTHER_THOUGHT, 0.0),
        (THOUGHT, tool("search"), 1.0),
        (THOUGHT, tool(None), 1.0),
    ],
)
def test_distance(a: Step, b: Step, distance: float) -> None:
    """Each pair costs what the table says, in either order."""
    assert apart(TABLE, a, b) == apart(TABLE, b, a) == distance


def test_the_smallest_of_several_groups() -> None:
    """Two tools that share several groups are as close as the closest says, never beyond 1."""
    for groups in ([(["a", "b"], 0.4), (["b", "a"], 0.2)], [(["a", "b"], 0.2), (["a", "b"], 0.4)]):
        assert apart(ToolTable(groups), tool("a"), tool("b")) == 0.2
    assert apart(ToolTable([(["a", "b"], 1.5)]), tool("a"), tool("b")) == 1.0


@given(st.lists(st.sampled_from(["search", "find", "list", None]), max_size=5))
def test_between(names: list[str | None]) -> None:
    """The matrix holds the distance of each pair; without steps it is empty."""
    steps = [THOUGHT, *map(tool, names)]
    matrix = TABLE.between(steps, steps)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert all(matrix[i, j] == apart(TABLE, a, b)
               for i, a in enumerate(steps) for j, b in enumerate(steps))  # fmt: skip
    assert TABLE.between([], steps).shape == (0, len(steps))
    assert TABLE.between(steps, []).shape == (len(steps), 0)


def test_digest() -> None:
    """The digest is that of the distances, however they are declared."""
    same = [ToolTable([(["a", "b"], 0.2)]), ToolTable([(["b", "a", "b"], 0.2), (["a", "b"], 0.9)])]
    assert same[0].digest == same[1].digest
    others = [ToolTable(), ToolTable([(["a", "b"], 0.3)]), ToolTable([(["a", "c"], 0.2)]), TABLE]
    assert len({table.digest for table in (*others, same[0])}) == 5
