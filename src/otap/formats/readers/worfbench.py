"""Files of WorFBench: each run is a workflow, a graph in text with nodes and then edges."""

import re
from collections.abc import Iterator
from typing import Any

from otap.errors import shown
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.trajectory import Step, Trajectory, parse_trajectory

NAME = "worfbench"
DESCRIPTION = "gold workflows of WorFBench: conversations that end in nodes and edges as text"
STEP = "each node of the graph, which depends on the nodes with an edge to it"
KNOWN_BY = "'conversations' that end in the text of nodes and edges"
BY_ITEM = True

_NODE = re.compile(r"(\d+)\s*[:.]\s*(.+)")
_EDGES = re.compile(r"[\s*#-]*Edge")
_EDGE = re.compile(r"\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_ENDS = {"START", "END"}
_METADATA_KEYS = ("source", "category")


def recognises(value: Any) -> bool:
    """Returns whether this is a record of WorFBench, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict) or not isinstance(first.get("conversations"), list):
        return False
    last = first["conversations"][-1] if first["conversations"] else None
    text = last.get("content") if isinstance(last, dict) else None
    return isinstance(text, str) and "Node" in text and "Edge" in text


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each record.

    ``reasoning`` has no effect: every node is a step without a tool.
    """
    del reasoning
    return document.map(_trajectory)


def parse_workflow(text: str) -> tuple[Step, ...]:
    """Returns the steps of a graph in the text form ``Node: ... Edge: ...``.

    If a node is listed twice, the last text counts. START and END are not steps.

    Raises:
        ValueError: if an edge has a node that is not listed.
    """
    lines = text.splitlines()
    edge_line = next((i for i, line in enumerate(lines) if _EDGES.match(line)), len(lines))
    nodes = [_NODE.match(line.strip()) for line in lines[:edge_line]]
    actions = {node[1]: node[2] for node in nodes if node}
    parents: dict[str, dict[str, None]] = {number: {} for number in actions}
    for source, target in _EDGE.findall("\n".join(lines[edge_line:])):
        unknown = {source, target} - parents.keys() - _ENDS
        if unknown:
            raise ValueError(f"an edge has the node '{shown(min(unknown))}', which is not listed")
        if source not in _ENDS and target not in _ENDS:
            parents[target][source] = None
    return tuple(
        Step(id=number, kind="reasoning", action=action, depends_on=tuple(parents[number]))
        for number, action in actions.items()
    )


def _trajectory(value: Any, path: JsonPath) -> Trajectory:
    record = path.object(value)
    list_path = path["conversations"]
    messages = [_read_message(*placed) for placed in list_path.items(record.get("conversations"))]
    if not messages or messages[-1][0] != "assistant":
        raise list_path.error("expected a last message of the assistant, with nodes")
    text_path, text = list_path[len(messages) - 1]["content"], messages[-1][1]
    name = path["id"].label(record.get("id"))
    fields = {
        "id": name,
        "task": name,
        "request": [request for role, request in messages if role == "user"],
        "steps": _read_steps(text, text_path),
        "metadata": {key: record[key] for key in _METADATA_KEYS if record.get(key) is not None},
    }
    return parse_trajectory(fields, str(text_path))


def _read_steps(text: str, path: JsonPath) -> tuple[Step, ...]:
    try:
        steps = parse_workflow(text)
    except ValueError as error:
        raise path.error(str(error)) from None
    if not steps:
        raise path.error(f"no line is a node such as '1: text', found {described(text)}")
    return steps


def _read_message(value: Any, path: JsonPath) -> tuple[Any, str]:
    message = path.object(value)
    return message.get("role"), path["content"].text(message.get("content"))
