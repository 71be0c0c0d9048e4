"""Gold workflows of WorFBench: nodes become steps, edges become dependencies."""

import json

import pytest

from otap import formats
from otap.errors import FormatError

FILES = [("alfworld", 312, 1775, 1463), ("seal_tools", 223, 819, 193), ("toolbench", 114, 314, 96)]
GRAPH = """Node:
1: find the red mug
2: wash the mug
3: open the drawer
Edge: (START,1) (1,2) (START,3) (2,END) (3,END)"""


def record(graph=GRAPH, **changed):
    """Returns one record of the benchmark."""
    said = [("system", "You plan."), ("user", "Wash the mug."), ("assistant", graph)]
    conversations = [{"role": role, "content": content} for role, content in said]
    known = {"source": "alfworld", "conversations": conversations, "target": "graph", "id": "a_1"}
    return {**known, **changed}


def read(write, *arguments, **changed):
    """Reads a file with one record."""
    return formats.read(write([record(*arguments, **changed)]))


def test_workflow(write):
    """Each node is a step with exact dependencies; the task is what the user said."""
    run = read(write)
    assert (run.id, run.task, run.request) == ("a_1", "a_1", ("Wash the mug.",))
    assert run.metadata == {"source": "alfworld"}
    assert [step.model_dump(exclude_unset=True) for step in run.steps] == [
        {"id": number, "kind": "reasoning", "action": action, "depends_on": needed}
        for number, action, needed in [
            ("1", "find the red mug", ()),
            ("2", "wash the mug", ("1",)),
            ("3", "open the drawer", ()),
        ]
    ]


@pytest.mark.parametrize(
    ("graph", "steps"),
    [
        ("Node:\n1. a\n 2 :b \nEdges:\n(START,1)\n(1, 2)\n(2,END)", [("a", ()), ("b", ("1",))]),
        ("Node:\n1: a\n2: b\nEdge: (2,1) (2,1)", [("a", ("2",)), ("b", ())]),
        ("Node:\n1: Edge (2,1)\n2: b\n- **Edge:** (1,2)", [("Edge (2,1)", ()), ("b", ("1",))]),
        ("Node:\n1: a\n1: b\nEdge:", [("b", ())]),
    ],
)
def test_ways_of_writing(write, graph, steps):
    """Points and colons, edges in one line or a line each, told twice, or told before."""
    found = read(write, graph).steps
    assert [(step.action, step.depends_on) for step in found] == steps


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"graph": "Node:\n1: a\n2: b\nEdge: (1,2) (2,1)"}, "[2].content: depends_on has a cycle"),
        ({"graph": "Node:\n1: a\nEdge: (1,2)"}, "[2].content: an edge has the node '2', which is"),
        ({"graph": "Node: none. Edge: none"}, "[2].content: no line is a node such as '1: text'"),
        ({"id": []}, "id: expected text or a whole number"),
        ({"conversations": 5}, "conversations: expected a list"),
        ({"conversations": []}, "conversations: expected a last message of the assistant"),
        ({"conversations": [5]}, "[0]: expected an object"),
        ({"conversations": [{"role": "user"}]}, "[0].content: expected text"),
        ({"conversations": [{"role": "user", "content": "x"}]}, "expected a last message of the"),
    ],
)
def test_bad_records(write, changed, words):
    """A graph with a cycle, or none at all, is an error with its place."""
    path = write([record(), record(**changed)])
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    assert str(caught.value).startswith(f"{path}: [1].")
    assert words in str(caught.value)


@pytest.mark.parametrize(("name", "runs", "steps", "edges"), FILES)
def test_real_workflows(real_data, name, runs, steps, edges):
    """All records of all domains are read with as many nodes and edges as there are in the text."""
    path = real_data / "worfbench" / f"{name}.json"
    found = list(formats.read_all(path))
    assert len(found) == runs
    assert sum(len(run.steps) for run in found) == steps
    assert sum(len(step.depends_on) for run in found for step in run.steps) == edges
    for run, plain in zip(found, json.loads(path.read_text("utf-8")), strict=True):
        lines = plain["conversations"][-1]["content"].split("\n")
        actions = [line.split(":", 1)[1].strip() for line in lines if line[:1].isdigit()]
        assert (run.id, [step.action for step in run.steps]) == (plain["id"], actions)
